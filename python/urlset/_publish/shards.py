"""How a set is split: which series of shards a row belongs to. Within a series, a loc stays where it is.

    sticky         one series                                  (the default)
    hash:16        16 series, by a hash of the loc
    key:COLUMN     one for each value of a column
    date:month     one for each year, month or day of the lastmod, and one for what has none
    path:1         one for each beginning of the path, so many folders deep
    sequence       one series in the order of the rows: locs move when rows come and go before them

A series is filled shard by shard to the limits of the protocol. New locs go to its newest shard, in the order of
their texts, so that rows in any order make the same shards.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

from urlset._model.errors import InputError
from urlset._util.duckdb import literal
from urlset._util.text import did_you_mean

Kind = Literal["sticky", "hash", "key", "date", "path", "sequence"]

_KINDS = ("sticky", "hash", "key", "date", "path", "sequence")
_DATES = {"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d"}
_MOST_HASHES = 50_000
_DEEPEST = 8
#: Characters of a group that a name shows.
_LONGEST = 40
#: Sections of our own: what changed lately, news, and what is gone. Nobody's group is called as they are.
EXPIRING = ("recent", "news", "removed")
_PLAIN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
#: What `slug` puts behind a text that is not plain; so no plain text may end like that.
_DIGEST = re.compile(r"(^|-)[0-9a-f]{16}$")
#: Series that a set may have. Source: sitemaps.org protocol: an index names 50,000 sitemaps; a set may have 20 of them.
MOST_SERIES = 1_000_000


@dataclass(frozen=True, slots=True)
class ShardBy:
    """A way of splitting, as `ShardBy.parse("hash:16")` gives it."""

    kind: Kind
    argument: str = ""

    @classmethod
    def parse(cls, text: str | ShardBy) -> ShardBy:
        """Raises InputError for what is no way of splitting."""
        if isinstance(text, ShardBy):
            return text
        kind, colon, argument = str(text).partition(":")
        if kind not in _KINDS:
            raise InputError(f"shard_by is {text!r}; it is {', '.join(_KINDS)}{did_you_mean(kind, _KINDS)}")
        problem = _problem(kind, argument, bool(colon))
        if problem:
            raise InputError(f"shard_by is {text!r}: {problem}")
        return cls(kind, argument)  # type: ignore[arg-type]  # it was just looked up

    @property
    def column(self) -> str | None:
        """The column of the rows that it needs."""
        return self.argument if self.kind == "key" else None

    @property
    def is_sticky(self) -> bool:
        """Whether a loc stays in its shard while it lives, and rows may come in any order."""
        return self.kind != "sequence"

    def __str__(self) -> str:
        return f"{self.kind}:{self.argument}" if self.argument else self.kind

    @property
    def sql(self) -> str:
        """The group of a row, as an expression over `incoming`."""
        match self.kind:
            case "hash":
                return f"format('{{:0{len(self.argument)}}}', hash % {int(self.argument)})"
            case "key":
                return "coalesce(grp, '')"
            case "date":
                return f"coalesce(strftime(make_timestamp(instant), {literal(_DATES[self.argument])}), 'undated')"
            case "path":
                # https://host/a/b/page: behind the host come folders, and the last part is the page.
                folders = "string_split(string_split(string_split(loc, '#')[1], '?')[1], '/')[4:-2]"
                return f"array_to_string({folders}[:{int(self.argument)}], '/')"
            case _:
                return "''"


def _problem(kind: str, argument: str, is_given: bool) -> str | None:
    if kind in ("sticky", "sequence"):
        return "it takes no argument" if is_given else None
    if kind == "key":
        return None if argument else "name the column, as in key:brand"
    if kind == "date":
        return None if argument in _DATES else "it is date:year, date:month or date:day"
    most = _MOST_HASHES if kind == "hash" else _DEEPEST
    # The SQL holds the number as it is written.
    is_number = re.fullmatch(r"[1-9]\d{0,4}", argument, re.ASCII) is not None and int(argument) <= most
    return None if is_number else f"give a number from 1 to {most:,}, as in {kind}:{16 if kind == 'hash' else 1}"


def prefix(section: str, group: str) -> str:
    """What the shards of a series are called, but for their number: products_2026-11. No two series give the same."""
    return "_".join(slug(text) for text in (section, group) if text)


def stem(series: str, part: int) -> str:
    """What a shard is called, but for its content: products_2026-11-0001."""
    return f"{series}-{part:04}" if series else f"{part:04}"


def slug(text: str) -> str:
    """A text as a part of a file's name; two texts never give the same."""
    if _PLAIN.fullmatch(text) and len(text) <= _LONGEST and text not in EXPIRING and not _DIGEST.search(text):
        return text
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:_LONGEST].strip("-")
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f"{plain}-{digest}" if plain else digest
