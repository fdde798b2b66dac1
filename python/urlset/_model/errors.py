"""The errors, by whose fault it is.

UrlsetError
├── InputError(ValueError)      yours: what you gave cannot be used
│   └── EntryError              one entry that the protocol refuses
├── DocumentError               theirs: a document that cannot be read, or not to its end
│   ├── NotASitemapError        it is something else: HTML, JSON, nothing at all
│   ├── MalformedError          it breaks off before its end
│   └── LimitError              it is beyond what we are willing to hold
├── FetchError                  a document that could not be had, an endpoint that refuses
└── PublishError                a set that could not be published; the old one stands
    └── GuardError              one that is most likely a mistake
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from urlset._model.plan import Guard, Plan


class UrlsetError(Exception):
    """Everything that urlset raises on purpose."""


class InputError(UrlsetError, ValueError):
    """What the caller gave cannot be used: a wrong argument, a table without a loc, an unknown column."""


class EntryError(InputError):
    """An entry that the protocol refuses.

    `index` counts from 0 over the whole input, or over that of its `section`, where there are any; `loc` is the
    entry's own, `code` names the rule and `reason` says in a sentence what is wrong.
    """

    def __init__(self, index: int, loc: str | None, code: str, reason: str, section: str = "") -> None:
        self.index = index
        self.loc = loc
        self.code = code
        self.reason = reason
        self.section = section
        place = f"{section} entry {index}" if section else f"entry {index}"
        shown = f" ({loc[:80]}{'…' if len(loc) > 80 else ''})" if loc else ""
        super().__init__(f"{place}{shown}: {code} {reason}")

    def __reduce__(self) -> tuple[type[EntryError], tuple[int, str | None, str, str, str]]:
        return type(self), (self.index, self.loc, self.code, self.reason, self.section)


class DocumentError(UrlsetError):
    """A document that cannot be read, or not to its end; `line` and `column` count from 1, where there are any."""

    def __init__(
        self, message: str, *, location: str | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        self.location = location
        self.line = line
        self.column = column
        place = ":".join(str(part) for part in (location, line, column) if part is not None)
        super().__init__(f"{place}: {message}" if place else message)


class NotASitemapError(DocumentError):
    """The document is something else: an HTML page, JSON, nothing at all."""


class MalformedError(DocumentError):
    """The document breaks off before its end, or its compressed data do; what stands before that place was read."""


class LimitError(DocumentError):
    """The document is beyond a bound of ours; what stands before that place was read."""


class FetchError(UrlsetError):
    """A document that could not be had: a child that does not lie beside its index."""


class PublishError(UrlsetError):
    """A set that could not be published. What was published before still stands."""


class GuardError(PublishError):
    """A set that is most likely a mistake: nothing was changed. `guards` are those that `plan` tripped over."""

    def __init__(self, guards: Sequence[Guard], plan: Plan) -> None:
        self.guards = tuple(guards)
        self.plan = plan
        reasons = "; ".join(f"{guard.reason} ({guard.name})" for guard in guards)
        allow = ", ".join(guard.name for guard in guards)
        super().__init__(f"not published: {reasons}. If that is meant, allow it: {allow}")

    def __reduce__(self) -> tuple[type[GuardError], tuple[tuple[Guard, ...], Plan]]:
        return type(self), (self.guards, self.plan)
