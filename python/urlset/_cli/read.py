"""`urlset read`: sitemaps to rows."""

import sys
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.table import Table
from rich.text import Text

from urlset import News, Scan, SitemapEntry, UrlEntry, scan
from urlset._cli.arguments import STDIN, sources, words
from urlset._cli.console import FAILED, note, out, watched
from urlset._cli.export import RowForm, copy_rows
from urlset._cli.progress import progress
from urlset._read.results import total_counts
from urlset._util.text import escape_controls, plural, tally

HEAD = 20
"""Rows a table shows."""

SHOWN = 10
"""Failures told one by one."""

SUFFIXES: dict[str, RowForm] = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}


def read(
    source: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE", help="Files, folders (their sitemap.xml), or - for standard input."),
    ],
    *,
    form: Annotated[
        Literal["table", "csv", "jsonl", "parquet"] | None,
        typer.Option(
            "--format",
            "-f",
            help="A table shows the first rows, the others give all.",
            show_default="by the name of --output; else table on a terminal, jsonl in a pipe",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the rows there instead.")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(metavar="loc,lastmod", help="Only these columns, in this order.", show_default="all"),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow/--no-follow", help="Read the children of an index, or its own entries.")
    ] = True,
    on_error: Annotated[
        Literal["raise", "collect"],
        typer.Option(help="Stop at the first document that fails, or go on and report."),
    ] = "raise",
) -> None:
    """Read sitemaps, with the children of an index, into rows.

    They may be XML, RSS or Atom feeds, text lists of URLs or a robots.txt,
    in any charset, compressed or not: the content decides, never the name.
    What is not well-formed is mended.

    Times are RFC 3339 in UTC; what a document leaves out stays empty; images,
    videos, alternates and news are nested, and JSON text in CSV.

    \b
    Examples:
      urlset read sitemap.xml
      urlset read public/ --format csv --columns loc,lastmod > rows.csv
      urlset read sitemap-*.xml.gz --output rows.parquet
      curl -s https://example.com/sitemap.xml | urlset read - | head -1

    \b
    Exit codes:
      0  read, what was mended included
      2  a document could not be read, or not to its end
    """
    if output is not None and str(output) == STDIN:
        output = None
    form = form or _default_form(output)
    if form == "table" and output is not None:
        raise typer.BadParameter("a table is for reading: csv, jsonl or parquet go to a file", param_hint="--format")
    if form == "parquet" and output is None and watched(sys.stdout):
        raise typer.BadParameter("parquet is no text for a terminal: name a file", param_hint="--output")
    chosen = words(columns)
    scans = [scan(opened, follow=follow, columns=chosen, on_error=on_error) for opened in sources(source)]
    if form == "table":
        _show(scans, chosen)
    else:
        # Rows on the terminal and a bar on the terminal would write over each other.
        with progress(lambda: _so_far(scans), shown=output is not None or not watched(sys.stdout)):
            copy_rows(scans, form, output, chosen)
    if _report(scans):
        raise typer.Exit(FAILED)


def _default_form(output: Path | None) -> Literal["table", "csv", "jsonl", "parquet"]:
    if output is not None:
        return SUFFIXES.get(output.suffix.lower(), "jsonl")
    return "table" if watched(sys.stdout) else "jsonl"


def _so_far(scans: Sequence[Scan]) -> str:
    documents = [document for each in scans for document in each.documents]
    rows = sum(document.rows for document in documents)
    return f"{plural(rows, 'row')} of {plural(len(documents), 'document')}"


def _show(scans: Sequence[Scan], columns: Sequence[str] | None) -> None:
    """The first rows as a table, and how many more there are."""
    head: list[UrlEntry | SitemapEntry] = []
    total = 0
    with progress(lambda: _so_far(scans)):
        for each in scans:
            entries = iter(each)
            first = list(islice(entries, HEAD - len(head)))
            head += first
            total += len(first) + sum(1 for _ in entries)
    shown = columns or _telling(head)
    if head:
        table = Table(box=None, pad_edge=False)
        for name in shown:
            # Folded, not cut: a loc that cannot be copied is of no use.
            table.add_column(name, overflow="fold")
        for entry in head:
            table.add_row(*(_cell(entry, name) for name in shown))
        out.print(table)
        out.print()
    documents = sum(len(each.documents) for each in scans)
    out.print(f"{plural(total, 'row')} of {plural(documents, 'document')}", end="")
    if total > len(head):
        out.print(f"; {total - len(head):,} more than shown: csv, jsonl and parquet give all", end="")
    out.print()


def _telling(entries: Sequence[UrlEntry | SitemapEntry]) -> list[str]:
    """Loc and lastmod, and those of the other columns that one of the entries has."""
    others = ("changefreq", "priority", "images", "videos", "alternates", "news")
    return ["loc", "lastmod", *(name for name in others if any(_cell(entry, name) for entry in entries))]


def _cell(entry: UrlEntry | SitemapEntry, name: str) -> Text:
    value = getattr(entry, name, None)
    if value is None or value == ():
        return Text()
    if name == "lastmod":
        return Text(value.isoformat().replace("+00:00", "Z"))
    if isinstance(value, News):
        return Text(escape_controls(value.title or value.publication_name or "yes"))
    return Text(str(len(value)) if isinstance(value, tuple) else escape_controls(str(value)))


def _report(scans: Sequence[Scan]) -> bool:
    """Say on standard error what was odd and what failed; whether anything failed."""
    documents = [document for each in scans for document in each.documents]
    odd = Counter(total_counts(documents))
    if odd:
        note(f"{plural(odd.total(), 'finding')} while reading ({tally(odd)}): `urlset lint` shows them")
    read = Counter(document.completeness for document in documents)
    if read["recovered"]:
        note(f"{plural(read['recovered'], 'document')} recovered: not well-formed, mended and read to the end")
    if read["truncated"]:
        note(f"{plural(read['truncated'], 'document')} truncated: reading ended early, and what came before counts")
    failures = [failure for each in scans for failure in each.failures]
    for failure in failures[:SHOWN]:
        note(str(failure))
    if failures:
        more = f", {len(failures) - SHOWN:,} of them not shown" if len(failures) > SHOWN else ""
        note(f"{plural(len(failures), 'document')} failed{more}")
    return bool(failures)
