"""The verbs of the command line, each imported when it is first asked for: nobody waits for the others."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, cast

import typer
from rich.markup import escape
from typer.core import TyperCommand

from urlset._options.http import OVER_HTTP

#: What each verb does, in the order of the help. Each is a function of its own name, in a module of that name, whose
#: docstring begins with this sentence. It stands here so that the list of verbs can be shown without importing them.
VERBS = {
    "read": "Read sitemaps, and the children of an index, into rows.",
    "stats": "Show what a set holds: sections, hosts, ages of lastmods, extensions, sizes, and what was wrong.",
    "discover": "Find the sitemaps of a site, and show what each holds and how it was found.",
    "watch": "Show what has changed on a site since the last run.",
    "crawl": "Follow the links of a site, and show its pages.",
    "audit": "Fetch the pages that sitemaps list, and report where the sitemaps are wrong.",
    "robots": "Show a robots.txt as a table: the groups, what each line means, and what is wrong with it.",
    "init": "Write a urlset.toml that describes the site, with a comment on every key.",
    "publish": "Publish rows as sitemaps: one document, or an index and its shards.",
    "verify": "Compare every stored file of a published set with its hash.",
    "submit": "Submit the pages that changed since the last submit to search engines, by IndexNow.",
    "diff": "Compare two sets by loc: show which pages were added, removed or changed.",
    "lint": "Check sitemaps, report each finding with its line and column, and fix what can be fixed.",
    "report": "Write the result of a run as an HTML report, or as a table.",
    "rule": "Explain a rule, or list all rules.",
}


class Commands(Mapping[str, Any]):
    """The commands of the verbs by their names. A command is made when it is looked up.

    Args:
        make: Makes the command of a verb.
    """

    def __init__(self, make: Callable[[str], Any]) -> None:
        self._make = make
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """Return the command of a verb."""
        if name not in VERBS:
            raise KeyError(name)
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names, which imports nothing."""
        return iter(VERBS)

    def __len__(self) -> int:
        """Return how many verbs there are."""
        return len(VERBS)


#: The key under which a command remembers that its options over HTTP are asked for.
_HTTP_ONLY = "urlset.http-only"


class VerbCommand(TyperCommand):
    """The command of a verb. Its options over HTTP are the same for every verb, and have a help of their own."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters. The help names no type of a flag, because there is nothing to type."""
        found = super().get_params(ctx)
        for each in found:
            if getattr(each, "is_flag", False):
                each.metavar = ""
        return found

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help without the options over HTTP, or only them."""
        is_http_only = ctx.meta.get(_HTTP_ONLY, False)
        left_out = [
            each for each in self.params if (getattr(each, "rich_help_panel", None) == OVER_HTTP) != is_http_only
        ]
        about = self.help
        if is_http_only:
            self.help = f"Options of `urlset {self.name}` about fetching over HTTP."
        for each in left_out:
            cast("Any", each).hidden = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self.help = about
            for each in left_out:
                cast("Any", each).hidden = False


def _panel(parameter: Any) -> str | None:
    return getattr(parameter, "rich_help_panel", None)


def show_http(ctx: typer.Context, wanted: bool) -> None:
    """Show the options over HTTP, and end."""
    if wanted:
        ctx.meta[_HTTP_ONLY] = True
        typer.echo(ctx.get_help())
        raise typer.Exit


def command(name: str) -> Any:
    """Return the command of a verb."""
    verb = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
    text = inspect.getdoc(function(name)) or ""
    verb.command(name, cls=VerbCommand, help=escape(text))(function(name))
    return typer.main.get_command(verb)


def summary(name: str) -> Any:
    """Return what stands for the command of a verb where verbs are listed. It has no options, and does nothing."""
    return TyperCommand(name, help=VERBS[name], callback=None)


def function(name: str) -> Any:
    """Return the function of a verb."""
    return getattr(import_module(f"urlset._cli.{name}"), name)
