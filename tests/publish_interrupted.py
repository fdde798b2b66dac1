"""A program: publishes over copies of a set again and again, ended each time a step later than the last time.

    python publish_interrupted.py OLD WORK NEW.json HOW EVERY

HOW is `kill` (the process ends before its n-th change of the file system), `kill-line` (before the n-th line
of the staging code, which is finer: between opening a file and filling it) or `fail` (the n-th change raises
"no space left"). The copies stay in WORK under their step's number, and each is told in a line of JSON.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
from datetime import datetime
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import urlset

COMPLETED, KILLED, FAILED, FAILED_UNSEEN = 0, 77, 78, 79

CHANGES = {
    *("os.chmod", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.truncate"),
    *("os.utime", "shutil.copyfile", "shutil.move", "shutil.rmtree", "tempfile.mkstemp"),
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Steps:
    """Counts the steps of this process and ends it, or the call, before the given one."""

    def __init__(self, last: int, how: str) -> None:
        self._left, self._how = last, how
        self.step = ""

    def begin(self) -> None:
        """From here on steps count. Neither hook can be taken away again: the process is made for it."""
        if self._how == "kill-line":
            sys.settrace(self._traced)
        else:
            sys.addaudithook(self._audited)

    def _audited(self, event: str, args: tuple[Any, ...]) -> None:
        if event in CHANGES or (event == "open" and isinstance(args[2], int) and args[2] & WRITING):
            self._count(f"{event} {args[0]}")

    def _traced(self, frame: FrameType, event: str, _: object) -> Any:
        name = frame.f_code.co_filename
        if not name.endswith(("_stage.py", "shutil.py", "_write.py")):
            return None
        if event == "line":
            self._count(f"{Path(name).name}:{frame.f_lineno}")
        return self._traced

    def _count(self, step: str) -> None:
        self._left -= 1
        if self._left == 0:
            self.step = step
            if self._how != "fail":
                os._exit(KILLED)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), step)


def attempt(last: int, how: str, folder: Path, rows: list[str], options: dict[str, Any]) -> int:
    """Publishes in a process of its own and says how it ended."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    steps = Steps(last, how)
    code = COMPLETED
    try:
        steps.begin()
        urlset.publish(rows, folder, **options)
        code = FAILED_UNSEEN if steps.step else COMPLETED
    except OSError as error:
        code = FAILED if error.errno == errno.ENOSPC else 1
    finally:
        os._exit(code)  # no cleaning up of the parent's, whose copy this process is


def main() -> None:
    """See the top: one attempt a step, until one is not interrupted."""
    old, work, new, how, every = sys.argv[1:]
    task = json.loads(Path(new).read_text())
    options = {"base_url": task["base_url"], "now": datetime.fromisoformat(task["now"])}
    sys.dont_write_bytecode = True
    urlset.publish(task["rows"], Path(work) / "warm", **options)  # imports what is imported late
    for step in count(1, int(every)):
        folder = Path(work) / str(step)
        shutil.copytree(old, folder)
        code = attempt(step, how, folder, task["rows"], options)
        print(json.dumps({"step": step, "folder": str(folder), "code": code}), flush=True)
        if code not in (KILLED, FAILED, FAILED_UNSEEN):
            return


if __name__ == "__main__":
    main()
