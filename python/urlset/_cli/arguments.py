"""Sources of rows and documents as the command line names them: paths, URLs, and `-` for standard input."""

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, TypeVar

import typer

T = TypeVar("T")
D = TypeVar("D")

STDIN = "-"
URL = ("http://", "https://")
"""The beginnings of what is not a path; the API explains why it does not read URLs."""


def sources(arguments: Sequence[str]) -> list[str | BinaryIO]:
    """Return paths as they are, and a stream for `-`. All paths are looked up before the first one is read.

    Raises:
        FileNotFoundError: A path does not exist.
        typer.BadParameter: `-` is given twice.
    """
    if arguments.count(STDIN) > 1:
        raise typer.BadParameter("standard input (-) can be given only once")
    found: list[str | BinaryIO] = []
    for argument in arguments:
        if argument == STDIN:
            found.append(standard_input(STDIN))
        else:
            if not argument.startswith(URL):
                Path(argument).stat()
            found.append(argument)
    return found


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
