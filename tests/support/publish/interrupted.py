"""A program: publishes over copies of a set again and again, and interrupts each publish at another step.

    python -m support.publish.interrupted OLD WORK TASK.json HOW STEPS

HOW is one of:

- `kill`: the process ends before its n-th change of the file system.
- `fail`: the n-th change raises "no space left".
- `lines`: the process runs on, and the folder is copied whenever a line of the code that writes files has changed it.
  A copy is what a kill at that line would leave, which is finer than `kill`: it also sees a file opened but not filled.

STEPS is `all` (every step) or `some` (the first step, the last, and those that a binary search for the moment of the
commit visits). `lines` has only `all`.

The copies stay in WORK under the numbers of their steps, and each is reported in one line of JSON. Changes that DuckDB
makes in its own temporary folder are not seen; they change nothing in the published folder.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch

import urlset
from urlset._model.limits import Limits
from urlset._publish.api import rollback
from urlset._publish.documents import documents, index_documents
from urlset._publish.plan import assign, known_set, new_set
from urlset._publish.stored import transaction
from urlset._publish.values import robots_txt
from urlset._stores import folder
from urlset._util import tempdirs
from urlset.jobs import WriteJob

from support.publish.grouped import grouped

COMPLETED, KILLED, FAILED, FAILED_UNSEEN = 0, 77, 78, 79

# shutil announces what it is about to do, which changes nothing yet; each of its steps then counts.
CHANGES = {
    *("os.chmod", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.truncate", "os.utime"),
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
TRACED = {module.__file__ for module in (documents, folder, robots_txt, transaction)}


@contextmanager
def small(shard: int, index: int) -> Iterator[None]:
    """Shards of so few entries, and indexes of so few shards, that small sets have many of both.

    Temporary folders that other processes left stay, because removing them adds steps to whichever run comes first.
    """
    with (
        patch.object(tempdirs, "_NEW", float("inf")),
        patch.object(assign, "PROTOCOL", Limits(entries=shard)),
        patch.object(known_set, "PROTOCOL", Limits(entries=shard)),
        patch.object(new_set, "PROTOCOL", Limits(entries=shard)),
        patch.object(index_documents, "PROTOCOL", Limits(entries=index)),
    ):
        yield


class Steps:
    """Counts the steps of this process and ends it, or the call, before step `last`."""

    def __init__(self, last: int, how: str) -> None:
        self._last, self._how = last, how
        self.count = 0
        self.step = ""

    def begin(self) -> None:
        """Start counting. The hook cannot be removed again: the process exists only for it."""
        sys.addaudithook(self._audited)

    def _audited(self, event: str, args: tuple[Any, ...]) -> None:
        if event in CHANGES or (event == "open" and isinstance(args[2], int) and args[2] & WRITING):
            self.count += 1
            if self.count == self._last:
                self.step = f"{event} {args[0]}"
                if self._how != "fail":
                    os._exit(KILLED)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self.step)


class Lines:
    """Copies the folder before each line that finds it other than the one before did."""

    def __init__(self, folder: Path, work: Path) -> None:
        self._folder, self._work = folder, work
        self._lines = 0
        self._seen: list[tuple[str, int, int]] = []
        self._lock = threading.Lock()

    def begin(self) -> None:
        """From here on lines count."""
        threading.settrace(self._traced)
        sys.settrace(self._traced)

    def _traced(self, frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename not in TRACED:
            return None
        if event == "line":
            with self._lock:
                self._look()
        return self._traced

    def _look(self) -> None:
        self._lines += 1
        files = (path for path in self._folder.rglob("*") if path.is_file())
        seen = sorted((str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in files)
        if seen != self._seen:
            self._seen = seen
            copy = self._work / str(self._lines)
            shutil.copytree(self._folder, copy)
            report(self._lines, copy, KILLED)


def report(step: int, folder: Path, code: int) -> None:
    """Says how an attempt ended, and where it did."""
    print(json.dumps({"step": step, "folder": str(folder), "code": code}), flush=True)


def attempt(steps: Steps | Lines, folder: Path, task: dict[str, Any]) -> tuple[int, int]:
    """Publishes or rolls back in a process of its own; returns how it ended, and after how many steps."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            counted = pipe.read()
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), int(counted or 0)
    code = COMPLETED
    try:
        steps.begin()
        do(task, folder)
        code = FAILED_UNSEEN if isinstance(steps, Steps) and steps.step else COMPLETED
    except urlset.PublishError as error:
        cause = error.__cause__
        code = FAILED if isinstance(cause, OSError) and cause.errno == errno.ENOSPC else 1
    except BaseException:
        traceback.print_exc()
        code = 1
    finally:
        if isinstance(steps, Steps):
            os.write(writing, str(steps.count).encode())
        os._exit(code)  # without the clean-up of the parent, which this process is a copy of


def do(task: dict[str, Any], folder: Path) -> None:
    """What is to be interrupted."""
    with small(task["shard"], task["index"]):
        if "parts" in task:
            run_job(task, folder)
        elif task["rows"] is None:
            rollback(folder)
        else:
            urlset.publish(task["rows"], folder, **grouped(task["options"]))


def run_job(task: dict[str, Any], folder: Path) -> None:
    """Writes a set in parts, one after the other, and aborts after an error, as an engine does."""
    work = WriteJob(folder, **grouped(task["options"]))
    try:
        work.commit([work.write_part(rows, part) for part, rows in enumerate(task["parts"])])
    except BaseException:
        work.abort()
        raise


class Attempts:
    """Attempts to carry out a task over copies of a folder."""

    def __init__(self, old: Path, work: Path, task: dict[str, Any], how: str) -> None:
        self._old, self._work, self._task, self._how = old, work, task, how

    def interrupt(self, step: int) -> int:
        """Interrupts one attempt at a step, and returns how it ended."""
        folder = self._work / ("lines" if self._how == "lines" else str(step))
        shutil.copytree(self._old, folder)
        steps = Lines(folder, self._work) if self._how == "lines" else Steps(step, self._how)
        code, _ = attempt(steps, folder, self._task)
        report(step, folder, code)
        return code

    def every(self) -> None:
        """Interrupts at every step, until an attempt completes."""
        for step in count(1):
            if self.interrupt(step) not in (KILLED, FAILED, FAILED_UNSEEN):
                return

    def some(self) -> None:
        """Interrupts at the first step, at the last, and at those that a search for the commit visits."""
        folder = self._work / "complete"
        shutil.copytree(self._old, folder)
        code, last = attempt(Steps(0, self._how), folder, self._task)
        before, after = 1, last
        for step in (before, after):
            self.interrupt(step)
        while after - before > 1:
            middle = (before + after) // 2
            self.interrupt(middle)
            if _entry_point(self._work / str(middle)) == _entry_point(self._old):
                before = middle
            else:
                after = middle
        report(last + 1, folder, code)


def _entry_point(folder: Path) -> bytes | None:
    path = folder / "sitemap.xml"
    return path.read_bytes() if path.exists() else None


def main() -> None:
    """Run the program described at the top of this file."""
    old, work, given, how, steps = sys.argv[1:]
    task = json.loads(Path(given).read_text())
    task["options"]["now"] = datetime.fromisoformat(task["options"]["now"])
    sys.dont_write_bytecode = True
    # Imports what is imported late, and leaves no thread behind.
    urlset.publish([task["options"]["base_url"]], Path(work) / "warm", **grouped(task["options"]))
    attempts = Attempts(Path(old), Path(work), task, how)
    if steps == "all":
        attempts.every()
    else:
        attempts.some()


if __name__ == "__main__":
    main()
