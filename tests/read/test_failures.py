"""Whether a failure is raised or kept, and what a run in which nothing was read comes to."""

from __future__ import annotations

from pathlib import Path

import pytest
from urlset import FetchError
from urlset._read.failures import Failures, unreadable


def test_a_failure_is_kept_without_the_frames_that_raised_it(tmp_path: Path) -> None:
    failures = Failures()
    with pytest.raises(FetchError) as raised:
        with_cause(tmp_path / "missing.xml")
    assert raised.value.__cause__ is not None
    failures.add(raised.value)
    [kept] = failures.kept
    assert (kept.__cause__, kept.__context__, kept.__traceback__) == (None, None, None)


def with_cause(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise unreadable(str(path), error) from error


@pytest.mark.parametrize(("strict", "always"), [(True, False), (False, True)])
def test_the_first_failure_is_raised(strict: bool, always: bool) -> None:
    failures = Failures(strict=strict)
    with pytest.raises(FetchError, match=r"a\.xml"):
        failures.add(FetchError("a.xml: gone"), always=always)
    assert failures.kept == []


def test_what_a_bound_left_out_is_kept_even_if_failures_are_raised() -> None:
    failures = Failures(strict=True)
    failures.note(FetchError("2 sitemaps are not read"))
    failures.check(is_read=False)
    assert [str(each) for each in failures.kept] == ["2 sitemaps are not read"]


def test_a_run_that_read_nothing_raises_its_first_failure() -> None:
    failures = Failures()
    for name in ("a.xml", "b.xml"):
        failures.add(FetchError(name))
    failures.check(is_read=True)
    with pytest.raises(FetchError, match=r"a\.xml"):
        failures.check(is_read=False)


def test_an_error_of_the_system_is_named_with_the_document() -> None:
    assert str(unreadable("a.xml", FileNotFoundError(2, "No such file or directory"))) == (
        "a.xml: No such file or directory"
    )
    assert str(unreadable("a.xml", OSError("broken pipe"))) == "a.xml: broken pipe"
