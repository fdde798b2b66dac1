"""A program: publishes over copies of a set again and again, ended each time a step later than the last time.

    python publish_interrupted.py OLD WORK TASK.json HOW

HOW is `kill` (the process ends before its n-th change of the file system), `fail` (the n-th change raises "no space
left") or `lines` (finer: between opening a file and filling it. The process goes on, and before each line of the code
that makes files and switches the folder is looked at: as it is then, it would be if the process were killed there). The
copies stay in WORK under their step's number, and each is told in a line of JSON. What DuckDB does in its own temporary
folder is not seen, and changes nothing in the place.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
import threading
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
from urlset._publish import assign, index_documents
from urlset._publish.api import rollback

COMPLETED, KILLED, FAILED, FAILED_UNSEEN = 0, 77, 78, 79

CHANGES = {
    *("os.chmod", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.truncate"),
    *("os.utime", "shutil.copyfile", "shutil.move", "shutil.rmtree", "tempfile.mkstemp"),
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
TRACED = ("_switch.py", "_store.py", "_documents.py", "_robots.py")


@contextmanager
def small(shard: int, index: int) -> Iterator[None]:
    """Shards of so few entries, and indexes of so few shards, that small sets have many of both."""
    with (
        patch.object(assign, "PROTOCOL", Limits(entries=shard)),
        patch.object(index_documents, "PROTOCOL", Limits(entries=index)),
    ):
        yield


class Steps:
    """Counts the steps of this process and ends it, or the call, before the given one."""

    def __init__(self, last: int, how: str) -> None:
        self._left, self._how = last, how
        self.step = ""

    def begin(self) -> None:
        """From here on steps count. The hook cannot be taken away again: the process is made for it."""
        sys.addaudithook(self._audited)

    def _audited(self, event: str, args: tuple[Any, ...]) -> None:
        if event in CHANGES or (event == "open" and isinstance(args[2], int) and args[2] & WRITING):
            self._left -= 1
            if self._left == 0:
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
        if not frame.f_code.co_filename.endswith(TRACED):
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
            tell(self._lines, copy, KILLED)


def tell(step: int, folder: Path, code: int) -> None:
    """Says how an attempt ended, and where it did."""
    print(json.dumps({"step": step, "folder": str(folder), "code": code}), flush=True)


def attempt(steps: Steps | Lines, folder: Path, task: dict[str, Any]) -> int:
    """Publishes or rolls back in a process of its own and says how it ended."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = COMPLETED
    try:
        steps.begin()
        do(task, folder)
        code = FAILED_UNSEEN if isinstance(steps, Steps) and steps.step else COMPLETED
    except (urlset.PublishError, OSError) as error:
        cause = error if isinstance(error, OSError) else error.__cause__
        code = FAILED if isinstance(cause, OSError) and cause.errno == errno.ENOSPC else 1
    finally:
        os._exit(code)  # no cleaning up of the parent's, whose copy this process is


def do(task: dict[str, Any], folder: Path) -> None:
    """What is to be interrupted."""
    with small(task["shard"], task["index"]):
        if task["rows"] is None:
            rollback(folder)
        else:
            urlset.publish(task["rows"], folder, **task["options"])


def main() -> None:
    """See the top: one attempt a step, until one is not interrupted."""
    old, work, given, how = sys.argv[1:]
    task = json.loads(Path(given).read_text())
    task["options"]["now"] = datetime.fromisoformat(task["options"]["now"])
    sys.dont_write_bytecode = True
    # Imports what is imported late, and leaves no thread behind.
    urlset.publish([task["options"]["base_url"]], Path(work) / "warm", **task["options"])
    for step in count(1):
        folder = Path(work) / ("lines" if how == "lines" else str(step))
        shutil.copytree(old, folder)
        steps = Lines(folder, Path(work)) if how == "lines" else Steps(step, how)
        code = attempt(steps, folder, task)
        tell(step, folder, code)
        if code not in (KILLED, FAILED, FAILED_UNSEEN):
            return


if __name__ == "__main__":
    main()
