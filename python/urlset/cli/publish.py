"""`urlset publish`: rows to a set of sitemaps."""

import json
from contextlib import ExitStack
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, Annotated, Any, Literal

import typer
from rich.filesize import decimal
from rich.text import Text

import urlset
from urlset import EntryError, Publication
from urlset.cli import _rows
from urlset.cli._boundary import refusal
from urlset.cli._console import FINDINGS, out
from urlset.cli._progress import progress
from urlset.output._count import counted, tally
from urlset.output._visible import visible

SHOWN = 10
"""Refused rows that a summary lists."""


def publish(
    rows: Annotated[
        list[str],
        typer.Argument(metavar="ROWS", help="CSV, JSON lines, Parquet or text files, or - for standard input."),
    ],
    *,
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="The folder that is served.")],
    base_url: Annotated[str, typer.Option(metavar="URL", help="Where that folder is on the web.")],
    form: Annotated[
        Literal["auto", "csv", "jsonl", "parquet", "txt"],
        typer.Option("--from", help="What ROWS are; auto tells it by name, else by content."),
    ] = "auto",
    compression: Annotated[Literal["gzip", "none"], typer.Option(help="How the sitemaps are stored.")] = "gzip",
    on_error: Annotated[
        Literal["raise", "collect"] | None,
        typer.Option(
            help="Publish nothing if a row is refused, or leave such rows out and report them.",
            show_default="raise; with --rejects collect",
        ),
    ] = None,
    rejects: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the refused rows there, one JSON object a line."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object.")] = False,
) -> None:
    """Publish rows as sitemaps: one document, or an index and its shards when they outgrow one.

    Columns are told by name: loc, and if there lastmod, changefreq, priority, images, videos,
    alternates and news, the last four nested or, in CSV, JSON text. An empty cell is absent. In a
    text list each line is a loc.

    \b
    Examples:
      urlset publish rows.csv --to public --base-url https://example.com/
      urlset publish a.parquet b.parquet --rejects refused.jsonl \\
        --to public --base-url https://example.com/
      psql -c "copy (select loc, lastmod from pages) to stdout csv header" |
        urlset publish - --to public --base-url https://example.com/

    \b
    Exit codes:
      0  published
      1  published, but some rows were refused
      2  not published
    """
    if rejects is not None and on_error == "raise":
        raise typer.BadParameter(
            "it lists what `collect` leaves out: `raise` leaves out nothing", param_hint="--rejects"
        )
    seen = 0

    def count(entries: int) -> None:
        nonlocal seen
        seen = entries

    with ExitStack() as stack:
        # Opened first: a set should not be published whose refusals cannot be told.
        sink = None if rejects is None else stack.enter_context(rejects.open("w", encoding="utf-8"))
        entries = stack.enter_context(_rows.opened(rows, None if form == "auto" else form))
        reject = None if sink is None else partial(_reject, sink)
        with progress(lambda: counted(seen, "entry", "entries")):
            publication = urlset.publish(
                entries,
                to,
                base_url=base_url,
                compression=compression,
                on_error=on_error or ("raise" if rejects is None else "collect"),
                progress=count,
                on_refusal=reject,
            )
    if as_json:
        typer.echo(json.dumps(_summary(publication), ensure_ascii=False, indent=2))
    else:
        _tell(publication)
    if publication.refused:
        raise typer.Exit(FINDINGS)


def _reject(sink: IO[str], error: EntryError) -> None:
    sink.write(json.dumps(_refusal(error), ensure_ascii=False) + "\n")


def _refusal(error: EntryError) -> dict[str, Any]:
    return {"row": error.index + 1, "code": error.code, "loc": error.loc, "reason": error.reason}


def _summary(publication: Publication) -> dict[str, Any]:
    return {
        "location": publication.location,
        "url": publication.url,
        "entries": publication.entries,
        "bytes": sum(shard.bytes for shard in publication.shards),
        "size": sum(shard.size for shard in publication.shards),
        "shards": [
            {
                "name": shard.name,
                "url": shard.url,
                "entries": shard.entries,
                "bytes": shard.bytes,
                "size": shard.size,
                "lastmod": _moment(shard.lastmod),
            }
            for shard in publication.shards
        ],
        "written": list(publication.written),
        "unchanged": list(publication.unchanged),
        "removed": list(publication.removed),
        "refused": publication.refused,
        "refused_by_code": publication.refused_by_code,
        "refusals": [_refusal(error) for error in publication.refusals[:SHOWN]],
    }


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")


def _tell(publication: Publication) -> None:
    shards = publication.shards
    entries = counted(publication.entries, "entry", "entries")
    plain, stored = sum(shard.bytes for shard in shards), sum(shard.size for shard in shards)
    lines = [
        f"Published {entries} in {counted(len(shards), 'shard')}: {publication.url}",
        f"  {decimal(plain)} of XML, {decimal(stored)} stored",
        f"  files: {len(publication.written):,} written, {len(publication.unchanged):,} unchanged, "
        f"{len(publication.removed):,} removed",
    ]
    if publication.refused:
        lines.append(f"Refused {counted(publication.refused, 'row')}: {tally(publication.refused_by_code)}")
        lines += [f"  row {error.index + 1:,}: {refusal(error)}" for error in publication.refusals[:SHOWN]]
        if publication.refused > SHOWN:
            lines.append(f"  and {publication.refused - SHOWN:,} more: --rejects FILE lists them")
    for line in lines:
        out.print(Text(visible(line)), soft_wrap=True)
