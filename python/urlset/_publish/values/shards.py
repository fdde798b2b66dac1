"""How a set is sharded: which series of shards a row belongs to. Within a series, a loc stays in its shard.

    sticky         one series                                  (the default)
    hash:16        16 series, by a hash of the loc
    key:COLUMN     one for each value of a column
    date:month     one for each year, month or day of the lastmod, and one for rows without a lastmod
    path:1         one for each beginning of the path, so many folders deep
    sequence       one series in the order of the rows: locs move when rows before them come and go

A series is filled shard by shard up to the limits of the protocol. New locs go to its newest shard, in the order of
their text, so that rows in any order make the same shards.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from urlset._model.errors import InputError
from urlset._util.duckdb import literal
from urlset._util.text import did_you_mean

Kind = Literal["sticky", "hash", "key", "date", "path", "sequence"]

_KINDS = ("sticky", "hash", "key", "date", "path", "sequence")
_DATES = {"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d"}
_MAX_HASHES = 50_000
_DEEPEST = 8
#: Characters of a group that a file name contains.
_LONGEST = 40
#: The sections of derived documents: what changed lately, news, and what is gone. No user's section or group gets
#: these names.
DERIVED = ("recent", "news", "removed")
_PLAIN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
#: What `slug` appends to a text that is not plain. A plain text must not end like that.
_DIGEST = re.compile(r"(^|-)[0-9a-f]{16}$")
#: The SQL for the value that rows are sharded by if all of them are in one series.
_ONE = "''"
#: Series that a set may have: 20 indexes full of them. Source: sitemaps.org protocol: 50,000 sitemaps per index.
MAX_SERIES = 1_000_000


@dataclass(frozen=True, slots=True)
class ShardBy:
    """How rows are divided into series of shards.

    Attributes:
        kind: `sticky` (one series), `hash`, `key` (a column), `date` (of the lastmod), `path` or `sequence` (in the
            order of the rows).
        argument: How many hashes or folders, which column, or `year`, `month` or `day`; empty if the kind takes none.

    Example:
        >>> import urlset
        >>> urlset.ShardBy.parse("date:month")
        ShardBy(kind='date', argument='month')
    """

    kind: Kind
    argument: str = ""

    @classmethod
    def parse(cls, text: str | ShardBy) -> ShardBy:
        """Return the value of a text such as `hash:16`.

        Raises:
            InputError: The kind is unknown, or its argument is invalid.
        """
        if isinstance(text, ShardBy):
            return text
        kind, colon, argument = str(text).partition(":")
        if kind not in _KINDS:
            raise InputError(f"shard_by must be one of {', '.join(_KINDS)}, got {text!r}{did_you_mean(kind, _KINDS)}")
        problem = _problem(kind, argument, bool(colon))
        if problem:
            raise InputError(f"shard_by must have a valid argument, got {text!r}: {problem}")
        return cls(kind, argument)  # type: ignore[arg-type]  # it was just looked up

    @property
    def column(self) -> str | None:
        """The column of the rows that it needs, or None."""
        return self.argument if self.kind == "key" else None

    @property
    def is_sticky(self) -> bool:
        """Whether a loc stays in its shard while it exists, so that the order of the rows does not matter."""
        return self.kind != "sequence"

    @property
    def is_one_series(self) -> bool:
        """Whether all rows of a section are in one series."""
        return self.sql == _ONE

    def __str__(self) -> str:
        return f"{self.kind}:{self.argument}" if self.argument else self.kind

    @property
    def sql(self) -> str:
        """The SQL for the value that a row of `incoming` is sharded by."""
        match self.kind:
            case "hash":
                return f"format('{{:0{len(self.argument)}}}', loc_hash % {int(self.argument)})"
            case "key":
                return "coalesce(grp, '')"
            case "date":
                return f"coalesce(strftime(make_timestamp(instant), {literal(_DATES[self.argument])}), 'undated')"
            case "path":
                # https://host/a/b/page: folders follow the host, and the last part is the page.
                folders = "string_split(string_split(string_split(loc, '#')[1], '?')[1], '/')[4:-2]"
                return f"array_to_string({folders}[:{int(self.argument)}], '/')"
            case _:
                return _ONE


def _problem(kind: str, argument: str, is_given: bool) -> str | None:
    if kind in ("sticky", "sequence"):
        return "it takes no argument" if is_given else None
    if kind == "key":
        return None if argument else "name the column, as in key:brand"
    if kind == "date":
        return None if argument in _DATES else "it is date:year, date:month or date:day"
    most = _MAX_HASHES if kind == "hash" else _DEEPEST
    # The number goes into the SQL as it is written.
    is_number = re.fullmatch(r"[1-9]\d{0,4}", argument, re.ASCII) is not None and int(argument) <= most
    return None if is_number else f"give a number from 1 to {most:,}, as in {kind}:{16 if kind == 'hash' else 1}"


def prefix(section: str, group: str) -> str:
    """Return the name of a series, such as `products_2026-11`. Different series have different names."""
    return "_".join(slug(text) for text in (section, group) if text)


def stem(series: str, part: int) -> str:
    """Return the name of a shard without the hash of its content, such as `products_2026-11-0001`."""
    return f"{series}-{part:04}" if series else f"{part:04}"


def slug(text: str) -> str:
    """Return a text as a part of a file name. Different texts give different results."""
    if _PLAIN.fullmatch(text) and len(text) <= _LONGEST and text not in DERIVED and not _DIGEST.search(text):
        return text
    from hashlib import blake2b  # noqa: PLC0415  (few names need it)

    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:_LONGEST].strip("-")
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f"{plain}-{digest}" if plain else digest
