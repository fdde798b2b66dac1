"""Publish very many rows of CSV from the command line, and verify the set: time, processor time and peak of memory.

    python benches/large_publish.py
    python benches/large_publish.py --rows 100000000

Rows beyond ten million are copies of those, below another folder of the site. Each command is a process of its own,
whose peak of memory is the most that was resident of it, libraries included. The number of entries is checked. For
100 million rows, the files need 10 GB, and the set and what is spilled another 15 GB.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from inputs import DATA, ensure
from report import table
from shop import SITE

#: Rows of one file.
FILE = 10_000_000
#: Entries of a document.
ENTRIES = 50_000
FOLDER = b"/shop/"


def sources(count: int, folder: Path) -> list[Path]:
    """Return files that have so many rows together."""
    made = ensure("rows", entries=min(count, FILE)).path
    files = [made]
    for number in range(1, count // FILE):
        path = folder / f"rows-{number}.csv"
        with made.open("rb") as lines, path.open("wb") as out:
            for line in lines:
                out.write(line.replace(FOLDER, b"/shop-%d/" % number, 1))
        files.append(path)
    return files


def run(name: str, *words: str | Path) -> tuple[str, str, str, str]:
    """Run a command of urlset, and return a row of the table. Ends the program if it fails."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "urlset", *map(str, words)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    if status:
        sys.exit(f"{name} failed")
    processor = used.ru_utime + used.ru_stime
    return name, f"{seconds:.1f}", f"{processor:.1f}", f"{used.ru_maxrss * 1024 / 1e6:.0f}"


def main() -> None:
    """Print a line for each command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=FILE, help="up to 10 million, or a multiple of that (%(default)s)")
    count = parser.parse_args().rows
    if count > FILE and count % FILE:
        parser.error(f"--rows must be up to {FILE:,}, or a multiple of that")
    DATA.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=DATA) as name:
        files, dest = sources(count, Path(name)), Path(name) / "set"
        general: list[str | Path] = ["--dest", dest, "--quiet", "--isolated"]
        publish = ["publish", *files, *general, "--base-url", f"{SITE}/"]
        lines = [run("publish", *publish), run("publish again", *publish), run("verify", "verify", *general)]
        rows = json.loads((dest / ".urlset" / "input.json").read_text())["rows"]
        documents = sum(1 for _ in dest.glob("sitemap-*.xml.gz"))
        if (rows, documents) != (count, -(-count // ENTRIES)):
            sys.exit(f"WRONG: {documents} documents of {rows} rows")
    print(f"{count:,} rows")
    print(table(("command", "seconds", "of processor", "peak MB"), lines))


if __name__ == "__main__":
    main()
