"""Where rows go: over random histories of sets, against a model in plain dicts."""

from __future__ import annotations

import random
import re
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.documents import tree
from support.properties import times
from support.publish import BASE, DAY, document, locs, names, publish, read_back
from support.publish.model import MAX_ENTRIES, Model, Row, comparable, group_of, histories, small
from urlset import Publication, _core
from urlset._model.plan import Plan
from urlset._publish.checked_options import checked_options
from urlset._write.rows import source_of

pa: Any = import_module("pyarrow")

WAYS = ["sticky", "hash:4", "key:brand", "date:month", "path:1"]
NOON = DAY[0]


def hashes(rows: list[Row]) -> dict[str, int]:
    """The hashes of locs by which they are split."""
    renderer, store = checked_options(base_url=BASE).renderer(), _core.RowStore([])
    filled = renderer.fill(source_of([row.loc for row in rows]), store)
    assert (filled.status, filled.refused) == (_core.FillStatus.END, [])
    table = pa.table(store.rendered())
    return dict(zip(table["loc"].to_pylist(), table["loc_hash"].to_pylist(), strict=True))


def shards_of(folder: Path, publication: Publication) -> dict[str, list[str]]:
    """The locs of each published document, by the name of its shard; a single one has none."""
    found = {}
    for shard in publication.shards:
        name = re.sub(r"^sitemap-?|(-[0-9a-f]{16})?\.xml(\.gz)?$", "", shard.name)
        found[name] = [str(entry.loc) for entry in urlset.read(folder / shard.name)]
    return found


def stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """When and where on the disk each file was written, but for the lock."""
    return {name: ((folder / name).stat().st_mtime_ns, (folder / name).stat().st_ino) for name in tree(folder)}


@pytest.mark.parametrize("shard_by", WAYS)
@times(12)
@given(sets=histories(4), names=st.sampled_from(["content", "stable"]))
def test_every_history_is_as_the_model_says(shard_by: str, sets: list[list[Row]], names: str) -> None:
    group = group_of(shard_by, hashes([row for rows in sets for row in rows]))
    model, lastmods = Model(group, keeps_index=names == "stable"), dict[tuple[str, bytes], datetime | None]()
    options: dict[str, Any] = {"shard_by": shard_by, "names": names}
    with TemporaryDirectory() as name, small():
        folder = Path(name)
        for day, rows in enumerate(sets):
            now, was = NOON + timedelta(days=day), {loc: shard for loc, (shard, _) in model.live.items()}
            expected = model.publish(rows)
            given_rows: list[Any] = [row.as_dict(shard_by) for row in rows]
            before = stamps(folder)
            planned = publish(given_rows, folder, **options, now=now, dry_run=True)
            assert stamps(folder) == before
            assert comparable(planned.plan) == expected

            publication = publish(given_rows, folder, **options, now=now)
            assert publication.plan == planned.plan
            check_documents(folder, publication, model)
            check_movements(model, was, {row.loc: group(row) for row in rows}, publication.plan)
            # The lastmod of a document in the index is that of its bytes.
            shards = [shard for shard in publication.shards if shard.name != "sitemap.xml"]
            found = {(shard.name, (folder / shard.name).read_bytes()): shard.lastmod for shard in shards}
            assert found == {document: lastmods.get(document, now) for document in found}
            lastmods = found
            check_again(folder, given_rows, options, now + timedelta(hours=1))


def check_documents(folder: Path, publication: Publication, model: Model) -> None:
    """Every loc is in exactly one document, that of its shard, in order, and no document is too long."""
    expected = model.shards()
    found = shards_of(folder, publication)
    if not model.has_index:
        assert list(found.values()) == list(expected.values())
    else:
        assert found == expected
    assert all(len(locs) <= MAX_ENTRIES for locs in found.values())
    assert sorted(read_back(folder)) == sorted(model.live)
    report = urlset.lint(
        folder, location=BASE + "sitemap.xml", now=NOON + timedelta(days=9), rules=urlset.Rules(profile="protocol")
    )
    assert [f"{found.code} {found.message}" for found in report] == []


def check_movements(model: Model, was: dict[str, str], groups: dict[str, str], plan: Plan) -> None:
    """A loc that lives and is of the same group is in the same shard."""
    moved = {loc for loc, (shard, _) in model.live.items() if loc in was and was[loc] != shard}
    assert plan.moved == len(moved)
    for loc in moved:
        assert was[loc].rpartition("-")[0] != model.live[loc][0].rpartition("-")[0], groups[loc]


def check_again(folder: Path, rows: list[Any], options: dict[str, Any], later: datetime) -> None:
    """The same rows in another order write nothing."""
    before = stamps(folder)
    random.Random(len(rows)).shuffle(rows)
    again = publish(rows, folder, **options, now=later)
    assert (again.written, again.removed) == ((), ())
    assert stamps(folder) == before
    assert again.plan.same == again.entries
    assert {shard.action for shard in again.plan.shards} == {"keep"}


@pytest.mark.parametrize("shard_by", [*WAYS, "hash:1", "path:2", "date:year", "date:day"])
@times(6)
@given(sets=histories(2))
def test_rows_in_any_order_give_the_same_bytes(shard_by: str, sets: list[list[Row]]) -> None:
    found = []
    for seed in range(3):
        with TemporaryDirectory() as name, small():
            for day, rows in enumerate(sets, 1):
                shuffled = [row.as_dict(shard_by) for row in rows]
                random.Random(seed).shuffle(shuffled)
                publish(shuffled, Path(name), day, shard_by=shard_by)
            found.append(tree(Path(name)))
    # Of every file, the manifest among them.
    assert found[0] == found[1] == found[2]


def test_a_loc_moves_only_with_its_group(tmp_path: Path) -> None:
    rows = [{"loc": loc, "brand": "x"} for loc in locs(7)]
    with small():
        publish(rows, tmp_path, shard_by="key:brand")
        rows[0]["brand"] = "y"
        plan = publish(rows, tmp_path, day=2, shard_by="key:brand").plan
    assert (plan.moved, plan.same, plan.added, plan.removed) == (1, 6, 0, 0)
    assert [(shard.shard, shard.action, shard.entries, shard.moved_out) for shard in plan.shards] == [
        *(("x-0001", "rewrite", 2, 1), ("x-0002", "keep", 3, 0), ("x-0003", "keep", 1, 0), ("y-0001", "new", 1, 0)),
    ]


def test_another_way_of_splitting_moves_what_it_has_to(tmp_path: Path) -> None:
    with small():
        publish(locs(7), tmp_path)
        plan = publish(locs(7), tmp_path, day=2, shard_by="hash:2").plan
        assert (plan.moved, plan.entries) == (7, 7)
        # A group that is called the same is the same.
        plan = publish(locs(7), tmp_path, day=3, shard_by="hash:4").plan
        assert 0 < plan.moved < 7
    assert sorted(read_back(tmp_path)) == locs(7)


# --- sequence: in the order of the rows ---------------------------------------------------------------------


def test_a_sequence_is_in_the_order_of_the_rows(tmp_path: Path) -> None:
    rows = list(reversed(locs(7)))
    with small():
        first = publish(rows, tmp_path, shard_by="sequence")
        assert read_back(tmp_path) == rows
        assert [shard.entries for shard in first.shards] == [3, 3, 1]
        before = stamps(tmp_path)
        again = publish(rows, tmp_path, day=2, shard_by="sequence")
        assert (again.written, stamps(tmp_path)) == ((), before)
        assert (again.plan.same, again.plan.moved, again.plan.count("keep")) == (7, 0, 3)


def test_of_a_sequence_what_comes_between_moves_what_follows(tmp_path: Path) -> None:
    rows = locs(7)
    with small():
        publish(rows, tmp_path, shard_by="sequence")
        second = publish([rows[0], BASE + "new", *rows[1:]], tmp_path, day=2, shard_by="sequence")
        assert read_back(tmp_path) == [rows[0], BASE + "new", *rows[1:]]
        # Of each shard the last one goes to the next.
        assert (second.plan.added, second.plan.moved, second.plan.same) == (1, 2, 5)
        assert [shard.lastmod for shard in second.shards] == [DAY[1]] * 3
        third = publish([rows[0], BASE + "new", *rows[1:6], BASE + "last"], tmp_path, day=3, shard_by="sequence")
        assert [shard.lastmod for shard in third.shards] == [DAY[1], DAY[1], DAY[2]]


def test_of_a_sequence_another_order_is_another_document(tmp_path: Path) -> None:
    rows = locs(7)
    with small():
        publish(rows, tmp_path, shard_by="sequence")
        swapped = [rows[1], rows[0], *rows[2:]]
        second = publish(swapped, tmp_path, day=2, shard_by="sequence")
    assert read_back(tmp_path) == swapped
    assert (second.plan.same, second.plan.moved) == (7, 0)
    assert [shard.action for shard in second.plan.shards] == ["rewrite", "keep", "keep"]
    assert [shard.lastmod for shard in second.shards] == [DAY[1], DAY[0], DAY[0]]


# --- at the size of the protocol ----------------------------------------------------------------------------


@pytest.mark.long
def test_new_rows_fill_the_newest_shard_to_its_limit(tmp_path: Path) -> None:
    rows = locs(60_000)
    publish(rows, tmp_path)
    publish(rows[1:], tmp_path, day=2)
    new = [f"{BASE}a{number:06}" for number in range(40_001)]
    third = publish([*rows[1:], *new], tmp_path, day=3)
    assert [shard.entries for shard in third.shards] == [49_999, 50_000, 1]
    assert (third.plan.moved, third.plan.added, third.plan.same) == (0, 40_001, 59_999)
    assert third.unchanged == (third.shards[0].name,)
    assert document(tmp_path / third.shards[2].name).count(b"a040000") == 1
    assert len(names(tmp_path)) == 5  # one of the set before, and the index
