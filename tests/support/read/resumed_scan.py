"""Run by tests as a program of its own: a scan that goes on from a file, and may be killed.

    python -m support.read.resumed_scan SOURCE STATE OUTPUT HOW [NUMBER]

HOW is `append`: each batch is added to OUTPUT, and remembered with the length of OUTPUT. With NUMBER, the process kills
itself before it remembers that batch. Or it is `place`: all rows are put into OUTPUT, a new file, at once. With NUMBER,
the process kills itself before that file operation or opening of a database.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import BinaryIO

import urlset


def die() -> None:
    """End like a process that somebody kills."""
    os.kill(os.getpid(), signal.SIGKILL)


def append(scan: urlset.Scan, output: Path, last: int | None) -> None:
    """Add rows to a file, batch by batch."""
    with output.open("ab") as file:
        file.truncate(int(scan.mark or 0))
        for number, batch in enumerate(scan.batches(), 1):
            _write(file, batch)
            if number == last:
                die()
            scan.checkpoint(str(file.tell()))
        scan.checkpoint(str(file.tell()))


def _write(file: BinaryIO, batch: urlset._core.Batches) -> None:
    file.write("".join(f"{entry.loc}\n" for entry in batch.entries()).encode())
    file.flush()


def place(scan: urlset.Scan, output: Path, last: int | None) -> None:
    """Put all rows into a new file."""
    partial = output.with_suffix(".partial")
    with partial.open("wb") as file:
        for batch in scan.batches():
            _write(file, batch)
    seen = 0

    def count(event: str, _: object) -> None:
        nonlocal seen
        if event in ("os.rename", "os.remove", "sqlite3.connect"):
            seen += 1
            if seen == last:
                die()

    if last is not None:
        sys.addaudithook(count)
    scan._place(partial, output)


if __name__ == "__main__":
    source, state, target, how, *rest = sys.argv[1:]
    scan = urlset.scan(source, resume=state, http=urlset.Http(obey_robots=False))
    {"append": append, "place": place}[how](scan, Path(target), int(rest[0]) if rest else None)
