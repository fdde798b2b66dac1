"""The options of `spark.read.format("sitemap")`. Spark passes all of them as texts."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from urlset._model.errors import InputError
from urlset._options.filters import Filter
from urlset._util.arguments import check_choice
from urlset._util.text import did_you_mean
from urlset.contrib.spark.tables import TABLES, Table
from urlset.jobs.parts import own_path
from urlset.jobs.planning import TARGET_BYTES

_STORE = "store."
_PATTERNS = {"include": "include", "exclude": "exclude"} | {
    f"{each}_sitemaps": f"{each}_sitemaps" for each in ("include", "exclude")
}
_MOMENTS = ("modified_since", "modified_before")
_OTHERS = (
    "path",
    "paths",
    "table",
    "strict",
    "follow",
    "location",
    "kind",
    "unknown_lastmod",
    "target_bytes",
    "min_partitions",
    "location_column",
    "pushdown",
    "maxfilespertrigger",
    # Spark's own names, for all of its sources of files.
    "pathglobfilter",
    "recursivefilelookup",
)
KNOWN = (*_OTHERS, *_PATTERNS, *_MOMENTS)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a read is about; `docs/spark.md` says what each option means."""

    paths: tuple[str, ...]
    table: Table = "entries"
    strict: bool = False
    follow: bool = True
    location: str | None = None
    filter: Filter | None = None
    target_bytes: int = TARGET_BYTES
    min_partitions: int = 1
    location_column: str = "location"
    pushdown: bool = False
    max_files: int | None = None
    name_glob: str | None = None
    is_recursive: bool = False
    store: Mapping[str, str] = field(default_factory=dict, repr=False)


def read_options(options: Mapping[str, str]) -> ReadOptions:
    """Return the options of a read.

    Raises:
        InputError: There is no path, an option is unknown, or its value is invalid.
    """
    given = {name.lower(): value for name, value in options.items()}
    for name in given:
        if name not in KNOWN and not name.startswith(_STORE):
            hint = did_you_mean(name, KNOWN, or_all=True)
            raise InputError(f"format('sitemap') has no option {name!r} for reading{hint}")
    table = given.get("table", "entries")
    check_choice("table", table, TABLES)
    return ReadOptions(
        paths=_paths(given),
        table=table,  # type: ignore[arg-type]  # checked above
        strict=_flag(given, "strict", default=False),
        follow=_flag(given, "follow", default=True),
        location=given.get("location"),
        filter=_filter(given),
        target_bytes=_number(given, "target_bytes", TARGET_BYTES),
        min_partitions=_number(given, "min_partitions", 1),
        location_column=given.get("location_column", "location"),
        max_files=_number(given, "maxfilespertrigger", 0) or None,
        name_glob=given.get("pathglobfilter"),
        is_recursive=_flag(given, "recursivefilelookup", default=False),
        pushdown=_flag(given, "pushdown", default=False),
        store=store_options(given),
    )


def store_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return the options of object stores: those that begin with `store.`."""
    return {
        name.lower().removeprefix(_STORE): value for name, value in options.items() if name.lower().startswith(_STORE)
    }


def _paths(given: Mapping[str, str]) -> tuple[str, ...]:
    """Return the paths of `load()`. Tasks run in other folders, so that those of files must be whole."""
    paths = json.loads(given["paths"]) if "paths" in given else []
    paths += [given["path"]] if "path" in given else []
    if not paths:
        raise InputError("format('sitemap') needs a path, a list of paths, or a table of paths: load('s3://bucket/')")
    return tuple(absolute(path) for path in paths)


def absolute(path: str) -> str:
    """Return a path that means the same in every process.

    Raises:
        InputError: It is the URL of a site, or of a store that is not read.
    """
    path = own_path(path)
    return path if "://" in path else os.path.abspath(path)  # noqa: PTH100  (it keeps a slash, `**` and the like)


def _filter(given: Mapping[str, str]) -> Filter | None:
    values: dict[str, Any] = {name: given[name].split() for name in _PATTERNS if name in given}
    if "kind" in given:
        values["kinds"] = given["kind"].split()
    if "unknown_lastmod" in given:
        values["unknown_lastmod"] = given["unknown_lastmod"]
    values |= {name: given[name] for name in _MOMENTS if name in given}
    return Filter(**values) if values else None


def _flag(given: Mapping[str, str], name: str, *, default: bool) -> bool:
    value = given.get(name, str(default)).lower()
    check_choice(name, value, ("true", "false"))
    return value == "true"


def _number(given: Mapping[str, str], name: str, default: int) -> int:
    try:
        return int(given.get(name, default))
    except ValueError:
        raise InputError(f"{name} must be a whole number, got {given[name]!r}") from None
