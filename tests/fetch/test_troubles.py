"""Hosts that ask to be left alone, by a clock that only moves when the test says so."""

from __future__ import annotations

from urlset._fetch.troubles import MAX_PAUSE, Troubles

HOST = "shop.example"


class Clock:
    """Seconds that pass on demand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_pauses_double_up_to_a_minute_and_begin_anew_after_another_answer() -> None:
    clock = Clock()
    troubles = Troubles(clock=clock)
    pauses = []
    for _ in range(8):
        pauses.append(troubles.pause(HOST, None))
        clock.now += pauses[-1]
    assert pauses == [1, 2, 4, 8, 16, 32, MAX_PAUSE, MAX_PAUSE]
    assert troubles.has(HOST)
    troubles.see(HOST, 404)
    assert not troubles.has(HOST)
    assert troubles.pause(HOST, None) == 1


def test_answers_to_what_was_on_its_way_do_not_lengthen_a_pause() -> None:
    clock = Clock()
    troubles = Troubles(clock=clock)
    assert troubles.pause(HOST, None) == 1
    clock.now += 0.25
    assert [troubles.pause(HOST, None) for _ in range(3)] == [0.75] * 3
    clock.now += 0.75
    assert troubles.pause(HOST, None) == 2


def test_a_host_gets_the_pause_that_it_asks_for() -> None:
    clock = Clock()
    troubles = Troubles(clock=clock)
    assert troubles.pause(HOST, 30) == 30
    clock.now += 10
    assert troubles.pause(HOST, None) == 20
    assert troubles.pause(HOST, 3600) == 3600


def test_a_host_that_refuses_one_url_after_the_other_is_given_up() -> None:
    troubles = Troubles(clock=Clock())
    for number in range(8):
        troubles.pause(HOST, None)
        assert troubles.is_lasting(HOST) == (number > 0)
        assert troubles.fault(HOST) is None
        troubles.refused(HOST, 429)
    fault = troubles.fault(HOST)
    assert fault is not None
    assert (fault.problem, fault.refused) == (
        "not fetched, because shop.example answered status 429 to 8 URLs in a row",
        "bot challenge",
    )
    assert troubles.fault("tea.example") is None


def test_the_hosts_that_are_remembered_are_bounded() -> None:
    troubles = Troubles(clock=Clock())
    for number in range(20_000):
        troubles.pause(f"{number}.example", None)
    assert sum(troubles.has(f"{number}.example") for number in range(20_000)) == 10_000
