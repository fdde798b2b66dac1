"""What the core is asked and what it reports, as it is handed over: the shapes of plain values."""

from __future__ import annotations

from typing import TypedDict

#: the safety of a fix, and its edits: from, to, text
FixTuple = tuple[str, list[tuple[int, int, str]]]
#: code, severity, message, line, column, end column, source, column in the source, help, fix, how many more
Finding = tuple[str, str, str, int, int, int, str, int, str | None, FixTuple | None, int]
#: not_a_sitemap, malformed, truncated or limit, and the finding that says where and why
Fault = tuple[str, Finding]


class DocumentReport(TypedDict):
    """How reading one document went; `children` are the locs and lines of an index that is followed."""

    kind: str | None
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
    """The same of checking; `alternates` counts the entries that have links to other languages."""

    alternates: int


class Mended(TypedDict):
    """Text as it was read and as it is with fixes made, how many of each code those were, the codes of those that are
    about the charset, what ended the reading, and the layers of compression around the text, from the outermost on."""

    read: bytes
    text: bytes
    applied: dict[str, int]
    charset: list[str]
    fault: Fault | None
    layers: list[str]


class Question(TypedDict):
    """What is asked of a document: severities by code, what is known of it, and what its consumer goes by."""

    rules: dict[str, str]
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
