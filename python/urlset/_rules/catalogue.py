"""The catalogue: one page a rule, which is the source of all that is said about it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

_FENCE = "+++"


@dataclass(frozen=True, slots=True)
class Rule:
    """One check. `authority` is whose rule it is, `since` our version that has it, `fix` the best it can offer.

    `scope` is "document" for what is seen in one document alone, "set" for what takes all that are checked together.
    `page` is the whole text of its page in Markdown.
    """

    code: str
    name: str
    severity: str
    authority: str
    since: str
    status: str
    fix: str
    sources: tuple[str, ...]
    page: str = field(repr=False)
    scope: str = "document"

    @property
    def summary(self) -> str:
        """The page's first sentence about what the rule does."""
        _, _, rest = self.page.partition("## What it does\n")
        paragraph = " ".join(rest.strip().partition("\n\n")[0].split())
        sentence, stop, _ = paragraph.partition(". ")
        return sentence + stop.strip()


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, by code."""
    pages = [page for page in files(__package__).joinpath("pages").iterdir() if page.name.endswith(".md")]
    return tuple(sorted((_parse(page.read_text("utf-8")) for page in pages), key=lambda rule: rule.code))


def _parse(text: str) -> Rule:
    _, head, page = text.split(_FENCE, 2)
    facts = tomllib.loads(head)
    sources = tuple(facts.pop("sources"))
    return Rule(**facts, sources=sources, page=page.strip() + "\n")
