"""What the ASGI app needs of an event loop: work in threads, and waiting for a client that goes away meanwhile.

asyncio has both, and so has trio, which nothing but a server that runs on it imports.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol, TypeVar

Made = TypeVar("Made")


class Loop(Protocol):
    """An event loop."""

    async def run(self, work: Callable[..., Made], *arguments: Any) -> Made:
        """Return what a function returns that a thread calls."""

    def waiting(self, end: Callable[[], Awaitable[None]]) -> Any:
        """Wait beside the block for an end, and give what tells whether it has come."""


class AsyncioLoop:
    """The event loop of asyncio."""

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, "urlset-serve")

    async def run(self, work: Callable[..., Made], *arguments: Any) -> Made:
        """See Loop."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)

    @asynccontextmanager
    async def waiting(self, end: Callable[[], Awaitable[None]]) -> AsyncIterator[Callable[[], bool]]:
        """See Loop."""
        ended = asyncio.ensure_future(end())
        try:
            yield ended.done
        finally:
            ended.cancel()


class TrioLoop:
    """That of trio."""

    def __init__(self, threads: int) -> None:
        self._trio: Any = sys.modules["trio"]
        self._limiter = self._trio.CapacityLimiter(threads)

    async def run(self, work: Callable[..., Made], *arguments: Any) -> Made:
        """See Loop."""
        made: Made = await self._trio.to_thread.run_sync(work, *arguments, limiter=self._limiter)
        return made

    @asynccontextmanager
    async def waiting(self, end: Callable[[], Awaitable[None]]) -> AsyncIterator[Callable[[], bool]]:
        """See Loop."""
        ended = self._trio.Event()

        async def wait() -> None:
            with suppress(Exception):  # a client that cannot be heard any more is gone too
                await end()
            ended.set()

        raised: Exception | None = None
        async with self._trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            try:
                yield ended.is_set
            except Exception as error:  # a nursery would put it into a group, which nobody expects
                raised = error
            nursery.cancel_scope.cancel()
        if raised is not None:
            raise raised


def is_trio() -> bool:
    """Return whether the running event loop is that of trio."""
    trio: Any = sys.modules.get("trio")
    return trio is not None and bool(trio.lowlevel.in_trio_task())
