"""Progress of long work on standard error, if that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

from rich.filesize import decimal

from urlset._cli.console import is_quiet, is_terminal
from urlset._util import drawing
from urlset._util.text import plural

if TYPE_CHECKING:
    from urlset import Scan

SOON = 2
"""Seconds after which a rate says something."""


class Pace:
    """How far a scan is, and how fast it goes, in words."""

    def __init__(self, rows: Scan, clock: Callable[[], float] = time.monotonic) -> None:
        self._rows = rows
        self._clock = clock
        self._begin = clock()
        self._documents = self._entries = self._bytes = 0

    def __call__(self) -> str:
        """Return entries, documents, bytes, and after a while the rate and about how long the rest takes.

        The rest are the documents that were found so far: indexes that are not read yet may lead to more.
        """
        reading = self._rows._pass
        # Not the rows of each document: those of an index are not among the rows of the table.
        for document, entries in islice(zip(reading.documents, reading.done.rows, strict=False), self._documents, None):
            self._documents += 1
            self._entries += entries
            self._bytes += document.bytes
        waiting = reading.waiting
        parts = [
            f"{plural(self._entries, 'entry', 'entries')} from {self._documents:,}"
            f" of {plural(self._documents + waiting, 'document')}",
            decimal(self._bytes),
        ]
        seconds = self._clock() - self._begin
        if seconds >= SOON and self._entries:
            parts.append(f"{plural(round(self._entries / seconds), 'entry', 'entries')}/s")
            if waiting:
                parts.append(f"about {duration(seconds * waiting / self._documents)} left")
        return ", ".join(parts)


def duration(seconds: float) -> str:
    """Return a time in the unit that keeps it short."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


@contextmanager
def progress(describe: Callable[[], str], *, shown: bool = True) -> Iterator[None]:
    """Show a bar and `describe()` while the block runs, if standard error is a terminal.

    The total is not known in advance, because rows and children are streams: the bar only shows that work goes on,
    and the description how far it is.

    Args:
        describe: Returns the description. It is called from the drawing thread, about ten times a second.
        shown: False to show nothing at all.
    """
    if is_quiet() or not (shown and is_terminal(sys.stderr) and drawing.err.is_interactive):
        yield
        return
    # Only a terminal shows it, and it takes as long to import as a small file takes to be read.
    from urlset._cli.bar import drawn  # noqa: PLC0415

    with drawn(describe):
        yield


@contextmanager
def counting(done: str, one: str, many: str, *, shown: bool = True) -> Iterator[Callable[[int], None]]:
    """Show how many of something are done while the block runs, such as `read 7,000 entries`.

    Args:
        done: What was done with them, such as `"read"`.
        one: What one of them is called.
        many: What several are called.
        shown: False to show nothing at all.

    Yields:
        A function that takes how many are done so far.
    """
    so_far = 0

    def count(number: int) -> None:
        nonlocal so_far
        so_far = number

    with progress(lambda: f"{done} {plural(so_far, one, many)}", shown=shown):
        yield count
