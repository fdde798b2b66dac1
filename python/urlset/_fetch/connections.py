"""Connections and single requests. Every address is checked when it is dialled, and every wait has an end.

httpcore2 keeps the connections. What it does not know is added beneath it: which addresses are allowed, and a deadline
for a whole exchange, which a server that sends one byte at a time cannot stretch.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

import httpcore2

from urlset._fetch.addresses import AddressError, AddressPolicy, is_address
from urlset._fetch.named import NamedSites
from urlset._fetch.tls import is_certificate_problem, tls_context, tls_problem
from urlset._fetch.user_client import send
from urlset._options.http import Http

#: Returns the addresses of a host: as `socket.getaddrinfo`, but only the addresses.
Resolve = Callable[[str, int], list[str]]


class Response(Protocol):
    """An answer, as far as fetching needs it."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Sequence[tuple[bytes, bytes]]: ...
    def iter_stream(self) -> Iterator[bytes]: ...
    def close(self) -> None: ...


class DeadlineError(Exception):
    """An exchange took longer than it may."""


class HostError(httpcore2.ConnectError):
    """A host has no address."""


#: What kept a server from answering, by the class of the error: the first that fits.
_PROBLEMS: dict[type[Exception], str] = {
    AddressError: "a private address, which this run may not reach",
    DeadlineError: "the server took too long",
    httpcore2.ConnectError: "no connection",
    httpcore2.TimeoutException: "the server did not answer in time",
    httpcore2.ProtocolError: "the answer is not valid HTTP",
    httpcore2.NetworkError: "the connection broke",
}


def problem_of(error: BaseException) -> str | None:
    """Return what kept a server from answering, as the rest of a sentence; None if it is an error of our own."""
    if (problem := tls_problem(error)) is not None:
        return problem
    for kind, problem in _PROBLEMS.items():
        if isinstance(error, kind):
            return f"{problem}: {error}" if str(error) else problem
    return None


def is_passing(error: BaseException) -> bool:
    """Return whether the same request may succeed: the connection broke, for another reason than a certificate."""
    return isinstance(error, httpcore2.NetworkError | httpcore2.ProtocolError) and not is_certificate_problem(error)


def addresses_of(host: str, port: int) -> list[str]:
    """Return the addresses of a host, as the system knows them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


def _proxy(url: str) -> httpcore2.Proxy:
    """Return a proxy, whose URL may have a user name and a password."""
    parts = urlsplit(url)
    auth = None if parts.username is None else (unquote(parts.username), unquote(parts.password or ""))
    return httpcore2.Proxy(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}", auth=auth)


class _Clock(threading.local):
    """The deadline of the exchange that this thread is in."""

    until = float("inf")

    def left(self, timeout: float | None) -> float:
        """Return the seconds that a wait may take. Raises DeadlineError if the time is up."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise DeadlineError
        return left if timeout is None else min(left, timeout)


class _Stream(httpcore2.NetworkStream):
    """A connection whose reads and writes end with the deadline."""

    def __init__(self, stream: httpcore2.NetworkStream, clock: _Clock) -> None:
        self._stream = stream
        self._clock = clock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        left = self._clock.left(timeout)
        with self._in_time():
            return self._stream.read(max_bytes, left)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        left = self._clock.left(timeout)
        with self._in_time():
            self._stream.write(buffer, left)

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        left = self._clock.left(timeout)
        with self._in_time():
            return _Stream(self._stream.start_tls(ssl_context, server_hostname, left), self._clock)

    def close(self) -> None:
        self._stream.close()

    def abort(self) -> None:
        """End what another thread reads or writes now."""
        with suppress(OSError):
            self._stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        try:
            yield
        except httpcore2.TimeoutException:
            self._clock.left(None)  # raises if it is the deadline that has passed
            raise


class _Backend(httpcore2.NetworkBackend):
    """Dials the addresses of a host that may be reached."""

    def __init__(self, addresses: Callable[[str, int], list[str]], clock: _Clock) -> None:
        self._addresses = addresses
        self._clock = clock
        self._sockets = httpcore2.SyncBackend()
        self.opened: weakref.WeakSet[_Stream] = weakref.WeakSet()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        problem: Exception = HostError(f"{host} has no address")
        for address in self._addresses(host, port):
            try:
                stream = self._sockets.connect_tcp(
                    address, port, self._clock.left(timeout), local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                problem = error
            else:
                opened = _Stream(stream, self._clock)
                self.opened.add(opened)
                return opened
        raise problem


class Connections:
    """Connections to servers, kept for the next request.

    Args:
        options: How documents are fetched.
        named: The sites that the caller named.
        resolve: Returns the addresses of a host.
    """

    def __init__(self, options: Http, named: NamedSites, resolve: Resolve = addresses_of) -> None:
        self._options = options
        self._named = named
        self._resolve = resolve
        self._clock = _Clock()
        self._policy = AddressPolicy(options.private_addresses, named.hosts)
        self._proxy = None if options.proxy is None else _proxy(options.proxy)
        self._backend = _Backend(self._addresses, self._clock)
        self._pool = httpcore2.ConnectionPool(
            max_connections=options.concurrency * 2,
            max_keepalive_connections=options.concurrency,
            keepalive_expiry=30,
            ssl_context=tls_context(options.ca_file, http2=options.http2),
            proxy=self._proxy,
            http2=options.http2,
            network_backend=self._backend,
        )

    @contextmanager
    def deadline(self, until: float) -> Iterator[None]:
        """End what this thread sends and receives at a time of the monotonic clock."""
        before, self._clock.until = self._clock.until, until
        try:
            yield
        finally:
            self._clock.until = before

    def request(self, url: str, headers: Mapping[str, str], method: str = "GET") -> Response:
        """Send a request, and return the response once its headers are there. The caller closes it.

        Raises:
            AddressError: The host has no address that may be reached.
            DeadlineError: The deadline has passed.
            httpcore2.NetworkError: There is no connection, or it broke.
            httpcore2.TimeoutException: The server did not answer in time.
            httpcore2.ProtocolError: The answer is not HTTP.
        """
        timeout, client = self._options.timeout, self._options.client
        host = urlsplit(url).hostname or ""
        if client is not None and self._named.includes(url):
            return send(client, method, url, headers, lambda: self._clock.left(timeout), self._policy)
        if self._proxy is not None and is_address(host):
            self._policy.allowed(host, [host])  # a name is known to the proxy alone
        extensions = {"timeout": {"connect": timeout, "read": timeout, "write": timeout, "pool": None}}
        request = httpcore2.Request(method, url, headers=list(headers.items()), extensions=extensions)
        return self._pool.handle_request(request)

    def close(self) -> None:
        """Close all connections, also those that other threads are waiting for."""
        for stream in list(self._backend.opened):
            stream.abort()
        with suppress(RuntimeError):  # a connection in the middle of an exchange, which has ended now
            self._pool.close()

    def _addresses(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host that may be reached.

        Raises:
            AddressError: None of them may be reached.
        """
        try:
            found = self._resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise HostError(f"the host {host} was not found") from error
        # The caller has named the proxy, wherever it is.
        return found if self._proxy is not None else self._policy.allowed(host, found)
