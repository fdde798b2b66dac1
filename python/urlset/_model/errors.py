"""The errors, by whose fault they are.

UrlsetError
├── InputError(ValueError)      the caller's: an argument or a row cannot be used
│   └── EntryError              the protocol does not allow an entry
├── DocumentError               the document's: it cannot be read, or not to its end
│   ├── NotASitemapError        it is something else: HTML, JSON, an empty file
│   ├── MalformedError          it ends too early
│   └── LimitError              it exceeds the budget, or the limits of one document
├── FetchError                  a document is missing, or a server does not give it
└── PublishError                a set could not be published; the previous one is still current
    └── GuardError              a set is most likely a mistake
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from urlset._model.plan import Guard, Plan


class UrlsetError(Exception):
    """The base of all errors that urlset raises."""


class InputError(UrlsetError, ValueError):
    """The caller's input cannot be used: an invalid argument, a table without a loc, an unknown column."""


class EntryError(InputError):
    """The protocol does not allow an entry.

    Attributes:
        index: Index of the entry in the input, or in that of its section, from 0 up, as in a list.
        loc: Its loc, or None.
        code: Code of the rule that it breaks, such as `"LOC002"`.
        reason: What is wrong, in a sentence.
        section: Name of its section, or an empty str.
        file: Name of the file that has its row, or None if that is not known.
        line: Line on which the row begins, from 1 up, or None.
    """

    def __init__(
        self,
        index: int,
        loc: str | None,
        code: str,
        reason: str,
        section: str = "",
        file: str | None = None,
        line: int | None = None,
    ) -> None:
        self.index = index
        self.loc = loc
        self.code = code
        self.reason = reason
        self.section = section
        self.file = file
        self.line = line
        name = self.place if file is not None or not section else f"{self.place} of section {section}"
        shown = f" ({loc[:80]}{'…' if len(loc) > 80 else ''})" if loc else ""
        super().__init__(f"{name}{shown}: {code} {reason}")

    @property
    def row(self) -> int:
        """The number of the row, from 1 up, as all messages and the command line have it."""
        return self.index + 1

    @property
    def place(self) -> str:
        """Where the row is: `pages.csv:7`, or else its number, and the file if that is known."""
        number = f"row {self.row}"
        if self.file is None:
            return number
        return f"{number} of {self.file}" if self.line is None else f"{self.file}:{self.line}"

    def as_dict(self) -> dict[str, Any]:
        """Return it as values of JSON."""
        return {
            "section": self.section,
            "file": self.file,
            "line": self.line,
            "row": self.row,
            "code": self.code,
            "loc": self.loc,
            "reason": self.reason,
        }

    def __reduce__(self) -> tuple[type[EntryError], tuple[int, str | None, str, str, str, str | None, int | None]]:
        return type(self), (self.index, self.loc, self.code, self.reason, self.section, self.file, self.line)


class DocumentError(UrlsetError):
    """A document cannot be read, or not to its end.

    Attributes:
        location: Path or URL of the document, or None.
        line: Line on which reading ended, from 1 up, or None.
        column: Column at which reading ended, in code points, from 1 up, or None.
    """

    def __init__(
        self, message: str, *, location: str | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        self.location = location
        self.line = line
        self.column = column
        position = ":".join(str(part) for part in (location, line, column) if part is not None)
        super().__init__(f"{position}: {message}" if position else message)


class NotASitemapError(DocumentError):
    """The document is something else: an HTML page, JSON, an empty file."""


class MalformedError(DocumentError):
    """The document, or its compressed data, ends too early. What comes before that position was read."""


class LimitError(DocumentError):
    """The document exceeds the budget, or entries do not fit into one document."""


class FetchError(UrlsetError):
    """A document is missing, such as the child of an index, or a server does not give it.

    Attributes:
        status: The HTTP status that the server answered with; None without an answer.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        self.status = status
        super().__init__(message)


class PublishError(UrlsetError):
    """A set could not be published. The previous one is still current."""


class GuardError(PublishError):
    """A set is most likely a mistake. Nothing was changed.

    Attributes:
        guards: The guards that stopped it.
        plan: What the publish would have done.
    """

    def __init__(self, guards: Sequence[Guard], plan: Plan) -> None:
        self.guards = tuple(guards)
        self.plan = plan
        reasons = "; ".join(f"{guard.reason} ({guard.name})" for guard in guards)
        allow = ", ".join(guard.name for guard in guards)
        super().__init__(f"not published: {reasons}. If this is intended, allow it: {allow}")

    def __reduce__(self) -> tuple[type[GuardError], tuple[tuple[Guard, ...], Plan]]:
        return type(self), (self.guards, self.plan)
