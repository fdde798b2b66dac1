"""Hosts that ask to be left alone: they are paused as a whole, and given up if nothing else comes from them.

Source: RFC 6585, section 4, and RFC 9110, 15.6.4: 429 and 503 are about the client or the server, and not the URL.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from urlset._fetch.exchange import Fault

#: The longest pause of a host that does not say how long it wants to be left alone, in seconds, and of most others.
MAX_PAUSE = 60.0
#: Statuses that ask for a pause.
PAUSING = (429, 503)
#: URLs in a row that a host refuses in this way until it is not asked any more, and hosts that are remembered.
_GIVE_UP, _MAX_HOSTS = 8, 10_000


@dataclass(slots=True)
class _Trouble:
    """What a host has answered since its last other answer."""

    pauses: int = 0
    until: float = 0.0
    refused: int = 0
    status: int = 0


class Troubles:
    """What is known of hosts that ask for pauses. One thread uses it.

    Args:
        longest: The longest pause that a host gets, in seconds. If it asks for more, its URL has failed.
        clock: Returns seconds.
    """

    def __init__(self, longest: float = MAX_PAUSE, clock: Callable[[], float] = time.monotonic) -> None:
        self.longest = longest
        self._clock = clock
        self._hosts: OrderedDict[str, _Trouble] = OrderedDict()

    def has(self, host: str) -> bool:
        """Return whether the last answer of a host asked for a pause: then it is asked one thing at a time."""
        return host in self._hosts

    def see(self, host: str, status: int) -> None:
        """Take note of an answer."""
        if status not in PAUSING:
            self._hosts.pop(host, None)

    def pause(self, host: str, asked: float | None) -> float:
        """Return the seconds for which a host is left alone after such an answer.

        Args:
            host: The host.
            asked: The seconds that it asks for. If it does not say, they are 1, 2, 4 and so on, up to `MAX_PAUSE`.
        """
        found = self._hosts.setdefault(host, _Trouble())
        if len(self._hosts) > _MAX_HOSTS:
            self._hosts.popitem(last=False)
        now = self._clock()
        # What was on its way when the pause began is no reason for a longer one.
        seconds = found.until - now
        if seconds <= 0:
            seconds = min(2.0**found.pauses, MAX_PAUSE)
            found.pauses = min(found.pauses + 1, 16)
        if asked is not None:
            seconds = asked
        found.until = max(found.until, now + min(seconds, self.longest))
        return seconds

    def is_lasting(self, host: str) -> bool:
        """Return whether a URL has failed already: then no other one spends its retries."""
        return self._hosts[host].refused > 0

    def refused(self, host: str, status: int) -> None:
        """Take note of a URL that has failed."""
        found = self._hosts[host]
        found.refused += 1
        found.status = status

    def fault(self, host: str) -> Fault | None:
        """Return why a host is not asked any more, if that is so."""
        found = self._hosts.get(host)
        if found is None or found.refused < _GIVE_UP:
            return None
        return Fault(
            f"not fetched, because {host} answered status {found.status} to {found.refused} URLs in a row",
            "bot challenge",
        )
