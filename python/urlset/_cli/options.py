"""Options of the command line: they are made from what verbs, values and settings declare."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import click

from urlset import InputError
from urlset._cli.parameters import Argument, VerbArgument, VerbOption, parameter
from urlset._config.location import find
from urlset._options import kinds
from urlset._options.kinds import Kind
from urlset._options.option import Option, Source, options_of
from urlset._options.publish import KNOWN_COLUMNS
from urlset._options.shared import check_store_option

if TYPE_CHECKING:
    from urlset._config.file import ConfigFile

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., None])

RUN = "This run"

Config = Annotated[
    Path | None,
    Option("Configuration file.", metavar="FILE", default="the nearest urlset.toml or pyproject.toml"),
]
Isolated = Annotated[bool, Option("Ignore configuration files.", flags="--isolated")]
Quiet = Annotated[bool, Option("Print only results and errors.", flags="--quiet,-q")]
TextOrJson = Annotated[Literal["text", "json"], Option("Output format.", flags="--format,-f")]


def configured(config: Path | None, *, isolated: bool) -> ConfigFile | None:
    """Return the settings of the file that `--config` names, or of the nearest one; None without a file."""
    path = None if isolated else config or find(Path.cwd())
    if path is None:
        return None
    # It brings whatever the settings of all verbs rest on.
    from urlset._config.file import load  # noqa: PLC0415

    return load(path)


def with_options(*sources: Source, names: Iterable[str] | None = None) -> Callable[[F], F]:
    """Give a verb the options that sources declare, or those of `names`, ahead of its own.

    They reach the verb as keyword arguments; `given` and `value_of` make values of them.
    """

    def decorate(verb: F) -> F:
        declared = {each.name: each for source in sources for each in _chosen(source, names)}
        _shared(verb)[:0] = declared.values()
        return verb

    return decorate


def _shared(verb: Callable[..., None]) -> list[Option]:
    """Return the options that a verb has from other declarations than its own."""
    found: list[Option] = vars(verb).setdefault("shared_options", [])
    return found


def parameters_of(verb: Callable[..., None]) -> list[VerbOption | VerbArgument]:
    """Return the parameters of a verb: its arguments, the options that it shares with others, and its own."""
    own = options_of(verb)
    known = {each.name for each in own}
    shared = {each.name: each for each in _shared(verb) if each.name not in known}
    return [
        *(parameter(each, is_own=True) for each in own if isinstance(each, Argument)),
        *(parameter(each, is_own=False) for each in shared.values()),
        *(parameter(each, is_own=True) for each in own if not isinstance(each, Argument)),
    ]


def given(source: Source, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the options of a source that were given, by name.

    Raises:
        click.BadParameter: A value is invalid; the message names the option.
        InputError: A value is invalid; the message names the keyword.
    """
    values: dict[str, Any] = {}
    for option in _chosen(source, None):
        value = options.get(option.name)
        if value is None or value in ((), []):
            continue
        try:
            values[option.name] = _parser(option)(value)
            option.check_value(values[option.name])
        except InputError as error:
            if str(error).startswith(f"{option.name} must "):
                raise  # the error boundary puts the option in place of the keyword
            raise click.BadParameter(str(error), param_hint=option.flag) from error
    return values


def value_of(value: Callable[..., T], options: Mapping[str, Any]) -> T:
    """Return a value with the options that were given as its fields.

    Raises:
        click.BadParameter: The value is invalid; the message names the options.
    """
    try:
        return value(**given(value, options))
    except InputError as error:
        flags = {each.name: each.flag for each in options_of(value)}
        message = re.sub(r"\b[A-Z]\w+\.([a-z]\w*)", lambda found: flags.get(found[1], found[0]), str(error))
        raise click.BadParameter(message) from None


def words(texts: Sequence[str] | None) -> list[str] | None:
    """Return the words of an option that is a list: separated by commas, or given several times; None without any."""
    if not texts:
        return None
    return [word for text in texts for part in text.split(",") if (word := part.strip())]


def _chosen(source: Source, names: Iterable[str] | None) -> list[Option]:
    chosen = None if names is None else set(names)
    return [each for each in options_of(source) if each.flags and (chosen is None or each.name in chosen)]


def _parser(option: Option) -> Callable[[Any], Any]:
    """Return what makes the value of a field from what was given."""
    if option.kind is kinds.STRINGS and option.choices:  # no choice contains a comma
        return _split
    return _PARSERS.get(option.kind, _plain)


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
_NEXT_COLUMN = re.compile(rf",(?=\s*(?:{'|'.join(KNOWN_COLUMNS)})=)")


def _columns(options: Sequence[str]) -> dict[str, str]:
    """Parse `NAME=COLUMN` options, of which one can hold several: `loc=url,lastmod=updated`."""
    return _pairs([pair.strip() for option in options for pair in _NEXT_COLUMN.split(option)])


def _languages(options: Sequence[str]) -> dict[str, str]:
    """Parse `LANG=FOLDER` options, of which one can hold several: `en=.,de=de`."""
    return _pairs(_split(options))


def _store(options: Sequence[str]) -> dict[str, str | bool]:
    """Parse `NAME=VALUE` options of an object store, some of which are switches."""
    pairs = _pairs(options)
    for name in pairs:
        check_store_option(name)
    return {name: {"true": True, "false": False}.get(value, value) for name, value in pairs.items()}


def _headers(options: Sequence[str]) -> dict[str, str]:
    """Parse `NAME: VALUE` options to headers by name."""
    named: dict[str, str] = {}
    for option in options:
        name, colon, value = option.partition(":")
        if not colon:
            # Its text is not shown: it may be a secret.
            raise InputError("a header must have a colon, as in 'Accept-Language: en'")
        named[name.strip()] = value.strip()
    return named


def _in_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _object_headers(options: Sequence[str]) -> dict[str, dict[str, str]]:
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


#: How options of some kinds become values of their fields.
_PARSERS: Mapping[Kind | None, Callable[[Any], Any]] = {
    kinds.WORDS: _split,
    kinds.SELECTORS: _split,
    kinds.COLUMNS: _columns,
    kinds.LANGUAGES: _languages,
    kinds.STORE: _store,
    kinds.HEADERS: _headers,
    kinds.OBJECT_HEADERS: _object_headers,
    kinds.MOMENT: _in_utc,
    kinds.IGNORES: _ignores,
    kinds.COPIES: _copies,
    kinds.MAPPED: _pairs,
}
