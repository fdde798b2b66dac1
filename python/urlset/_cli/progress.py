"""Progress of long work on standard error, if that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from urlset import Progress
from urlset._cli.console import is_quiet, is_terminal
from urlset._util import drawing
from urlset._util.text import plural

SOON = 2
"""Seconds after which a rate says something."""

#: What was done with what is counted, unless a verb says otherwise.
_DONE = {"documents": "read", "rows": "read", "shards": "wrote", "pages": "requested"}


class Meter:
    """How far a verb is, and how fast it goes, in words and as a part of the whole.

    Args:
        latest: Returns how far it is; None as long as nothing was said.
        words: What was done with what is counted, such as `pages="submitted"`.
        clock: Returns the seconds.
    """

    def __init__(
        self,
        latest: Callable[[], Progress | None],
        words: dict[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._latest = latest
        self._words = _DONE | (words or {})
        self._clock = clock
        self._begin = clock()
        self._what: str | None = None

    def __call__(self) -> str:
        """Return how much is done, and after a while the rate and about how long the rest takes.

        The rest is what is known so far: indexes that are not read yet may lead to more.
        """
        found = self._latest()
        if found is None:
            return "beginning"
        if self._what not in (None, found.what):
            self._begin = self._clock()
        self._what = found.what
        seconds = self._clock() - self._begin
        parts = [f"{self._words[found.what]} {_counted(found)}"]
        if seconds >= SOON and found.entries:
            parts.append(f"{plural(round(found.entries / seconds), 'entry', 'entries')}/s")
        elif seconds >= SOON and found.done:
            parts.append(f"{plural(round(found.done / seconds), found.what[:-1])}/s")
        left = seconds * ((found.total or 0) - found.done) / max(found.done, 1)
        if seconds >= SOON and found.done and left >= 1:
            parts.append(f"about {duration(left)} left")
        return ", ".join(parts)

    def part(self) -> float | None:
        """Return how much of what is known is done, from 0 to 1; None if nobody knows how much there is."""
        found = self._latest()
        return None if found is None or not found.total else min(found.done / found.total, 1)


def _counted(found: Progress) -> str:
    """Return how many are done, and of how many."""
    one = found.what[:-1]
    done = plural(found.done, one) if found.total is None else f"{found.done:,} of {plural(found.total, one)}"
    return f"{plural(found.entries, 'entry', 'entries')} from {done}" if found.what == "documents" else done


def duration(seconds: float) -> str:
    """Return a time in the unit that keeps it short."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


@contextmanager
def waiting(text: str, *, shown: bool = True) -> Iterator[None]:
    """Show a text while the block runs, and that it goes on: of work that nobody can count."""
    with _drawn(lambda: text, lambda: None, shown=shown):
        yield


@contextmanager
def following(latest: Callable[[], Progress], *, shown: bool = True) -> Iterator[None]:
    """Show how far something is while the block runs.

    Args:
        latest: Returns how far it is. It is called from the drawing thread, about ten times a second.
        shown: False to show nothing at all.
    """
    meter = Meter(latest)
    with _drawn(meter, meter.part, shown=shown):
        yield


@contextmanager
def counting(*, shown: bool = True, **words: str) -> Iterator[Callable[[Progress], None]]:
    """Show how far a verb is while the block runs, such as `requested 7,000 of 12,000 pages`.

    Args:
        shown: False to show nothing at all.
        **words: What was done with what is counted, where it is not the usual word.

    Yields:
        What the verb takes as `progress`.
    """
    latest: Progress | None = None

    def tell(found: Progress) -> None:
        nonlocal latest
        latest = found

    meter = Meter(lambda: latest, words)
    with _drawn(meter, meter.part, shown=shown):
        yield tell


@contextmanager
def _drawn(describe: Callable[[], str], part: Callable[[], float | None], *, shown: bool) -> Iterator[None]:
    """Show a bar while the block runs, if standard error is a terminal."""
    if is_quiet() or not (shown and is_terminal(sys.stderr) and drawing.err.is_interactive):
        yield
        return
    # Only a terminal shows it, and it takes as long to import as a small file takes to be read.
    from urlset._cli.bar import drawn  # noqa: PLC0415

    with drawn(describe, part):
        yield
