"""The main job over the example shop: publish, check, read back, publish again, and say what happened.

    python examples/demo.py

Publishes `shop.jsonl` as one document, then 120,000 made rows as an index of three shards, both under
`examples/out/`, which it empties first. Exits with 0 when everything is as it should be, else with 2.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import urlset
from make_shop import BAD, SITE, archive
from rich.console import Console
from rich.table import Table
from rich.text import Text

HERE = Path(__file__).parent
OUT = HERE / "out"
ARCHIVE_ROWS = 120_000

Rows = Callable[[], Iterable[dict[str, Any]]]
Checks = dict[str, bool]


def main() -> int:
    """Runs the job over both inputs, prints what came of it, returns the exit code."""
    console = Console()
    shutil.rmtree(OUT, ignore_errors=True)
    checks = job(console, "the shop", shop_rows, OUT / "shop", f"{SITE}/", shards=1, refused=[c for c, _ in BAD])
    checks |= job(console, "the archive", archive_rows, OUT / "archive", f"{SITE}/archive/", shards=3, refused=[])
    console.print()
    for promise, kept in checks.items():
        console.print(Text("✓ " if kept else "✗ ", "green" if kept else "bold red") + Text(promise))
    return 0 if all(checks.values()) else 2


def shop_rows() -> Iterator[dict[str, Any]]:
    """The rows of shop.jsonl, one at a time."""
    with (HERE / "shop.jsonl").open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def archive_rows() -> Iterator[dict[str, Any]]:
    """As many rows as need more than two documents, made as they are asked for."""
    return archive(ARCHIVE_ROWS)


def job(
    console: Console, name: str, rows: Rows, folder: Path, base_url: str, *, shards: int, refused: list[str]
) -> Checks:
    """Publishes the rows into the folder, checks and reads what is there, publishes once more.

    `shards` and `refused` (rule codes) are what it must come to. Returns of each promise whether it was kept.
    """
    start = time.perf_counter()
    done = urlset.publish(rows(), folder, base_url=base_url, on_error="collect")
    seconds = time.perf_counter() - start
    report = urlset.lint(done.location, location=done.url)
    bad = {error.index for error in done.refusals}
    given = fingerprint(spelled(row["loc"]) for index, row in enumerate(rows()) if index not in bad)
    found = fingerprint(entry.loc or "" for entry in urlset.scan(done.location))
    again = urlset.publish(rows(), folder, base_url=base_url, on_error="collect")

    console.print()
    console.rule(Text(f"{name} → {done.url}", "bold"), align="left")
    console.print(summary(done, seconds, report, given=given, found=found, again=again))
    if len(done.shards) > 1:
        console.print("", shard_table(done), sep="\n")
    if done.refusals:
        console.print("", refusal_table(done), sep="\n")
    for diagnostic in list(report)[:10]:
        place = f"{diagnostic.location}:{diagnostic.line}:{diagnostic.column}"
        console.print(Text(f"{place} {diagnostic.code} {diagnostic.message}", "red"))
    left_out = f"{len(refused)} rows refused, each by the rule it breaks" if refused else "no row refused"
    return {
        f"{name}: published as {shards} document{'s' * (shards > 1)}": len(done.shards) == shards,
        f"{name}: {left_out}": sorted(error.code for error in done.refusals) == sorted(refused),
        f"{name}: lint finds nothing in what was published": not report,
        f"{name}: read back, it is what was given": found == given,
        f"{name}: published again, not a file is written": not again.written,
    }


def fingerprint(locs: Iterable[str]) -> tuple[int, str]:
    """How many locs, and a checksum of them in the order of their texts: a set has one of its own."""
    found = sorted(locs)
    return len(found), hashlib.blake2b("\n".join(found).encode(), digest_size=8).hexdigest()


def spelled(loc: str) -> str:
    """A loc as it is published: what is no ASCII is percent-encoded, and what is encoded stays as it is."""
    return quote(loc, safe="%/:?#[]@!$&'()*+,;=")


def summary(
    done: urlset.Publication,
    seconds: float,
    report: urlset.Report,
    *,
    given: tuple[int, str],
    found: tuple[int, str],
    again: urlset.Publication,
) -> Table:
    """What a person wants to know first, a line each."""
    raw, stored = sum(shard.bytes for shard in done.shards), sum(shard.size for shard in done.shards)
    equal = "equal" if given == found else f"NOT EQUAL to the {given[0]:,} given ({given[1]})"
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim", justify="right")
    table.add_column()
    table.add_row("entries", f"{done.entries:,} published, {done.refused:,} refused")
    table.add_row("documents", f"{len(done.shards)}{' and an index of them' * (len(done.shards) > 1)}")
    table.add_row("bytes", f"{raw:,} of XML, {stored:,} as stored")
    table.add_row("seconds", f"{seconds:.2f}, every document read back before it went live")
    table.add_row("lint", f"{report.errors} errors, {report.warnings} warnings in {report.entries:,} entries")
    table.add_row("read back", f"{found[0]:,} locs, checksum {found[1]}, {equal}")
    if again.written:
        table.add_row("again", f"{len(again.written)} files written: {', '.join(again.written)}")
    else:
        table.add_row("again", f"nothing changed, no file written ({len(again.unchanged)} as they were)")
    return table


def shard_table(done: urlset.Publication) -> Table:
    """The documents of a set, one a line."""
    table = Table("document", "entries", "bytes", "as stored", "changed", box=None, padding=(0, 1, 0, 0))
    for column in table.columns[1:4]:
        column.justify = "right"
    for shard in done.shards:
        numbers = (f"{number:,}" for number in (shard.entries, shard.bytes, shard.size))
        table.add_row(shard.name, *numbers, f"{shard.lastmod:%Y-%m-%d}" if shard.lastmod else "")
    return table


def refusal_table(done: urlset.Publication) -> Table:
    """The rows left out: their line in the input, counted from one, and why."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("row", justify="right")
    table.add_column("rule")
    table.add_column("loc", style="dim", no_wrap=True, max_width=34)
    table.add_column("why")
    for error in done.refusals:
        why, _, _remedy = error.reason.partition("; write ")
        table.add_row(str(error.index + 1), error.code, Text(error.loc or ""), Text(why))
    return table


if __name__ == "__main__":
    sys.exit(main())
