"""A program that submits a folder, and kills itself before its n-th change of a file.

    python interrupted.py FOLDER ENDPOINT STEP

The exit code is KILLED if it reached that step. With STEP 0 it runs to its end.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from urlset._indexnow.api import submit

from support.indexnow.folder import NOON
from support.indexnow.server import KEY

KILLED = 77
CHANGES = ("os.rename", "os.mkdir", "os.rmdir", "os.remove", "shutil.rmtree")


def main() -> None:
    """Run the program."""
    folder, endpoint, step = sys.argv[1:]
    left = int(step)

    def audited(event: str, args: tuple[Any, ...]) -> None:
        nonlocal left
        if event in CHANGES and folder in str(args[0]):
            left -= 1
            if left == 0:
                os._exit(KILLED)

    sys.addaudithook(audited)
    submit(folder, key=KEY, endpoint=endpoint, batch=2, now=NOON, allow_http=True)


if __name__ == "__main__":
    main()
