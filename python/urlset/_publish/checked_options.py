"""The options of a publish, checked: those of a publish, and of a job that writes a set."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from urlset._model.errors import InputError
from urlset._options.publish import Checks, Derived, Layout
from urlset._publish.values import robots_txt
from urlset._publish.values.options import COLUMNS, ENTRY_COLUMNS, PublishOptions
from urlset._util.arguments import folder_url, moment_of, standard_url
from urlset._util.text import did_you_mean


def checked_options(
    *,
    base_url: str,
    scope: str | None = None,
    x_default: str | None = None,
    layout: Layout | None = None,
    derived: Derived | None = None,
    checks: Checks | None = None,
    update_robots: bool = False,
    now: datetime | None = None,
) -> PublishOptions:
    """Return the options of a publish from its arguments; see `publish`.

    Raises:
        InputError: One of them is invalid.
    """
    base = folder_url(base_url)
    if update_robots:
        robots_txt.check(base)
    return PublishOptions(
        base=base,
        scope=None if scope is None else standard_url("scope", scope),
        x_default=x_default,
        layout=layout or Layout(),
        derived=derived or Derived(),
        checks=checks or Checks(),
        update_robots=update_robots,
        now=moment_of(now).astimezone(UTC).replace(microsecond=0),
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
