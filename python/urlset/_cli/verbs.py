"""The verbs of the command line, each imported when it is first asked for: nobody waits for the others."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import typer

#: In the order of the help. Each is a function of its own name, in a module of that name.
VERBS = (
    "read",
    "stats",
    "discover",
    "watch",
    "crawl",
    "audit",
    "robots",
    "init",
    "publish",
    "verify",
    "submit",
    "diff",
    "lint",
    "report",
    "rule",
)


class Verbs(Mapping[str, Any]):
    """The commands of the verbs by their names. A command is made when it is looked up."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """Return the command of a verb."""
        if name not in VERBS:
            raise KeyError(name)
        if name not in self._made:
            verb = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
            verb.command(name)(function(name))
            self._made[name] = typer.main.get_command(verb)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names, which imports nothing."""
        return iter(VERBS)

    def __len__(self) -> int:
        """Return how many verbs there are."""
        return len(VERBS)


def function(name: str) -> Any:
    """Return the function of a verb."""
    return getattr(import_module(f"urlset._cli.{name}"), name)
