"""Guards: each trips where a set is most likely a mistake, no sooner, and can be allowed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from support.documents import tree
from support.publish import BASE, DAY, locs, publish, read_back
from urlset import InputError, PublishError, UrlsetError
from urlset._model.errors import GuardError
from urlset._publish.commit.publication import Publication
from urlset._publish.plan import guards
from urlset._publish.rows.ingest import IngestReport


def tripped(publication: Publication) -> list[str]:
    """The guards of a plan."""
    return [guard.name for guard in publication.plan.guards]


def refused(rows: Any, folder: Path, day: int, **options: Any) -> list[str]:
    """The guards that refuse the rows; nothing is changed, and what the plan says is what is raised."""
    before = tree(folder)
    options = {"allow": [], **options}
    with pytest.raises(GuardError) as raised:
        publish(rows, folder, day, **options)
    assert tree(folder) == before
    names = [guard.name for guard in raised.value.guards]
    assert all(name in str(raised.value) for name in names)
    planned = publish(rows, folder, day, dry_run=True, **options)
    assert planned.plan.is_blocked
    assert tripped(planned) == names
    # And allowed it is told still.
    allowed = publish(rows, folder, day, dry_run=True, **{**options, "allow": names})
    assert (tripped(allowed), allowed.plan is not None and allowed.plan.is_blocked) == (names, False)
    return names


def test_a_guard_is_an_error_of_publishing() -> None:
    assert issubclass(GuardError, PublishError)
    assert issubclass(GuardError, UrlsetError)
    assert not issubclass(GuardError, InputError)


# --- shrunk -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("before", "left"), [(10, 8), (5, 4), (35, 28), (100, 80), (45, 36)])
def test_a_fifth_less_is_no_mistake_and_one_more_is(tmp_path: Path, before: int, left: int) -> None:
    publish(locs(before), tmp_path)
    assert refused(locs(left - 1), tmp_path, 2) == ["shrunk"]
    assert read_back(tmp_path) == locs(before)
    assert tripped(publish(locs(left), tmp_path, 2, allow=[])) == []
    assert read_back(tmp_path) == locs(left)


def test_a_set_may_shrink_where_that_is_allowed(tmp_path: Path) -> None:
    publish(locs(10), tmp_path)
    assert tripped(publish(locs(1), tmp_path, 2, allow=["shrunk"])) == ["shrunk"]
    assert read_back(tmp_path) == locs(1)


def test_what_is_made_anew_each_time_is_not_counted(tmp_path: Path) -> None:
    rows = [{"loc": loc, "lastmod": DAY[0] + timedelta(seconds=number)} for number, loc in enumerate(locs(10))]
    publish(rows, tmp_path, recent=3)
    assert tripped(publish(rows[:8], tmp_path, 2, allow=[])) == []


def test_replacing_all_pages_does_not_trip_shrunk(tmp_path: Path) -> None:
    publish(locs(10), tmp_path)
    assert tripped(publish(locs(10, "other"), tmp_path, 2, allow=[])) == []


# --- empty --------------------------------------------------------------------------------------------------


def test_an_empty_set_is_a_mistake(tmp_path: Path) -> None:
    assert refused([], tmp_path, 1) == ["empty"]
    publish(locs(10), tmp_path)
    assert refused([], tmp_path, 2) == ["empty"]
    assert refused(["mailto:a"], tmp_path, 2, on_error="collect") == ["empty"]


def test_an_allowed_empty_set_still_lists_removed_pages(tmp_path: Path) -> None:
    publish(locs(3), tmp_path)
    publication = publish([], tmp_path, 2, allow=["empty"], removed=30)
    assert [shard.entries for shard in publication.shards] == [3]
    assert read_back(tmp_path) == locs(3)
    with pytest.raises(PublishError, match="a sitemap cannot be empty"):
        publish([], tmp_path, 3, allow=["empty"])


# --- one lastmod --------------------------------------------------------------------------------------------


def test_a_refused_plan_can_be_looked_at(tmp_path: Path) -> None:
    publish(locs(10), tmp_path)
    with pytest.raises(GuardError) as refused:
        publish(locs(3), tmp_path, day=2, allow=[])
    assert refused.value.plan == publish(locs(3), tmp_path, day=2, allow=[], dry_run=True).plan
    assert [guard.name for guard in refused.value.guards] == ["shrunk"]
    assert (refused.value.plan.removed, refused.value.plan.count("rewrite")) == (7, 1)


@pytest.mark.parametrize(
    "lastmod",
    ["2024-01-01", "2024-01", "2024-01-01T00:00:00+01:00", DAY[0], DAY[0].date()],
    ids=["a day", "a month", "a moment", "a datetime", "a date"],
)
def test_one_lastmod_for_nine_in_ten_is_the_time_of_a_build(tmp_path: Path, lastmod: Any) -> None:
    def rows(count: int, alike: int) -> list[dict[str, Any]]:
        others = [f"2023-{number % 12 + 1:02}-{number % 28 + 1:02}" for number in range(count)]
        return [
            {"loc": loc, "lastmod": lastmod if number < alike else others[number]}
            for number, loc in enumerate(locs(count))
        ]

    assert refused(rows(20, 18), tmp_path, 1) == ["one-lastmod"]
    assert refused(rows(30, 27), tmp_path, 1) == ["one-lastmod"]
    assert tripped(publish(rows(20, 17), tmp_path / "a", allow=[])) == []
    # Of few pages nothing can be said.
    assert tripped(publish(rows(19, 19), tmp_path / "b", allow=[])) == []
    assert tripped(publish(rows(20, 20), tmp_path / "c", allow=["one-lastmod"])) == ["one-lastmod"]


def test_one_commit_that_dates_all_pages_is_no_build(tmp_path: Path) -> None:
    rows = [{"loc": loc, "lastmod": "2024-01-01T10:00:00Z", "lastmod_source": "git"} for loc in locs(40)]
    options: Any = {"columns": {"lastmod_source": "lastmod_source"}, "allow": []}
    assert tripped(publish(rows, tmp_path / "a", **options)) == []
    for row in rows[:10]:
        row["lastmod_source"] = "page"
    assert refused(rows, tmp_path, 1, columns=options["columns"]) == ["one-lastmod"]


@pytest.mark.parametrize(("alike", "trips"), [(27_000, ["one-lastmod"]), (26_999, [])])
def test_of_many_pages_a_few_say_which_lastmod_that_is(tmp_path: Path, alike: int, trips: list[str]) -> None:
    """All are counted for it: the guard is exact, whichever were looked at."""
    since = datetime(2001, 1, 1, tzinfo=UTC)
    rows = [
        {"loc": loc, "lastmod": DAY[0] if number < alike else since + timedelta(minutes=number)}
        for number, loc in enumerate(locs(30_000))
    ]
    assert tripped(publish(rows, tmp_path, dry_run=True, allow=["one-lastmod"])) == trips


def test_pages_without_a_lastmod_are_not_alike(tmp_path: Path) -> None:
    rows = [{"loc": loc, "lastmod": "2024-01-01" if number < 17 else None} for number, loc in enumerate(locs(20))]
    assert tripped(publish(rows, tmp_path, allow=[])) == []
    assert tripped(publish(locs(20), tmp_path / "none", allow=[])) == []


def test_a_page_that_all_have_changed_trips_as_well(tmp_path: Path) -> None:
    def rows(content: str) -> list[dict[str, Any]]:
        return [{"loc": loc, "text": f"{loc} {content}"} for loc in locs(20)]

    publish(rows("1"), tmp_path, columns={"content": "text"})
    assert refused(rows("2"), tmp_path, 2, columns={"content": "text"}) == ["one-lastmod"]


# --- future -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lastmod", "is_future"),
    [
        (DAY[0] + timedelta(days=1), False),
        (DAY[0] + timedelta(days=1, seconds=1), True),
        ("2024-01-02", False),
        ("2024-01-03", True),
        ("2024-01-02T23:00:00+14:00", False),
        ("2024-01-02T01:00:00-12:00", True),
        ("2025", True),
        ("9999-12-31", True),
        ("0001-01-01", False),
    ],
)
def test_a_lastmod_may_be_of_tomorrow(tmp_path: Path, lastmod: Any, *, is_future: bool) -> None:
    rows: list[Any] = [{"loc": "/a", "lastmod": lastmod}, "/b"]
    if is_future:
        assert refused(rows, tmp_path, 1) == ["future"]
    assert tripped(publish(rows, tmp_path, 1, allow=["future"])) == ["future"] * is_future


# --- foreign ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("foreign", ["https://example.org/", "http://example.com/", "https://example.com:444/"])
def test_a_tenth_of_another_site_is_a_wrong_base_url(tmp_path: Path, foreign: str) -> None:
    assert refused([*locs(9), foreign], tmp_path, 1, on_error="collect") == ["foreign"]
    assert refused([*locs(27), *[foreign] * 3], tmp_path, 1, on_error="collect") == ["foreign"]
    assert tripped(publish([*locs(10), foreign], tmp_path / "a", on_error="collect", allow=[])) == []
    allowed = publish([*locs(3), foreign], tmp_path / "b", on_error="collect", allow=["foreign"])
    assert (tripped(allowed), allowed.refused, allowed.entries) == (["foreign"], 1, 3)


def test_rows_that_are_refused_for_other_reasons_are_not_foreign(tmp_path: Path) -> None:
    assert tripped(publish([*locs(3), "mailto:a"], tmp_path, on_error="collect", allow=[])) == []


# --- oversize, and several at once --------------------------------------------------------------------------


def test_a_document_over_a_limit_trips() -> None:
    """`publish` never plans this: it would be a bug in the plan."""
    said: dict[str, Any] = {"entries": 1, "previous": 0, "served_at": None, "base": BASE}
    report, lastmods = IngestReport("raise"), guards.LastmodCounts({}, 0, None)
    [guard] = guards.check(report, lastmods, sources={}, oversize=["0001", "x-0002"], allow=[], **said)
    assert (guard.name, guard.is_allowed) == ("oversize", False)
    assert "0001, x-0002" in guard.reason
    [guard] = guards.check(report, lastmods, sources={}, oversize=["0001"], allow=["oversize"], **said)
    assert guard.is_allowed


def test_all_tripped_guards_are_reported_at_once(tmp_path: Path) -> None:
    publish(locs(50), tmp_path)
    rows: list[Any] = [{"loc": loc, "lastmod": "2024-02-01"} for loc in locs(20)]
    rows += ["https://example.org/"] * 10
    assert refused(rows, tmp_path, 2, on_error="collect") == ["shrunk", "one-lastmod", "future", "foreign"]
    with pytest.raises(GuardError, match=r"\(one-lastmod\).* allow it: one-lastmod, foreign$"):
        publish(rows, tmp_path, 2, on_error="collect", allow=["shrunk", "future"])


def test_what_stands_may_stand(tmp_path: Path) -> None:
    """What was allowed once and is published is not asked about again, as nothing would change."""
    rows = [{"loc": loc, "lastmod": "2024-01-01"} for loc in locs(20)]
    publish(rows, tmp_path, allow=["one-lastmod"])
    assert publish(rows, tmp_path, 2, allow=[]).written == ()
