"""Read a set of gzipped children to a file, and measure the peak of memory: 25 million entries by default.

    python benches/large_read.py
    python benches/large_read.py --children 20 --form duckdb

The set is written by urlset into a temporary folder, which is removed afterwards. `urlset read` reads it in a
process of its own. DuckDB counts the rows of the result and adds up the hashes of its locs. The exit code is 1 if they
are not those that were written. Prints a line of JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import urlset

SITE = "https://shop.example"
ENTRIES = 50_000
FORMS = {"parquet": "read_parquet('{}')", "csv": "read_csv('{}')", "jsonl": "read_json('{}')", "duckdb": "file.entries"}
#: What is in a child, by its number.
ROWS = f"""
    SELECT '{SITE}/pages/' || md5(n::VARCHAR) || '/' || n AS loc,
        strftime(TIMESTAMP '2020-01-01' + to_minutes(n % 3000000), '%Y-%m-%dT%H:%M:%SZ') AS lastmod
    FROM range({{number}} * {ENTRIES}, ({{number}} + 1) * {ENTRIES}) AS numbers(n)
"""
#: The sum does not depend on the order of the rows.
SUM = "SELECT count(*), coalesce(sum(hash(loc)), 0)::VARCHAR FROM "


def write_child(folder: Path, number: int) -> tuple[int, int]:
    """Write a child of the index; return how many locs it has, and the sum of their hashes."""
    with duckdb.connect(config={"threads": 1}) as connection:
        rows = connection.sql(ROWS.format(number=number))
        urlset.write(rows, folder / f"sitemap-{number:04d}.xml.gz")
        [(count, total)] = connection.execute(f"{SUM} ({ROWS.format(number=number)})").fetchall()
    return count, int(total)


def write_set(folder: Path, children: int) -> tuple[int, int]:
    """Write an index and its children; return how many locs they have, and the sum of their hashes."""
    names = (f"{SITE}/sitemap-{number:04d}.xml.gz" for number in range(children))
    urlset.write([urlset.SitemapEntry(name) for name in names], folder / "sitemap.xml")
    with ProcessPoolExecutor() as pool:
        written = list(pool.map(write_child, [folder] * children, range(children)))
    return sum(count for count, _ in written), sum(total for _, total in written)


def in_file(path: Path, form: str) -> tuple[int, int]:
    """Return how many locs the result has, and the sum of their hashes."""
    with duckdb.connect() as connection:
        if form == "duckdb":
            connection.execute(f"ATTACH '{path}' AS file (READ_ONLY)")
        [(count, total)] = connection.execute(SUM + FORMS[form].format(path)).fetchall()
    return count, int(total)


def measured(command: list[str]) -> Iterator[float]:
    """Run a command; yield its seconds, its processor time and its peak of resident memory in MB."""
    begin = time.perf_counter()
    process = subprocess.Popen(command)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    yield time.perf_counter() - begin
    yield used.ru_utime + used.ru_stime
    # Kibibytes on Linux, bytes on macOS.
    yield used.ru_maxrss / (1_000_000 if sys.platform == "darwin" else 1_000_000 / 1024)


def main() -> int:
    """Make the set, read it, check the result and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--children", type=int, default=500, help=f"children of {ENTRIES:,} entries each")
    parser.add_argument("--form", choices=FORMS, default="parquet")
    arguments = parser.parse_args()
    with TemporaryDirectory(prefix="urlset-bench-") as name:
        folder = Path(name)
        written = write_set(folder, arguments.children)
        path = folder / f"rows.{arguments.form}"
        program = "from urlset._cli import main; main()"
        command = [sys.executable, "-c", program, "read", str(folder / "sitemap.xml"), "--output", str(path), "--quiet"]
        seconds, processor, memory = measured(command)
        is_right = in_file(path, arguments.form) == written
        record = {
            "form": arguments.form,
            "entries": written[0],
            "seconds": round(seconds, 1),
            "cpu_seconds": round(processor, 1),
            "entries_per_second": round(written[0] / seconds),
            "peak_mb": round(memory),
            "output_mb": round(path.stat().st_size / 1_000_000),
            "is_right": is_right,
        }
    print(json.dumps(record))
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
