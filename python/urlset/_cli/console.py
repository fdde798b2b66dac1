"""Standard output and standard error, and the exit codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TextIO

import click

from urlset import UrlsetError
from urlset._output.json_text import dumps
from urlset._util import drawing
from urlset._util.text import escape_controls, plural

FINDINGS: Final = 1
FAILED: Final = 2
INTERRUPTED: Final = 130
"""128 and the number of SIGINT, as a shell reports it."""
BROKEN_PIPE: Final = 141
"""128 and the number of SIGPIPE: the exit code of a program that writes to a pipe that nobody reads."""

_SHOWN = 10
"""Failures that are listed."""


def is_terminal(stream: TextIO) -> bool:
    """Return whether `stream` is a terminal. Rich's own answer can be overridden by FORCE_COLOR."""
    return stream.isatty()


class _Loudness:
    """Whether only results and errors are printed: what `--quiet` of the verb that runs says."""

    is_quiet = False


def set_quiet(quiet: bool) -> bool:
    """Keep to results and errors, or not."""
    _Loudness.is_quiet = quiet
    return quiet


def is_quiet() -> bool:
    """Return whether only results and errors are printed."""
    return _Loudness.is_quiet


def show(line: str | drawing.Line) -> None:
    """Print a line about what was done on standard output, without wrapping it, unless `--quiet` is given."""
    if not is_quiet():
        if isinstance(line, str):
            click.echo(escape_controls(line))
        else:
            drawing.print_line(line)


def remark(message: str) -> None:
    """Print a message that is not an error on standard error, unless `--quiet` is given."""
    if not is_quiet():
        note(message)


def show_json(value: Any) -> None:
    """Print a value on standard output as JSON."""
    click.echo(dumps(value, indent=2))


def note_failures(failures: Sequence[UrlsetError]) -> None:
    """Print the first failures on standard error, and how many there are."""
    for failure in failures[:_SHOWN]:
        note(str(failure))
    if failures:
        more = f", of which {len(failures) - _SHOWN:,} are not listed" if len(failures) > _SHOWN else ""
        note(f"{plural(len(failures), 'failure')}{more}")


def end_with(failures: Sequence[UrlsetError]) -> None:
    """Name the failures, and end with the exit code of a run that could not read everything."""
    note_failures(failures)
    if failures:
        raise click.exceptions.Exit(FAILED)


def note(message: str) -> None:
    """Print `message` on standard error, each of its lines after the name of the program, without wrapping it.

    A line end may be that of a stranger's text: alone on a line, it could be a command to whoever reads the log.
    """
    for line in message.split("\n"):
        click.echo(f"urlset: {escape_controls(line)}", err=True)
