"""What was found in a document: diagnostics, and the fixes that they offer."""

from __future__ import annotations

from dataclasses import dataclass

#: What a document is called that has no location.
BYTES = "<bytes>"


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement: what stands from `start` to `end` becomes `text`.

    Both count bytes of the document decoded to UTF-8, without a byte order mark. Equal ones insert; an empty `text`
    removes.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """What would mend one finding: edits in the order of their places, all of them or none.

    `safety` is `safe` (nothing but the defect changes), `unsafe` (it may change what is meant) or `display` (shown and
    never applied, because only a person knows whether it is right).
    """

    safety: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `line` and `column` count from 1, columns in code points; `end_column` is exclusive.

    `source` is the line it stands on, cut to a window around the place, and `source_column` the place's column in it;
    it is empty where no line is to be shown. `fix` is None where nothing can be offered. `more` counts the further
    findings of this rule in this document that are not kept.
    """

    code: str
    severity: str
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

    def __str__(self) -> str:
        return f"{self.location or BYTES}:{self.line}:{self.column}: {self.code} {self.message}"
