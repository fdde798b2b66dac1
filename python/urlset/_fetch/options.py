"""How a site is followed over HTTP: what its users can choose."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args
from urllib.parse import urlsplit

from urlset._model.errors import InputError

if TYPE_CHECKING:
    import httpx2

#: Which hosts an index may lead to. `host`: its own. `domain`: those of its registrable domain, by the public suffix
#: list. `verified`: these, and those that a robots.txt which is read names. `any`: all.
Hosts = Literal["host", "domain", "verified", "any"]
#: Which private addresses may be reached: of locations that the caller `named`, `never`, or `always`.
PrivateAddresses = Literal["named", "never", "always"]

#: The least values of numbers.
_MINIMA = (
    *(("retries", 0), ("redirects", 0), ("concurrency", 1), ("per_host", 1)),
    *(("documents", 1), ("depth", 0), ("total_bytes", 1)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Http:
    """How documents are fetched over HTTP.

    Attributes:
        user_agent: What the client calls itself; urlset, with its version and page, if None. Rules of a robots.txt are
            those for its first word.
        headers: Headers for the hosts that the caller named, such as Authorization. No other host gets them.
        timeout: Seconds that a server may take to accept a connection, or to send its next bytes.
        seconds: Seconds that one document may take in all, with its redirects and retries.
        retries: How often a request is repeated after 429, after an error of the server, or without a response.
        redirects: How many redirects are followed.
        concurrency: How many documents are fetched at once.
        per_host: How many of them from one host.
        documents: How many documents one run may fetch. What is found beyond this and the next three is not read:
            a failure says so, and what was read is kept.
        depth: How many indexes may lead to each other, from the first one to the last.
        total_bytes: How many bytes one run may receive before it begins another document.
        total_seconds: How long one run may take before it begins another document.
        obey_robots: Whether the robots.txt of a host is obeyed. Turn it off for a site of your own.
        hosts: Which hosts an index may lead to: its own (`"host"`), those of the same registrable domain (`"domain"`),
            also those that a robots.txt names (`"verified"`), or all (`"any"`).
        cache: File that keeps what servers send. Of a document in it, a server is asked only whether it has changed. It
            is created if it does not exist, and several runs can use it at once.
        trust_index: Whether a document in the cache is taken from there without asking its server, as long as the index
            that lists it states the same lastmod as before. One in twenty is asked for anyway, to see whether that
            holds: an index that is wrong once is not trusted any more. Needs `cache`.
        ca_file: PEM file with the certificates of the authorities to trust, instead of those of the system. Those can
            also be replaced by the environment variable `SSL_CERT_FILE`.
        proxy: URL of an http or https proxy through which everything is fetched, such as `http://user:password@proxy:3128`.
            It decides which addresses are reached: only those that stand in URLs are judged. Those of the environment
            are not used.
        http2: Whether to offer HTTP/2 to servers with https. Documents of one host then share a connection, and break
            off together.
        client: A client of your own, an `httpx2.Client`, with its authentication, cookies and proxies. It fetches from
            the hosts that you named, and no others. Its redirects are followed as all others are.
        private_addresses: Which private addresses may be reached: those of locations that the caller named
            (`"named"`), none (`"never"`, for a service that takes locations from others), or all (`"always"`).

    Raises:
        InputError: A value is not one of these.

    Example:
        >>> import urlset
        >>> urlset.Http(user_agent="examplebot/1.0", concurrency=4).concurrency
        4
    """

    user_agent: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 30
    seconds: float = 600
    retries: int = 2
    redirects: int = 5
    concurrency: int = 8
    per_host: int = 4
    documents: int = 200_000
    depth: int = 4
    total_bytes: int = 256 << 30
    total_seconds: float = 86_400
    obey_robots: bool = True
    hosts: Hosts = "verified"
    private_addresses: PrivateAddresses = "named"
    cache: str | os.PathLike[str] | None = None
    ca_file: str | os.PathLike[str] | None = None
    trust_index: bool = False
    proxy: str | None = field(default=None, repr=False)
    http2: bool = False
    client: httpx2.Client | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name, minimum in _MINIMA:
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < minimum:
                raise InputError(f"Http.{name} must be a whole number from {minimum} up, got {value!r}")
        for name in ("timeout", "seconds", "total_seconds"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < float("inf"):
                raise InputError(f"Http.{name} must be a number of seconds above 0, got {value!r}")
        if self.hosts not in get_args(Hosts):
            raise InputError(f"Http.hosts must be one of {', '.join(get_args(Hosts))}, got {self.hosts!r}")
        if self.private_addresses not in get_args(PrivateAddresses):
            known = ", ".join(get_args(PrivateAddresses))
            raise InputError(f"Http.private_addresses must be one of {known}, got {self.private_addresses!r}")
        if self.trust_index and self.cache is None:
            raise InputError("Http.trust_index needs Http.cache: the file in which documents are kept")
        if self.proxy is not None:
            _check_proxy(self.proxy, self.private_addresses)
        agent = {} if self.user_agent is None else {"user_agent": self.user_agent}
        for name, text in {**agent, **self.headers}.items():
            if not isinstance(text, str) or not text.isascii() or not text.isprintable() or not text.strip():
                raise InputError(f"Http: the value of {name} must be printable ASCII text")  # it may be a secret


def _check_proxy(proxy: str, private: PrivateAddresses) -> None:
    """Raise InputError for what is not a proxy, without showing it: it may have a password."""
    try:
        parts = urlsplit(proxy)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except (ValueError, AttributeError, TypeError):
        is_valid = False
    if not is_valid:
        raise InputError("Http.proxy must be the URL of an http or https proxy, such as http://proxy.example:3128")
    if private == "never":
        raise InputError(
            "Http.private_addresses='never' cannot be kept with Http.proxy, which decides by itself what it reaches"
        )
