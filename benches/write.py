"""Measure writing, compared with sitemap.js, xml.etree and string formatting, and publishing a million rows.

    python benches/write.py
    python benches/write.py --only urlset-arrow,elementtree --no-publish
    python benches/write.py --only urlset-table --no-publish

A full run is kept in results/write.json. What was written is read back with xml.etree. A writer
whose entries are not exactly the generator's is shown as WRONG, its time does not count, and the exit
code is 1.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from contest import Contestant, Found, compete, progress
from inputs import DATA, ROWS, Input, ensure
from read import PEERS
from report import RESULTS, keep, machine, table, times
from shop import SEED
from writers import NODE, NODE_LABEL, READ_BACK, TABLE, TABLE_ONE, TABLE_READ, TABLE_READ_ONE, WRITERS, plain_rows

HERE = Path(__file__).parent
NODE_PEER = PEERS.parent.parent / "sitemapjs" / "node_modules"
"""Where run.py puts the packages of the peer of Node."""
BASES = (NODE, "elementtree", "format", READ_BACK)
TABLES = ("plain", "dense", "images", "alternates")
"""The inputs whose tables are written again."""
QUICK_ENTRIES = 5_000
QUICK_ROWS = 60_000
"""Rows to publish when quick: enough for a set of two shards and an index."""


def measure(made: Input, names: list[str], *, rounds: int) -> list[dict[str, Any]]:
    """Run the writers `names` on the rows of the plain input; one record a writer, MB are 10^6 bytes."""
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder, "rows.jsonl")
        if NODE in names:
            given.write_text("".join(json.dumps(row) + "\n" for row in plain_rows(made.rows, made.seed)))
        node = ("node", HERE / "sitemapjs" / "serve.mjs", NODE_PEER, given)
        python = (sys.executable, HERE / "writers.py")
        contestants = [
            Contestant(
                name,
                node if name == NODE else (*python, name, str(made.rows), str(made.seed)),
                Found(made.rows, made.locs),
            )
            for name in names
        ]
        compete(contestants, rounds=rounds, label="write")
    best = {each.name: sample for each in contestants if (sample := each.best)}
    records = []
    for each in contestants:
        sample = best.get(each.name)
        records.append(
            {
                "writer": each.name,
                "version": each.version,
                "wrong": each.wrong,
                "repetitions": len(each.samples),
                "seconds": sample.seconds if sample else None,
                "bytes": sample.size if sample else None,
                "mb_per_second": sample.size / sample.seconds / 1e6 if sample else None,
                "entries_per_second": made.rows / sample.seconds if sample else None,
                "times": {base: best[base].seconds / sample.seconds for base in BASES if base in best}
                if sample
                else {},
            }
        )
    return records


def show(made: Input, records: list[dict[str, Any]]) -> str:
    """Return the writers' records as a table."""
    labels = {name: label for name, (label, _) in WRITERS.items()}
    labels |= {READ_BACK: "(urlset.read of the same)", NODE: NODE_LABEL}
    body = []
    for record in records:
        label = labels[record["writer"]]
        if record["wrong"]:
            body.append([label, "WRONG", *["-"] * (len(BASES) + 1)])
            continue
        ratios = [times(record["times"].get(base)) for base in BASES]
        body.append([label, f"{record['mb_per_second']:,.1f}", f"{record['entries_per_second']:,.0f}", *ratios])
    head = ["writer", "MB/s", "entries/s", "x sitemap.js", "x xml.etree", "x format", "x reading"]
    wrong = [f"WRONG: {record['writer']}: {record['wrong']}" for record in records if record["wrong"]]
    title = f"write: {made.rows:,} entries of four fields to XML in memory"
    return "\n".join(["", title, "", table(head, body), *wrong])


def measure_tables(directory: Path, *, is_quick: bool, rounds: int) -> list[dict[str, Any]]:
    """Write the tables that were read of the inputs, and read what was written, on all cores and on one each.

    Returns one record an input.
    """
    records = []
    for name in TABLES:
        made = ensure(name, directory=directory, entries=QUICK_ENTRIES if is_quick else 0)
        found, command = Found(made.rows, made.locs), (sys.executable, HERE / "writers.py")
        contestants = [
            Contestant(each, (*command, each, str(made.path.absolute())), found)
            for each in (TABLE, TABLE_ONE, TABLE_READ, TABLE_READ_ONE)
        ]
        compete(contestants, rounds=rounds, label=f"write {name}")
        record: dict[str, Any] = {
            "input": name,
            "entries": made.rows,
            "wrong": next((each.wrong for each in contestants if each.wrong), None),
        }
        if record["wrong"] is None:
            written, written_by_one, read, read_by_one = (sample for each in contestants if (sample := each.best))
            record |= {
                "seconds": written.seconds,
                "bytes": written.size,
                "reading": read.seconds / written.seconds,
                "reading_on_one_core": read_by_one.seconds / written_by_one.seconds,
                "page_faults": written.page_faults,
            }
        records.append(record)
    return records


def show_tables(records: list[dict[str, Any]]) -> str:
    """Return the records of writing tables as a table."""
    body = []
    for record in records:
        if record["wrong"]:
            body.append([record["input"], "WRONG", "-", "-", "-"])
            continue
        speed, rows = record["bytes"] / record["seconds"] / 1e6, record["entries"] / record["seconds"]
        ratios = (times(record[base]) for base in ("reading", "reading_on_one_core"))
        body.append([record["input"], f"{speed:,.1f}", f"{rows:,.0f}", *ratios])
    head = ["table read of", "MB/s", "entries/s", "x reading", "the same on one core"]
    wrong = [f"WRONG: {record['input']}: {record['wrong']}" for record in records if record["wrong"]]
    return "\n".join(["", "write: the table of a document to XML in memory", "", table(head, body), *wrong])


def publish(directory: Path, count: int) -> dict[str, Any]:
    """Publish `count` rows of CSV in a process of its own and return its record."""
    made = ensure("rows", directory=directory, entries=count)
    progress(f"publish: {made.rows:,} rows, a rerun, the check, and changes")
    # Beside the inputs, not in the system's temporary folder: that one may be memory.
    with tempfile.TemporaryDirectory(dir=directory) as folder:
        command = (sys.executable, HERE / "publishing.py", made.path, str(made.rows), str(made.seed), folder)
        done = subprocess.run([str(part) for part in command], check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        return {"wrong": f"ended with exit code {done.returncode}; its error is above"}
    record: dict[str, Any] = json.loads(done.stdout)
    return record


def describe(record: dict[str, Any]) -> str:
    """Return the record of publishing as sentences."""
    if record["wrong"]:
        return f"\nWRONG: publish: {record['wrong']}"
    return (
        f"\npublish: {record['entries']:,} rows of CSV to {record['shards']} gzipped shards in "
        f"{record['seconds']:.2f} s ({record['entries'] / record['seconds']:,.0f} rows/s), peak RSS "
        f"{record['peak_rss_bytes'] / 1e6:,.0f} MB; {record['bytes'] / 1e6:,.1f} MB of XML in "
        f"{record['size'] / 1e6:,.1f} MB\n"
        f"rerun over the same rows: {record['rerun_seconds']:.2f} s, "
        f"{record['rerun_seconds'] / record['seconds']:.2f} of the first, nothing written; "
        f"over a relation of DuckDB: {record['relation_rerun_seconds']:.2f} s\n"
        f"with 0.4 % of the rows edited, new or gone: {record['changed_seconds']:.2f} s, "
        f"{record['changed_seconds'] / record['seconds']:.2f} of the first"
    )


def main() -> int:
    """Measure, print the figures, keep the results; 1 when anything was wrong."""
    names = [*WRITERS, NODE, READ_BACK, TABLE]
    parser = argparse.ArgumentParser(description="Measure writing and publishing.")
    parser.add_argument("--only", help=f"writers to run, by comma, of {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="fewer entries and one round")
    parser.add_argument("--rounds", type=int, help="measured rounds (3; 1 when quick)")
    parser.add_argument("--rows", type=int, help=f"rows to publish ({ROWS:,}; {QUICK_ROWS:,} when quick)")
    parser.add_argument("--no-publish", action="store_true", help="only write")
    parser.add_argument("--data", type=Path, default=DATA, help="where the inputs are (%(default)s)")
    parser.add_argument("--results", type=Path, help="where to keep the figures, also of a partial run")
    parser.add_argument("--date", help="the date to keep with the results, instead of now")
    options = parser.parse_args()
    chosen = options.only.split(",") if options.only else names
    if unknown := set(chosen) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")

    if NODE in chosen and not (NODE_PEER.exists() and shutil.which("node")):
        print(f"{NODE_LABEL}: not measured, it needs Node and what benches/run.py --peers installs", flush=True)
        chosen.remove(NODE)
    made = ensure("plain", directory=options.data, entries=QUICK_ENTRIES if options.quick else 0, seed=SEED)
    rounds = options.rounds or (1 if options.quick else 3)
    records = measure(made, [name for name in chosen if name != TABLE], rounds=rounds)
    print(show(made, records), flush=True)
    tables = measure_tables(options.data, is_quick=options.quick, rounds=rounds) if TABLE in chosen else []
    if tables:
        print(show_tables(tables), flush=True)
    published: dict[str, Any] | None = None
    if not options.no_publish:
        if importlib.util.find_spec("duckdb"):
            published = publish(options.data, options.rows or (QUICK_ROWS if options.quick else ROWS))
            print(describe(published), flush=True)
        else:
            print("\npublish: not measured, duckdb is not installed", flush=True)
    full = published is not None and not (options.quick or options.only or options.rows)
    if target := options.results or (RESULTS / "write.json" if full else None):
        source = {"entries": made.rows, "seed": made.seed, "locs": made.locs}
        keep(
            target,
            {
                "machine": machine(options.date),
                "input": source,
                "write": records,
                "tables": tables,
                "publish": published,
            },
        )
    return 1 if any(record["wrong"] for record in [*records, *tables, *([published] if published else [])]) else 0


if __name__ == "__main__":
    raise SystemExit(main())
