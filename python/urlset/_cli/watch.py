"""`urlset watch`: what has changed on a site since the last run."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import click

from urlset import Http, InputError, SiteChange, UrlsetError, WatchRun
from urlset import watch as look_at
from urlset._cli.console import FAILED, FINDINGS, note, note_failures, remark, show
from urlset._cli.errors import explain
from urlset._cli.export import (
    DEFAULT_FORM,
    HEAD,
    Fetches,
    Form,
    Output,
    copy_rows,
    destination,
    shows_progress,
    write_fetches,
)
from urlset._cli.http import note_savings
from urlset._cli.options import Quiet, given, value_of, with_options
from urlset._cli.parameters import Argument
from urlset._cli.planned import plan_rows
from urlset._cli.progress import counting
from urlset._model.instants import rfc3339
from urlset._options.option import Option
from urlset._util import drawing
from urlset._util.durations import seconds_of
from urlset._util.text import and_failed, escape_controls, plural

if TYPE_CHECKING:
    from urlset import Scan

STYLES = {"added": "green", "removed": "red", "lastmod": "yellow", "fields": "yellow", "moved": "cyan"}


@with_options(look_at, Http)
def watch(
    site: Annotated[
        list[str] | None,
        Argument("URLs, files, folders or globs, as for read; none to print earlier changes.", metavar="SITE"),
    ] = None,
    *,
    every: Annotated[
        str | None,
        Option("Run repeatedly, such as every 30m, 1h or 1d, until Ctrl-C.", metavar="TIME"),
    ] = None,
    form: Annotated[
        Literal["table", "csv", "json", "jsonl", "parquet", "xlsx", "summary"] | None,
        Option(
            "Output format; table shows only the first changes, summary only their numbers.",
            default=DEFAULT_FORM,
            flags="--format,-f",
        ),
    ] = None,
    output: Output = None,
    fetches: Fetches = None,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Show what has changed on a site since the last run.

    Pages that were added, removed, or moved to another sitemap, lastmods and
    other fields that have changed, and sitemaps that were added, removed or
    moved. The first run has nothing to compare with. A page is removed only
    if every sitemap that listed it was read completely: a sitemap that cannot
    be read today still counts as it was, and so does one that has lost more
    than half of its entries, until the next run confirms it.

    Each run is one transaction, and each change has the number of its run.
    Changes that were not printed completely are printed again by the next
    run.

    \b
    Examples:
      urlset watch https://example.com --state example.sqlite
      urlset watch https://example.com --state example.sqlite -o changes.jsonl
      urlset watch https://example.com --state example.sqlite --every 1h
      urlset watch https://example.com --state example.sqlite --max-age 2d
      urlset watch https://example.com --state example.sqlite --plan plan.parquet
      urlset watch https://example.com --state example.sqlite --hooks changes.jsonl
      urlset watch --state example.sqlite --since 12 --format csv

    \b
    Exit codes:
      0  nothing has changed
      1  changes, a sitemap that is held back, or a newest lastmod older than
         --max-age
      2  a sitemap could not be read, or not to its end; changes are printed
    """
    chosen, file = destination(form, output)
    if not site and (options["since"] is None or every is not None):
        raise click.BadParameter("name a site to look at, or print what was found before with --since")
    if every is not None and (file is not None or fetches is not None):
        raise click.BadParameter("each run would replace the file: write to standard output", param_hint="--every")
    pause = None if every is None else seconds_of(every)
    if every is not None and pause is None:
        raise click.BadParameter(f"must be a time such as 30m, 1h or 1d, got {every!r}", param_hint="--every")

    values = given(look_at, options)
    http = value_of(Http, {**options, "cache": options["cache"] or options["state"]})

    def once() -> int:
        return _look(site, chosen, file, fetches, values | {"http": http})

    if pause is None:
        raise click.exceptions.Exit(once())
    while True:
        end = time.monotonic() + pause
        try:
            once()
        except (InputError, BrokenPipeError):
            raise
        except (UrlsetError, OSError) as error:  # the site may be there again next time
            note(explain(error))
        values.pop("since", None)
        time.sleep(max(0.0, end - time.monotonic()))


def _look(
    site: Sequence[str] | None, form: Form, file: Path | None, fetches: Path | None, options: Mapping[str, Any]
) -> int:
    """Look once, print the changes, and return the exit code."""
    with counting(shown=shows_progress(file)) as count, plan_rows(options) as plan:
        found = look_at(list(site) if site else None, **{**options, **plan}, progress=count)
    with found:  # it is confirmed at the end, if nothing goes wrong, and hooks are told before that
        if form == "table":
            _show(found)
        elif form != "summary":
            copy_rows(cast("Scan", found), form, file, None)
        if fetches is not None:
            write_fetches(found.fetches, fetches)
        (show if form in ("table", "summary") else remark)(_summary(found))
    note_savings(found.savings)
    note_failures(found.failures)
    for held in found.held:
        note(str(held))
    if found.is_stale:
        newest = "there is no lastmod" if found.newest is None else f"the newest lastmod is {rfc3339(found.newest)}"
        note(f"{newest}, which is older than --max-age {options['max_age']}" if found.newest else newest)
    if found.failures:
        return FAILED
    return FINDINGS if found or found.held or found.is_stale else 0


def _summary(found: WatchRun) -> str:
    seen = f"{plural(found.entries, 'entry', 'entries')} in {plural(found.sitemaps, 'sitemap')}"
    failed = and_failed(found.failures) + (f", {len(found.held):,} held back" if found.held else "")
    failed += f", {plural(found.not_due, 'sitemap')} not due" if found.not_due else ""
    if found.is_first:
        return f"run 1: {seen}{failed}; the next one shows what has changed"
    counted = ", ".join(f"{number:,} {what}" for what, number in found.counts.items())
    return f"run {found.number}: {seen}{failed}; {counted or 'nothing has changed'}"


def _show(found: WatchRun) -> None:
    """Print the first changes as a table."""
    if not found:
        return
    table = drawing.Table(box=None, pad_edge=False)
    for name in ("change", "loc", "how", "old", "new"):
        # Folded, not truncated, so that a loc can be copied.
        table.add_column(name, overflow="fold")
    for _, change in zip(range(HEAD), found, strict=False):
        table.add_row(*_cells(change))
    drawing.out.print(table)
    drawing.out.print()
    if len(found) > HEAD:
        show(f"{len(found) - HEAD:,} more, which the other formats contain")


def _cells(change: SiteChange) -> tuple[drawing.Text, ...]:
    is_move = change.change == "moved"
    old, new = (change.old_sitemap, change.sitemap) if is_move else (change.old_lastmod, change.lastmod)
    what = change.change if change.kind == "page" else f"{change.change} sitemap"
    texts = (change.loc, change.how or "", old or "", new or "")
    return drawing.Text(what, STYLES[change.change]), *(drawing.Text(escape_controls(text)) for text in texts)
