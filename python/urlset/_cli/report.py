"""`urlset report`: what a run found, as one page to look at or as a table."""

from pathlib import Path
from typing import Annotated

from urlset import RunTable
from urlset import report as write_report
from urlset._cli.console import show
from urlset._cli.options import Quiet
from urlset._cli.parameters import Argument
from urlset._options.option import Option
from urlset._options.shared import Logo, Note, Title


def report(
    file: Annotated[Path, Argument("State file of audit or crawl.", metavar="RUNS")],
    *,
    output: Annotated[
        Path,
        Option(
            "File to write: .html for a page, .parquet, .csv or .xlsx for a table.", metavar="FILE", flags="--output,-o"
        ),
    ],
    run: Annotated[
        str | None,
        Option(
            "Audit to show, by its number or by a day such as 2026-11-01; 'crawl 2' for a crawl.",
            metavar="RUN|DAY",
            default="the last run",
        ),
    ] = None,
    table: Annotated[RunTable, Option("Table to write.")] = "findings",
    title: Title = None,
    logo: Logo = None,
    note: Note = None,
    quiet: Quiet = False,
) -> None:
    """Write the result of a run as an HTML report, or as a table.

    The report is one file that loads nothing and sends nothing. It has each broken rule
    with its reason, fix and effect, pictures of the site, and every finding. It can be
    mailed, printed, and read without JavaScript; with JavaScript, the findings can be
    sorted, filtered and searched.

    \b
    Examples:
      urlset report example.duckdb -o report.html
      urlset report example.duckdb -o report.html --run 2
      urlset report example.duckdb -o report.html --title "Shop, November" --logo logo.svg
      urlset report example.duckdb -o pages.xlsx --table pages
      urlset lint public/ --report report.html

    \b
    Exit codes:
      0  the file was written
      2  it could not be written
    """
    show(f"Wrote {write_report(file, output, run=run, table=table, title=title, logo=logo, note=note)}")
