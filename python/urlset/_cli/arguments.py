"""Sources of rows and documents as the command line names them: paths, URLs, and `-` for standard input."""

import io
import sys
from collections.abc import Sequence
from typing import BinaryIO, TypeVar

import click

T = TypeVar("T")
D = TypeVar("D")

STDIN = "-"


def sources(arguments: Sequence[str]) -> list[str | BinaryIO]:
    """Return paths as they are, and a stream for `-`.

    Raises:
        click.BadParameter: `-` is given twice.
    """
    if arguments.count(STDIN) > 1:
        raise click.BadParameter("standard input (-) can be given only once")
    return [standard_input(STDIN) if argument == STDIN else argument for argument in arguments]


def standard_input(name: str) -> BinaryIO:
    """Return standard input as a stream that is called `name` in messages."""
    # Unbuffered: a read returns what is available, and holds no lock while it waits.
    stdin = io.FileIO(sys.stdin.fileno(), closefd=False)
    stdin.name = name
    return stdin


def chosen(option: T | None, configured: T | None, default: D) -> T | D:
    """Return the option if it was given, else the configured value, else the default."""
    if option is not None:
        return option
    return default if configured is None else configured
