"""How far a verb is, for whoever waits for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a verb is: so many of something are done, of those that are known so far.

    Attributes:
        what: What is counted: `documents` that are read, `rows` that are published and `shards` that are written of
            them, or `pages` that are requested or submitted. A verb that does one after the other begins anew.
        done: How many are done.
        total: How many are known so far. It grows where an index or a page leads to more. None if nobody knows: rows
            are a stream.
        entries: How many entries of the documents were read.

    Example:
        >>> import urlset
        >>> told = []
        >>> published = urlset.publish(["/", "/tea"], "public", base_url="https://shop.example/", progress=told.append)
        >>> for each in told:
        ...     print(each.what, each.done, each.total)
        rows 2 None
        shards 0 1
        shards 1 1
    """

    what: Literal["documents", "rows", "shards", "pages"]
    done: int
    total: int | None = None
    entries: int = 0


#: Takes how far a verb is, again and again.
OnProgress = Callable[[Progress], object]
