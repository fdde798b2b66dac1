"""Findings: diagnostics, and the fixes that they offer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: How bad a finding is. `error`: it breaks the protocol. `warning`: it is likely a mistake. `info`: it has no effect.
Severity = Literal["error", "warning", "info"]
#: How far a fix may be applied. `safe`: nothing but the defect changes. `unsafe`: it may change what is meant.
#: `display`: it is shown and never applied, because only a person knows whether it is right.
Safety = Literal["safe", "unsafe", "display"]
#: Whether an earlier audit had a finding: it is `new`, still `open`, or `fixed`.
FindingState = Literal["new", "open", "fixed"]

#: What a document without a location is called.
BYTES = "<bytes>"


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement of bytes in a document that is decoded to UTF-8, without a byte order mark.

    Attributes:
        start: Offset of the first byte that is replaced, from 0 up.
        end: Offset after the last byte that is replaced; if equal to `start`, the edit inserts.
        text: What replaces it; if empty, the edit removes.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """What would fix one finding.

    Attributes:
        safety: How far it may be applied: `"safe"` (nothing but the defect changes), `"unsafe"` (it may change what is
            meant) or `"display"` (it is shown and never applied, because only a person knows whether it is right).
        edits: Its edits, ordered by offset. All of them are made, or none.
    """

    safety: Safety
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. As a str it is `location:line:column: code message`.

    Attributes:
        code: Code of its rule, such as `"LOC002"`.
        severity: How bad it is.
        message: What is wrong, in a sentence.
        location: Path or URL of the document, or None.
        line: Line on which it begins, from 1 up.
        column: Column at which it begins, in code points, from 1 up.
        end_column: Column after its end.
        source: The line, cut to a window around the position; empty if there is no line to show.
        source_column: Column of the position in `source`, from 1 up.
        help: What to do about it, or None.
        fix: What would fix it, or None.
        more: How many further findings of the rule in this document are not kept.
        pages: Of an audit: the first pages that it is about, new ones first; empty for a finding in a document.
        detail: Of an audit: more about the first page, or None.
        state: Of an audit: `"new"`, or `"open"` if an earlier audit had found it; None for a finding in a document.
        new: Of an audit: how many of its pages the earlier audit had not found.
    """

    code: str
    severity: Severity
    message: str
    location: str | None
    line: int
    column: int
    end_column: int
    source: str
    source_column: int
    help: str | None = None
    fix: Fix | None = None
    more: int = 0
    pages: tuple[str, ...] = ()
    detail: str | None = None
    state: FindingState | None = None
    new: int = 0

    @property
    def place(self) -> str:
        """Where it is: the location with the line and the column, or the URL of a page that no sitemap lists."""
        if self.pages and self.location == self.pages[0]:
            return self.pages[0]
        return f"{self.location or BYTES}:{self.line}:{self.column}"

    @property
    def sentence(self) -> str:
        """What is wrong in one sentence, with the first page that it is about, if that is not its place."""
        detail = f" ({self.detail})" if self.detail else ""
        if not self.pages:
            return self.message
        if self.location == self.pages[0]:
            return f"{self.message}{detail}"
        such_as = ", such as" if self.more else ","
        return f"{self.message}{such_as} {self.pages[0]}{detail}"

    def __str__(self) -> str:
        """Return the finding as one line."""
        return f"{self.place}: {self.code} {self.sentence}"
