"""The verbs of the command line, each imported when it is first asked for: nobody waits for the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from urlset._cli.command import VerbCommand

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
    "rates": "Estimate how often each page of a site changes, and what its lastmods are worth.",
    "schedule": "Plan how often a crawler fetches each page, so that its copies are as fresh as a budget allows.",
    "simulate": "Simulate a crawler, and measure how fresh its copies are under each policy.",
    "init": "Write a urlset.toml that describes the site, with a comment on every key.",
    "publish": "Publish rows as sitemaps: one document, or an index and its shards.",
    "verify": "Compare every stored file of a published set with its hash.",
    "feed": "Write a feed of the pages of a published set that changed last.",
    "llms": "Write an overview of the pages of a published set for language models.",
    "submit": "Submit the pages that changed since the last submit to search engines, by IndexNow.",
    "diff": "Compare two sets by loc: show which pages were added, removed or changed.",
    "lint": "Check sitemaps, report each finding with its line and column, and fix what can be fixed.",
    "report": "Write the result of a run as an HTML report, or as a table.",
    "rule": "Explain a rule, or list all rules.",
}


class Commands(Mapping[str, click.Command]):
    """The commands of the verbs by their names. A command is made when it is looked up."""

    def __getitem__(self, name: str) -> click.Command:
        """Return the command of a verb."""
        if name not in VERBS:
            raise KeyError(name)
        return command(name)

    def __iter__(self) -> Iterator[str]:
        """Yield the names, which imports nothing."""
        return iter(VERBS)

    def __len__(self) -> int:
        """Return how many verbs there are."""
        return len(VERBS)


@cache
def command(name: str) -> VerbCommand:
    """Return the command of a verb."""
    # Imported with the verb: whoever lists the verbs needs no option of theirs.
    from urlset._cli.command import VerbCommand  # noqa: PLC0415

    return VerbCommand(name, function(name))


def function(name: str) -> Any:
    """Return the function of a verb."""
    return getattr(import_module(f"urlset._cli.{name}"), name)
