"""`urlset schedule`: how often a crawler should fetch each page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from urlset import DueVisits, Schedule
from urlset import schedule as plan_visits
from urlset._cli.console import remark, show
from urlset._cli.export import DEFAULT_FORM, HEAD, Output, copy_rows, destination
from urlset._cli.options import Quiet, given, with_options
from urlset._cli.parameters import Argument
from urlset._model.errors import InputError
from urlset._model.instants import rfc3339
from urlset._options.option import Option
from urlset._schedule.pages import NEEDED, OPTIONAL
from urlset._util import drawing
from urlset._util.durations import duration_of
from urlset._util.text import escape_controls, plural

if TYPE_CHECKING:
    from urlset import Scan
    from urlset._tables.writers import RowForm
    from urlset._write.rows import ArrowTable


#: The formats of figures of a curve.
_CURVES = ("csv", "json", "jsonl", "parquet")


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
    due: Annotated[
        str | None,
        Option("Write the fetches that are due in this time in place of the plan, such as 12h or 2d.", metavar="TIME"),
    ] = None,
    curve: Annotated[
        Path | None,
        Option(
            "File for the freshness by budget and policy: a picture (.svg), or figures (.csv, .json, .parquet).",
            metavar="FILE",
        ),
    ] = None,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Plan how often a crawler fetches each page, so that its copies are as fresh as a budget allows.

    Pages have a column loc and a column change_rate, the changes per day, and
    may have importance and bytes. The plan has a rate in fetches per day, and
    the freshness: the share of time in which a copy will be up to date. A
    column fetched, the last time, decides when each page is due next.

    \b
    Examples:
      urlset schedule pages.parquet --budget 10000/day -o plan.parquet
      urlset schedule pages.csv --budget 20GB/day --policy periodic
      urlset schedule pages.parquet --budget 5/second --due 1h -f csv

    \b
    Exit codes:
      0  planned
      2  the pages cannot be read, or cannot be planned with
    """
    from urlset.sources import files  # noqa: PLC0415  (a help asks for the declarations alone)

    chosen, file = destination(form, output)
    if curve is not None:
        _form_of_curve(curve)
    span = None if due is None else duration_of("--due", due)
    chosen_options = given(plan_visits, options)
    is_needed = not chosen_options.get("explore")
    named = [name for name in (str(chosen_options.get("importance", "importance")),) if name not in OPTIONAL]
    keep = [*NEEDED[1:] * is_needed, *named]
    with (
        files.rows(pages, keep=keep, optional=[*NEEDED[1:] * (not is_needed), *OPTIONAL]) as rows,
        plan_visits(cast("ArrowTable", rows), **chosen_options) as plan,
    ):
        visits = None if span is None else plan.due(span)
        if chosen == "table":
            _show(plan) if visits is None else _show_due(visits)
        elif chosen != "summary":
            copy_rows(cast("Scan", plan if visits is None else visits), chosen, file, None)
        if curve is not None:
            _write_curve(plan, curve)
        _summarise(plan, is_result=chosen in ("table", "summary"))


def _write_curve(plan: Schedule, file: Path) -> None:
    """Write the curve of a plan as a picture or as figures."""
    curve = plan.curve()
    if file.suffix.lower() == ".svg":
        file.write_text(curve.to_svg(), "utf-8")
    else:
        copy_rows(cast("Scan", curve), cast("RowForm", _form_of_curve(file)), file, None)


def _form_of_curve(file: Path) -> str:
    """Return the format of a file of figures.

    Raises:
        InputError: Its name has none.
    """
    form = file.suffix.lower().removeprefix(".")
    if form not in (*_CURVES, "svg"):
        raise InputError(
            f"--curve must end with .svg, .{', .'.join(_CURVES[:-1])} or .{_CURVES[-1]}, got {str(file)!r}"
        )
    return form


def _show_due(visits: DueVisits) -> None:
    """Print the first fetches as a table."""
    table = drawing.Table(box=None, pad_edge=False)
    for name in ("moment", "loc"):
        table.add_column(name, overflow="fold")
    for _, visit in zip(range(HEAD), visits, strict=False):
        table.add_row(rfc3339(visit.moment), drawing.Text(escape_controls(visit.loc)))
    drawing.out.print(table)
    drawing.out.print()


def _show(plan: Schedule) -> None:
    """Print the first pages as a table."""
    table = drawing.Table(box=None, pad_edge=False)
    for name in ("loc", "rate", "freshness", "why"):
        table.add_column(name, overflow="fold", justify="right" if name in ("rate", "freshness") else "left")
    for _, page in zip(range(HEAD), plan, strict=False):
        loc = drawing.Text(escape_controls(page.loc))
        table.add_row(loc, f"{page.rate:,.4g}/day", "" if page.freshness is None else f"{page.freshness:.0%}", page.why)
    drawing.out.print(table)
    drawing.out.print()
    if len(plan) > HEAD:
        show(f"{len(plan) - HEAD:,} more, which the other formats contain")


def _summarise(plan: Schedule, *, is_result: bool) -> None:
    fresh = "" if plan.freshness is None else f"; freshness by importance {plan.freshness:.1%}"
    less = ""
    if plan.pages and plan.spent < plan.budget * (1 - 1e-6):
        less = f"; {plan.spent:,.4g} of {plan.budget:,.4g} a day are spent, which is all that pages and hosts allow"
    pages = plural(plan.pages, "page")
    (show if is_result else remark)(f"{plan.policy}: {pages}, {plan.fetched:,} fetched{fresh}{less}")
