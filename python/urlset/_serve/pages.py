"""The documents of a set as numbered pages, for those who ask for a number and not for a name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from urlset._publish.values.header import Header, ShardRecord, moment


@dataclass(frozen=True, slots=True)
class NumberedPage:
    """A document of a set.

    Attributes:
        name: The name of its file.
        lastmod: When its bytes were made, if that is known.
        has_time: Whether this number has been that shard's ever since. If shards before it were removed, the number was
            that of another shard, whose bytes may have been made at the same time: then a date proves nothing.
    """

    name: str
    lastmod: datetime | None
    has_time: bool


def numbered_pages(header: Header) -> tuple[NumberedPage, ...]:
    """Return the documents of a set in the order of their numbers.

    They are numbered by their series, if the names of the series are numbers, and then by their place in it.
    """

    def number(record: ShardRecord) -> tuple[int, int]:
        return int(record.group) if record.group.isdecimal() else 0, record.part

    return tuple(
        NumberedPage(each.name, moment(each.lastmod), number(each) in ((0, page), (page, 1)))
        for page, each in enumerate(sorted(header.shards, key=number), 1)
    )
