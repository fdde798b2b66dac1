"""Publish the example shop, check it, read it back, publish it again, and report the results.

    python examples/demo.py [ROWS]

It publishes `shop.jsonl` as one document, then ROWS generated rows, 120,000 unless you say how many, as an index of
shards, both below `examples/out/`, which it empties first. The exit code is 0 if every check passes, else 2.
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
#: More than two documents can hold.
ARCHIVE_ROWS = 120_000
#: As many as the protocol lets one document hold.
ROWS_PER_SHARD = 50_000

Rows = Callable[[], Iterable[dict[str, Any]]]
Checks = dict[str, bool]


def main() -> int:
    """Run the job for both inputs, print the results, and return the exit code."""
    console = Console()
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ARCHIVE_ROWS
    shards = -(-rows // ROWS_PER_SHARD)
    shutil.rmtree(OUT, ignore_errors=True)
    checks = job(console, "the shop", shop_rows, OUT / "shop", f"{SITE}/", shards=1, refused=[c for c, _ in BAD])
    checks |= job(
        console, "the archive", lambda: archive(rows), OUT / "archive", f"{SITE}/archive/", shards=shards, refused=[]
    )
    console.print()
    for check, passed in checks.items():
        console.print(Text("✓ " if passed else "✗ ", "green" if passed else "bold red") + Text(check))
    return 0 if all(checks.values()) else 2


def shop_rows() -> Iterator[dict[str, Any]]:
    """Yield the rows of shop.jsonl."""
    with (HERE / "shop.jsonl").open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def job(
    console: Console, name: str, rows: Rows, folder: Path, base_url: str, *, shards: int, refused: list[str]
) -> Checks:
    """Publish the rows into a folder, lint it, read it back, and publish once more.

    Args:
        console: Where to print the results.
        name: What the output calls these rows.
        rows: Returns the rows anew on each call.
        folder: Where to publish.
        base_url: The URL at which the folder is served.
        shards: The expected number of documents.
        refused: The rule codes of the rows that must be refused.

    Returns:
        Whether each check passed, by its description.
    """
    start = time.perf_counter()
    done = urlset.publish(rows(), folder, base_url=base_url, checks=urlset.Checks(on_error="collect"))
    seconds = time.perf_counter() - start
    report = urlset.lint(done.location, location=done.url)
    bad = {error.index for error in done.refusals}
    given = fingerprint(as_published(row["loc"]) for index, row in enumerate(rows()) if index not in bad)
    found = fingerprint(entry.loc or "" for entry in urlset.scan(done.location))
    again = urlset.publish(rows(), folder, base_url=base_url, checks=urlset.Checks(on_error="collect"))

    console.print()
    console.rule(Text(f"{name} → {done.url}", "bold"), align="left")
    console.print(summary(done, seconds, report, given=given, found=found, again=again))
    if len(done.shards) > 1:
        console.print("", shard_table(done), sep="\n")
    if done.refusals:
        console.print("", refusal_table(done), sep="\n")
    for diagnostic in list(report)[:10]:
        position = f"{diagnostic.location}:{diagnostic.line}:{diagnostic.column}"
        console.print(Text(f"{position} {diagnostic.code} {diagnostic.message}", "red"))
    refusals = f"{len(refused)} bad rows refused, each by the right rule" if refused else "no row refused"
    return {
        f"{name}: published as {shards} document{'s' * (shards > 1)}": len(done.shards) == shards,
        f"{name}: {refusals}": sorted(error.code for error in done.refusals) == sorted(refused),
        f"{name}: lint finds nothing in the published set": not report,
        f"{name}: reading it back gives the same locs": found == given,
        f"{name}: publishing again writes no file": not again.written,
    }


def fingerprint(locs: Iterable[str]) -> tuple[int, str]:
    """Return the number of locs, and a checksum that does not depend on their order."""
    found = sorted(locs)
    return len(found), hashlib.blake2b("\n".join(found).encode(), digest_size=8).hexdigest()


def as_published(loc: str) -> str:
    """Return a loc as it is published: everything but ASCII is percent-encoded, existing escapes stay."""
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
    """Return the main results, one per line."""
    raw, stored = sum(shard.bytes for shard in done.shards), sum(shard.size for shard in done.shards)
    equal = "as given" if given == found else f"NOT EQUAL to the {given[0]:,} given ({given[1]})"
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim", justify="right")
    table.add_column()
    table.add_row("entries", f"{done.entries:,} published, {done.refused:,} refused")
    table.add_row("documents", f"{len(done.shards)}{' and an index of them' * (len(done.shards) > 1)}")
    table.add_row("bytes", f"{raw:,} of XML, {stored:,} as stored")
    table.add_row("seconds", f"{seconds:.2f}, including verification of every document")
    table.add_row("lint", f"{report.errors} errors, {report.warnings} warnings in {report.entries:,} entries")
    table.add_row("read back", f"{found[0]:,} locs, checksum {found[1]}, {equal}")
    if again.written:
        table.add_row("again", f"{len(again.written)} files written: {', '.join(again.written)}")
    else:
        table.add_row("again", f"nothing changed, no file written ({len(again.unchanged)} unchanged)")
    return table


def shard_table(done: urlset.Publication) -> Table:
    """Return the documents of a set, one per line."""
    table = Table("document", "entries", "bytes", "as stored", "changed", box=None, padding=(0, 1, 0, 0))
    for column in table.columns[1:4]:
        column.justify = "right"
    for shard in done.shards:
        numbers = (f"{number:,}" for number in (shard.entries, shard.bytes, shard.size))
        table.add_row(shard.name, *numbers, f"{shard.lastmod:%Y-%m-%d}" if shard.lastmod else "")
    return table


def refusal_table(done: urlset.Publication) -> Table:
    """Return the refused rows: their line in the input, counted from one, and the reason."""
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
