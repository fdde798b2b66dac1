"""Progress of long work on standard error, if that is a terminal."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TimeElapsedColumn
from rich.text import Text

from urlset._cli.console import err, is_quiet, is_terminal
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
def progress(describe: Callable[[], str], *, shown: bool = True) -> Iterator[None]:
    """Show a bar and `describe()` while the block runs, if standard error is a terminal.

    The total is not known in advance, because rows and children are streams: the bar only shows that work goes on,
    and the description how far it is.

    Args:
        describe: Returns the description. It is called from the drawing thread, about ten times a second.
        shown: False to show nothing at all.
    """
    if is_quiet() or not (shown and is_terminal(sys.stderr) and err.is_interactive):
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
