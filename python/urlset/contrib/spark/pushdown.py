"""Filters of a query that tasks apply while they read: what is left out costs no crossing into the JVM.

Spark checks every row again, so a filter here only has to keep all rows that match.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, get_args

from pyspark.sql import datasource as spark

from urlset._model.errors import InputError
from urlset._model.kind import Kind
from urlset._options.filters import Filter


def with_filters(wanted: Filter | None, filters: Iterable[spark.Filter]) -> Filter | None:
    """Return what the caller wants, narrowed by the filters of a query where that is possible."""
    found = wanted or Filter()
    for each in filters:
        if getattr(each, "attribute", None) == ("loc",):
            found = _by_loc(found, each)
        elif getattr(each, "attribute", None) == ("kind",):
            found = _by_kind(found, each)
        elif getattr(each, "attribute", None) == ("lastmod",):
            found = _by_lastmod(found, each)
    return None if found == Filter() else found


def _by_loc(wanted: Filter, each: spark.Filter) -> Filter:
    """Narrow by a URL or its beginning. `Filter` keeps what matches any pattern, so it takes one condition only."""
    if wanted.include:
        return wanted
    if isinstance(each, spark.StringStartsWith) and _is_pattern(each.value):
        return replace(wanted, include=[f"{each.value}*"])
    if isinstance(each, spark.EqualTo) and _is_pattern(each.value):
        return replace(wanted, include=[each.value])
    if isinstance(each, spark.In) and all(map(_is_pattern, each.value)):
        return replace(wanted, include=list(each.value))
    return wanted


def _is_pattern(value: Any) -> bool:
    """Return whether a text means itself as a pattern: it begins a URL, and has no star."""
    return isinstance(value, str) and "://" in value and "*" not in value


def _by_kind(wanted: Filter, each: spark.Filter) -> Filter:
    values: Sequence[Any] = ()
    if isinstance(each, spark.EqualTo):
        values = [each.value]
    elif isinstance(each, spark.In):
        values = each.value
    kinds = [value for value in values if value in get_args(Kind) and (not wanted.kinds or value in wanted.kinds)]
    return replace(wanted, kinds=kinds) if kinds else wanted


def _by_lastmod(wanted: Filter, each: spark.Filter) -> Filter:
    """Narrow by a time. What has none matches no comparison."""
    moment = getattr(each, "value", None)
    if not isinstance(moment, datetime):
        return wanted
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    since, before = wanted.modified_since, wanted.modified_before
    if isinstance(each, spark.GreaterThan | spark.GreaterThanOrEqual) and since is None:
        since = moment
    elif isinstance(each, spark.LessThan) and before is None:
        before = moment
    else:
        return wanted
    try:
        return replace(wanted, modified_since=since, modified_before=before, unknown_lastmod="skip")
    except InputError:  # nothing can match, which is for Spark to find out
        return wanted
