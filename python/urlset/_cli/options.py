"""Options of the command line: those that follow from the settings, and those that several verbs have."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import typer

from urlset import InputError
from urlset._cli.completion import of_setting
from urlset._cli.console import set_quiet
from urlset._config.file import Settings, find, load
from urlset._config.kinds import (
    BOOLEAN,
    COLUMNS,
    COPIES,
    DATABASE,
    DESTINATION,
    HEADERS,
    IGNORES,
    NUMBER,
    PATH,
    SELECTORS,
    STORE,
    STRING,
    STRINGS,
    Kind,
    check_store_option,
)
from urlset._config.setting import Setting, settings_of
from urlset.sources._column_names import KNOWN

F = TypeVar("F", bound=Callable[..., None])

RUN = "This run"

Config = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Configuration file.", show_default="the nearest urlset.toml or pyproject.toml"),
]
Isolated = Annotated[bool, typer.Option("--isolated", help="Ignore configuration files.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", callback=set_quiet, help="Print only results and errors.", is_eager=True)
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at the first document that fails, instead of going on with the others.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the summary as a JSON object.")]


def configured(config: Path | None, *, isolated: bool) -> Settings | None:
    """Return the settings of the file that `--config` names, or of the nearest one; None without a file."""
    path = None if isolated else config or find(Path.cwd())
    return None if path is None else load(path)


def with_settings(table: type, names: Iterable[str] | None = None) -> Callable[[F], F]:
    """Give a verb the options of a settings class, or those of `names`, ahead of its own.

    They reach the verb as keyword arguments with the names of the fields; `option_values` makes values of them.
    """

    def decorate(verb: F) -> F:
        own = inspect.signature(verb, eval_str=True)
        kept = [each for each in own.parameters.values() if each.kind is not each.VAR_KEYWORD]
        first = [each for each in kept if each.kind is not each.KEYWORD_ONLY]
        options = [_parameter(each) for each in _optional(table, names)]
        verb.__signature__ = own.replace(  # type: ignore[attr-defined]  # it is what typer reads
            parameters=[*first, *options, *kept[len(first) :]]
        )
        return verb

    return decorate


def option_values(table: type, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the options that were given, by field.

    Raises:
        typer.BadParameter: A value is invalid; the message names the option.
        InputError: A value is invalid; the message names the keyword.
    """
    values: dict[str, Any] = {}
    for setting in _optional(table, None):
        given = options.get(setting.name)
        if given is None or given in ((), []):
            continue
        try:
            values[setting.name] = _parser(setting)(given)
            setting.check_value(values[setting.name])
        except InputError as error:
            if str(error).startswith(f"{setting.name} must "):
                raise  # the error boundary puts the option in place of the keyword
            raise typer.BadParameter(str(error), param_hint=option_name(setting)) from error
    return values


def option_name(setting: Setting) -> str:
    """Return the name under which messages and the reference show an option."""
    return (setting.option or "").partition("/")[0].partition(",")[0]


def words(texts: Sequence[str] | None) -> list[str] | None:
    """Return the words of an option that is a list: separated by commas, or given several times. None stays None."""
    if texts is None:
        return None
    return [word for text in texts for part in text.split(",") if (word := part.strip())]


def _optional(table: type, names: Iterable[str] | None) -> list[Setting]:
    chosen = None if names is None else set(names)
    return [each for each in settings_of(table) if each.option and (chosen is None or each.name in chosen)]


def _parameter(setting: Setting) -> inspect.Parameter:
    """Return the parameter of a verb from which typer makes the option."""
    is_choice = setting.kind is STRING and bool(setting.choices)
    kind = Literal[setting.choices] if is_choice else _TYPES.get(setting.kind, list[str])
    option = typer.Option(
        *(setting.option or "").split(","),
        help=setting.help,
        metavar=setting.metavar,
        show_default=setting.default or False,
        min=1 if setting.kind is NUMBER else None,
        rich_help_panel=setting.panel,
        **({} if is_choice else of_setting(setting)),
    )
    annotation = Annotated[kind | None, option]  # type: ignore[valid-type]  # made of the declaration
    return inspect.Parameter(setting.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _parser(setting: Setting) -> Callable[[Any], Any]:
    """Return what makes the value of a field from what was given."""
    if setting.kind is STRINGS and setting.choices:  # no choice contains a comma
        return _split
    return _PARSERS.get(setting.kind, _plain)


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _split(options: Sequence[str]) -> tuple[str, ...]:
    return tuple(words(options) or ())


def _pairs(options: Sequence[str]) -> dict[str, str]:
    """Parse `NAME=VALUE` options."""
    pairs = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not (name and equals and value):
            raise InputError(f"{option!r} is not NAME=VALUE")
        pairs[name] = value
    return pairs


#: A comma that begins another mapping and does not belong to the name of a column.
_NEXT_COLUMN = re.compile(rf",(?=\s*(?:{'|'.join(KNOWN)})=)")


def _columns(options: Sequence[str]) -> dict[str, str]:
    """Parse `NAME=COLUMN` options, of which one can hold several: `loc=url,lastmod=updated`."""
    return _pairs([pair.strip() for option in options for pair in _NEXT_COLUMN.split(option)])


def _store(options: Sequence[str]) -> dict[str, str | bool]:
    """Parse `NAME=VALUE` options of an object store, some of which are switches."""
    pairs = _pairs(options)
    for name in pairs:
        check_store_option(name)
    return {name: {"true": True, "false": False}.get(value, value) for name, value in pairs.items()}


def _headers(options: Sequence[str]) -> dict[str, dict[str, str]]:
    """Parse `GLOB:NAME=VALUE` options to headers by glob."""
    headers: dict[str, dict[str, str]] = {}
    for option in options:
        glob, colon, header = option.partition(":")
        if not (glob and colon):
            raise InputError(f"{option!r} is not GLOB:NAME=VALUE")
        headers.setdefault(glob, {}).update(_pairs([header]))
    return headers


def _ignores(options: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Parse `GLOB:CODES` options to selectors by glob. Those of the same glob add up."""
    ignores: dict[str, tuple[str, ...]] = {}
    for option in options:
        glob, colon, codes = option.rpartition(":")
        if not colon:
            raise InputError(f"{option!r} is not GLOB:CODES")
        ignores[glob] = (*ignores.get(glob, ()), *_split([codes]))
    return ignores


def _copies(options: Sequence[str]) -> dict[str, Path]:
    """Parse `URL=FILE` options to files by URL."""
    copies = {}
    for option in options:
        url, equals, file = option.rpartition("=")
        if not equals:
            raise InputError(f"{option!r} is not URL=FILE")
        copies[url] = Path(file)
    return copies


#: The types of the values that typer hands on. Options of any other kind can be repeated, and are lists of strings.
_TYPES: Mapping[Kind, Any] = {
    BOOLEAN: bool,
    NUMBER: int,
    PATH: Path,
    **dict.fromkeys((STRING, DESTINATION, DATABASE), str),
}
#: How options of some kinds become values of their fields.
_PARSERS: Mapping[Kind, Callable[[Any], Any]] = {
    SELECTORS: _split,
    COLUMNS: _columns,
    STORE: _store,
    HEADERS: _headers,
    IGNORES: _ignores,
    COPIES: _copies,
}
