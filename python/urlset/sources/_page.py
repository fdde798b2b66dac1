"""One built page: whether it belongs in a sitemap."""

from __future__ import annotations

from dataclasses import dataclass, fields

from urlset._model.errors import InputError
from urlset._page.facts import PageFacts, page_facts
from urlset._page.ignored import NOTHING, Ignored
from urlset.sources._locs import Locs

#: The most characters of the detail about a skipped page.
_MAX_DETAIL = 200
_HTML = (("content-type", "text/html"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBudget:
    """The limits on what one page may cost.

    Args:
        bytes: Size of a page, in bytes. A larger one is skipped as unreadable.
        json: Bytes of JSON-LD that are examined in a page.
        items: Images, and alternates, that are taken from a page. The others are counted in `dropped`.
        depth: Folders inside each other.

    Raises:
        InputError: A limit is not a whole number of at least 1.

    Example:
        >>> from urlset.sources import html
        >>> html.PageBudget(bytes=1_000_000).items
        1000
    """

    bytes: int = 10_000_000
    json: int = 1_000_000
    items: int = 1_000
    depth: int = 64

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise InputError(f"PageBudget.{field.name} must be a whole number of at least 1, got {value!r}")


class SkippedPage(Exception):  # noqa: N818  (it is not an error)
    """A page does not belong in the sitemap: the reason in one word, and a detail."""

    def __init__(self, reason: str, detail: str) -> None:
        detail = detail if len(detail) <= _MAX_DETAIL else f"{detail[:_MAX_DETAIL]}…"
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


def read_page(data: bytes, loc: str, locs: Locs, budget: PageBudget, ignored: Ignored = NOTHING) -> PageFacts:
    """Return what a page says. Raises SkippedPage for one that is not text."""
    if not data.strip():
        raise SkippedPage("unreadable", "it is empty")
    facts = page_facts(
        data,
        loc,
        _HTML,
        ignored=ignored,
        is_own=lambda url: locs.is_own(loc, url),
        most_json=budget.json,
        most_items=budget.items,
    )
    if facts.is_binary:
        raise SkippedPage("unreadable", "it contains NUL bytes, so it is not text")
    return facts


def listed_loc(facts: PageFacts, loc: str, locs: Locs) -> str:
    """Return the URL at which a page is to be listed: its own, in the spelling of its canonical URL.

    Raises:
        SkippedPage: It redirects, must not be indexed, names the canonical URL of another page, or has no title.
    """
    if facts.refresh is not None:
        raise SkippedPage("redirect", facts.refresh)
    if facts.is_noindex:
        raise SkippedPage("noindex", ", ".join(facts.robots))
    found = loc if facts.canonical is None else locs.called(loc, facts.canonical)
    if found is None:
        raise SkippedPage("canonical", facts.canonical or "")
    if facts.title is None:
        raise SkippedPage("untitled", "its title is missing or blank")
    return found
