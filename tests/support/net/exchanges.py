"""Exchanges of one transport, taken until they end."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from urlset._core import Event, Pipe, Transport
from urlset._model.core_types import TransportSettings

#: The most seconds for anything that ends by itself, on a slow machine.
SECONDS = 60.0


class Exchanges:
    """Starts exchanges and waits for their events."""

    def __init__(self, settings: TransportSettings) -> None:
        self.transport = Transport(settings)
        self._numbers = count(1)
        self._events: list[Event] = []

    def start(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: list[tuple[str, str]] | None = None,
        body: bytes | None = None,
        deadline: float = SECONDS,
        private: bool = True,
        most: int | None = 1_000_000,
    ) -> int:
        """Start an exchange and return its number."""
        number = next(self._numbers)
        self.transport.start(number, method, url, headers or [], body, deadline, private, most)
        return number

    def event(self, number: int, seconds: float = SECONDS) -> Event:
        """Return the next event of an exchange."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for event in self._events:
                if event.number == number:
                    self._events.remove(event)
                    return event
            self._events += self.transport.take(end - time.monotonic())
        raise AssertionError(f"exchange {number} has no event")

    def get(self, url: str, **options: object) -> Event:
        """Return what has become of an exchange that is taken as a whole."""
        return self.event(self.start(url, **options))  # type: ignore[arg-type]

    def streamed(self, url: str, **options: object) -> tuple[Event, bytes, Event]:
        """Return the head of a streamed answer, its body, and how it ended."""
        number = self.start(url, most=None, **options)  # type: ignore[arg-type]
        head = self.event(number)
        assert head.kind == "head", head.message
        pipe, parts = Pipe(), list[bytes]()
        reading = threading.Thread(target=lambda: parts.extend(iter(pipe.read, b"")), daemon=True)
        reading.start()
        self.transport.pour(number, pipe)
        last = self.event(number)
        pipe.end()
        reading.join(SECONDS)
        return head, b"".join(parts), last


@contextmanager
def exchanges(*, proxy: str | None = None, **settings: object) -> Iterator[Exchanges]:
    """Exchanges of a transport that is closed at the end. `proxy` is one for http and https."""
    settings = {"http_proxy": proxy, "https_proxy": proxy} | settings
    running = Exchanges(TransportSettings(**settings))  # type: ignore[arg-type]
    try:
        yield running
    finally:
        running.transport.close()
