"""How the core is asked to check a document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, Protocol

from urlset import _core

#: The offsets of a time zone, such as `+01:00`, each with the seconds since the epoch, by the clock of the zone, from
#: which it applies. They are in order of these seconds.
ZoneOffsets = Sequence[tuple[int, str]]


class CoreLintSettings(NamedTuple):
    """How to check one document. The core reads the attributes.

    Attributes:
        selection: The enabled rules and their severities.
        location: The URL of the document, or else its path.
        now: The time that dates are compared with, in microseconds since the epoch.
        zone: The offsets of times that have no zone, if it is known.
        loc_chars: A loc must be shorter than this many characters.
        loc_bytes: The most bytes of a loc, if the consumer has such a limit.
        tag_bytes: The most bytes of a video tag, if the consumer has such a limit.
        feeds: Whether the consumer reads feeds.
        indexes: Whether it reads sitemap indexes.
        extensions: Whether it reads extensions.
        foreign_children: Whether it accepts elements of other namespaces right under the root.
        proven_hosts: Hosts whose robots.txt allows their pages in this document.
    """

    selection: _core.Selection
    location: str | None
    now: int
    zone: ZoneOffsets | None
    loc_chars: int
    loc_bytes: int | None
    tag_bytes: int | None
    feeds: bool
    indexes: bool
    extensions: bool
    foreign_children: bool
    proven_hosts: Sequence[str]


class ValuePolicy(NamedTuple):
    """How the values of rows are taken. The core reads the attributes.

    Attributes:
        on_bad_value: What is done about an invalid value.
        zone: The offsets of times that state no zone, if it is known.
        now: The time that dates are compared with, in microseconds since the epoch.
    """

    on_bad_value: Literal["refuse", "drop", "fix"]
    zone: ZoneOffsets | None
    now: int


class DocumentLayout(Protocol):
    """How documents are laid out, as `urlset.Layout` says. The core reads the attributes.

    Attributes:
        pretty: Whether each element has a line of its own.
        href: The stylesheet that the documents name.
    """

    @property
    def pretty(self) -> bool: ...
    @property
    def href(self) -> str | None: ...


class EntryRows(NamedTuple):
    """Who takes the entries of a document while the core checks it. The core reads the attributes.

    Attributes:
        document: What the column `document` calls the document.
        columns: The columns to hand over.
        take: Called with the rows, in batches.
    """

    document: str
    columns: list[str]
    take: Callable[[_core.Batches], object]


class TransportSettings(NamedTuple):
    """What a transport keeps to. The core reads the attributes.

    Attributes:
        ca_file: A PEM file of the authorities to trust, or of the one certificate of a server; if None, the system's.
        client_cert: A PEM file of a certificate with its key, to show to servers that ask for one.
        verify: Whether the certificates of servers are verified.
        http_proxy: The URL of the proxy for http. It may have a user and a password, and its own scheme is http or
            https.
        https_proxy: The proxy for https.
        no_proxy: The hosts that are asked without them, as the environment variable of this name lists them: names,
            which include those below them, addresses and networks, with commas.
        http2: Whether HTTP/2 is offered to servers that speak TLS.
        timeout: The seconds that looking up a host may take, and connecting, and each wait for bytes.
        per_host: The connections of a host that are kept while nobody uses them.
        max_header_bytes: The most bytes of the headers of an answer.
    """

    ca_file: str | None = None
    client_cert: str | None = None
    verify: bool = True
    http_proxy: str | None = None
    https_proxy: str | None = None
    no_proxy: str | None = None
    http2: bool = True
    timeout: float = 10.0
    per_host: int = 8
    max_header_bytes: int = 65_536
