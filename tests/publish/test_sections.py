"""Sections: named parts of a set, each with its own way of splitting."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.publish import BASE, DAY, index, locs, names, publish, read_back
from support.publish.model import small
from urlset import EntryError, InputError, UrlEntry
from urlset._publish.api import Section

from publish.plan.test_assign import shards_of

pa: Any = import_module("pyarrow")


def posts(*months: str) -> list[dict[str, Any]]:
    return [{"loc": f"/posts/{number}", "lastmod": f"{month}-01"} for number, month in enumerate(months)]


def test_each_section_is_split_in_its_own_way(tmp_path: Path) -> None:
    sections = {
        "pages": Section(locs(4)),
        "posts": Section(posts("2023-10", "2023-11", "2023-10"), "date:month"),
        "Übrige": Section(["/z", "/y"], "sequence"),
    }
    with small():
        publication = publish(sections, tmp_path)
    found = shards_of(tmp_path, publication)
    [other] = [name for name in found if name.startswith("brige-")]
    assert {name: len(part) for name, part in found.items()} == {
        "pages-0001": 3,
        "pages-0002": 1,
        "posts_2023-10-0001": 2,
        "posts_2023-11-0001": 1,
        other: 2,
    }
    assert found[other] == [BASE + "z", BASE + "y"]
    assert {shard.section for shard in publication.plan.shards} == {"pages", "posts", "Übrige"}
    assert not urlset.lint(tmp_path, location=BASE + "sitemap.xml")
    with small():
        again = publish(sections, tmp_path, day=2)
    assert (again.written, again.plan.count("keep")) == ((), 5)


def test_each_section_has_columns_of_its_own(tmp_path: Path) -> None:
    table = {"loc": ["/en/tea", "/de/tee"], "topic": ["tea", "tea"], "tongue": ["en", "de"]}
    sections = {
        "pages": Section(pa.table(table), columns={"group": "topic", "lang": "tongue"}),
        "shop": Section(pa.table({"loc": ["/cup"], "text": ["1"]}), columns={"content": "text"}),
        "rest": Section(pa.table({"loc": ["/"]})),
    }
    publish(sections, tmp_path)
    found = {str(entry.loc): entry for entry in urlset.read(tmp_path)}
    assert {loc: len(entry.alternates) for loc, entry in found.items() if isinstance(entry, UrlEntry)} == {
        BASE + "en/tea": 2,
        BASE + "de/tee": 2,
        BASE + "cup": 0,
        BASE: 0,
    }
    sections["shop"] = Section(pa.table({"loc": ["/cup"], "text": ["2"]}), columns={"content": "text"})
    assert publish(sections, tmp_path, day=2).plan.lastmod_sources == {"content": 1, "none": 3}
    with pytest.raises(InputError, match='no column "text"'):
        publish(sections, tmp_path, day=3, columns={"content": "text"})


def test_a_refused_row_names_its_section(tmp_path: Path) -> None:
    sections = {
        "a": Section(["/a"]),
        "b": Section([{"loc": "/b", "group": "1", "lang": "klingon"}, "/c", "mailto:d"]),
    }
    publication = publish(sections, tmp_path, on_error="collect")
    assert [(error.section, error.index, error.code) for error in publication.refusals] == [
        ("b", 2, "LOC003"),
        ("b", 0, "ALT002"),
    ]
    with pytest.raises(EntryError, match="row 3 of section b "):
        publish(sections, tmp_path / "other")


def test_a_loc_in_two_sections_is_of_the_first(tmp_path: Path) -> None:
    told: list[EntryError] = []
    sections = {
        "b": Section([{"loc": "/a", "lastmod": "2023-01"}, "/b"]),
        "a": Section([{"loc": "/a", "lastmod": "2023-05"}, "/c"]),
    }
    publication = publish(sections, tmp_path, on_refusal=told.append)
    assert shards_of(tmp_path, publication) == {"a-0001": [BASE + "c"], "b-0001": [BASE + "a", BASE + "b"]}
    assert [(error.section, error.index, error.loc, error.code) for error in told] == [("a", 0, BASE + "a", "LOC014")]
    # Where the first has it no more, it is of the other one.
    second = publish({"b": Section(["/b"]), "a": sections["a"]}, tmp_path, day=2)
    assert shards_of(tmp_path, second) == {"a-0001": [BASE + "a", BASE + "c"], "b-0001": [BASE + "b"]}
    plan = second.plan
    assert (plan.moved, plan.same, plan.added, plan.removed) == (1, 2, 0, 0)


def test_a_section_that_is_renamed_moves(tmp_path: Path) -> None:
    publish({"old": Section(locs(3)), "other": Section(["/x"])}, tmp_path)
    second = publish({"new": Section(locs(3)), "other": Section(["/x"])}, tmp_path, day=2)
    plan = second.plan
    assert (plan.moved, plan.same, plan.removed) == (3, 1, 0)
    assert [(shard.shard, shard.action) for shard in plan.shards] == [
        *(("new-0001", "new"), ("other-0001", "keep"), ("old-0001", "remove")),
    ]
    assert sorted(index(tmp_path).values(), key=str) == [DAY[0], DAY[1]]


def test_a_section_that_is_gone_is_removed(tmp_path: Path) -> None:
    first = publish({"old": Section(locs(3)), "other": Section(["/x", "/y"])}, tmp_path)
    plan = publish({"other": Section(["/x", "/y"])}, tmp_path, day=2).plan
    assert (plan.removed, plan.same) == (3, 2)
    assert read_back(tmp_path) == [BASE + "x", BASE + "y"]
    publish({"other": Section(["/x"])}, tmp_path, day=3)
    # The documents of the set before the last are gone.
    assert names(tmp_path) & {shard.name for shard in first.shards} == set()
    assert names(tmp_path) == {"sitemap.xml"}


def test_from_no_sections_to_some_and_back(tmp_path: Path) -> None:
    publish(locs(3), tmp_path)
    plan = publish({"a": Section(locs(3)), "b": Section(["/x"])}, tmp_path, day=2).plan
    assert (plan.moved, plan.added) == (3, 1)
    plan = publish([*locs(3), "/x"], tmp_path, day=3).plan
    assert (plan.moved, plan.added) == (4, 0)


def test_a_section_without_rows_makes_no_shard(tmp_path: Path) -> None:
    publication = publish({"a": Section([]), "b": Section(["/x"])}, tmp_path)
    assert [shard.shard for shard in publication.plan.shards] == ["b-0001"]


def test_sections_whose_names_would_run_together(tmp_path: Path) -> None:
    rows = [{"loc": "/1", "kind": "news"}, {"loc": "/2", "kind": "b"}, {"loc": "/3", "kind": "b-news"}]
    sections = {
        "a": Section(rows, "key:kind"),
        "a-news": Section(["/4"]),
        "a-b": Section([{"loc": "/5", "kind": "news"}, {"loc": "/6"}], "key:kind"),
        "a_b": Section(["/7"]),
        "A": Section(["/8"]),
    }
    publication = publish(sections, tmp_path, news=True, removed=30, recent=3)
    assert len(publication.shards) == len({shard.name for shard in publication.shards}) == 8
    again = publish(sections, tmp_path, day=2, news=True, removed=30, recent=3)
    assert again.written == ()


def test_a_group_may_have_the_name_of_a_built_in_section(tmp_path: Path) -> None:
    article = {
        "publication_name": "The Times",
        "publication_language": "en",
        "publication_date": "2024-01-01",
        "title": "New",
    }
    rows = [{"loc": f"/{kind}/1", "lastmod": "2024-01-01", "news": article} for kind in ("news", "recent", "removed")]
    publication = publish(rows, tmp_path, shard_by="path:1", news=True, recent=3, removed=3)
    assert sorted(shard.entries for shard in publication.shards) == [1, 1, 1, 3, 3]
    second = publish(rows[:2], tmp_path, day=2, shard_by="path:1", news=True, recent=3, removed=3)
    assert sorted(shard.entries for shard in second.shards) == [1, 1, 1, 2, 2]
    assert publish(rows[:2], tmp_path, day=2, shard_by="path:1", news=True, recent=3, removed=3).written == ()


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"news": Section(["/a"])}, "the name of a section must be .* got 'news'"),
        ({"": Section(["/a"])}, "the name of a section must be .* got ''"),
        ({1: Section(["/a"])}, "the name of a section must be .* got 1"),
        ({str(number): Section(["/a"]) for number in range(201)}, "at most 200 sections, got 201"),
        ({"a": Section(["/a"]), "b": ["/b"]}, "entries must be a list or a table, got one dict"),
        ({}, "entries must be a list or a table, got one dict"),
        ({"a": Section(["/a"], "hash")}, "shard_by must have a valid argument, got 'hash'"),
    ],
)
def test_what_is_no_set_of_sections(tmp_path: Path, sections: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        publish(sections, tmp_path)
    with pytest.raises(InputError, match="shard_by must be given to each Section"):
        publish({"a": Section(["/a"])}, tmp_path, shard_by="hash:4")


def test_two_hundred_sections(tmp_path: Path) -> None:
    publication = publish({f"s{number}": Section([f"/{number}"]) for number in range(200)}, tmp_path)
    assert len(publication.shards) == 200
