"""A plain set whose manifest is known is compared with it in the core: with the same result, and in bounded memory."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
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
from support.publish import locs, publish
from support.publish.manifests import rewritten
from support.publish.model import small
from urlset import PublishError, _core
from urlset._publish.plan.known_set import assign_known
from urlset._publish.rows import ingest
from urlset._publish.rows.database import PlanningDatabase

from publish.plan.test_new_set import files

duckdb: Any = import_module("duckdb")

NOON = datetime(2024, 1, 1, 12, tzinfo=UTC)
ROW = st.fixed_dictionaries(
    {"loc": st.builds(lambda path: "/p" + path, st.text("ab/é", max_size=2))},
    optional={
        "lastmod": st.sampled_from(["2023-11-20", "2023-11-21T10:00:00Z", "2999-01-01", None]),
        "priority": st.sampled_from([0.5, 1.0]),
        "images": st.just(["https://example.com/i.png"]),
        "news": st.just(
            {"publication_name": "N", "publication_language": "en", "publication_date": "2024-01-01", "title": "T"}
        ),
    },
)
#: Rows that are planned with SQL, of which later rows of the same locs know.
CONTENT = st.builds(lambda row, content: {**row, "content": content}, ROW, st.sampled_from(["one", "two"]))
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "pretty": st.booleans(),
        "stylesheet": st.booleans(),
        "names": st.sampled_from(["content", "stable"]),
        "base_url": st.just("https://example.com/p/"),
        "shard_by": st.just("hash:2"),
        "removed": st.just(2),
    },
)
STEP = st.tuples(
    st.one_of(st.lists(ROW, min_size=1, max_size=14), st.lists(CONTENT, min_size=1, max_size=4)),
    st.sampled_from([1, 1, 1, 100]),
    st.one_of(st.just({}), OPTIONS),
)
ALLOW = ["one-lastmod", "future", "shrunk", "base-url"]


@contextmanager
def counted() -> Iterator[list[bool]]:
    """Notes of each publish that got so far whether its rows were compared in the core."""
    found: list[bool] = []

    def noted(*arguments: Any) -> Any:
        assigned = assign_known(*arguments)
        found.append(assigned is not None)
        return assigned

    with patch("urlset._publish.pipeline.assign_known", noted):
        yield found


@contextmanager
def with_sql() -> Iterator[None]:
    """Every set is planned with SQL."""
    with (
        patch("urlset._publish.pipeline.assign_known", lambda *_: None),
        patch("urlset._publish.pipeline.assign_new", lambda *_: None),
    ):
        yield


@times(20)
@given(steps=st.lists(STEP, min_size=2, max_size=5), random=st.randoms(use_true_random=False))
def test_every_history_is_that_of_sql(
    steps: list[tuple[list[dict[str, Any]], int, dict[str, Any]]], random: Any
) -> None:
    now = NOON
    with TemporaryDirectory() as one, TemporaryDirectory() as other, small(shard=3):
        for rows, days, options in steps:
            now += timedelta(days=days)
            found = publish(rows, Path(one), **{"now": now, "allow": ALLOW, **options})
            random.shuffle(rows)
            with with_sql():
                expected = publish(rows, Path(other), **{"now": now, "allow": ALLOW, **options})
            assert found.plan == expected.plan
            assert (found.written, found.removed) == (expected.written, expected.removed)
            assert files(Path(one)) == files(Path(other))


def changed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Some rows are gone, some say something else, and some are new."""
    found = [{**row, "priority": 0.1} if number % 50 == 1 else row for number, row in enumerate(rows) if number % 70]
    return [*found, *({"loc": f"/{len(rows)}/{number}"} for number in range(len(rows) // 40))]


@pytest.mark.parametrize("most", [1 << 14, 1 << 18])
def test_rows_that_exceed_the_memory_give_the_same_set(tmp_path: Path, most: int) -> None:
    """Also with several threads, and with a newest shard whose locs come between those of the others."""
    numbers = list(range(8_000))
    random.Random(0).shuffle(numbers)
    rows = [{"loc": f"/{number}", "priority": number % 10 / 10} for number in numbers]
    sets = [rows, changed(rows), changed(changed(rows))[::-1], rows]
    spilled: list[Path] = []
    new_file = PlanningDatabase.new_file

    def noted(database: Any) -> Path:
        spilled.append(new_file(database))
        return spilled[-1]

    with small(shard=1_900), counted() as ways:
        for day, each in enumerate(sets, 1):
            with (
                patch.object(ingest, "_ALWAYS_HELD", most),
                patch.object(ingest, "_HELD_PART", 1 << 40),
                patch.object(PlanningDatabase, "new_file", noted),
            ):
                found = publish(each, tmp_path / "spilled", day)
            with with_sql():
                expected = publish(each, tmp_path / "sql", day)
            assert found.plan == expected.plan
            assert files(tmp_path / "spilled") == files(tmp_path / "sql")
    assert ways == [False, True, True, True]
    assert len(spilled) > (20 if most == 1 << 14 else 4)


def reordered(folder: Path) -> None:
    """Bring the rows of a manifest into an order in which no publish writes them."""
    rewritten(folder / ".urlset" / "manifest.parquet", query="FROM known ORDER BY hash(loc)")


def test_a_manifest_that_is_compressed_in_another_way_gives_the_same_set(tmp_path: Path) -> None:
    """The core leaves it to DuckDB, which knows more ways."""
    rows = [{"loc": f"/{number}", "lastmod": f"2023-11-{number % 28 + 1:02}"} for number in range(100)]
    with counted() as ways:
        for folder, compression in ((tmp_path / "core", "lz4_raw"), (tmp_path / "sql", "zstd")):
            publish(rows, folder)
            rewritten(folder / ".urlset" / "manifest.parquet", compression=compression)
            publish(rows[1:], folder, 2)
    assert ways == [False, True, False, False]
    assert files(tmp_path / "core") == files(tmp_path / "sql")


@pytest.mark.parametrize("most", [0, 1 << 20])
def test_a_manifest_in_any_order_gives_the_same_set(tmp_path: Path, most: int) -> None:
    """Also if what is known is spilled."""
    rows = [{"loc": f"/{number}", "lastmod": "2023-11-20"} for number in range(300)]
    sets = [rows, changed(rows), changed(changed(rows)), rows, changed(rows)]
    with (
        small(shard=70),
        counted() as ways,
        patch("urlset._publish.plan.known_set.max_held", lambda _: most),
    ):
        for day, each in enumerate(sets, 1):
            found = publish(each, tmp_path / "core", day, allow=ALLOW)
            with with_sql():
                expected = publish(each, tmp_path / "sql", day, allow=ALLOW)
            assert found.plan == expected.plan
            assert files(tmp_path / "core") == files(tmp_path / "sql")
            reordered(tmp_path / "core")
            reordered(tmp_path / "sql")
    assert ways == [False, True, True, True, True]


def test_a_shard_that_nothing_changes_is_kept(tmp_path: Path) -> None:
    with small(), counted() as ways:
        publish(locs(9), tmp_path)
        plan = publish([*locs(8), *locs(1, "q")], tmp_path, 2).plan
    assert ways == [False, True]
    assert [(shard.shard, shard.action) for shard in plan.shards] == [
        ("0001", "keep"),
        ("0002", "keep"),
        ("0003", "rewrite"),
    ]


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        ([*locs(5), locs(1)[0]], {}),
        ([{"loc": loc, "content": "one"} for loc in locs(5)], {}),
        ([{"loc": loc, "alternates": [{"hreflang": "de", "href": loc}]} for loc in locs(5)], {}),
        (locs(5), {"shard_by": "hash:2"}),
        (locs(5), {"shard_by": "sequence"}),
        (locs(5), {"removed": 3}),
        ({"shop": urlset.Section(locs(5))}, {}),
        ({"shop": urlset.Section(locs(5)), "blog": urlset.Section(locs(5, "q"))}, {}),
    ],
)
def test_what_is_left_to_sql(tmp_path: Path, rows: Any, options: dict[str, Any]) -> None:
    publish(locs(4), tmp_path)
    with counted() as ways:
        publish(rows, tmp_path, 2, on_error="collect", **options)
    assert ways == [False]


def test_a_shard_that_has_grown_too_large_is_left_to_sql(tmp_path: Path) -> None:
    publish(locs(9), tmp_path)
    with small(), counted() as ways:
        assert [shard.entries for shard in publish(locs(10), tmp_path, 2).shards] == [3, 3, 3, 1]
    assert ways == [False]


def test_a_disk_that_fails_while_rows_are_spilled_is_explained(tmp_path: Path) -> None:
    publish(locs(3), tmp_path / "set")

    def missing(database: Any) -> Path:
        return tmp_path / "missing" / "rows-1"

    with (
        patch("urlset._publish.plan.known_set.max_held", lambda _: 0),
        patch.object(PlanningDatabase, "new_file", missing),
        pytest.raises(PublishError, match="No such file or directory"),
    ):
        publish(locs(4), tmp_path / "set", 2)
    assert not urlset.verify(tmp_path / "set").damage


def test_a_shard_that_is_not_there_is_not_begun() -> None:
    compared = _core.compare_rows(_core.RowStore([]), [], "", [], urlset.Layout(), 0, 0, str)
    assert compared is not None
    with pytest.raises(ValueError, match="no shard has that number"):
        compared.fill(0, 0, 3)
