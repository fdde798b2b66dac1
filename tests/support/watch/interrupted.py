"""A program: watches a site over copies of a state again and again, and kills each run before another SQL statement.

    python interrupted.py SITE STATE WORK STEPS

STEPS is `some` or `many`. Each run writes its changes to a file; after a kill, another run
does. Whoever reads that file then must have each change once, by its run. A line of JSON says for each step which
changes were read after the kill, and which after the run that followed.

Each run is a process of its own, forked from this one, which has no threads and no database, and has imported what
takes long.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import sys
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
import filelock
from urlset import _cli
from urlset._fetch import documents

#: How many moments of a run are tried: they are as far apart as that takes.
MOMENTS = {"some": 3, "many": 40}
CONNECT = sqlite3.connect


IMPORTED = (documents, duckdb, filelock)


class Killer:
    """Ends this process before its n-th statement, whichever connection to a database that is for."""

    def __init__(self, last: int) -> None:
        self._last = last
        self.count = 0

    def connect(self, *args: Any, **settings: Any) -> sqlite3.Connection:
        """Connect to a database, and watch what is sent there."""
        connection: sqlite3.Connection = CONNECT(*args, **settings)
        connection.set_trace_callback(self._traced)
        return connection

    def _traced(self, statement: str) -> None:
        self.count += 1
        if self.count == self._last:
            os.kill(os.getpid(), signal.SIGKILL)


def run(site: str, state: Path, output: Path, last: int) -> int:
    """Watch in a process of its own, and return its wait status. It says in a file how many statements it ran."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    killer = Killer(last)
    sqlite3.connect = killer.connect  # type: ignore[assignment]  # this process exists only for it
    sys.argv = ["urlset", "watch", site, "--state", str(state), "--output", str(output), "--quiet"]
    try:
        _cli.main()
    except SystemExit as error:
        output.with_suffix(".count").write_text(str(killer.count))
        os._exit(int(error.code or 0))
    os._exit(99)


def take(output: Path) -> list[str]:
    """Read the changes, if there are any, and remove the file, as a consumer does."""
    if not output.exists():
        return []
    lines = output.read_text().splitlines()
    output.unlink()
    return lines


def main(site: str, state: str, work: Path, steps: str) -> None:
    """Kill one run after the other."""
    output, copy = work / "changes.jsonl", work / "state.sqlite"
    shutil.copyfile(state, copy)
    assert os.waitstatus_to_exitcode(run(site, copy, output, 0)) == 1
    statements = int(output.with_suffix(".count").read_text())
    every = max(1, statements // MOMENTS[steps])
    for step in count(1, every):
        output.unlink(missing_ok=True)
        for old in work.glob("state.sqlite*"):
            old.unlink()
        shutil.copyfile(state, copy)
        status = run(site, copy, output, step)
        if not os.WIFSIGNALED(status):
            assert step > statements * 0.9, f"step {step} of {statements} was not reached"
            break
        killed = take(output)
        code = os.waitstatus_to_exitcode(run(site, copy, output, 0))
        print(json.dumps({"step": step, "code": code, "killed": killed, "after": take(output)}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4])
