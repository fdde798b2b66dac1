"""`names="stable"`: names that stay, documents that are replaced one by one, and what that cannot promise."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.cli import Cli
from support.documents import tree
from support.publish import BASE, index, locs, names, publish, read_back
from support.publish.grouped import grouped
from support.publish.model import small
from support.s3 import S3Server, s3_server
from support.stores import FOR_NOW, headers_of
from urlset import PublishError, Section

__all__ = ["s3_server"]


def shards(*numbers: int) -> list[str]:
    return [f"sitemap-{number:04}.xml.gz" for number in numbers]


def stamp(path: Path) -> tuple[int, int]:
    return path.stat().st_mtime_ns, path.stat().st_ino


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A set of three shards."""
    with small():
        publish(locs(7), tmp_path / "set", names="stable")
    return tmp_path / "set"


def test_only_what_has_changed_is_replaced_under_its_name(folder: Path) -> None:
    assert names(folder) == {"sitemap.xml", *shards(1, 2, 3)}
    before = {name: stamp(folder / name) for name in shards(1, 2, 3)}
    rows: list[Any] = [{"loc": loc, "priority": 0.5 if number == 4 else None} for number, loc in enumerate(locs(7))]
    with small():
        again = publish(rows, folder, day=2, names="stable")
    assert (again.written, again.removed) == ((*shards(2), "sitemap.xml"), ())
    assert again.unchanged == (*shards(1), *shards(3))
    after = {name: stamp(folder / name) for name in shards(1, 2, 3)}
    assert [name for name in before if before[name] != after[name]] == shards(2)
    assert read_back(folder) == locs(7)
    assert urlset.verify(folder) == urlset.Verification(
        str(folder / "sitemap.xml"), 3, sum((folder / name).stat().st_size for name in shards(1, 2, 3)), ()
    )


def test_sections_keep_their_names(tmp_path: Path) -> None:
    sections = {
        "pages": Section(locs(4, "a")),
        "posts": Section([{"loc": "/x", "lastmod": "2023-11-20"}], "date:month"),
    }
    with small():
        publish(sections, tmp_path, names="stable", compression="none", recent=90)
    assert names(tmp_path) == {
        "sitemap.xml",
        *("sitemap-pages-0001.xml", "sitemap-pages-0002.xml", "sitemap-posts_2023-11-0001.xml"),
        "sitemap-recent-0001.xml",
    }


def test_a_number_is_not_used_again_while_a_later_one_is_there(folder: Path) -> None:
    with small():
        rows = [*locs(3), *locs(7)[6:]]
        publish(rows, folder, day=2, names="stable")
        # The document that is gone stays for those who hold the index that names it, as any document does.
        assert names(folder) == {"sitemap.xml", *shards(1, 2, 3)}
        assert set(index(folder)) == {BASE + name for name in shards(1, 3)}
        rows += locs(4, "q")
        third = publish(rows, folder, day=3, names="stable")
        assert third.removed == tuple(shards(2))
    assert set(index(folder)) == {BASE + name for name in shards(1, 3, 4)}
    assert names(folder) == {"sitemap.xml", *shards(1, 3, 4)}
    assert sorted(read_back(folder)) == sorted(rows)


def test_a_series_continues_after_a_shard_that_ends_in_the_same_publish(folder: Path) -> None:
    with small():
        publish([*locs(6), *locs(2, "z")], folder, day=2, names="stable")
        assert set(index(folder)) == {BASE + name for name in shards(1, 2, 4)}
        publish(locs(6), folder, day=3, names="stable")
        publish([*locs(6), BASE + "q"], folder, day=4, names="stable")
    # The number of a shard that ended before is free again: its series goes on under names that people know.
    assert set(index(folder)) == {BASE + name for name in shards(1, 2, 3)}
    assert read_back(folder) == [*locs(6), BASE + "q"]


def test_a_set_that_had_an_index_keeps_it(tmp_path: Path) -> None:
    """Somebody has submitted the only shard that is left, which would be gone if the set became a single document."""
    tea, cups = Section(locs(2, "tea")), Section(locs(2, "cups"))
    publish({"tea": tea, "cups": cups}, tmp_path, names="stable")
    for day in (2, 3, 4):
        publish({"tea": Section(locs(2 + day, "tea"))}, tmp_path, day, names="stable")
        assert set(index(tmp_path)) == {BASE + "sitemap-tea-0001.xml.gz"}
        assert read_back(tmp_path) == locs(2 + day, "tea")
    assert names(tmp_path) == {"sitemap.xml", "sitemap-tea-0001.xml.gz"}
    before = tree(tmp_path)
    assert publish({"tea": Section(locs(6, "tea"))}, tmp_path, 5, names="stable").written == ()
    shutil.rmtree(tmp_path / ".urlset")
    assert publish({"tea": Section(locs(6, "tea"))}, tmp_path, 5, names="stable").written == ()
    assert {name: tree(tmp_path)[name] for name in names(tmp_path)} == {name: before[name] for name in names(tmp_path)}
    # Names that state the content promise no URL of a shard.
    publish({"tea": Section(locs(6, "tea"))}, tmp_path, 6)
    assert read_back(tmp_path) == locs(6, "tea")
    assert [shard.name for shard in publish({"tea": tea}, tmp_path, 7).shards] == ["sitemap.xml"]


def test_a_rollback_is_refused_once_a_document_was_replaced(folder: Path, tmp_path: Path) -> None:
    with small():
        publish(locs(8)[1:], folder, day=2, names="stable")
    left = tree(folder)
    with pytest.raises(PublishError) as raised:
        urlset.rollback(folder)
    assert str(raised.value) == (
        "the previous set cannot be restored, and the current one stays: sitemap-0001.xml.gz was replaced under its"
        " stable name. Publish the rows of the previous set instead"
    )
    assert tree(folder) == left
    ended = Cli(tmp_path)("publish", "--rollback", "--dest", str(folder))
    assert (ended.code, ended.out) == (2, "")
    assert "was replaced under its stable name" in ended.err
    assert urlset.verify(folder).is_intact


def test_a_rollback_works_where_no_document_was_replaced(tmp_path: Path) -> None:
    tea, cups = Section(locs(4, "tea")), Section(locs(2, "cups"))
    with small():
        publish({"tea": tea, "cups": cups}, tmp_path, names="stable")
        before = {name: tree(tmp_path)[name] for name in names(tmp_path)}
        publish({"tea": tea}, tmp_path, day=2, names="stable")
        assert set(index(tmp_path)) == {BASE + f"sitemap-tea-000{number}.xml.gz" for number in (1, 2)}
        urlset.rollback(tmp_path)
    assert {name: tree(tmp_path)[name] for name in names(tmp_path)} == before


def test_switching_to_stable_names_and_back(tmp_path: Path) -> None:
    with small():
        publish(locs(7), tmp_path)
        by_content = names(tmp_path)
        second = publish(locs(7), tmp_path, day=2, names="stable")
        assert (second.removed, second.plan.same) == ((), 7)
        assert names(tmp_path) == by_content | set(shards(1, 2, 3))
        urlset.rollback(tmp_path)  # no document of that set was replaced
        assert set(index(tmp_path)) == {BASE + name for name in by_content - {"sitemap.xml"}}
        urlset.rollback(tmp_path)
        assert set(index(tmp_path)) == {BASE + name for name in shards(1, 2, 3)}
        third = publish(locs(8), tmp_path, day=3, names="stable")
        assert set(third.removed) == by_content - {"sitemap.xml"}
        assert names(tmp_path) == {"sitemap.xml", *shards(1, 2, 3)}
        publish(locs(8), tmp_path, day=4)
        last = publish(locs(9), tmp_path, day=5)
        assert set(last.removed) == set(shards(1, 2, 3))
    assert read_back(tmp_path) == locs(9)
    assert urlset.verify(tmp_path).is_intact


def test_the_entry_point_differs_with_every_document_even_within_a_second(folder: Path) -> None:
    before = (folder / "sitemap.xml").read_bytes()
    with small():
        publish([{"loc": loc, "priority": 0.5} for loc in locs(7)], folder, names="stable")
    assert (folder / "sitemap.xml").read_bytes() != before
    assert [entry.lastmod for entry in urlset.read(folder, follow=False)] == list(index(folder).values())
    assert urlset.verify(folder).is_intact


# --- what is not ours ------------------------------------------------------------------------------------------


def test_a_file_that_was_not_published_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / shards(2)[0]).write_bytes(b"mine")
    before = tree(tmp_path)
    with small():
        with pytest.raises(PublishError, match=r"sitemap-0002\.xml\.gz was not published by urlset: move it away, or"):
            publish(locs(7), tmp_path, names="stable")
        assert tree(tmp_path) == before
        publish(locs(7), tmp_path)
    assert (tmp_path / shards(2)[0]).read_bytes() == b"mine"


def test_documents_of_another_program_stay_under_their_names(tmp_path: Path) -> None:
    urlset.write(locs(2), tmp_path / shards(1)[0])
    urlset.write(locs(2, "q"), tmp_path / "posts.xml")
    urlset.write([urlset.SitemapEntry(BASE + name) for name in (shards(1)[0], "posts.xml")], tmp_path / "sitemap.xml")
    before = tree(tmp_path)
    rows = [*locs(2), *locs(2, "q")]
    assert publish(rows, tmp_path, names="stable").written == ()
    for day, some in enumerate([[*rows, "/r"], [*rows[1:], "/r"], locs(1, "s"), locs(2, "s")], 2):
        publish(some, tmp_path, day, names="stable")
        assert {name: tree(tmp_path)[name] for name in before if name != "sitemap.xml"} == {
            name: data for name, data in before.items() if name != "sitemap.xml"
        }


@pytest.mark.parametrize("damaged", [False, True])
def test_a_set_whose_manifest_is_lost_keeps_its_names(folder: Path, damaged: bool) -> None:
    good = {name: data for name, data in tree(folder).items() if not name.startswith(".urlset/")}
    shutil.rmtree(folder / ".urlset")
    if damaged:
        (folder / shards(3)[0]).write_bytes(b"\x1f\x8b")
    with small():
        again = publish(locs(7), folder, day=2, names="stable")
        assert again.written == (() if not damaged else (*shards(3), "sitemap.xml"))
        if not damaged:
            assert {name: tree(folder)[name] for name in good} == good
        # They are known to be ours, so what is not needed any more is removed.
        publish(locs(3), folder, day=3, names="stable")
        publish(locs(2), folder, day=4, names="stable")
    assert read_back(folder) == locs(2)
    assert not set(shards(2, 3)) & names(folder)


# --- elsewhere -------------------------------------------------------------------------------------------------


def test_in_an_object_store(s3_server: S3Server) -> None:
    bucket, options = s3_server.new_bucket(), s3_server.options
    dest = f"s3://{bucket}/set"
    with small():
        for count in (7, 8, 4):
            urlset.publish(
                locs(count), dest, base_url=BASE, store=options, **grouped({"names": "stable", "allow": ["shrunk"]})
            )
            assert urlset.verify(dest, store=options).is_intact
    # What can be replaced is not cached for good.
    assert headers_of(s3_server, f"/{bucket}/set/{shards(1)[0]}")["cache-control"] == FOR_NOW


def test_on_the_command_line_and_in_the_file(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(f"loc\n/{name}\n")
    sections = "".join(f'[[publish.section]]\nname = "{name}"\nrows = ["{name}.csv"]\n' for name in ("a", "b"))
    (tmp_path / "urlset.toml").write_text(f'[publish]\nbase-url = "{BASE}"\ndest = "out"\nnames = "stable"\n{sections}')
    ended = cli("publish", "--format", "json")
    assert ended.code == 0, ended.err
    found = [shard["name"] for shard in json.loads(ended.out)["shards"]]
    assert found == ["sitemap-a-0001.xml.gz", "sitemap-b-0001.xml.gz"]
    ended = cli("publish", "--names", "content", "--format", "json")
    found = [shard["name"] for shard in json.loads(ended.out)["shards"]]
    assert all(re.fullmatch(r"sitemap-[ab]-0001-[0-9a-f]{16}\.xml\.gz", name) for name in found)
    assert cli("publish", "--names", "fixed").code == 2
    with pytest.raises(urlset.InputError, match=r"Layout\.names must be one of content, stable, got 'fixed'"):
        publish(locs(1), tmp_path / "out", names="fixed")
