"""`urlset rates`: how often each page of a site changes, and what its lastmods are worth."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from rich.filesize import decimal

from urlset import Rates
from urlset import rates as estimate
from urlset._cli.console import note, remark, show
from urlset._cli.export import DEFAULT_FORM, HEAD, Output, copy_rows, destination
from urlset._cli.options import Quiet, given, with_options
from urlset._cli.parameters import Argument
from urlset._options.option import Option
from urlset._rates.looks import COLUMNS, is_state
from urlset._util import drawing
from urlset._util.text import escape_controls, plural

if TYPE_CHECKING:
    from urlset import Scan
    from urlset._write.rows import ArrowTable


@with_options(estimate)
def rates(
    history: Annotated[
        list[str],
        Argument(
            "Run files of audit and crawl, states of watch, and files of looks: CSV, JSON Lines or Parquet.",
            metavar="HISTORY",
        ),
    ],
    *,
    by: Annotated[Literal["page", "section"], Option("Print a row for each page, or for each section.")] = "page",
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
    """Estimate how often each page of a site changes, and what its lastmods are worth.

    What was seen of the pages is in the files of earlier crawls, audits and
    runs of watch, or in a table of your own crawler, with loc, time, and one
    of hash, changed and lastmod. Lastmods that tell the truth show changes
    between two looks; those of other sections are ignored.

    \b
    Examples:
      urlset rates example.duckdb -o pages.parquet
      urlset rates example.sqlite --by section
      urlset rates looks.csv --format table

    \b
    Exit codes:
      0  estimated
      2  a history cannot be read
    """
    from urlset.sources import files  # noqa: PLC0415  (a help asks for the declarations alone)

    chosen, file = destination(form, output)
    with ExitStack() as stack:
        tables = [each for each in history if not is_state(each)]
        needed = [name for name, column in COLUMNS.items() if column.why is not None and name != "loc"]
        others = [name for name in COLUMNS if name not in ("loc", *needed)]
        given_rows = [stack.enter_context(files.rows(each, keep=needed, optional=others)) for each in tables]
        histories: list[str | ArrowTable] = [each for each in history if each not in tables]
        histories.extend(cast("list[ArrowTable]", given_rows))
        found = stack.enter_context(estimate(histories, **given(estimate, options)))
        if chosen == "table":
            (_show_sections if by == "section" else _show)(found)
        elif chosen != "summary":
            copy_rows(cast("Scan", found.sections if by == "section" else found), chosen, file, None)
        _summarise(found, is_result=chosen in ("table", "summary"))
        for why, count in found.left_out.items():
            note(f"left out, since {why}: {count:,}")


def _show(found: Rates) -> None:
    """Print the first pages as a table."""
    table = drawing.Table(box=None, pad_edge=False)
    for name in ("loc", "per day", "95 %", "looks", "changes", "from"):
        table.add_column(name, overflow="fold", justify="left" if name in ("loc", "from") else "right")
    for _, page in zip(range(HEAD), found, strict=False):
        rate = "" if page.change_rate is None else f"{page.change_rate:,.3g}"
        interval = "" if page.low is None else f"{page.low:,.2g} to {page.high:,.2g}"
        loc = drawing.Text(escape_controls(page.loc))
        table.add_row(loc, rate, interval, f"{page.looks:,}", f"{page.changes:,}", page.basis or "nothing")
    drawing.out.print(table)
    drawing.out.print()
    if len(found) > HEAD:
        show(f"{len(found) - HEAD:,} more, which the other formats contain")


def _show_sections(found: Rates) -> None:
    """Print the first sections as a table."""
    table = drawing.Table(box=None, pad_edge=False)
    for name in ("section", "lastmods"):
        table.add_column(name, overflow="fold")
    for name in ("pages", "per day", "precision", "recall", "unchanged"):
        table.add_column(name, justify="right")
    for section in found.sections[:HEAD]:
        trust = section.trust
        table.add_row(
            drawing.Text(escape_controls(section.section)),
            section.hints,
            f"{section.pages:,}",
            "" if section.change_rate is None else f"{section.change_rate:,.3g}",
            _share(trust.precision, trust.precision_interval),
            _share(trust.recall, trust.recall_interval),
            f"{section.unchanged:,} of {section.looks:,}",
        )
    drawing.out.print(table)
    drawing.out.print()
    if len(found.sections) > HEAD:
        show(f"{len(found.sections) - HEAD:,} more, which the other formats contain")


def _share(share: float | None, interval: tuple[float, float] | None) -> str:
    return "" if share is None or interval is None else f"{share:.0%} ({100 * interval[0]:.0f}-{100 * interval[1]:.0f})"


def _summarise(found: Rates, *, is_result: bool) -> None:
    say = show if is_result else remark
    known = sum(section.looks for section in found.sections)
    say(f"{plural(len(found), 'page')}, {plural(found.looks, 'look')}, of which {known:,} could find a change")
    unchanged = sum(section.unchanged for section in found.sections)
    if unchanged:
        foreseen = sum(section.foreseen for section in found.sections if section.hints == "used")
        size = sum(section.unchanged_bytes for section in found.sections)
        what = f" ({decimal(size)})" if size else ""
        say(
            f"{unchanged:,} found the page unchanged{what}: true lastmods, or answers with 304, would save these"
            + (f"; the lastmods that can be trusted tell of {foreseen:,}" if foreseen else "")
        )
