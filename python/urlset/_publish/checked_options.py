"""The options of a publish, checked: what a publish and a job that writes a set are asked for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import get_args

from urlset._model.errors import InputError
from urlset._publish.plan import guards
from urlset._publish.values import robots_txt
from urlset._publish.values.options import COLUMNS, ENTRY_COLUMNS, Layout, Names, OnBadValue, PublishOptions
from urlset._util.arguments import check_choice, check_zone, folder_url, moment_of, standard_url
from urlset._util.text import did_you_mean

#: The longest time, in days, that derived documents can look back.
_MAX_DAYS = 1_000


def checked_options(
    *,
    base_url: str,
    scope: str | None = None,
    x_default: str | None = None,
    recent: int | None = None,
    news: bool = False,
    removed: int | None = None,
    compression: str = "gzip",
    names: Names = "content",
    pretty: bool = False,
    stylesheet: bool = False,
    robots: bool = False,
    allow: Collection[str] = (),
    zone: str | None = None,
    on_bad_value: OnBadValue = "refuse",
    verify: bool = False,
    now: datetime | None = None,
) -> PublishOptions:
    """Return the options of a publish from its arguments; see `publish`.

    Raises:
        InputError: One of them is invalid.
    """
    check_choice("compression", compression, ("gzip", "none"))
    check_choice("names", names, get_args(Names))
    check_choice("on_bad_value", on_bad_value, get_args(OnBadValue))
    if zone is not None:
        check_zone(zone)
    guards.check_names(allow)
    for name, days in (("recent", recent), ("removed", removed)):
        if days is not None and not 1 <= days <= _MAX_DAYS:
            raise InputError(f"{name} must be a number of days from 1 to {_MAX_DAYS:,}, got {days!r}")
    base = folder_url(base_url)
    if robots:
        robots_txt.check(base)
    return PublishOptions(
        base=base,
        scope=None if scope is None else standard_url("scope", scope),
        layout=Layout(pretty, "sitemap.css" if stylesheet else None, compression, names),
        x_default=x_default,
        recent=recent,
        news=news,
        removed=removed,
        robots=robots,
        allow=frozenset(allow),
        now=moment_of(now).astimezone(UTC).replace(microsecond=0),
        zone=zone,
        on_bad_value=on_bad_value,
        verify=verify,
    )


def checked_columns(given: Mapping[str, str] | None, own: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """Return the names of the columns of the rows, by ours: those of a section, or else those of the publish.

    Raises:
        InputError: One of them is unknown or invalid.
    """
    columns = dict(given or {}) if own is None else dict(own)
    for name, column in columns.items():
        if name not in COLUMNS:
            raise InputError(f"columns has an unknown key {name!r}{did_you_mean(name, COLUMNS, or_all=True)}")
        if not isinstance(column, str) or not column:
            raise InputError(f"columns[{name!r}] must be the name of a column of the rows, got {column!r}")
    names = [column for name, column in columns.items() if name in ENTRY_COLUMNS]
    for column in names:
        if names.count(column) > 1:
            raise InputError(f"columns must map each column once, got {column!r} twice")
    if ("group" in columns) != ("lang" in columns):
        raise InputError("columns needs group and lang together: every page of a group has a language")
    return columns
