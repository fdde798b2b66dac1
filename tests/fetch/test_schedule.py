"""Whose turn it is, by a clock that only moves when the test says so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from urlset._fetch.schedule import HostSchedule


class Clock:
    """Seconds that pass on demand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def sent(schedule: HostSchedule[int], clock: Clock, until: float) -> list[tuple[float, int]]:
    """Send whatever has its turn until a time, and return when each request was sent. Each ends at once."""
    found = []
    while clock.now <= until:
        turn = schedule.take()
        if isinstance(turn, float):
            clock.now += turn
        else:
            host, job = turn
            found.append((round(clock.now - 100, 3), job))
            schedule.done(host)
    return found


def test_a_delay_lies_between_two_requests_to_one_host(clock: Clock) -> None:
    schedule = HostSchedule[int](clock)
    for job in range(3):
        schedule.put("shop.example", job)
    schedule.open("shop.example", 4, 0.2)
    schedule.put("tea.example", 9)
    assert sent(schedule, clock, 200) == [(0, 9), (0.2, 0), (0.4, 1), (0.6, 2)]


def test_a_host_that_asks_to_wait_gets_nothing_meanwhile(clock: Clock) -> None:
    schedule = HostSchedule[int](clock)
    schedule.put("shop.example", 0)
    schedule.hold("shop.example", clock.now + 30)
    schedule.put_later("shop.example", 1, clock.now + 5)
    assert sent(schedule, clock, 200) == [(30, 1), (30, 0)]


def test_one_request_is_on_its_way_until_the_robots_txt_is_known(clock: Clock) -> None:
    schedule = HostSchedule[int](clock)
    for job in range(5):
        schedule.put("shop.example", job)
    assert schedule.take() == ("shop.example", 0)
    assert schedule.take() == float("inf")
    schedule.open("shop.example", 3, 0)
    assert [schedule.take() for _ in range(3)] == [("shop.example", 1), ("shop.example", 2), float("inf")]
    schedule.done("shop.example")
    assert schedule.take() == ("shop.example", 3)


def test_hosts_take_turns(clock: Clock) -> None:
    schedule = HostSchedule[int](clock)
    for job in range(9):
        schedule.put(f"{job % 3}.example", job)
    taken = []
    while isinstance(turn := schedule.take(), tuple):
        taken.append(turn[1])
        schedule.done(turn[0])
    assert taken == [0, 1, 2, 3, 4, 5, 6, 7, 8]


def test_a_host_with_nothing_to_do_is_forgotten_once_its_rest_is_over(clock: Clock) -> None:
    schedule = HostSchedule[int](clock)
    for host in range(100):
        schedule.put(f"{host}.example", host)
        schedule.open(f"{host}.example", 4, 5.0)
    assert len(sent(schedule, clock, 105)) == 100
    assert len(schedule) == 100
    clock.now += 5
    assert schedule.take() == float("inf")
    assert len(schedule) == 0
    # Its delay begins anew.
    schedule.put("0.example", 7)
    assert schedule.take() == ("0.example", 7)


def test_a_host_that_was_asked_a_moment_ago_rests_although_nothing_waits_for_it(clock: Clock) -> None:
    schedule = HostSchedule[int](clock)
    schedule.put("shop.example", 0)
    assert schedule.take() == ("shop.example", 0)
    schedule.open("shop.example", 4, 10.0)
    schedule.done("shop.example")
    schedule.put("shop.example", 1)
    assert schedule.take() == 10.0
    clock.now += 10
    assert schedule.take() == ("shop.example", 1)


def test_what_waits_is_handed_back_at_the_end(clock: Clock) -> None:
    schedule = HostSchedule[int](clock)
    for job in range(3):
        schedule.put("shop.example", job)
    schedule.hold("tea.example", clock.now + 5)
    schedule.put("tea.example", 3)
    schedule.put_later("tea.example", 4, clock.now + 9)
    assert schedule.take() == ("shop.example", 0)
    assert sorted(schedule.drain()) == [1, 2, 3, 4]
    assert (len(schedule), schedule.take()) == (0, float("inf"))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 5), st.booleans()), max_size=60), st.integers(1, 3))
def test_nothing_is_lost_and_no_host_is_asked_too_soon_or_too_often(
    jobs: list[tuple[str, int, bool]], most: int
) -> None:
    """Against a plain model: each job is taken once, at most so many of a host at once, and its delay between two."""
    clock = Clock()
    schedule = HostSchedule[int](clock)
    for number, (host, after, is_later) in enumerate(jobs):
        if is_later:
            schedule.put_later(host, number, clock.now + after)
        else:
            schedule.put(host, number)
    active: dict[str, int] = {}
    last: dict[str, float] = {}
    running: list[tuple[float, str]] = []
    taken: list[int] = []
    while len(taken) < len(jobs):
        turn = schedule.take()
        if isinstance(turn, tuple):
            host, number = turn
            schedule.open(host, most, 2.0)
            taken.append(number)
            active[host] = active.get(host, 0) + 1
            assert active[host] <= most
            assert clock.now - last.get(host, -9.0) >= 2.0
            assert not jobs[number][2] or clock.now >= 100 + jobs[number][1]
            last[host] = clock.now
            running.append((clock.now + 3.0, host))
            continue
        ends = [at for at, _ in running]
        clock.now = min([clock.now + turn, *ends])
        for at, host in [each for each in running if each[0] <= clock.now]:
            running.remove((at, host))
            active[host] -= 1
            schedule.done(host)
    assert sorted(taken) == list(range(len(jobs)))
