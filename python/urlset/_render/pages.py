"""The pages of a run that need a browser: shown in one, and taken down as they are then. For crawl and audit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from urlset import _core
from urlset._page.facts import PageFacts, page_facts
from urlset._runs.pages import page_row
from urlset._runs.schema import cut
from urlset._util.duckdb import scalar

if TYPE_CHECKING:
    from urlset._fetch.page_fetcher import PageFetcher
    from urlset._page.ignored import Ignored
    from urlset._render.browser import Browser, Rendered
    from urlset._runs.file import RunFile

#: Pages of one run that are shown. Each takes seconds.
MAX_RENDERED: Final = 200
#: What of a page was known before.
_BEFORE: Final = "final_url, hops, depth, title, words, is_noindex, canonicals, needs_browser"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPage:
    """A page as a browser has shown it.

    Attributes:
        facts: What it says then.
        left: Where a script led instead; None if it stayed.
    """

    facts: PageFacts
    left: str | None


class PageRenderer:
    """Shows pages of one run in a browser, and replaces their rows by what they say then.

    The column `rendered` says what that has changed, or why it did not come about. The browser is started for the first
    page. Close it at the end.

    Args:
        file: The run file.
        run: The number of the run.
        fetcher: Fetches what the browser asks for. Nothing of it may be pending.
        ignored: What of a page is not its content.
        with_parts: Whether the parts of the content are wanted.
    """

    def __init__(
        self, file: RunFile, run: int, fetcher: PageFetcher, ignored: Ignored, *, with_parts: bool = False
    ) -> None:
        self._file = file
        self._run = run
        self._fetcher = fetcher
        self._ignored = ignored
        self._with_parts = with_parts
        self._browser: Browser | None = None

    def waiting(self, *, order: str, columns: str = "loc", tables: str = "pages") -> list[tuple[Any, ...]]:
        """Return the pages that need a browser and were not shown yet, as many of them as the run may still show.

        Args:
            order: SQL for their order.
            columns: SQL for what to return of each.
            tables: SQL for the table `pages`, and what is joined to it.
        """
        connection = self._file.connection
        shown = scalar(connection, "SELECT count(rendered) FROM pages WHERE run = ?", [self._run])
        return connection.execute(
            f"SELECT {columns} FROM {tables} WHERE pages.run = ? AND status = 200 AND refused IS NULL"
            f" AND needs_browser IS NOT NULL AND rendered IS NULL ORDER BY {order} LIMIT ?",
            [self._run, max(0, MAX_RENDERED - int(shown))],
        ).fetchall()

    def show(self, loc: str, take: Callable[[ShownPage], None]) -> None:
        """Show a page, and write down what it says then.

        Args:
            loc: The page.
            take: Writes down what else comes of it, in the same transaction. It is not called for a page that could not
                be shown.

        Raises:
            InputError: There is no browser.
        """
        from urlset._render.browser import Browser  # noqa: PLC0415  (few runs need it)

        [(final_url, hops, depth, *before)] = self._file.connection.execute(
            f"SELECT {_BEFORE} FROM pages WHERE run = ? AND loc = ?", [self._run, loc]
        ).fetchall()
        self._browser = self._browser or Browser(self._fetcher)
        shown = self._browser.show(final_url or loc)
        with self._file.transaction():
            if shown.page is None or shown.html is None:
                self._file.connection.execute(
                    "UPDATE pages SET rendered = ? WHERE run = ? AND loc = ?",
                    [cut(f"not rendered: {shown.problem}"), self._run, loc],
                )
                return
            facts = page_facts(
                shown.html,
                shown.page.final_url,
                shown.page.headers,
                ignored=self._ignored,
                with_parts=self._with_parts,
            )
            row = self._row(loc, hops or [], depth, shown, facts) | {"rendered": cut(_changes(facts, *before))}
            self._file.connection.execute("DELETE FROM pages WHERE run = ? AND loc = ?", [self._run, loc])
            self._file.insert("pages", [row])
            take(ShownPage(facts=facts, left=shown.left))

    def close(self) -> None:
        """End the browser, if there is one."""
        if self._browser is not None:
            self._browser.close()

    def _row(
        self, loc: str, hops: list[dict[str, Any]], depth: int | None, shown: Rendered, facts: PageFacts
    ) -> dict[str, Any]:
        """Return the row of a page as the browser has it. The hash of its bytes is that of what the server sent."""
        assert shown.page is not None
        page = replace(shown.page, url=loc, hops=tuple((hop["url"], hop["status"]) for hop in hops) + shown.page.hops)
        row = page_row(self._run, page, facts, depth=depth) | {"body_hash": _core.body_hash(shown.page.body)}
        return row if shown.left is None else row | {"script_target": cut(shown.left)}


def _changes(
    facts: PageFacts, title: str | None, words: int | None, is_noindex: bool, canonicals: list[str] | None, why: str
) -> str:
    """Return what the browser has changed, in words."""
    found = [f"{words or 0} words, then {facts.words or 0}"]
    if facts.title != title:
        found.append("another title")
    if facts.is_noindex != is_noindex:
        found.append("noindex" if facts.is_noindex else "no noindex any more")
    if len(facts.canonicals) != len(canonicals or ()):
        found.append("a canonical link" if facts.canonicals else "no canonical link any more")
    return f"{', '.join(found)} ({why})"
