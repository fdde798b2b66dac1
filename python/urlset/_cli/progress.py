"""Progress for long work, on standard error, and only where a person watches."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TimeElapsedColumn
from rich.text import Text

from urlset._cli.console import err, watched
from urlset._util.text import escape_controls

DELAY = 0.3
"""Seconds that work may take before a bar is worth its flicker."""


class _Description(ProgressColumn):
    """What the work says of itself, asked anew whenever the bar is drawn."""

    def __init__(self, describe: Callable[[], str]) -> None:
        super().__init__()
        self._describe = describe

    def render(self, task: Task) -> Text:
        return Text(escape_controls(self._describe()))


@contextmanager
def progress(describe: Callable[[], str], *, shown: bool = True) -> Iterator[None]:
    """Show a bar and `describe()` while the block runs; nothing at all where standard error is no terminal.

    `describe` is called from the drawing thread, about ten times a second. How much there is to do
    is not known before it is done (rows and children come as a stream), so the bar tells that work
    goes on and the description how far it is.
    """
    if not (shown and watched(sys.stderr) and err.is_interactive):
        yield
        return
    columns = (SpinnerColumn(), _Description(describe), BarColumn(bar_width=20), TimeElapsedColumn())
    bar = Progress(*columns, console=err, transient=True)
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
