"""`urlset crawl`: the pages of a site."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import click

from urlset import Crawl, Http
from urlset import crawl as crawl_site
from urlset._cli.console import FINDINGS, remark, show
from urlset._cli.export import DEFAULT_FORM, HEAD, Output, copy_rows, destination, shows_progress
from urlset._cli.options import Quiet, given, value_of, with_options
from urlset._cli.parameters import Argument
from urlset._cli.planned import plan_rows
from urlset._cli.progress import counting
from urlset._options.option import Option
from urlset._util import drawing
from urlset._util.text import escape_controls, plural

if TYPE_CHECKING:
    from urlset import Scan


@with_options(crawl_site, Http)
def crawl(
    site: Annotated[str, Argument("URL to begin with; its host is crawled.", metavar="SITE")],
    *,
    rows: Annotated[bool, Option("Only the pages that belong in a sitemap, with loc and lastmod.")] = False,
    form: Annotated[
        Literal["table", "csv", "json", "jsonl", "parquet", "duckdb", "xlsx", "summary"] | None,
        Option(
            "Output format; table shows only the first pages, summary only their numbers.",
            default=DEFAULT_FORM,
            flags="--format,-f",
        ),
    ] = None,
    output: Output = None,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Follow the links of a site, and show its pages.

    Each page with its status and redirects, the clicks that lead to it, its
    title, canonical, robots instructions, languages, images, dates, and a
    hash of its content. With --rows it is the input of publish. Endless URLs,
    such as those of calendars and session ids, are named and not requested.

    \b
    Examples:
      urlset crawl https://example.com
      urlset crawl https://example.com --state example.duckdb -o pages.parquet
      urlset crawl https://example.com --plan plan.parquet --state example.duckdb
      urlset crawl https://example.com --render
      urlset crawl https://example.com --rows | urlset publish - --dest public --base-url https://example.com/

    \b
    Exit codes:
      0  every linked page, or with --plan every page that is due
      1  not every page: a bound ended it, or servers kept answers back
      2  the site could not be reached
    """
    chosen, file = destination(form, output)
    with (
        counting(shown=shows_progress(file)) as count,
        plan_rows(options) as plan,
        crawl_site(
            site, **{**given(crawl_site, options), **plan}, http=value_of(Http, options), progress=count
        ) as found,
    ):
        if chosen == "table":
            _show(found)
        elif chosen != "summary":
            copy_rows(cast("Scan", found.rows() if rows else found), chosen, file, None)
        _summarise(found, is_result=chosen in ("table", "summary"))
    is_done = found.is_complete or (found.state == "planned" and not found.refused.keys() - {"robots"})
    raise click.exceptions.Exit(0 if is_done else FINDINGS)


def _show(found: Crawl) -> None:
    """Print the first pages as a table."""
    table = drawing.Table(box=None, pad_edge=False)
    for name in ("depth", "status", "loc", "title", "problem"):
        table.add_column(name, overflow="fold", justify="right" if name in ("depth", "status") else "left")
    for _, page in zip(range(HEAD), found, strict=False):
        status = "" if page.status is None else str(page.status)
        depth = "" if page.depth is None else str(page.depth)
        texts = (
            depth,
            status,
            page.loc,
            page.title or "",
            page.trap or page.problem or page.rendered or page.needs_browser or "",
        )
        table.add_row(*(drawing.Text(escape_controls(text)) for text in texts))
    drawing.out.print(table)
    drawing.out.print()
    if len(found) > HEAD:
        show(f"{len(found) - HEAD:,} more, which the other formats contain")


def _summarise(found: Crawl, *, is_result: bool) -> None:
    say = show if is_result else remark
    statuses = ", ".join(
        f"{number:,} {'without an answer' if status is None else status}" for status, number in found.statuses.items()
    )
    say(f"{found.site}: {plural(found.pages, 'page')} ({statuses})")
    if found.due is not None:
        elsewhere = f"; {found.elsewhere:,} not of the site" if found.elsewhere else ""
        say(f"of the plan, {plural(found.due, 'page')} due, {found.not_due:,} not due{elsewhere}")
    if found.reason is not None:
        say(f"not all of the site: {found.reason}")
    for what, counts in (("proves nothing", found.refused), ("not requested", found.traps)):
        if counts:
            say(f"{what}: {_counted(counts)}")
    if found.rendered:
        say(f"{plural(found.rendered, 'page')} shown in a browser")
    if found.needs_browser:
        say(f"{plural(found.needs_browser, 'page')} with content only in a browser: what they link to is not known")


def _counted(counts: Mapping[str, int]) -> str:
    shown = [f"{number:,} {what}" for what, number in counts.items()]
    return "; ".join(shown[:HEAD]) + (f"; {len(shown) - HEAD:,} other kinds" if len(shown) > HEAD else "")
