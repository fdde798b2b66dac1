"""`urlset simulate`: how fresh a crawler's copies are under each policy."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import click

from urlset import Simulation, drawn_pages
from urlset import simulate as simulate_policies
from urlset._cli.console import remark, show
from urlset._cli.export import DEFAULT_FORM, Output, copy_rows, destination
from urlset._cli.options import Quiet, given, with_options
from urlset._cli.parameters import Argument
from urlset._options.option import Option
from urlset._schedule.pages import NEEDED, OPTIONAL
from urlset._simulate.pages import MORE
from urlset._util import drawing
from urlset._util.text import plural

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from urlset import Scan
    from urlset._write.rows import ArrowTable


@with_options(simulate_policies, drawn_pages)
def simulate(
    pages: Annotated[
        list[str] | None,
        Argument("Files with a row for each page, as for schedule; none with --draw.", metavar="PAGES"),
    ] = None,
    *,
    form: Annotated[
        Literal["table", "csv", "json", "jsonl", "parquet", "duckdb", "xlsx", "summary"] | None,
        Option("Output format; summary shows only how much was simulated.", default=DEFAULT_FORM, flags="--format,-f"),
    ] = None,
    output: Output = None,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Simulate a crawler, and measure how fresh its copies are under each policy.

    Pages are those of schedule, from files or drawn. Their lastmods move as
    recall and precision say, and as often a day as the column stamps says,
    for no reason. The policy signals believes them as far as they are right,
    the policy moved believes every move, and the others do without.

    \b
    Examples:
      urlset simulate pages.parquet --budget 50/day
      urlset simulate --draw 200 --budget 40/day --recall 0.9 --precision 0.95 --stamped 0.5
      urlset simulate pages.parquet --budget 50/day --policies azar,moved -o outcomes.csv

    \b
    Exit codes:
      0  simulated
      2  the pages cannot be read, or cannot be planned with
    """
    chosen, file = destination(form, output)
    with _pages(pages, options) as rows:
        found = simulate_policies(cast("ArrowTable", rows), **given(simulate_policies, options))
    if chosen == "table":
        _show(found)
    elif chosen != "summary":
        copy_rows(cast("Scan", found), chosen, file, None)
    say = show if chosen in ("table", "summary") else remark
    say(f"{plural(found.pages, 'page')}, {plural(found.days, 'day')} of each policy")
    if found.left_out:
        say(f"{plural(found.left_out, 'page')} without a change rate left out")


def _pages(files: list[str] | None, options: Mapping[str, Any]) -> AbstractContextManager[Any]:
    """Return the rows of files, or drawn ones.

    Raises:
        click.UsageError: There are both, or neither, or an option of drawn pages is given without them.
    """
    drawn = given(drawn_pages, options)
    if bool(files) == ("draw" in drawn):
        raise click.UsageError("name files with pages, or draw some with --draw, and not both")
    if not files:
        return nullcontext(drawn_pages(**drawn))
    for name in drawn.keys() - {"seed"}:
        raise click.UsageError(f"--{name} is about pages that are drawn with --draw, and these are read from files")
    from urlset.sources import files as sources  # noqa: PLC0415  (a help asks for the declarations alone)

    importance = options["importance"]
    named = [importance] if importance is not None and importance not in OPTIONAL else []
    return sources.rows(files, keep=[*NEEDED[1:], *named], optional=(*OPTIONAL, *MORE))


def _show(found: Simulation) -> None:
    """Print the policies as a table."""
    table = drawing.Table(box=None, pad_edge=False)
    for name in ("policy", "freshness", "interval", "expected", "fetches"):
        table.add_column(name, overflow="fold", justify="left" if name == "policy" else "right")
    for each in found:
        interval = "" if each.low is None or each.high is None else f"{each.low:.1%} to {each.high:.1%}"
        table.add_row(
            each.policy, _percent(each.freshness), interval, _percent(each.expected), f"{each.fetches:,.4g}/day"
        )
    drawing.out.print(table)
    drawing.out.print()


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"
