"""A set that was written in parts, afterwards: publish, rollback, diff and submit take it like any other."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import pytest
import urlset
from support.documents import tree
from support.jobs import job, parts_of_manifests, sections, write, written
from support.publish import BASE, locs, publish, read_back
from support.publish.model import small
from urlset import InputError

pa: Any = import_module("pyarrow")
PARTS = [locs(8, "a"), locs(3, "b"), [], locs(1, "c")]
SITEMAPS = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def documents(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in tree(folder).items() if not name.startswith(".urlset/")}


# --- the set afterwards -------------------------------------------------------------------------------------


def test_a_later_publish_continues_the_set(tmp_path: Path) -> None:
    with small(3):
        write(PARTS, tmp_path)
        same = publish(sections(PARTS), tmp_path, day=2)
        assert (same.plan.same, same.plan.moved, same.plan.recovered, same.plan.count("keep")) == (12, 0, False, 5)
        assert {*same.written} <= {"sitemap.xml"}
        more = publish(sections([*PARTS[:2], [BASE + "n"], PARTS[3]]), tmp_path, day=3)
    assert (more.plan.same, more.plan.added, more.plan.moved) == (12, 1, 0)
    manifest = tmp_path / ".urlset" / "manifest.parquet"
    seen = duckdb.execute(f"SELECT DISTINCT first_seen::VARCHAR FROM '{manifest}' ORDER BY 1").fetchall()
    assert [day[0][:10] for day in seen] == ["2024-01-01", "2024-01-03"]


def test_parts_are_removed_with_the_sets_that_name_them(tmp_path: Path) -> None:
    first, second = job(tmp_path, 1), job(tmp_path, 2)
    first.commit(written(first, PARTS))
    second.commit(written(second, [*PARTS[:3], locs(2, "c")]))
    assert parts_of_manifests(tmp_path) == [*[first.id] * 3, *[second.id] * 3]
    publish(PARTS[0], tmp_path, day=3)
    assert parts_of_manifests(tmp_path) == [second.id] * 3
    publish(PARTS[0][1:], tmp_path, day=4)
    assert parts_of_manifests(tmp_path) == []


def test_a_manifest_alone_can_be_replaced(tmp_path: Path) -> None:
    """The contents of the pages have changed, but the documents do not show it."""
    rows = [[{"loc": "/a", "text": "1"}], [{"loc": "/b", "text": "2"}]]
    write(rows, tmp_path, columns={"content": "text"})
    before = documents(tmp_path)
    rows[0][0]["text"] = "3"
    work = job(tmp_path, 2, columns={"content": "text"})
    work.commit(written(work, rows))
    assert documents(tmp_path) == before
    assert parts_of_manifests(tmp_path) == [work.id] * 2
    assert urlset.verify(tmp_path).is_intact


def test_rollback_goes_back_to_a_set_in_parts(tmp_path: Path) -> None:
    with small(3):
        write(PARTS, tmp_path)
        before = documents(tmp_path)
        write([locs(7, "z")], tmp_path, day=2)
        assert urlset.verify(tmp_path).is_intact
        urlset.rollback(tmp_path)
    assert {name: documents(tmp_path)[name] for name in before} == before
    assert read_back(tmp_path) == [loc for part in PARTS for loc in part]
    assert urlset.verify(tmp_path).is_intact


def test_a_set_whose_manifest_is_lost_is_replaced_like_any_other(tmp_path: Path) -> None:
    with small(3):
        publish(locs(7), tmp_path)
        (tmp_path / ".urlset" / "manifest.parquet").unlink()
        published = write(PARTS, tmp_path, day=2)
        assert published.plan.recovered
        assert published.plan.count("remove") == 3
        urlset.rollback(tmp_path)
    assert read_back(tmp_path) == locs(7)


def test_a_lost_part_is_damage_and_is_recovered(tmp_path: Path) -> None:
    with small(3):
        write(PARTS, tmp_path)
        next((tmp_path / ".urlset" / "parts").iterdir()).unlink()
        damage = urlset.verify(tmp_path).damage
        assert [(each.name, each.reason) for each in damage] == [(".urlset/manifest.parquet", "is missing or damaged")]
        again = publish(sections(PARTS), tmp_path, day=2)
    assert (again.plan.recovered, again.plan.same) == (True, 12)


@pytest.mark.parametrize(
    "listed",
    [
        "null",
        "[]",
        '"x"',
        '["sitemap.xml"]',
        '["../../etc/passwd"]',
        '[".urlset/parts/../../index.html"]',
        '[".urlset/parts/20240101T120000Z-0123456789abcdef-00000.parquet", 1]',
        '[".urlset/parts/20240101T120000Z-0123456789abcdef-00000.parquet",'
        ' ".urlset/parts/20240101T120000Z-0123456789abcdef-00000.parquet"]',
        "[" * 100_000,
    ],
)
def test_a_manifest_that_names_other_files_is_as_good_as_none(listed: str, tmp_path: Path) -> None:
    with small(3):
        publish(locs(7), tmp_path)
        path = tmp_path / ".urlset" / "manifest.parquet"
        parquet: Any = import_module("pyarrow.parquet")
        table = parquet.read_table(path)
        metadata = {**table.schema.metadata, b"urlset.manifest": b"2", b"urlset.parts": listed.encode()}
        parquet.write_table(table.replace_schema_metadata(metadata), path)
        (tmp_path / "index.html").write_text("a page")
        assert publish(locs(8), tmp_path, day=2).plan.recovered
        publish(locs(9), tmp_path, day=3)
    assert (tmp_path / "index.html").exists()


# --- other readers of manifests -----------------------------------------------------------------------------


def test_diff_reads_the_parts(tmp_path: Path) -> None:
    write(PARTS, tmp_path)
    write([PARTS[0], [*PARTS[1][1:], BASE + "new"]], tmp_path, day=2)
    own = tmp_path / ".urlset"
    with urlset.diff(own / "previous.parquet", own / "manifest.parquet") as changes:
        assert sorted((change.change, change.loc) for change in changes) == [
            ("added", BASE + "new"),
            ("removed", PARTS[1][0]),
            ("removed", PARTS[3][0]),
        ]
    copy = tmp_path / "copy.parquet"
    copy.write_bytes((own / "manifest.parquet").read_bytes())
    with pytest.raises(InputError, match=r"has its rows in parts, and .* is missing: name the manifest where"):
        urlset.diff(copy, tmp_path)


def test_a_loc_is_submitted_from_the_parts(tmp_path: Path) -> None:
    write(PARTS, tmp_path)
    write([PARTS[0], [*PARTS[1][1:], BASE + "new"]], tmp_path, day=2)
    found = urlset.submit(tmp_path, key="0123456789abcdef", dry_run=True)
    assert (found.added, found.removed) == (1, 2)
