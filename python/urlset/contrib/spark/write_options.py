"""The options of `df.write.format("sitemap")`. Spark passes all of them as texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from urlset._model.errors import InputError
from urlset._options.kinds import BOOLEAN, NUMBER, STRINGS
from urlset._options.option import Option, options_of
from urlset._options.publish import Checks, Layout
from urlset._util.arguments import check_choice
from urlset._util.text import did_you_mean
from urlset.contrib.spark.options import absolute, store_options
from urlset.jobs import WriteJob

_COLUMN, _STORE = "columns.", "store."
#: The values that a job takes, and its other arguments, by the options that stand for them.
_VALUES: dict[str, Callable[..., Any]] = {"layout": Layout, "checks": Checks}
_BY_NAME = ("base_url", "scope", "update_robots", "memory", "threads")
_ARGUMENTS = {each.name: each for each in options_of(WriteJob) if each.name in _BY_NAME}
_KNOWN = ("path", *_ARGUMENTS, *(each.name for value in _VALUES.values() for each in options_of(value)))


def write_job(options: Mapping[str, str]) -> WriteJob:
    """Return the job of a write. The options are arguments of `WriteJob`, and fields of `Layout` and `Checks`.

    `allow` has the names of guards with blanks between them, `columns.loc` is the name of the column of locs.

    Raises:
        InputError: There is no path or no base_url, an option is unknown, or its value is invalid.
    """
    given = {name.lower(): value for name, value in options.items()}
    for name in given:
        if name not in _KNOWN and not name.startswith((_COLUMN, _STORE)):
            hint = did_you_mean(name, _KNOWN, or_all=True)
            raise InputError(f"format('sitemap') has no option {name!r} for writing{hint}")
    for name, example in (
        ("path", "save('s3://bucket/')"),
        ("base_url", "option('base_url', 'https://shop.example/')"),
    ):
        if not given.get(name):
            raise InputError(f"format('sitemap') needs a {name} to write: {example}")
    values = _given(_ARGUMENTS.values(), given)
    for name, value in _VALUES.items():
        values[name] = value(**_given(options_of(value), given))
    columns = {name.removeprefix(_COLUMN): column for name, column in given.items() if name.startswith(_COLUMN)}
    return WriteJob(absolute(given["path"]), columns=columns, store=store_options(given), **values)


def _given(options: Iterable[Option], given: Mapping[str, str]) -> dict[str, Any]:
    return {each.name: _value(each, given[each.name]) for each in options if each.name in given}


def _value(option: Option, text: str) -> Any:
    """Return the value of an option from its text."""
    if option.kind is BOOLEAN:
        return _flag(option.name, text)
    if option.kind is STRINGS:
        return text.split()
    return int(text) if option.kind is NUMBER and text.isdecimal() else text


def _flag(name: str, text: str) -> bool:
    value = text.lower()
    check_choice(name, value, ("true", "false"))
    return value == "true"
