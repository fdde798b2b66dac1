"""`urlset read`: sitemaps to rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import click

import urlset
from urlset import Filter, Http, scan
from urlset._cli.arguments import sources
from urlset._cli.console import FAILED, INTERRUPTED, note_failures, remark, show
from urlset._cli.export import (
    DEFAULT_FORM,
    HEAD,
    Fetches,
    Output,
    copy_rows,
    destination,
    shows_progress,
    write_fetches,
)
from urlset._cli.filter import filter_of, note_choice
from urlset._cli.http import note_savings
from urlset._cli.interruption import Interruption
from urlset._cli.options import Quiet, given, value_of, with_options
from urlset._cli.parameters import Argument
from urlset._cli.progress import following
from urlset._model.instants import rfc3339
from urlset._options.option import Option
from urlset._tables.writers import RowForm
from urlset._util import drawing
from urlset._util.text import and_failed, escape_controls, plural, tally

if TYPE_CHECKING:
    from urlset import Scan, SitemapEntry, UrlEntry


@with_options(scan, Filter, Http)
def read(
    source: Annotated[
        list[str],
        Argument("Files, folders, globs, URLs, or - for standard input; one set.", metavar="SOURCE"),
    ],
    *,
    form: Annotated[
        Literal["table", "csv", "json", "jsonl", "parquet", "duckdb", "xlsx"] | None,
        Option("Output format; table shows only the first rows.", default=DEFAULT_FORM, flags="--format,-f"),
    ] = None,
    output: Output = None,
    fetches: Fetches = None,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Read sitemaps, and the children of an index, into rows.

    Sources can be XML sitemaps, RSS or Atom feeds, text lists of URLs, or a
    robots.txt, in any charset and compression. The content of a document
    decides what it is, not its name. Markup that is not well-formed is
    repaired. A folder stands for its sitemap.xml, a sitemap-index.xml or
    another usual name, a robots.txt that names sitemaps, or all files with
    sitemap in their name, and so does a prefix of an object store, such as
    s3://bucket/sitemaps/, which ends with a slash. A URL without a path stands for the robots.txt of
    that site, or its first usual name.

    Times are RFC 3339 in UTC. Absent values are empty. Images, videos,
    alternates and news are nested, and JSON text in CSV and XLSX. The kind is that of
    the document: rows of a sitemapindex or of robots name sitemaps, all
    others name pages.

    \b
    Examples:
      urlset read sitemap.xml
      urlset read https://example.com --format csv > rows.csv
      urlset read s3://bucket/sitemaps/ --output rows.parquet
      urlset read public/ --format csv --columns loc,lastmod > rows.csv
      urlset read sitemap-*.xml.gz --output rows.parquet
      curl -s https://example.com/sitemap.xml | urlset read - | head -1

    \b
    Exit codes:
      0    everything was read; some of it may have been recovered
      2    a document could not be read, or not to its end
      130  interrupted by Ctrl-C; --output has the documents that were read
    """
    chosen_form, file = destination(form, output)
    values = given(scan, options)
    names, resume = values.get("columns"), values.get("resume")
    if resume is not None:
        _check_new(file)
    rows = scan(
        sources(source),
        **values,
        http=value_of(Http, options),
        filter=filter_of(options),
    )
    interruption = Interruption(rows)
    if chosen_form == "table":
        _show(rows, names)
    else:
        with following(lambda: rows.progress, shown=shows_progress(file)):
            row_form = cast("RowForm", chosen_form)
            copy_rows(rows, row_form, file, names, on_interrupt=interruption, place=rows._place)
    if fetches is not None:
        write_fetches(rows.fetches, fetches)
    note_savings(rows.savings)
    if resume is not None and not rows.documents and not rows.failures:
        remark(f"{resume} says that everything was read: delete it to begin again")
    failed = _report(rows)
    if rows.is_stopped and file is not None:
        interruption.report(file)
    if resume is not None and rows.failures:
        remark(f"to read the rest, run this again with another --output and --resume {resume}")
    elif rows.is_stopped:
        remark("with --resume FILE, the next run could go on here")
    if rows.is_stopped:
        raise click.exceptions.Exit(INTERRUPTED)
    if failed:
        raise click.exceptions.Exit(FAILED)


def _check_new(file: Path | None) -> None:
    """Raise BadParameter unless a run that can be resumed has a file for its rows, which is not that of another."""
    if file is None:
        raise click.BadParameter(
            "--resume needs the name of a file: nobody knows what a pipe kept", param_hint="--output"
        )
    if file.exists():
        raise click.BadParameter(
            f"{file} exists, and may have the rows of an earlier run: --resume needs a new file", param_hint="--output"
        )


def _show(rows: Scan, columns: Sequence[str] | None) -> None:
    """Print the first rows as a table, and how many more there are."""
    with following(lambda: rows.progress):
        entries = iter(rows)
        head = list(islice(entries, HEAD))
        total = len(head) + sum(1 for _ in entries)
    shown = columns or _columns(head)
    if head:
        table = drawing.Table(box=None, pad_edge=False)
        for name in shown:
            # Folded, not truncated, so that a loc can be copied.
            table.add_column(name, overflow="fold")
        for entry in head:
            table.add_row(*(_cell(entry, name) for name in shown))
        drawing.out.print(table)
        drawing.out.print()
    more = f"; {total - len(head):,} more, which the other formats contain" if total > len(head) else ""
    counted = f"{plural(total, 'row')} from {plural(len(rows.documents), 'document')}"
    show(counted + and_failed(rows.failures) + more)


def _columns(entries: Sequence[UrlEntry | SitemapEntry]) -> list[str]:
    """Return loc, lastmod, and the other columns for which an entry has a value."""
    others = ("changefreq", "priority", "images", "videos", "alternates", "news")
    return ["loc", "lastmod", *(name for name in others if any(_cell(entry, name) for entry in entries))]


def _cell(entry: UrlEntry | SitemapEntry, name: str) -> drawing.Text:
    value = getattr(entry, name, None)
    if value is None or value == ():
        return drawing.Text()
    if name == "lastmod":
        return drawing.Text(rfc3339(value))
    if isinstance(value, urlset.News):
        return drawing.Text(escape_controls(value.title or value.publication_name or "yes"))
    return drawing.Text(str(len(value)) if isinstance(value, tuple) else escape_controls(str(value)))


def _report(rows: Scan) -> bool:
    """Report findings and failures on standard error, and return whether a document failed."""
    findings = Counter(rows.counts)
    if findings:
        remark(f"{plural(findings.total(), 'finding')} while reading ({tally(findings)}): `urlset lint` shows them")
    read = Counter(document.completeness for document in rows.documents)
    if read["recovered"]:
        remark(f"recovered {plural(read['recovered'], 'document')}: not well-formed, repaired and read to the end")
    if read["truncated"]:
        remark(f"truncated {plural(read['truncated'], 'document')}: reading ended early, the rows up to there are kept")
    note_choice(rows.skipped, rows.sample)
    note_failures(rows.failures)
    return bool(rows.failures)
