"""What goes into the core and what comes out of it: the shapes of plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from urlset._model.diagnostics import Safety, Severity

if TYPE_CHECKING:
    from urlset._model.documents import Kind

#: the safety of a fix, and its edits: from, to, text
FixTuple = tuple[Safety, list[tuple[int, int, str]]]
#: code, severity, message, line, column, end column, source, column in the source, help, fix, how many more
Finding = tuple[str, Severity, str, int, int, int, str, int, str | None, FixTuple | None, int]
#: not_a_sitemap, malformed, truncated or limit, and the finding that ended the reading
Fault = tuple[str, Finding]


class DocumentReport(TypedDict):
    """How reading one document went. `children` are the locs and lines of an index that is followed."""

    kind: Kind | None
    rows: int
    bytes: int
    wire_bytes: int
    fault: Fault | None
    mended: bool
    findings: list[Finding]
    counts: dict[str, int]
    extensions: dict[str, int]
    children: list[tuple[str, int]]


class LintReport(DocumentReport):
    """How checking one document went. `alternates` counts the entries with links to other languages."""

    alternates: int


class Mended(TypedDict):
    """A document with fixes made.

    `read` is its text as it was read, `text` the same with the fixes, `applied` how many of each code were made.
    `charset` has the codes of those about the charset, `layers` the compression around the text, outermost first.
    """

    read: bytes
    text: bytes
    applied: dict[str, int]
    charset: list[str]
    fault: Fault | None
    layers: list[str]


class Question(TypedDict):
    """How to check a document: severities by code, what is known about it, and what its consumer goes by."""

    rules: dict[str, Severity]
    location: str | None
    now: int
    zone: str | None
    loc_chars: int
    loc_bytes: int | None
    tag_bytes: int | None
    feeds: bool
    indexes: bool
    extensions: bool
    foreign_children: bool
    proven_hosts: list[str]
