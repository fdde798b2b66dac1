"""A program: submits a folder, and ends itself before its n-th change of a file.

    python interrupted.py FOLDER ENDPOINT STEP

It exits with KILLED where it got to that step. STEP 0 lets it run.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from urlset._indexnow.api import submit

from support.indexnow_server import KEY
from support.indexnow_site import NOON

KILLED = 77
CHANGES = ("os.rename", "os.mkdir", "os.rmdir", "os.remove", "shutil.rmtree")


def main() -> None:
    """See the top."""
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
