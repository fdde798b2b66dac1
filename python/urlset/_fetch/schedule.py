"""Whose turn it is: requests by host, as many at once and as far apart as each host wants it.

Every step costs the same, whether ten hosts wait or ten thousand: hosts that may be asked take turns, hosts that rest
stand in a heap by the time at which they may be asked again, and a host with nothing to do is forgotten.
"""

from __future__ import annotations

import heapq
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Generic, Literal, TypeVar

_T = TypeVar("_T")


@dataclass(slots=True)
class _Host(Generic[_T]):
    """The requests to one host: those that wait, how many are on their way, and when the next may be sent."""

    name: str
    waiting: deque[_T] = field(default_factory=deque)
    active: int = 0
    #: How many may be on their way: one until somebody has seen what its robots.txt asks for.
    most: int = 1
    delay: float = 0.0
    not_before: float = 0.0
    #: Where it stands: among those whose turn comes, or among those that rest.
    place: Literal["turns", "resting"] | None = None


class HostSchedule(Generic[_T]):
    """Requests that wait for their turn. One thread uses it.

    Hosts take turns, so that one with many requests does not keep the others waiting.

    Args:
        clock: Returns seconds.

    Example:
        >>> schedule = HostSchedule[int]()
        >>> schedule.put("shop.example", 1)
        >>> schedule.put("shop.example", 2)
        >>> schedule.take()
        ('shop.example', 1)
        >>> schedule.take()  # one at a time, until `open` says how many
        inf
        >>> schedule.done("shop.example")
        >>> schedule.take()
        ('shop.example', 2)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._hosts: dict[str, _Host[_T]] = {}
        #: Hosts that have requests waiting and room for them, and those that rest, by the end of their rest.
        self._turns: deque[_Host[_T]] = deque()
        self._resting: list[tuple[float, int, _Host[_T]]] = []
        #: Requests that are sent again, by when.
        self._later: list[tuple[float, int, str, _T]] = []
        self._numbers = count()

    def __len__(self) -> int:
        """Return how many hosts are remembered."""
        return len(self._hosts)

    def put(self, host: str, job: _T, *, is_first: bool = False) -> None:
        """Let a request wait; before all others of its host if it is one that has begun."""
        found = self._host(host)
        (found.waiting.appendleft if is_first else found.waiting.append)(job)
        self._line_up(found)

    def put_later(self, host: str, job: _T, at: float) -> None:
        """Let a request wait until a time of the clock."""
        heapq.heappush(self._later, (at, next(self._numbers), host, job))

    def open(self, host: str, most: int, delay: float) -> None:
        """Send so many requests to a host at once, and as its robots.txt allows: so many seconds between two."""
        found = self._host(host)
        if found.most != most or found.delay != delay:
            found.most, found.delay = most, delay
            if delay:
                found.not_before = max(found.not_before, self._clock() + delay)
            self._line_up(found)

    def hold(self, host: str, until: float) -> None:
        """Send nothing to a host before a time of the clock."""
        found = self._host(host)
        found.not_before = max(found.not_before, until)
        self._line_up(found)

    def take(self) -> tuple[str, _T] | float:
        """Return the next request and its host, or else the seconds until there may be one. Call `done` afterwards."""
        now = self._clock()
        while self._later and self._later[0][0] <= now:
            _, _, host, job = heapq.heappop(self._later)
            self.put(host, job, is_first=True)
        while self._resting and self._resting[0][0] <= now:
            rested = heapq.heappop(self._resting)[2]
            rested.place = None
            self._line_up(rested)
        while self._turns:
            found = self._turns.popleft()
            found.place = None
            if found.not_before > now:  # it was told to rest while it stood there
                self._line_up(found)
            elif found.waiting and found.active < found.most:
                found.active += 1
                found.not_before = now + found.delay
                job = found.waiting.popleft()
                self._line_up(found)
                return found.name, job
        ends = [heap[0][0] for heap in (self._later, self._resting) if heap]
        return min(ends, default=float("inf")) - now

    def done(self, host: str) -> None:
        """Take note that a request has ended."""
        found = self._hosts[host]
        found.active -= 1
        self._line_up(found)

    def drain(self) -> list[_T]:
        """Return all requests that wait, and forget everything."""
        waiting = [job for host in self._hosts.values() for job in host.waiting]
        later = [job for _, _, _, job in self._later]
        for kept in (self._hosts, self._turns, self._resting, self._later):
            kept.clear()
        return waiting + later

    def _host(self, name: str) -> _Host[_T]:
        found = self._hosts.get(name)
        if found is None:
            found = self._hosts[name] = _Host(name)
        return found

    def _line_up(self, host: _Host[_T]) -> None:
        """Put a host where it has to wait, if it has requests and room for them, or else forget it if it can be."""
        if host.place is not None:
            return
        is_resting = host.not_before > self._clock()
        if is_resting and (host.waiting or not host.active):
            # An idle one as well: whoever asks it again before that has to wait.
            host.place = "resting"
            heapq.heappush(self._resting, (host.not_before, next(self._numbers), host))
        elif host.waiting and host.active < host.most:
            host.place = "turns"
            self._turns.append(host)
        elif not host.waiting and not host.active:
            del self._hosts[host.name]
