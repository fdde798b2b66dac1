"""What the shell completes: choices, columns and rules, also after a comma."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem

from urlset import rules
from urlset._options.kinds import RULE, SELECTORS
from urlset._options.option import Option

#: A word, and what the shell says about it.
Word = tuple[str, str]
Complete = Callable[[str], list[Word]]
#: What the help calls values that can be files or folders.
_FILES = ("SOURCE", "FILE", "DIR", "DEST", "OLD", "NEW")


def listed(words: Callable[[], Iterable[Word]]) -> Complete:
    """Return what completes the last word of a list with commas. Words that the list has already are left out."""

    def complete(incomplete: str) -> list[Word]:
        before, comma, last = incomplete.rpartition(",")
        given = set(before.split(","))
        return [
            (f"{before}{comma}{word}", says) for word, says in words() if word.startswith(last) and word not in given
        ]

    return complete


def rule_names(incomplete: str) -> list[Word]:
    """Complete the code of a rule, in the case in which it was begun, or its name."""
    codes = [(rule.code, rule.name) for rule in rules()]
    known = [*codes, *((code.lower(), name) for code, name in codes), *((name, code) for code, name in codes)]
    return [(word, says) for word, says in known if incomplete and word.startswith(incomplete)] or codes


def _selectors() -> list[Word]:
    """Return the beginnings of codes, the codes, and the names of all rules."""
    known = rules()
    groups = dict.fromkeys(re.match("[A-Z]+", rule.code)[0] for rule in known)  # type: ignore[index]  # each begins so
    return [
        *((group, f"all rules {group}…") for group in groups),
        *((rule.code, rule.name) for rule in known),
        *((rule.name, rule.code) for rule in known),
    ]


def of_option(option: Option) -> dict[str, Any]:
    """Return the argument of a parameter that completes it, if there is anything to complete."""
    if option.kind is RULE:
        return _completing(rule_names)
    if option.kind is SELECTORS:
        return _completing(listed(_selectors))
    if option.choices:
        return _completing(listed(lambda: [(choice, "") for choice in option.choices]))
    if option.metavar in _FILES:
        # The shell knows the files, and how their names are quoted.
        return {"shell_complete": lambda _, __, incomplete: [CompletionItem(incomplete, type="file")]}
    return {}


def _completing(complete: Complete) -> dict[str, Any]:
    def items(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(word, help=says or None) for word, says in complete(incomplete)]

    return {"shell_complete": items}
