"""Standard output and standard error, and the exit codes."""

import json
from collections.abc import Sequence
from typing import Any, Final, TextIO

import typer
from rich.console import Console
from rich.text import Text

from urlset import UrlsetError
from urlset._util.text import escape_controls, plural

FINDINGS: Final = 1
FAILED: Final = 2
INTERRUPTED: Final = 130
"""128 and the number of SIGINT, as a shell reports it."""
BROKEN_PIPE: Final = 141
"""128 and the number of SIGPIPE: the exit code of a program that writes to a pipe that nobody reads."""

_SHOWN = 10
"""Failures that are listed."""

# Both consoles look up sys.stdout and sys.stderr at each print, and follow NO_COLOR and the terminal.
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def is_terminal(stream: TextIO) -> bool:
    """Return whether `stream` is a terminal. Rich's own answer can be overridden by FORCE_COLOR."""
    return stream.isatty()


def show(line: str) -> None:
    """Print a line on standard output, without wrapping it."""
    out.print(Text(escape_controls(line)), soft_wrap=True)


def show_json(value: Any) -> None:
    """Print a value on standard output as JSON."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def note_failures(failures: Sequence[UrlsetError]) -> None:
    """Print the first failures on standard error, and how many there are."""
    for failure in failures[:_SHOWN]:
        note(str(failure))
    if failures:
        more = f", of which {len(failures) - _SHOWN:,} are not listed" if len(failures) > _SHOWN else ""
        note(f"{plural(len(failures), 'document')} failed{more}")


def note(message: str) -> None:
    """Print `message` on standard error after the name of the program, without wrapping it."""
    text = "\n".join(escape_controls(line) for line in message.splitlines())
    err.print(Text(f"urlset: {text}"), soft_wrap=True)
