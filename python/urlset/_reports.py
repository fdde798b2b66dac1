"""What the core reports, as it hands it over: the shapes of its plain values."""

from __future__ import annotations

from typing import TypedDict

#: code, severity, message, line, column, end column, source, column in the source, help
Finding = tuple[str, str, str, int, int, int, str, int, str | None]
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
