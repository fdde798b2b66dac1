"""`urlset stats`: what a set holds, at a glance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from rich.filesize import decimal

from urlset import Filter, Http, Stats
from urlset import stats as count_stats
from urlset._cli.arguments import sources
from urlset._cli.console import and_failed, end_with, show_json
from urlset._cli.filter import filter_of, note_choice
from urlset._cli.options import Quiet, given, value_of, with_options
from urlset._cli.parameters import Argument
from urlset._cli.progress import counting
from urlset._options.option import Option
from urlset._util import drawing
from urlset._util.text import escape_controls, plural, tally

SHOWN = 12
"""Lines of a picture."""

BAR = 32
"""Cells of the longest bar."""

_EIGHTHS = " ▏▎▍▌▋▊▉█"


@with_options(count_stats, Filter, Http)
def stats(
    source: Annotated[
        list[str],
        Argument("Files, folders, globs, URLs, or - for standard input; one set.", metavar="SOURCE"),
    ],
    *,
    form: Annotated[Literal["text", "json"], Option("Output format.", flags="--format,-f")] = "text",
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Show what a set holds: sections, hosts, ages of lastmods, extensions, sizes, and what was wrong.

    \b
    Examples:
      urlset stats public/
      urlset stats sitemap-*.xml.gz --format json
      urlset stats https://example.com
      urlset stats https://example.com --sample-sitemaps 20

    \b
    Exit codes:
      0  everything was counted
      2  a document could not be read, or not to its end
    """
    with counting() as count:
        found = count_stats(
            sources(source),
            **given(count_stats, options),
            http=value_of(Http, options),
            progress=count,
            filter=filter_of(options),
        )
    if form == "json":
        show_json(found.as_dict())
    else:
        for line in lines(found):
            drawing.print_line(line)
    note_choice(found.skipped, found.sample)
    end_with(found.failures)


def lines(found: Stats) -> Iterator[drawing.Line]:
    """Yield the lines of the picture."""
    documents = found.documents
    size = f"{decimal(found.bytes)} of text"
    counted = f"{plural(found.entries, 'entry', 'entries')} in {plural(len(documents), 'document')}, {size}"
    yield drawing.Line(counted + and_failed(found.failures), "bold")
    if len(documents) > 1:
        largest = max(documents, key=lambda document: document.bytes)
        lists = [document for document in documents if document.kind not in ("sitemapindex", "robots")]
        most = max(lists or documents, key=lambda document: document.rows)
        yield drawing.Line(
            f"largest: {escape_controls(largest.location or '')}, {decimal(largest.bytes)}; "
            f"most entries: {escape_controls(most.location or '')}, {most.rows:,}"
        )
    yield from _picture("sections", found.sections)
    if len(found.hosts) > 1:
        yield from _picture("hosts", {host or "(not absolute)": count for host, count in found.hosts.items()})
    yield from _picture("lastmod, up to", found.ages, style="cyan")
    if found.oldest is not None and found.newest is not None:
        yield drawing.Line(f"  from {found.oldest:%Y-%m-%d} to {found.newest:%Y-%m-%d}", "dim")
    yield from _picture("extensions", found.extensions, style="magenta")
    if found.counts or found.completeness != "complete":
        odd = tally(found.counts) or "nothing was found in what was read"
        yield drawing.Line()
        yield drawing.Line(f"odd: {odd}; {found.completeness}; `urlset lint` shows where", "yellow")


def _picture(title: str, counts: Mapping[str, int], *, style: str = "green") -> Iterator[drawing.Line]:
    """Yield a heading and one bar per count; what does not fit is summed up."""
    if not counts:
        return
    shown = dict(list(counts.items())[:SHOWN])
    if rest := len(counts) - len(shown):
        shown[f"{rest:,} others"] = sum(counts.values()) - sum(shown.values())
    width = max(len(escape_controls(name)) for name in shown)
    digits = max(len(f"{count:,}") for count in shown.values())
    most = max(shown.values())
    yield drawing.Line()
    yield drawing.Line(title, "bold")
    for name, count in shown.items():
        line = drawing.Line(f"  {escape_controls(name):<{width}}  {count:>{digits},}  ")
        yield line.append(_bar(count / most), style)


def _bar(part: float) -> str:
    """Return a bar of block characters, at least the thinnest one."""
    eighths = max(1, round(part * BAR * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
