"""A set of which nothing was known is planned without a database: with the same result, and in bounded memory."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.properties import times
from support.publish import BASE, publish
from support.publish.manifests import said
from support.publish.model import small
from urlset import PublishError, _core
from urlset._publish.checked_options import checked_options
from urlset._publish.plan.new_set import assign_new
from urlset._publish.rows import ingest
from urlset._publish.rows.database import PlanningDatabase
from urlset._stores.seal import KEY
from urlset._write.rows import source_of

pa: Any = import_module("pyarrow")
duckdb: Any = import_module("duckdb")

PATHS = st.text("ab/é", max_size=6)
PLAIN = st.fixed_dictionaries(
    {"loc": st.builds(lambda path: "/p" + path, PATHS)},
    optional={
        "lastmod": st.sampled_from(["2026-11-20", "2026-11-21T10:00:00Z", "2999-01-01", None]),
        "priority": st.sampled_from([0.5, 1.0]),
        "images": st.just(["https://example.com/i.png"]),
    },
)
#: What sends a set another way, if it is there.
OTHER = st.fixed_dictionaries(
    {"loc": st.builds(lambda path: "/p" + path, PATHS)},
    optional={
        "content": st.sampled_from(["one", "two"]),
        "lastmod_source": st.just("git"),
        "alternates": st.just([{"hreflang": "de", "href": "https://example.com/de"}]),
    },
)


@contextmanager
def counted() -> Iterator[list[bool]]:
    """Notes of each publish whether its rows were planned without the database."""
    found: list[bool] = []

    def noted(*arguments: Any) -> Any:
        assigned = assign_new(*arguments)
        found.append(assigned is not None)
        return assigned

    with patch("urlset._publish.pipeline.assign_new", noted):
        yield found


def files(folder: Path) -> dict[str, Any]:
    """The files of a set by their names; of a manifest its rows, whose bytes depend on how they reach DuckDB."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".parquet":
            rows = duckdb.sql(f"SELECT COLUMNS(*)::VARCHAR FROM '{path}'").fetchall()
            found[path.name] = [rows, {name: text for name, text in said(path).items() if name != KEY}]
        elif path.is_file() and path.name not in ("lock", "stamps.json"):
            found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found


def in_both_ways(rows: Any, **options: Any) -> bool:
    """Publish rows as they are, and with the database, and compare both sets. Return whether the ways differ."""
    with TemporaryDirectory() as one, TemporaryDirectory() as other:
        with counted() as ways:
            found = publish(rows, Path(one), **options)
        with patch("urlset._publish.pipeline.assign_new", lambda *_: None):
            expected = publish(rows, Path(other), **options)
        assert files(Path(one)) == files(Path(other))
        assert found.plan == expected.plan
        assert found.refused_by_code == expected.refused_by_code
        return ways == [True]


@times(40)
@given(
    rows=st.lists(PLAIN, min_size=1, max_size=30),
    pretty=st.booleans(),
    stylesheet=st.booleans(),
    names=st.sampled_from(["content", "stable"]),
    name=st.sampled_from([None, "shop"]),
)
def test_plain_rows_give_the_same_set_without_the_database(
    rows: list[dict[str, Any]], *, pretty: bool, stylesheet: bool, names: str, name: str | None
) -> None:
    entries = rows if name is None else {name: urlset.Section(rows)}
    options = {"pretty": pretty, "stylesheet": stylesheet, "names": names, "allow": ["one-lastmod", "future"]}
    with small(shard=4):
        is_new = in_both_ways(entries, **options)
    locs = [row["loc"] for row in rows]
    assert is_new or len(set(locs)) < len(locs)


@times(40)
@given(rows=st.lists(st.one_of(PLAIN, OTHER), min_size=1, max_size=12))
def test_rows_that_bring_more_are_planned_with_the_database(rows: list[dict[str, Any]]) -> None:
    brings = any(row.keys() & {"content", "lastmod_source", "alternates"} for row in rows)
    is_new = in_both_ways(rows, allow=["future"])
    assert not (is_new and brings)


@pytest.mark.parametrize(
    ("options", "is_new"),
    [
        ({}, True),
        ({"shard_by": "hash:2"}, False),
        ({"shard_by": "sequence"}, False),
        ({"removed": 3}, False),
        ({"recent": 3}, False),
        ({"news": True}, False),
    ],
)
def test_which_options_need_the_database(tmp_path: Path, options: dict[str, Any], is_new: bool) -> None:
    with counted() as ways:
        publish(["/a", "/b"], tmp_path, **options)
        publish(["/a", "/b", "/c"], tmp_path, **options)
    # The second time, something is known, and plain rows are compared with that in the core.
    assert ways == [True] if is_new else [False, False]


def test_guards_see_the_same_lastmods() -> None:
    day, later = "2026-11-20", "2999-01-01"
    for dates in (
        [day] * 20,
        [day] * 19,
        [day] * 18 + ["2026-11-19"] * 2,
        [day] * 17 + ["2026-11-19"] * 3,
        [later, day, later],
    ):
        rows = [{"loc": f"/{number:02}", "lastmod": text} for number, text in enumerate(dates)]
        assert in_both_ways(rows, allow=["one-lastmod", "future"])


@pytest.mark.parametrize("most", [0, 1 << 20])
def test_rows_that_exceed_the_memory_give_the_same_set(tmp_path: Path, most: int) -> None:
    numbers = list(range(30_000))
    random.Random(0).shuffle(numbers)
    table = pa.table(
        {"loc": [f"/{number}" for number in numbers], "priority": [number % 10 / 10 for number in numbers]}
    )
    spilled: list[str] = []
    with (
        small(shard=7_000),
        patch.object(ingest, "_ALWAYS_HELD", most),
        patch.object(ingest, "_HELD_PART", 1 << 40),
        patch("urlset._publish.plan.known_set.max_held", lambda _: 1 << 18),
    ):
        new_file = PlanningDatabase.new_file

        def noted(database: Any) -> Path:
            spilled.append("")
            return new_file(database)

        with patch.object(PlanningDatabase, "new_file", noted):
            publish(table, tmp_path / "spilled")
            assert len(spilled) == (4 if most == 0 else 1)
            # What is known is compared with the same runs.
            assert publish(table.slice(1), tmp_path / "spilled").plan.removed == 1
            assert not publish(table.slice(1), tmp_path / "spilled").written
    with small(shard=7_000):
        publish(table, tmp_path / "held")
        publish(table.slice(1), tmp_path / "held")
    assert files(tmp_path / "spilled") == files(tmp_path / "held")


def test_sections_share_the_memory(tmp_path: Path) -> None:
    sections = {f"s{number:02}": urlset.Section([f"/{number}/{page}" for page in range(50)]) for number in range(20)}
    spilled: list[Path] = []
    new_file = PlanningDatabase.new_file

    def noted(database: Any) -> Path:
        spilled.append(new_file(database))
        return spilled[-1]

    with (
        patch.object(ingest, "_ALWAYS_HELD", 4_000),
        patch.object(ingest, "_HELD_PART", 1 << 40),
        patch.object(PlanningDatabase, "new_file", noted),
    ):
        publish(sections, tmp_path / "spilled")
    # The rows of a section take 2 to 3 KB, and 4 KB are held.
    assert len(spilled) == 18
    publish(sections, tmp_path / "held")
    assert files(tmp_path / "spilled") == files(tmp_path / "held")


def test_large_rows_are_taken_a_few_at_a_time() -> None:
    ready, store = checked_options(base_url=BASE).renderer(), _core.RowStore([])
    images = [{"loc": "https://example.com/i.png", "caption": "c" * (1 << 20)}]
    source = source_of([{"loc": f"/{number}", "images": images} for number in range(20)])
    filled = ready.fill(source, store)
    assert filled.status == _core.FillStatus.MORE
    assert len(store) == 8
    assert 8 << 20 < store.size == store.bytes


@pytest.mark.parametrize("is_unsorted", [False, True])
def test_many_runs_are_merged(tmp_path: Path, *, is_unsorted: bool) -> None:
    """More files than a process may have open at once."""
    ready, store = checked_options(base_url=BASE).renderer(), _core.RowStore(["extra0"])
    locs = [f"{BASE}{number * 7919 % 2003:04}" for number in range(1_600)]
    for number in range(800):
        rows = [{"loc": loc, "note": loc[-2:]} for loc in locs[2 * number : 2 * number + 2]]
        ready.fill(source_of(rows, ["note"]), store)
        store.spill(str(tmp_path / f"rows-{number}"), is_unsorted)
    table = pa.table(store.rendered())
    assert table["loc"].to_pylist() == sorted(locs)
    assert table["extra0"].to_pylist() == [loc[-2:] for loc in sorted(locs)]
    assert not store.may_repeat_loc()
    assert len(list(tmp_path.iterdir())) == 256


def test_a_disk_that_fails_while_rows_are_spilled_is_explained(tmp_path: Path) -> None:
    def missing(database: Any) -> Path:
        return tmp_path / "missing" / "rows-1"

    with (
        patch.object(ingest, "_ALWAYS_HELD", 0),
        patch.object(ingest, "_HELD_PART", 1 << 40),
        patch.object(PlanningDatabase, "new_file", missing),
        pytest.raises(PublishError, match="rows-1: No such file or directory"),
    ):
        publish(["/a"], tmp_path / "set")
    assert not list((tmp_path / "set").glob("*.xml*"))


def test_a_store_takes_no_rows_once_it_was_read() -> None:
    ready, store = checked_options(base_url=BASE).renderer(), _core.RowStore([])
    ready.fill(source_of(["/a"]), store)
    assert not store.may_repeat_loc()
    with pytest.raises(ValueError, match="takes no more rows"):
        ready.fill(source_of(["/b"]), store)


@pytest.mark.parametrize("spilled", [[True, True], [True, False], [False]])
def test_rows_that_could_not_be_sorted_are_never_left_out(tmp_path: Path, spilled: list[bool]) -> None:
    ready, store = checked_options(base_url=BASE).renderer(), _core.RowStore([])
    for number, is_unsorted in enumerate(spilled):
        ready.fill(source_of([f"/{number}"]), store)
        store.spill(str(tmp_path / f"rows-{number}"), is_unsorted)
    ready.fill(source_of(["/last"]), store)
    (tmp_path / "rows-0").unlink()
    for _ in range(2):
        with pytest.raises((OSError, ValueError)):
            store.may_repeat_loc()
