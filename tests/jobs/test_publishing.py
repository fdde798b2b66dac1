"""Rows published in parts: the set of one publish, byte by byte, whatever came before and however the rows lie."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.documents import tree
from support.jobs import job, own_files, publish_in_parts, write
from support.properties import times
from support.publish import BASE, DAY, known_rows, locs, names, publish, read_back
from support.publish.model import small
from urlset import EntryError, GuardError, InputError, PublishError
from urlset.jobs import PublishJob

WAYS = ["hash:5", "key:brand"]
PLANNED = (
    "entries",
    "added",
    "changed",
    "removed",
    "moved",
    "same",
    "rows",
    "duplicates",
    "normalized",
    "refused",
    "lastmod_sources",
)


def rows_of(rows: list[str], way: str, **more: Any) -> list[dict[str, Any]]:
    """Rows, each of one of three brands."""
    brands = ["Tea", "cups", ""]
    has_brand = way.startswith("key")
    return [
        {"loc": loc, **({"brand": brands[number % 3]} if has_brand else {}), **more} for number, loc in enumerate(rows)
    ]


def documents(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in tree(folder).items() if not name.startswith(".urlset/")}


def split(rows: list[Any], parts: int) -> list[list[Any]]:
    return [rows[number::parts] for number in range(parts)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("is_mixed", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_history_of_sets_is_that_of_one_machine(way: str, is_mixed: bool, tmp_path: Path) -> None:
    """Rows come, go, come back, change and are repeated; if mixed, every other set is published on one machine."""
    first = rows_of(locs(40), way)
    changed = [{**row, "priority": 0.5} if number % 7 == 0 else row for number, row in enumerate(first[4:])]
    history = [
        first,
        [*changed, *rows_of(locs(9, "new"), way), *changed[:3]],
        [*rows_of(locs(6, "new"), way), *first[:30]],
        first,
        first[::-1],
    ]
    mine, one = tmp_path / "mine", tmp_path / "one"
    for day, rows in enumerate(history, 1):
        with small(3):
            expected = publish(rows, one, day, shard_by=way)
            if is_mixed and day % 2:
                publish(rows, mine, day, shard_by=way)
            else:
                found = publish_in_parts(split(rows, day), mine, day, shard_by=way)
                for name in PLANNED:
                    assert getattr(found.plan, name) == getattr(expected.plan, name), (day, name)
                for action in ("keep", "new", "rewrite", "remove"):
                    assert found.plan.count(action) == expected.plan.count(action), (day, action)
                assert {*found.written} == {*expected.written}
                assert {*found.removed} - {*expected.removed} <= {name for name in found.removed if "parts/" in name}
        assert documents(mine) == documents(one), day
        assert known_rows(mine) == known_rows(one), day
        assert urlset.verify(mine).is_intact


LOCS = st.lists(st.sampled_from(locs(14)), max_size=12)


@times(30)
@given(st.lists(LOCS, min_size=1, max_size=3), st.sampled_from(WAYS), st.randoms(use_true_random=False))
def test_any_history_is_that_of_one_machine(history: list[list[str]], way: str, chance: Any) -> None:
    with TemporaryDirectory() as folder, small(3):
        mine, one = Path(folder, "mine"), Path(folder, "one")
        for day, given_locs in enumerate(history, 1):
            # A set of a single document would be one without an index on one machine.
            rows = rows_of([*given_locs, *locs(8, "always")], way)
            rows = [{**row, "lastmod": f"2023-01-{chance.randint(1, 3):02}"} for row in rows]
            for number, row in enumerate(rows):
                if way.startswith("key") and chance.random() < 0.2:  # a loc that moves to another series
                    rows[number] = {**row, "brand": chance.choice(["Tea", "cups"])}
            options: dict[str, Any] = {"shard_by": way, "allow": ["shrunk", "one-lastmod"]}
            expected = publish(rows, one, day, **options)
            shuffled = chance.sample(rows, len(rows))
            found = publish_in_parts(split(shuffled, chance.randint(1, 3)), mine, day, **options)
            for name in PLANNED:
                assert getattr(found.plan, name) == getattr(expected.plan, name), name
            assert documents(mine) == documents(one)
            assert known_rows(mine) == known_rows(one)


@pytest.mark.parametrize("way", WAYS)
def test_a_second_publish_of_the_same_rows_writes_nothing(way: str, tmp_path: Path) -> None:
    rows = rows_of(locs(40), way, lastmod="2023-05")
    with small(3):
        publish_in_parts(split(rows, 2), tmp_path, shard_by=way, allow=["one-lastmod"])
        before = tree(tmp_path)
        again = publish_in_parts(split(rows[::-1], 5), tmp_path, 2, shard_by=way, parts=4, allow=["one-lastmod"])
    assert (again.written, again.removed, again.plan.same, again.plan.moved) == ((), (), 40, 0)
    assert tree(tmp_path) == before


def test_a_change_rewrites_its_document_alone(tmp_path: Path) -> None:
    with small(3):
        first = publish_in_parts([locs(40)], tmp_path)
        rows: list[Any] = [*locs(40)]
        rows[11] = {"loc": rows[11], "lastmod": "2023-05"}
        second = publish_in_parts([rows], tmp_path, 2)
    assert len(second.written) == 2
    assert (second.plan.changed, second.plan.same, second.plan.count("keep")) == (1, 39, len(first.shards) - 1)
    assert (
        len({shard.name for shard in first.shards} & {shard.name for shard in second.shards}) == len(first.shards) - 1
    )


@pytest.mark.parametrize("way", WAYS)
def test_contents_that_change_give_lastmods(way: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"shard_by": way, "columns": {"content": "text"}}
    rows = rows_of(locs(10), way, text="1")
    publish_in_parts(split(rows, 2), tmp_path, 1, **options)
    rows[3]["text"] = "2"
    published = publish_in_parts(split(rows, 3), tmp_path, 2, **options)
    assert (published.plan.changed, published.plan.lastmod_sources) == (1, {"content": 1, "none": 9})
    assert [(entry.loc, entry.lastmod) for entry in urlset.read(tmp_path) if entry.lastmod] == [
        (rows[3]["loc"], DAY[1])
    ]


def test_another_way_of_sharding_moves_and_remembers(tmp_path: Path) -> None:
    """A set of one machine, of parts of its own, of other hashes: each loc is known, wherever it was."""
    with small(3):
        publish(locs(20), tmp_path, 1)
        for day, way in ((2, "hash:4"), (3, "hash:7")):
            found = publish_in_parts([locs(20)], tmp_path, day, shard_by=way)
            assert (found.plan.moved + found.plan.same, found.plan.added, found.plan.removed) == (20, 0, 0)
        write([locs(10), locs(20)[10:]], tmp_path, 4)
        found = publish_in_parts([locs(21)], tmp_path, 5)
    assert (found.plan.moved, found.plan.added) == (20, 1)
    assert sorted(read_back(tmp_path)) == sorted(locs(21))
    assert urlset.verify(tmp_path).is_intact


def test_what_was_lost_is_recovered_from_the_documents(tmp_path: Path) -> None:
    with small(3):
        publish_in_parts([locs(20)], tmp_path)
        before = documents(tmp_path)
        (tmp_path / ".urlset" / "manifest.parquet").unlink()
        found = publish_in_parts([locs(20)], tmp_path, 2)
    assert (found.plan.recovered, found.plan.same, found.plan.added) == (True, 20, 0)
    assert documents(tmp_path).keys() == before.keys()
    assert own_files(tmp_path) == ["manifest.parquet"]
    next((tmp_path / ".urlset" / "parts").iterdir()).write_bytes(b"PAR1")
    with pytest.raises(PublishError, match=r"is missing or damaged: move \.urlset/manifest.parquet away"):
        publish_in_parts([locs(20)], tmp_path, 3)
    assert own_files(tmp_path) == ["manifest.parquet"]


def test_damaged_documents_are_made_anew(tmp_path: Path) -> None:
    with small(3):
        published = publish_in_parts([locs(20)], tmp_path)
        before = documents(tmp_path)
        (tmp_path / published.shards[2].name).write_bytes(b"x" * published.shards[2].size)
        again = publish_in_parts([locs(20)], tmp_path, 2)
    assert again.written == (published.shards[2].name,)
    assert documents(tmp_path) == before


@pytest.mark.parametrize("way", WAYS)
def test_a_dry_run_plans_and_writes_nothing(way: str, tmp_path: Path) -> None:
    with small(3):
        publish_in_parts([rows_of(locs(20), way)], tmp_path, shard_by=way)
        before = tree(tmp_path)
        planned = publish_in_parts([rows_of(locs(25)[2:], way)], tmp_path, 2, shard_by=way, dry_run=True)
        assert tree(tmp_path) == before
        done = publish_in_parts([rows_of(locs(25)[2:], way)], tmp_path, 2, shard_by=way)
    assert planned.plan == done.plan
    assert (planned.plan.added, planned.plan.removed, planned.shards) == (5, 2, ())


def test_another_publish_in_between_is_noticed(tmp_path: Path) -> None:
    publish(locs(4), tmp_path)
    work = PublishJob(tmp_path, base_url=BASE, shard_by="hash:2", now=DAY[1])
    work.begin()
    facts = work.write_arrived([], 0)
    publish(locs(5), tmp_path, 2)
    with pytest.raises(PublishError, match=r"another publish has replaced the set in .* meanwhile: publish again"):
        work.commit([facts])
    assert read_back(tmp_path) == locs(5)


def test_an_interrupted_publish_is_completed(tmp_path: Path) -> None:
    """It has stored its entry point, and was killed before its manifest had its name."""
    with small(3):
        publish(locs(6), tmp_path, shard_by="hash:5")
        manifest, waiting = (tmp_path / ".urlset" / f"{name}.parquet" for name in ("manifest", "next"))
        before = manifest.read_bytes()
        replaced = (tmp_path / "sitemap.xml").read_bytes()
        publish(locs(20), tmp_path, 2, shard_by="hash:5")
        manifest.rename(waiting)
        manifest.write_bytes(before)
        (tmp_path / ".urlset" / "replaced.xml").write_bytes(replaced)
        found = publish_in_parts([locs(20)], tmp_path, 3)
    assert (found.plan.same, found.plan.added, found.plan.moved, found.written) == (20, 0, 0, ())
    assert urlset.verify(tmp_path).is_intact
    assert own_files(tmp_path) == ["manifest.parquet", "previous.parquet", "previous.xml"]


def test_refused_rows(tmp_path: Path) -> None:
    with pytest.raises(EntryError, match="row 2"):
        publish_in_parts([["/a", "mailto:a"], ["/b"]], tmp_path)
    found = publish_in_parts([["/a", "mailto:a"], ["/b", "mailto:b", "/a"]], tmp_path, on_error="collect")
    assert (found.entries, found.refused, found.plan.rows, found.plan.duplicates) == (2, 2, 5, 1)
    with pytest.raises(GuardError, match="empty"):
        publish_in_parts([["mailto:a"]], tmp_path, 2, on_error="collect")
    assert sorted(read_back(tmp_path)) == [BASE + "a", BASE + "b"]


@pytest.mark.parametrize("way", ["sticky", "sequence", "date:month", "path:1"])
def test_only_ways_whose_series_an_engine_can_bring_together(way: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="shard_by of a job must be hash:N or key:COLUMN, got '"):
        PublishJob(tmp_path, base_url=BASE, shard_by=way)


def test_plain_parts_and_parts_by_hash_go_on_from_each_other(tmp_path: Path) -> None:
    with small(3):
        publish_in_parts([locs(12)], tmp_path, 1)
        write([locs(12)], tmp_path, 2)
        urlset.rollback(tmp_path)
        again = publish_in_parts([locs(12)], tmp_path, 3)
    assert (again.plan.same, again.plan.moved) == (12, 0)
    assert {*again.written} <= {"sitemap.xml"}
    work = job(tmp_path, 4)
    work.abort()
    assert names(tmp_path) >= {shard.name for shard in again.shards}
