"""The bar that a terminal shows while work goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TimeElapsedColumn
from rich.progress_bar import ProgressBar
from rich.text import Text

from urlset._util import drawing
from urlset._util.text import escape_controls

DELAY = 0.3
"""Seconds before a bar is shown, so that short work shows none."""

WIDTH = 20
"""Cells of the bar."""


class _Description(ProgressColumn):
    """The description of the work, which is computed each time the bar is drawn."""

    def __init__(self, describe: Callable[[], str]) -> None:
        super().__init__()
        self._describe = describe

    def render(self, task: Task) -> Text:
        return Text(escape_controls(self._describe()))


class _Part(ProgressColumn):
    """A bar of the part that is done. It pulses as long as nobody knows the whole."""

    def __init__(self, part: Callable[[], float | None]) -> None:
        super().__init__()
        self._part = part

    def render(self, task: Task) -> ProgressBar:
        part = self._part()
        return ProgressBar(1, part or 0, width=WIDTH, pulse=part is None, animation_time=task.get_time())


@contextmanager
def drawn(describe: Callable[[], str], part: Callable[[], float | None]) -> Iterator[None]:
    """Show a bar while the block runs: `describe()`, `part()` of it, and how long it has taken so far.

    A thread of its own draws it ten times a second, so that it moves however long one answer takes.
    """
    columns = (SpinnerColumn(), _Description(describe), _Part(part), TimeElapsedColumn())
    bar = Progress(*columns, console=drawing.err, transient=True)
    bar.add_task("", total=None)
    start = threading.Timer(DELAY, bar.start)
    start.start()
    try:
        yield
    finally:
        start.cancel()
        start.join()
        if bar.live.is_started:
            bar.stop()
