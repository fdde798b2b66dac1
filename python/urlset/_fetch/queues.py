"""Whose turn it is: requests by host, as many at once and as far apart as each host wants it."""

from __future__ import annotations

import heapq
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Generic, TypeVar

_T = TypeVar("_T")


@dataclass(slots=True)
class _Host(Generic[_T]):
    """The requests to one host: those that wait, how many are on their way, and when the next may be sent."""

    waiting: deque[_T] = field(default_factory=deque)
    active: int = 0
    #: How many may be on their way: one until somebody has seen what its robots.txt asks for.
    most: int = 1
    delay: float = 0.0
    not_before: float = 0.0


class Queues(Generic[_T]):
    """Requests that wait for their turn. Its user holds a lock.

    Hosts take turns, so that one with many requests does not keep the others waiting.

    Args:
        per_host: How many requests to one host are on their way at once.
        clock: Returns seconds.
    """

    def __init__(self, per_host: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_host = per_host
        self._clock = clock
        self._hosts: dict[str, _Host[_T]] = {}
        #: Hosts that have requests waiting, and may have room.
        self._turns: OrderedDict[str, None] = OrderedDict()
        #: Requests that are sent again, by when.
        self._later: list[tuple[float, int, str, _T]] = []
        self._numbers = count()

    def put(self, host: str, job: _T, *, is_first: bool = False) -> None:
        """Let a request wait; before all others of its host if it is one that has begun."""
        found = self._hosts.setdefault(host, _Host())
        (found.waiting.appendleft if is_first else found.waiting.append)(job)
        self._turns[host] = None

    def put_later(self, host: str, job: _T, at: float) -> None:
        """Let a request wait until a time of the clock."""
        heapq.heappush(self._later, (at, next(self._numbers), host, job))

    def open(self, host: str, delay: float) -> None:
        """Send requests to a host as its robots.txt allows: so many seconds between two."""
        found = self._hosts[host]
        if found.most != self._per_host or found.delay != delay:
            found.most, found.delay = self._per_host, delay
            found.not_before = max(found.not_before, self._clock() + delay)
            self._turns[host] = None

    def hold(self, host: str, until: float) -> None:
        """Send nothing to a host before a time of the clock."""
        found = self._hosts.setdefault(host, _Host())
        found.not_before = max(found.not_before, until)

    def take(self) -> tuple[str, _T] | float:
        """Return the next request and its host, or else the seconds until there may be one. Call `done` afterwards."""
        now = self._clock()
        while self._later and self._later[0][0] <= now:
            _, _, host, job = heapq.heappop(self._later)
            self.put(host, job, is_first=True)
        wait = self._later[0][0] - now if self._later else float("inf")
        for host in list(self._turns):
            found = self._hosts[host]
            if found.active >= found.most or not found.waiting:
                del self._turns[host]  # `done` or `put` brings it back
            elif found.not_before > now:
                wait = min(wait, found.not_before - now)
            else:
                self._turns.move_to_end(host)
                found.active += 1
                found.not_before = now + found.delay
                return host, found.waiting.popleft()
        return wait

    def done(self, host: str) -> None:
        """Take note that a request has ended."""
        found = self._hosts[host]
        found.active -= 1
        if found.waiting:
            self._turns[host] = None
