"""Words of the command line to what the API takes."""

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import typer

from urlset._config.publish_settings import check_option

T = TypeVar("T")
D = TypeVar("D")

STDIN = "-"
URL = ("http://", "https://")
"""No path: the API says what it thinks of it."""


def sources(arguments: Sequence[str]) -> list[str | BinaryIO]:
    """Paths as they are, and standard input for `-`. All are looked for before the first is read.

    Raises:
        FileNotFoundError: a path leads nowhere.
        typer.BadParameter: standard input is asked for twice.
    """
    once(arguments)
    found: list[str | BinaryIO] = []
    for argument in arguments:
        if argument == STDIN:
            # Unbuffered: a read returns what there is, and holds no lock while it waits.
            stdin = io.FileIO(sys.stdin.fileno(), closefd=False)
            stdin.name = STDIN
            found.append(stdin)
        else:
            if not argument.startswith(URL):
                existing(argument)
            found.append(argument)
    return found


def existing(argument: str) -> Path:
    """The path that `argument` names.

    Raises:
        FileNotFoundError: there is nothing.
    """
    path = Path(argument)
    path.stat()
    return path


def once(arguments: Sequence[str]) -> None:
    """Standard input can be read once.

    Raises:
        typer.BadParameter: `-` stands there twice.
    """
    if arguments.count(STDIN) > 1:
        raise typer.BadParameter("standard input (-) can be read once, and stands there twice")


def words(text: str | None) -> list[str] | None:
    """`loc, lastmod` to its words; None stays None."""
    if text is None:
        return None
    return [word for part in text.split(",") if (word := part.strip())]


def assigned(options: Sequence[str] | None, name: str) -> dict[str, Path] | None:
    """`URL=FILE` options to paths by URL; None stays None.

    Raises:
        typer.BadParameter: one of them has no `=`.
    """
    if not options:
        return None
    pairs = [option.rpartition("=") for option in options]
    if any(not equals for _, equals, _ in pairs):
        raise typer.BadParameter("write it as URL=FILE", param_hint=name)
    return {url: Path(file) for url, _, file in pairs}


def pairs(options: Sequence[str], hint: str) -> dict[str, str]:
    """`NAME=VALUE` options by name.

    Raises:
        typer.BadParameter: one of them is none.
    """
    found = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not (name and equals and value):
            raise typer.BadParameter(f"{option!r} is not NAME=VALUE", param_hint=hint)
        found[name] = value
    return found


def store_options(options: Sequence[str]) -> dict[str, Any]:
    """`NAME=VALUE` options of an object store, as `urlset.publish` takes them.

    Raises:
        typer.BadParameter: one of them is none.
        InputError: one has a name that no option of a store can have.
    """
    found = pairs(options, "--store-option")
    for name in found:
        check_option(name)
    return {name: {"true": True, "false": False}.get(value, value) for name, value in found.items()}


def chosen(option: T | None, configured: T | None, default: D) -> T | D:
    """What an option says, else the configuration, else the default."""
    if option is not None:
        return option
    return default if configured is None else configured
