"""`urlset schedule`: how often a crawler should fetch each page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from urlset import Schedule
from urlset import schedule as plan_visits
from urlset._cli.console import remark, show
from urlset._cli.export import DEFAULT_FORM, HEAD, Output, copy_rows, destination
from urlset._cli.options import Quiet, given, with_options
from urlset._cli.parameters import Argument
from urlset._options.option import Option
from urlset._schedule.pages import NEEDED, OPTIONAL
from urlset._util import drawing
from urlset._util.text import escape_controls, plural

if TYPE_CHECKING:
    from urlset import Scan
    from urlset._write.rows import ArrowTable


@with_options(plan_visits)
def schedule(
    pages: Annotated[
        list[str],
        Argument("Files with a row for each page: CSV, JSON Lines or Parquet.", metavar="PAGES"),
    ],
    *,
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
    """Plan how often a crawler fetches each page, so that its copies are as fresh as a budget allows.

    Pages have a column loc and a column change_rate, the changes per day, and
    may have importance and bytes. The plan has a rate in fetches per day, and
    the freshness: the share of time in which a copy will be up to date.

    \b
    Examples:
      urlset schedule pages.parquet --budget 10000/day -o plan.parquet
      urlset schedule pages.csv --budget 20GB/day --policy periodic

    \b
    Exit codes:
      0  planned
      2  the pages cannot be read, or cannot be planned with
    """
    from urlset.sources import files  # noqa: PLC0415  (a help asks for the declarations alone)

    chosen, file = destination(form, output)
    with (
        files.rows(pages, keep=NEEDED[1:], optional=OPTIONAL) as rows,
        plan_visits(cast("ArrowTable", rows), **given(plan_visits, options)) as plan,
    ):
        if chosen == "table":
            _show(plan)
        elif chosen != "summary":
            copy_rows(cast("Scan", plan), chosen, file, None)
        _summarise(plan, is_result=chosen in ("table", "summary"))


def _show(plan: Schedule) -> None:
    """Print the first pages as a table."""
    table = drawing.Table(box=None, pad_edge=False)
    for name in ("loc", "rate", "freshness"):
        table.add_column(name, overflow="fold", justify="left" if name == "loc" else "right")
    for _, page in zip(range(HEAD), plan, strict=False):
        table.add_row(drawing.Text(escape_controls(page.loc)), f"{page.rate:,.4g}/day", f"{page.freshness:.0%}")
    drawing.out.print(table)
    drawing.out.print()
    if len(plan) > HEAD:
        show(f"{len(plan) - HEAD:,} more, which the other formats contain")


def _summarise(plan: Schedule, *, is_result: bool) -> None:
    fresh = "" if plan.freshness is None else f"; freshness by importance {plan.freshness:.1%}"
    (show if is_result else remark)(f"{plan.policy}: {plural(plan.pages, 'page')}, {plan.fetched:,} fetched{fresh}")
