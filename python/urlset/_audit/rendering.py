"""A step of an audit that is made if it is asked for: pages that only a browser completes are shown in one."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from urlset import _core
from urlset._audit.rules.declaration import drawn
from urlset._page.facts import PageFacts, page_facts
from urlset._runs.pages import page_row
from urlset._runs.schema import cut

if TYPE_CHECKING:
    from urlset._options.http import Http
    from urlset._page.ignored import Ignored
    from urlset._render.browser import Rendered
    from urlset._runs.file import RunFile

#: Pages of one run that are shown. Each takes seconds.
MAX_RENDERED: Final = 200

_WANTED: Final = f"""
    SELECT loc, final_url, hops, title, words, is_noindex, canonicals, needs_browser FROM pages
    WHERE run = ? AND status = 200 AND refused IS NULL AND needs_browser IS NOT NULL AND rendered IS NULL
    ORDER BY {drawn("loc")} LIMIT {MAX_RENDERED}"""


def render_pages(file: RunFile, run: int, http: Http, named: list[str], ignored: Ignored) -> None:
    """Show pages of this run that need a browser in one, and take down what they say then.

    `rendered` says what that has changed, or why it did not come about.

    Raises:
        InputError: There is no browser, though a page needs one.
    """
    from urlset._render.browser import Browser  # noqa: PLC0415  (few audits need it)

    rows = file.connection.execute(_WANTED, [run]).fetchall()
    if not rows:
        return
    with closing(Browser(http, named)) as browser:
        for loc, final_url, hops, *before in rows:
            shown = browser.show(final_url or loc)
            with file.transaction():
                if shown.page is None or shown.html is None:
                    file.connection.execute(
                        "UPDATE pages SET rendered = ? WHERE run = ? AND loc = ?",
                        [cut(f"not rendered: {shown.problem}"), run, loc],
                    )
                    continue
                row = _row(run, loc, hops or [], shown, before, ignored)
                file.connection.execute("DELETE FROM pages WHERE run = ? AND loc = ?", [run, loc])
                file.insert("pages", [row])


def _row(
    run: int, loc: str, hops: list[dict[str, Any]], shown: Rendered, before: list[Any], ignored: Ignored
) -> dict[str, Any]:
    """Return the row of a page as the browser has it. The hash of its bytes is that of what the server sent.

    What is requested once more is not rendered, so its parts have nothing to be compared with.
    """
    assert shown.page is not None
    assert shown.html is not None
    facts = page_facts(shown.html, shown.page.final_url, shown.page.headers, ignored=ignored, with_parts=True)
    page = replace(shown.page, url=loc, hops=tuple((hop["url"], hop["status"]) for hop in hops) + shown.page.hops)
    row = page_row(run, page, facts) | {"body_hash": _core.body_hash(shown.page.body), "parts": ()}
    if shown.left is not None:
        row["script_target"] = cut(shown.left)
    return row | {"rendered": cut(_changes(facts, *before))}


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
