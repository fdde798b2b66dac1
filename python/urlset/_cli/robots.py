"""`urlset robots`: a robots.txt as a table."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import click

from urlset import Http, RobotsLine, RobotsTable
from urlset import robots as read_robots
from urlset._cli.arguments import STDIN
from urlset._cli.console import FAILED, FINDINGS, note_failures, show, show_json
from urlset._cli.export import copy_rows
from urlset._cli.options import Quiet, given, value_of, with_options
from urlset._cli.parameters import Argument
from urlset._cli.progress import waiting
from urlset._options.option import Option
from urlset._util import drawing
from urlset._util.text import and_failed, escape_controls, plural

if TYPE_CHECKING:
    from urlset import Scan

#: Crawlers of a group that are shown beside each of its lines.
_NAMES = 5


@with_options(read_robots, Http)
def robots(
    source: Annotated[
        str,
        Argument("URL of a site, a file, or - for standard input.", metavar="SITE|FILE"),
    ],
    *,
    form: Annotated[Literal["table", "csv", "json", "jsonl"], Option("Output format.", flags="--format,-f")] = "table",
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Show a robots.txt as a table: the groups, what each line means, and what is wrong with it.

    Also the preferences about AI: Content-Signal, Content-Usage and License.
    With --check, each rule shows how many listed pages it disallows.

    \b
    Examples:
      urlset robots https://example.com
      urlset robots https://example.com --check
      urlset robots robots.txt --sitemaps public/ --format json

    \b
    Exit codes:
      0  nothing is wrong
      1  a line has a problem, or a listed page is disallowed for a crawler
      2  the robots.txt or a sitemap could not be read
    """
    text: str | bytes = sys.stdin.buffer.read() if source == STDIN else source
    with waiting("reading"):
        found = read_robots(text, **given(read_robots, options), http=value_of(Http, options))
    if source == STDIN:
        found = replace(found, location=STDIN)
    if form == "json":
        show_json(found.as_dict())
    elif form != "table":
        copy_rows(cast("Scan", found), form, None, None)
    else:
        _show(found)
    note_failures(found.failures)
    if found.failures:
        raise click.exceptions.Exit(FAILED)
    if found.problems or any(each.pages for each in found.disallowed):
        raise click.exceptions.Exit(FINDINGS)


def _show(found: RobotsTable) -> None:
    if not found.lines:
        show(f"{found.location}: no lines, so everything is allowed")
        return
    table = drawing.Table(box=None, pad_edge=False)
    names = ["line", "crawlers", "field", "value", *(["listed"] if found.checked is not None else []), "problem"]
    for name in names:
        table.add_column(name, overflow="fold", justify="right" if name in ("line", "listed") else "left")
    for line in found.lines:
        table.add_row(
            *(drawing.Text(escape_controls(cell)) for cell in _cells(line, is_checked=found.checked is not None))
        )
    drawing.out.print(table)
    if found.checked is not None:
        drawing.out.print()
        show(_summary(found))


def _cells(line: RobotsLine, *, is_checked: bool) -> list[str]:
    names = () if line.field == "User-agent" else line.agents
    crawlers = ", ".join((*names[:_NAMES], "…") if len(names) > _NAMES else names)
    listed = [""] if line.listed is None else [f"{line.listed:,}"]
    return [str(line.line), crawlers, line.field, line.value, *(listed if is_checked else []), line.problem or ""]


def _summary(found: RobotsTable) -> str:
    """Return one line: how many listed pages each crawler must not fetch."""
    pages = plural(found.checked or 0, "listed page")
    pages += and_failed(found.failures)
    kept = [each for each in found.disallowed if each.pages]
    if not kept:
        return f"{pages}: no rule disallows any of them"
    said = "; ".join(
        f"{each.pages:,} disallowed for {'every other crawler' if each.agent == '*' else each.agent}" for each in kept
    )
    return f"{pages}: {said}"
