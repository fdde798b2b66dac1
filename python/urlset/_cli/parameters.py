"""Declared options as parameters of the command line: how each is parsed, completed and shown in the help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from urlset._cli.completion import of_option
from urlset._options import kinds
from urlset._options.kinds import Kind
from urlset._options.option import Option

#: The forms of a time.
_FORMS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%z")
#: The kinds of options that can be given once, by their types. All others can be repeated, and are lists of strings.
_TYPES: Mapping[Kind | None, Any] = {
    kinds.BOOLEAN: click.BOOL,
    kinds.NUMBER: click.INT,
    kinds.SECONDS: click.FLOAT,
    kinds.SHARE: click.FLOAT,
    kinds.MOMENT: click.DateTime(_FORMS),
    kinds.PATH: click.Path(path_type=Path),
    **dict.fromkeys((kinds.STRING, kinds.DESTINATION, kinds.DATABASE, kinds.RULE), click.STRING),
}
#: What stands for a value for which the declaration has no word.
_METAVARS: Mapping[Kind | None, str] = {
    kinds.NUMBER: "N",
    kinds.SECONDS: "SECONDS",
    kinds.SHARE: "SHARE",
    kinds.MOMENT: "TIME",
    kinds.PATH: "FILE",
}


@dataclass(frozen=True, slots=True)
class Argument(Option):
    """An option that is given by its place: what a verb is about."""


class VerbOption(click.Option):
    """An option of a verb.

    Args:
        declared: Its declaration.
        default: What the verb receives if the option is not given.
    """

    def __init__(self, declared: Option, default: Any) -> None:
        self.declared = declared
        is_flag = declared.kind is kinds.BOOLEAN
        super().__init__(
            [*(declared.flags or "").split(","), declared.name],
            type=_type(declared),
            is_flag=is_flag,
            multiple=_is_list(declared),
            required=declared.is_required,
            help=declared.help,
            metavar=None if is_flag else _metavar(declared),
            **({} if declared.is_required else {"default": default}),
            **of_option(declared),
        )

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Return how the option is given, and what it means, with its choices and its default in words."""
        given = ", ".join(sorted(self.opts, key=len))
        if self.secondary_opts:
            given += f" / {self.secondary_opts[0]}"
        return f"{given} {self.metavar}" if self.metavar else given, _text(self.declared)


class VerbArgument(click.Argument):
    """An argument of a verb."""

    def __init__(self, declared: Argument) -> None:
        self.declared = declared
        is_list = _is_list(declared)
        name = declared.metavar or declared.name.upper()
        super().__init__(
            [declared.name],
            type=_type(declared),
            nargs=-1 if is_list else 1,
            required=declared.is_required,
            metavar=name,
            **({} if declared.is_required or is_list else {"default": declared.value}),
            **of_option(declared),
        )

    def make_metavar(self, ctx: click.Context) -> str:
        """Return what the line of usage shows: the name, in brackets if it can be left out, with dots for a list."""
        name = self.metavar or ""
        shown = name if self.required else f"[{name}]"
        return f"{shown}..." if self.nargs == -1 else shown

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Return the name and what it means."""
        return self.metavar or "", _text(self.declared)


def parameter(declared: Option, *, is_own: bool) -> VerbOption | VerbArgument:
    """Return the parameter of an option.

    Args:
        declared: The option.
        is_own: Whether the function of the verb declares it, and gets its default. What others declare is None if it
            is not given, because they have defaults themselves.
    """
    if isinstance(declared, Argument):
        return VerbArgument(declared)
    is_list = _is_list(declared)
    return VerbOption(declared, declared.value if is_own and not is_list and not declared.is_required else None)


def _is_list(declared: Option) -> bool:
    return declared.kind not in _TYPES


def _type(declared: Option) -> Any:
    if declared.kind is kinds.STRING and declared.choices:
        return click.Choice(declared.choices)
    if declared.kind is kinds.NUMBER:
        return click.IntRange(min=declared.least)
    return _TYPES.get(declared.kind, click.STRING)


def _metavar(declared: Option) -> str:
    return declared.metavar or ("WORD" if declared.choices else _METAVARS.get(declared.kind, "TEXT"))


def _text(declared: Option) -> str:
    """Return the sentence about an option, with its choices and its default."""
    default = declared.shown_default
    facts = [
        "" if declared.metavar else ", ".join(declared.choices),
        "required" if declared.is_required else "" if default is None else f"default: {default}",
    ]
    shown = "; ".join(filter(None, facts))
    return f"{declared.help} [{shown}]" if shown else declared.help
