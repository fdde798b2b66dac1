"""The twin of `read` for an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from urlset._read.api import scan
from urlset._read.entries import Entries
from urlset._read.source import SourceLike, SourcesLike

P = ParamSpec("P")
R = TypeVar("R")


def _with_parameters_of(verb: Callable[P, object]) -> Callable[[Callable[..., R]], Callable[P, R]]:
    """Give a function the parameters of another one, for whoever checks types."""
    del verb
    return lambda function: cast("Callable[P, R]", function)


@_with_parameters_of(scan)
async def aread(source: SourceLike | SourcesLike, **options: Any) -> Entries:
    """Read everything at once, as `read` does, and leave the event loop to others meanwhile.

    Threads do the work. If it is cancelled, all connections end. `async for entry in scan(...)` reads one entry after
    the other in the same way.

    Args:
        source: As for `read`.
        options: The options of `read`, under the same names.

    Returns:
        The entries, as a sequence and as a table of one row each.

    Raises:
        InputError: As for `read`.
        FetchError: As for `read`.

    Example:
        >>> import asyncio, urlset
        >>> entries = asyncio.run(urlset.aread(b"https://shop.example/\\nhttps://shop.example/tea\\n"))
        >>> [entry.loc for entry in entries]
        ['https://shop.example/', 'https://shop.example/tea']
    """
    opened = await asyncio.to_thread(scan, source, **options)  # folders and prefixes are listed here
    return await opened.acollect()
