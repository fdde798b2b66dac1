"""Whose turn it is, by a clock that only moves when the test says so."""

from __future__ import annotations

import pytest
from urlset._fetch.queues import Queues


class Clock:
    """Seconds that pass on demand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def sent(queues: Queues[int], clock: Clock, until: float) -> list[tuple[float, int]]:
    """Send whatever has its turn until a time, and return when each request was sent. Each ends at once."""
    found = []
    while clock.now <= until:
        turn = queues.take()
        if isinstance(turn, float):
            clock.now += turn
        else:
            host, job = turn
            found.append((round(clock.now - 100, 3), job))
            queues.done(host)
    return found


def test_a_delay_lies_between_two_requests_to_one_host(clock: Clock) -> None:
    queues = Queues[int](4, clock)
    for job in range(3):
        queues.put("shop.example", job)
    queues.open("shop.example", 0.2)
    queues.put("tea.example", 9)
    assert sent(queues, clock, 200) == [(0, 9), (0.2, 0), (0.4, 1), (0.6, 2)]


def test_a_host_that_asks_to_wait_gets_nothing_meanwhile(clock: Clock) -> None:
    queues = Queues[int](1, clock)
    queues.put("shop.example", 0)
    queues.hold("shop.example", clock.now + 30)
    queues.put_later("shop.example", 1, clock.now + 5)
    assert sent(queues, clock, 200) == [(30, 1), (30, 0)]


def test_one_request_is_on_its_way_until_the_robots_txt_is_known(clock: Clock) -> None:
    queues = Queues[int](3, clock)
    for job in range(5):
        queues.put("shop.example", job)
    assert queues.take() == ("shop.example", 0)
    assert queues.take() == float("inf")
    queues.open("shop.example", 0)
    assert [queues.take() for _ in range(3)] == [("shop.example", 1), ("shop.example", 2), float("inf")]
    queues.done("shop.example")
    assert queues.take() == ("shop.example", 3)
