"""The bar that a terminal shows while work goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TimeElapsedColumn
from rich.text import Text

from urlset._util import drawing
from urlset._util.text import escape_controls

DELAY = 0.3
"""Seconds before a bar is shown, so that short work shows none."""


class _Description(ProgressColumn):
    """The description of the work, which is computed each time the bar is drawn."""

    def __init__(self, describe: Callable[[], str]) -> None:
        super().__init__()
        self._describe = describe

    def render(self, task: Task) -> Text:
        return Text(escape_controls(self._describe()))


@contextmanager
def drawn(describe: Callable[[], str]) -> Iterator[None]:
    """Show a bar and `describe()` while the block runs."""
    columns = (SpinnerColumn(), _Description(describe), BarColumn(bar_width=20), TimeElapsedColumn())
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
