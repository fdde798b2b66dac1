"""What the tests of stores share: a destination, a clock, and the headers that a server returns for a file."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from urlset._stores.open import open_store
from urlset._stores.store import Store

from support.s3 import S3Server

NOON = datetime(2024, 1, 1, 12, tzinfo=UTC)
FOR_GOOD, FOR_NOW, NEVER = "public, max-age=31536000, immutable", "public, max-age=300", "private, no-store"


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, **time: float) -> None:
        self.now += timedelta(**time)


def headers_of(server: S3Server, path: str) -> dict[str, str]:
    status, headers, _ = server.ask("HEAD", path)
    assert status == 200
    return {name.lower(): value for name, value in headers.items()}


@dataclass(frozen=True, slots=True)
class Destination:
    """Where to publish, how to open it, and how to read its files without the code under test."""

    dest: str
    options: dict[str, Any]
    raw: Callable[[str], bytes | None]

    def open(self) -> Store:
        return open_store(self.dest, **self.options)

    def run(self, program: str, *arguments: str) -> subprocess.Popen[str]:
        """Start a process that has the destination open as `store`."""
        head = f"import json, sys\nfrom urlset._stores.open import open_store\n{TASK}"
        task = json.dumps([self.dest, self.options])
        command = [sys.executable, "-c", head + program, task, *arguments]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


TASK = "dest, options = json.loads(sys.argv[1])\nstore = open_store(dest, **options)\n"
