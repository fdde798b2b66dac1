"""The transport of a run: the core's, and the caller's own client for the sites that the caller named."""

from __future__ import annotations

from collections.abc import Mapping
from os import fspath
from typing import Final

from urlset import _core
from urlset._fetch.addresses import AddressPolicy
from urlset._fetch.exchange import Exchange, Fault, ServerAnswer, TransportEvent
from urlset._fetch.mapped import MappedSites
from urlset._fetch.named import NamedSites
from urlset._fetch.proxies import proxies_of
from urlset._fetch.robots import site_of
from urlset._fetch.user_client import ClientRequests
from urlset._model.core_types import TransportSettings
from urlset._model.fetched_pages import Refused
from urlset._options.http import Http

#: What the faults of the core are for whoever asked. A body that is not what its headers say is an answer all the same.
_REFUSED: Final[dict[str, Refused | None]] = {
    "dns": "dns",
    "connect": "connection",
    "refused": "connection",
    "reset": "connection",
    "protocol": "connection",
    "tls": "tls",
    "certificate": "tls",
    "timeout": "timeout",
    "deadline": "timeout",
    "address": "private address",
    "coding": None,
}
#: Those after which the same request may succeed.
_PASSING: Final = frozenset(("dns", "connect", "refused", "reset", "protocol", "tls", "timeout", "deadline"))


class HttpTransport:
    """Sends requests. One thread uses it, but for `wake`.

    Args:
        options: How documents are fetched.
        named: The sites that the caller named.

    Raises:
        InputError: A file or a proxy that the options or the environment name cannot be used.
    """

    def __init__(self, options: Http, named: NamedSites) -> None:
        self._policy = AddressPolicy(options.private_addresses, named.hosts)
        self._net = _core.Transport(_settings(options))
        self._named = named
        self._client: ClientRequests | None = None
        if options.client is not None:
            self._client = ClientRequests(options.client, options.timeout, self._policy, self._net.wake)
        #: The site of each request that is on its way by the core.
        self._sites: dict[int, str] = {}
        self._mapped = MappedSites(options.map)
        self._may_be_private = options.private_addresses != "never"
        #: The URL of each request that is on its way.
        self._asked: dict[int, str] = {}

    def start(self, exchange: Exchange, headers: Mapping[str, str], seconds: float) -> None:
        """Send the request that an exchange has come to. It may take so many seconds."""
        number, url = exchange.number, exchange.now
        site, elsewhere = site_of(url), self._mapped.dialled(url)
        self._asked[number] = url
        if self._client is not None and self._named.has_site(site):
            private = None if elsewhere is None else self._may_be_private
            self._client.start(exchange, elsewhere or url, headers, seconds, private=private)
            return
        if elsewhere is None:
            self._sites[number] = site
            private = self._policy.allows_private(site)
        else:
            # Whoever says where a site is has named that place, and no other one beside it.
            url, private = elsewhere, self._may_be_private
        self._net.start(
            number, exchange.method, url, list(headers.items()), exchange.content, seconds, private, exchange.most
        )

    def take(self, seconds: float) -> list[TransportEvent]:
        """Return what has happened. It waits for that, at most so many seconds and until `wake` is called."""
        found = [self._event(event) for event in self._net.take(seconds)]
        return [self._named_event(event) for event in (found if self._client is None else found + self._client.take())]

    def pour(self, number: int, pipe: _core.Pipe) -> None:
        """Pass on the body of an answer whose headers are there. Nothing is received while the pipe is full."""
        if self._client is None or not self._client.pour(number, pipe):
            self._net.pour(number, pipe)

    def cancel(self, number: int) -> None:
        """Receive no more of an answer."""
        self._sites.pop(number, None)
        self._asked.pop(number, None)
        self._net.cancel(number)
        if self._client is not None:
            self._client.cancel(number)

    def wake(self) -> None:
        """Let `take` return. Any thread may call it."""
        self._net.wake()

    def close(self) -> None:
        """End all requests and connections."""
        if self._client is not None:
            self._client.close()
        self._net.close()

    def _named_event(self, event: TransportEvent) -> TransportEvent:
        """Return an event as the site itself would have it, wherever it is reached."""
        url = self._asked.get(event.number) if event.kind == "head" else self._asked.pop(event.number, None)
        return event if url is None else event._replace(answer=self._mapped.named(url, event.answer))

    def _event(self, event: _core.Event) -> TransportEvent:
        site = self._sites.get(event.number) if event.kind == "head" else self._sites.pop(event.number, None)
        if site is not None:
            self._policy.see(site, event.address)
        answer = ServerAnswer(
            event.status,
            event.headers,
            event.body or b"",
            event.is_cut,
            event.is_whole,
            event.received,
            round(event.seconds, 6),
        )
        fault = None
        if event.fault is not None:
            fault = Fault(event.message or event.fault, _REFUSED[event.fault], is_passing=event.fault in _PASSING)
        return TransportEvent(event.number, event.kind, answer, fault)


def _settings(options: Http) -> TransportSettings:
    proxies = proxies_of(options)
    return TransportSettings(
        ca_file=None if options.ca_file is None else fspath(options.ca_file),
        client_cert=None if options.client_cert is None else fspath(options.client_cert),
        verify=not options.insecure,
        http_proxy=proxies.http,
        https_proxy=proxies.https,
        no_proxy=proxies.direct,
        http2=options.http2,
        timeout=options.timeout,
        per_host=options.per_host,
    )
