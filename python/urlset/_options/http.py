"""How documents are fetched over HTTP: what the users of every verb that reads a site can choose."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import urlsplit

from urlset._model.errors import InputError
from urlset._options import kinds
from urlset._options.option import Option, check_values, documented
from urlset._util.urls import origin

if TYPE_CHECKING:
    import httpx2

#: Which hosts an index may lead to. `host`: its own. `domain`: those of its registrable domain, by the public suffix
#: list. `verified`: these, and those that a robots.txt which is read names. `any`: all.
Hosts = Literal["host", "domain", "verified", "any"]
#: Which private addresses may be reached: of locations that the caller `named`, `never`, or `always`.
PrivateAddresses = Literal["named", "never", "always"]

OVER_HTTP = "Over HTTP"
#: Stands for no proxy, whatever the environment names.
DIRECT = "direct"

#: What a request may cost, also for those who send requests of their own.
Timeout = Annotated[
    float,
    Option(
        "Seconds that a server may take to accept a connection, or to send its next bytes.",
        metavar="SECONDS",
        panel=OVER_HTTP,
    ),
]
Retries = Annotated[
    int,
    Option(
        "How often a request is repeated after 429, after an error of the server, or without a response.",
        metavar="N",
        least=0,
        panel=OVER_HTTP,
    ),
]


@documented
@dataclass(frozen=True, slots=True, kw_only=True)
class Http:
    """How documents are fetched over HTTP.

    Raises:
        InputError: A value is not one of these.

    Example:
        >>> import urlset
        >>> urlset.Http(user_agent="examplebot/1.0", concurrency=4).concurrency
        4
    """

    headers: Annotated[
        Mapping[str, str],
        Option(
            "Headers for the sites that you name, such as 'Authorization: Bearer …'.",
            more="No other site gets them: the scheme, the host and the port must be the same.",
            kind=kinds.HEADERS,
            metavar="NAME: VALUE",
            panel=OVER_HTTP,
            flags="--headers,-H",
        ),
    ] = field(default_factory=dict, repr=False)
    user_agent: Annotated[
        str | None,
        Option(
            "What the client calls itself.",
            more="Rules of a robots.txt are those for its first word.",
            default="urlset and its version",
            metavar="NAME",
            panel=OVER_HTTP,
        ),
    ] = None
    cache: Annotated[
        str | os.PathLike[str] | None,
        Option(
            "File that keeps what servers send, so that the next run fetches only what has changed.",
            more="It is created if it does not exist, and several runs can use it at once.",
            metavar="FILE",
            panel=OVER_HTTP,
        ),
    ] = None
    trust_index: Annotated[
        bool,
        Option(
            "Do not request cached documents while their lastmod in the index stays; one in twenty is checked.",
            more="An index that is wrong once is not trusted any more. Needs `cache`.",
            panel=OVER_HTTP,
        ),
    ] = False
    ca_file: Annotated[
        str | os.PathLike[str] | None,
        Option(
            "PEM file with the certificates of the authorities to trust.",
            more="Those of the system can also be replaced by the environment variable `SSL_CERT_FILE`.",
            default="those of the system",
            metavar="FILE",
            panel=OVER_HTTP,
        ),
    ] = None
    client_cert: Annotated[
        str | os.PathLike[str] | None,
        Option(
            "PEM file with a certificate and its key, for servers that ask who you are.",
            metavar="FILE",
            panel=OVER_HTTP,
        ),
    ] = None
    insecure: Annotated[
        bool, Option("Trust any certificate: for a staging server of your own, and no other.", panel=OVER_HTTP)
    ] = False
    proxy: Annotated[
        str | None,
        Option(
            "URL of an http or https proxy through which everything is fetched, or `direct` for none.",
            more="It may have a password, as in `http://user:password@proxy:3128`. The hosts that the environment"
            " variable `NO_PROXY` lists are asked without it. It decides which addresses are reached: only those that"
            " stand in URLs are judged.",
            default="those of the environment: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`",
            metavar="URL",
            panel=OVER_HTTP,
        ),
    ] = field(default=None, repr=False)
    http2: Annotated[
        bool,
        Option(
            "Offer HTTP/2 to servers with https.",
            more="Documents of one host then share a connection, and break off together.",
            panel=OVER_HTTP,
        ),
    ] = False
    obey_robots: Annotated[
        bool,
        Option(
            "Obey the robots.txt of each host, or ignore it on a site of your own.",
            default="obey",
            panel=OVER_HTTP,
            flags="--obey-robots/--ignore-robots",
        ),
    ] = True
    hosts: Annotated[
        Hosts,
        Option(
            "Hosts that an index may lead to: its own (host), those of its registrable domain (domain), also those that"
            " a robots.txt names (verified), or all (any).",
            panel=OVER_HTTP,
        ),
    ] = "verified"
    private_addresses: Annotated[
        PrivateAddresses,
        Option(
            "Private addresses that may be reached: those of locations that you name (named), none (never), or all"
            " (always).",
            more="`never` is for a service that takes locations from others.",
            panel=OVER_HTTP,
        ),
    ] = "named"
    map: Annotated[
        Mapping[str, str],
        Option(
            "Site that is reached elsewhere, such as https://shop.example=http://127.0.0.1:8000 for a preview of it.",
            more="Only what is dialled changes: every result, rule and policy goes by the URLs of the site itself. A"
            " private address may be reached there, even if no other may.",
            kind=kinds.MAPPED,
            metavar="SITE=SITE",
            panel=OVER_HTTP,
        ),
    ] = field(default_factory=dict)
    timeout: Timeout = 30
    seconds: Annotated[
        float,
        Option(
            "Seconds that one document may take in total, with its redirects and retries.",
            metavar="SECONDS",
            panel=OVER_HTTP,
        ),
    ] = 600
    retries: Retries = 2
    redirects: Annotated[int, Option("How many redirects are followed.", metavar="N", least=0, panel=OVER_HTTP)] = 5
    concurrency: Annotated[int, Option("How many documents are fetched at once.", metavar="N", panel=OVER_HTTP)] = 8
    per_host: Annotated[int, Option("How many of them from one host.", metavar="N", panel=OVER_HTTP)] = 4
    max_documents: Annotated[
        int,
        Option(
            "Fetch no further document after this many.",
            more="What is found beyond this and the next three is not read: a failure says so, and what was read is"
            " kept.",
            metavar="N",
            panel=OVER_HTTP,
        ),
    ] = 200_000
    max_depth: Annotated[
        int,
        Option(
            "How many indexes may lead to each other, from the first one to the last.",
            metavar="N",
            least=0,
            panel=OVER_HTTP,
        ),
    ] = 4
    max_bytes: Annotated[
        int,
        Option("Begin no further document after this many bytes.", default="256 GiB", metavar="N", panel=OVER_HTTP),
    ] = 256 << 30
    max_seconds: Annotated[
        float,
        Option(
            "Begin no further document after this many seconds.", default="a day", metavar="SECONDS", panel=OVER_HTTP
        ),
    ] = 86_400
    client: Annotated[
        "httpx2.Client | None",  # noqa: UP037  (only type checkers know it)
        Option(
            "A client of your own, an `httpx2.Client`, with its authentication, cookies and proxies.",
            more="It fetches from the sites that you named, and no others. Its redirects are followed as all others"
            " are.",
            flags="",
        ),
    ] = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_values(self)
        for own, other in self.map.items():
            _check_site(own)
            _check_site(other)
        if self.map and self.cache is not None:
            raise InputError(
                "Http.map cannot be used with a cache (Http.cache, or the state of a watch), which keeps what a site"
                " itself sends"
            )
        if self.trust_index and self.cache is None:
            raise InputError("Http.trust_index needs Http.cache: the file in which documents are kept")
        if self.proxy is not None and self.proxy != DIRECT:
            _check_proxy(self.proxy, self.private_addresses)
        agent = {} if self.user_agent is None else {"user_agent": self.user_agent}
        for name, text in {**agent, **self.headers}.items():
            if not isinstance(text, str) or not text.isascii() or not text.isprintable() or not text.strip():
                raise InputError(f"Http: the value of {name} must be printable ASCII text")  # it may be a secret


def _check_site(url: str) -> None:
    """Raise InputError for what is not a site: a scheme, a host and perhaps a port."""
    found = origin(url) if isinstance(url, str) else None
    if found is None or urlsplit(url).path.strip("/") or urlsplit(url).query or urlsplit(url).fragment:
        raise InputError(f"Http.map is from sites to sites, such as https://shop.example, got {url!r}")


def is_proxy(url: str) -> bool:
    """Return whether a URL can be that of an http or https proxy."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except (ValueError, AttributeError, TypeError):
        return False


def _check_proxy(proxy: str, private: PrivateAddresses) -> None:
    """Raise InputError for what is not a proxy, without showing it: it may have a password."""
    if not is_proxy(proxy):
        raise InputError(
            f"Http.proxy must be the URL of an http or https proxy, such as http://proxy.example:3128, or {DIRECT!r}"
        )
    if private == "never":
        raise InputError(
            "Http.private_addresses='never' cannot be kept with Http.proxy, which decides by itself what it reaches"
        )
