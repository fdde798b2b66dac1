"""The options of `df.write.format("sitemap")`. Spark passes all of them as texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from urlset._model.errors import InputError
from urlset._util.arguments import check_choice
from urlset._util.text import did_you_mean
from urlset.contrib.spark.options import absolute, store_options
from urlset.jobs import WriteJob

_TEXTS = ("base_url", "scope", "compression", "on_error", "zone", "on_bad_value", "memory")
_FLAGS = ("pretty", "stylesheet", "robots")
_COLUMN, _STORE = "columns.", "store."
_KNOWN = ("path", *_TEXTS, *_FLAGS, "allow", "threads")


def write_job(options: Mapping[str, str]) -> WriteJob:
    """Return the job of a write. The options have the names of the arguments of `WriteJob`.

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
    values: dict[str, Any] = {name: given[name] for name in _TEXTS if name in given}
    values |= {name: _flag(given, name) for name in _FLAGS if name in given}
    if "threads" in given:
        values["threads"] = int(given["threads"]) if given["threads"].isdecimal() else given["threads"]
    columns = {name.removeprefix(_COLUMN): column for name, column in given.items() if name.startswith(_COLUMN)}
    store = store_options(given)
    return WriteJob(
        absolute(given["path"]), allow=given.get("allow", "").split(), columns=columns, store=store, **values
    )


def _flag(given: Mapping[str, str], name: str) -> bool:
    value = given[name].lower()
    check_choice(name, value, ("true", "false"))
    return value == "true"
