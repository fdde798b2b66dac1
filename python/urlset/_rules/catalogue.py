"""The catalogue of rules. The page of a rule is the only source of its facts and of its documentation."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from urlset._model.diagnostics import Safety, Severity

_FENCE = "+++"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of `lint` or `audit`.

    Attributes:
        code: Its code, such as `"LOC002"`.
        name: Its name, such as `"relative-url"`.
        severity: How bad its findings are, unless a profile says otherwise.
        authority: Whose rule it is: `"protocol"`, a search engine, or `"practice"`.
        since: The version of urlset that has it.
        status: `"preview"` if it is asked only with `preview`.
        fix: The best fix that it can offer, or `"none"`.
        sources: Titles of the documents that it rests on.
        page: Its documentation, in Markdown.
        scope: `"document"` if one document shows it, `"set"` if it takes all documents of a lint, `"response"` if the
            server's answer to the request for a document shows it, `"live"` if `audit` asks for the listed pages.
    """

    code: str
    name: str
    severity: Severity
    authority: str
    since: str
    status: Literal["stable", "preview"]
    fix: Safety | Literal["none"]
    sources: tuple[str, ...]
    page: str = field(repr=False)
    scope: Literal["document", "set", "response", "live"] = "document"

    @property
    def summary(self) -> str:
        """The first sentence of its documentation."""
        _, _, rest = self.page.partition("## What it does\n")
        paragraph = " ".join(rest.strip().partition("\n\n")[0].split())
        sentence, stop, _ = paragraph.partition(". ")
        return sentence + stop.strip()


@cache
def rules() -> tuple[Rule, ...]:
    """Return all rules, ordered by code.

    Example:
        >>> import urlset
        >>> rule = next(rule for rule in urlset.rules() if rule.code == "LOC002")
        >>> rule.name, rule.severity, rule.fix
        ('relative-url', 'error', 'safe')
    """
    pages = [page for page in Path(__file__).with_name("pages").iterdir() if page.suffix == ".md"]
    return tuple(sorted((_parse(page.read_text("utf-8")) for page in pages), key=lambda rule: rule.code))


def _parse(text: str) -> Rule:
    _, head, page = text.split(_FENCE, 2)
    # TOML with one fact in each line. Its values are JSON too, which is read ten times as fast: each lint waits for it.
    stated = (line.partition(" = ") for line in head.strip().splitlines())
    facts = {name: json.loads(value) for name, _, value in stated}
    return Rule(**facts | {"sources": tuple(facts["sources"])}, page=page.strip() + "\n")
