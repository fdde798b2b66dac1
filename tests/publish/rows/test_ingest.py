"""Rows in: what is refused, what is folded, and what rows bring along."""

from __future__ import annotations

import hashlib
import random
from datetime import UTC, date, datetime
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.documents import tree
from support.properties import times
from support.publish import BASE, DAY, locs, publish, read_back
from urlset import EntryError, InputError, Publication
from urlset._publish.api import Section

from publish.plan.test_assign import shards_of

pa: Any = import_module("pyarrow")


def lastmods(folder: Path) -> dict[str, str | None]:
    """The lastmods as published, by the ends of their locs."""
    return {str(entry.loc).removeprefix(BASE): entry.lastmod_raw for entry in urlset.read(folder)}


# --- refused ------------------------------------------------------------------------------------------------


def test_every_refused_row_is_reported_with_its_number(tmp_path: Path) -> None:
    rows: list[Any] = ["/a", "", "mailto:a", "/b", "https://example.org/", "http://example.com/", "/c\n", "/de/x"]
    rows += [{"loc": "/d", "lastmod": "2024-13-01"}, {"loc": "/e", "priority": 2}, "/" + "x" * 2100, "/f"]
    told: list[EntryError] = []
    publication = publish(rows, tmp_path, on_error="collect", on_refusal=told.append, allow=["foreign"])
    expected = [
        (1, "LOC001"),
        (2, "LOC003"),
        (4, "LOC011"),
        (5, "LOC012"),
        (8, "MOD005"),
        (9, "PRI002"),
        (10, "LOC009"),
    ]
    assert [(error.index, error.code) for error in told] == expected
    assert publication.refusals == tuple(told)
    assert publication.refused_by_code == {code: 1 for _, code in expected}
    assert (publication.refused, publication.entries, publication.plan.rows) == (7, 5, 12)
    assert read_back(tmp_path) == [BASE + path for path in ("a", "b", "c", "de/x", "f")]


def test_rows_out_of_scope_are_refused(tmp_path: Path) -> None:
    told: list[EntryError] = []
    options: dict[str, Any] = {"scope": BASE + "de/", "on_error": "collect", "on_refusal": told.append}
    publish(["/de/a", "/fr/b", "de/c", "/de", "/de/"], tmp_path, **options)
    assert [(error.index, error.code) for error in told] == [(1, "LOC013"), (3, "LOC013")]
    assert read_back(tmp_path) == [BASE + "de/", BASE + "de/a", BASE + "de/c"]
    with pytest.raises(InputError, match=r"scope must be an absolute http\(s\) URL, got 'nowhere'"):
        publish(["/a"], tmp_path, scope="nowhere")


def test_refused_rows_of_all_batches_are_numbered_from_the_first(tmp_path: Path) -> None:
    rows = locs(140_000)
    wrong = [0, 65_535, 65_536, 131_071, 131_072, 139_999]
    for index in wrong:
        rows[index] = "mailto:a"
    publication = publish(rows, tmp_path, on_error="collect")
    assert [error.index for error in publication.refusals] == wrong
    assert publication.entries == 139_994
    with pytest.raises(EntryError) as raised:
        publish(rows[1:], tmp_path, day=2)
    assert raised.value.index == 65_534


# --- duplicates ---------------------------------------------------------------------------------------------


def test_of_rows_with_one_loc_that_with_the_latest_lastmod_counts(tmp_path: Path) -> None:
    rows: list[Any] = [
        *({"loc": "/a", "lastmod": "2023-05"}, {"loc": "/a"}, {"loc": "/a", "lastmod": "2023-05-02"}, "/b"),
        *({"loc": "https://EXAMPLE.com/a", "lastmod": "2023-05-02T00:00:00+01:00"}, "b", "/b#x"),
    ]
    told: list[EntryError] = []
    publication = publish(rows, tmp_path, on_refusal=told.append)
    assert lastmods(tmp_path) == {"a": "2023-05-02", "b": None, "b#x": None}
    assert [(error.index, error.loc, error.code) for error in told] == [
        *((0, BASE + "a", "LOC014"), (1, BASE + "a", "LOC014"), (4, BASE + "a", "LOC014"), (5, BASE + "b", "LOC014")),
    ]
    assert (publication.plan.duplicates, publication.refused, publication.refusals) == (4, 0, ())
    assert (publication.plan.rows, publication.entries) == (7, 3)


def test_a_duplicate_is_no_reason_to_stop(tmp_path: Path) -> None:
    assert publish(["/a", "/a", "/a"], tmp_path, on_error="raise").plan.duplicates == 2
    assert read_back(tmp_path) == [BASE + "a"]


@times(20)
@given(st.integers())
def test_rows_that_say_different_things_of_one_loc_are_folded_in_any_order(seed: int) -> None:
    said: list[dict[str, Any]] = [
        {"priority": 0.1},
        {"priority": 0.9},
        {"images": [BASE + "i.png"]},
        {"text": "a"},
        {"text": "b"},
        {"why": "git"},
        {"why": "page"},
        {"brand": "x"},
        {"brand": "y"},
    ]
    rows = [{"loc": "/a", "lastmod": "2023-05-02", **one} for one in said] + [{"loc": "/b"}]
    found = []
    for _ in range(2):
        random.Random(seed).shuffle(rows)
        with TemporaryDirectory() as name:
            columns = {"content": "text", "lastmod_source": "why"}
            publish(rows, Path(name), columns=columns, shard_by="key:brand")
            found.append(tree(Path(name)))
        seed += 1
    assert found[0] == found[1]


# --- what rows bring along ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "column",
    [
        "entry_hash",
        "size",
        "Loc_hash",
        "row",
        "xml_after_lastmod",
        "news",
        "namespace_bits",
        "loc",
        "lastmod",
        'a "b"',
        "it's",
        "ROW",
        "extra0",
    ],
)
def test_a_column_may_be_called_as_anything(tmp_path: Path, column: str) -> None:
    own = {"lastmod": "2023-05-02"} if column != "lastmod" else {}
    value = {"loc": "/x", "lastmod": "2023-06"}.get(column, "x")
    if column == "news":
        table = pa.table({"loc": ["/x"]})
        with pytest.raises(InputError, match="no column"):
            publish(table, tmp_path, shard_by="key:news")
        return
    rows = [{"loc": "/x", **own, column: value}, {"loc": "/y", **own, **({} if column == "loc" else {column: None})}]
    publication = publish(rows, tmp_path, shard_by=f"key:{column}", columns={"content": column})
    found = shards_of(tmp_path, publication)
    assert sorted(len(part) for part in found.values()) == [1, 1]
    again = publish(rows, tmp_path, day=2, shard_by=f"key:{column}", columns={"content": column})
    assert again.written == ()


def test_columns_that_differ_in_case_are_two(tmp_path: Path) -> None:
    rows = [{"loc": f"/{one}{other}", "Brand": one, "brand": other} for one in "ab" for other in "xy"]
    publication = publish(rows, tmp_path, shard_by="key:Brand", columns={"content": "brand"})
    assert {name: len(part) for name, part in shards_of(tmp_path, publication).items()} == {"a-0001": 2, "b-0001": 2}


def test_a_table_without_the_column_is_refused(tmp_path: Path) -> None:
    table = pa.table({"loc": locs(3)})
    for options in ({"shard_by": "key:brand"}, {"columns": {"content": "brand"}}):
        with pytest.raises(InputError, match='there is no column "brand"'):
            publish(table, tmp_path, **options)
    assert tree(tmp_path) == {}


def test_numbers_and_dates_are_taken_as_texts(tmp_path: Path) -> None:
    rows = [{"loc": f"/{number}", "year": number} for number in (2023, 2024)] + [
        {"loc": "/d", "year": date(2024, 1, 1)}
    ]
    publication = publish(rows, tmp_path, shard_by="key:year")
    assert set(shards_of(tmp_path, publication)) == {"2023-0001", "2024-0001", "2024-01-01-0001"}


# --- lastmod ------------------------------------------------------------------------------------------------


def test_a_set_without_lastmods_never_gets_one(tmp_path: Path) -> None:
    for day in (1, 2, 3):
        publication = publish([*locs(3), *locs(day, "new")], tmp_path, day)
        assert set(lastmods(tmp_path).values()) == {None}
        assert publication.plan.lastmod_sources == {"none": 3 + day}


def test_the_content_says_that_a_page_has_changed(tmp_path: Path) -> None:
    def given_on(day: int, **texts: str) -> Publication:
        rows = [{"loc": f"/{loc}", "text": text} for loc, text in texts.items()]
        return publish(rows, tmp_path, day, columns={"content": "text"})

    # Of a page that was never seen nothing is known.
    first = given_on(1, a="1", b="1")
    assert (lastmods(tmp_path), first.plan.lastmod_sources) == ({"a": None, "b": None}, {"none": 2})
    second = given_on(2, a="1", b="2")
    assert lastmods(tmp_path) == {"a": None, "b": "2024-01-02T12:00:00Z"}
    assert second.plan.lastmod_sources == {"content": 1, "none": 1}
    # It stays what it was, until it changes again.
    third = given_on(3, a="1", b="2", c="1")
    assert lastmods(tmp_path) == {"a": None, "b": "2024-01-02T12:00:00Z", "c": None}
    assert (third.plan.same, third.plan.added, third.plan.lastmod_sources) == (2, 1, {"content": 1, "none": 2})
    given_on(4, a="2", b="2", c="1")
    assert lastmods(tmp_path) == {"a": "2024-01-04T12:00:00Z", "b": "2024-01-02T12:00:00Z", "c": None}


def test_content_is_remembered_though_no_document_changes(tmp_path: Path) -> None:
    """A column of contents that is there for the first time, and one beside a lastmod of the row's own."""
    publish([{"loc": "/a"}, {"loc": "/b", "lastmod": "2023-05"}], tmp_path)
    rows = [{"loc": "/a", "text": "1"}, {"loc": "/b", "text": "1", "lastmod": "2023-05"}]
    assert publish(rows, tmp_path, 2, columns={"content": "text"}).written == ()
    before = tree(tmp_path)
    assert publish(rows, tmp_path, 3, columns={"content": "text"}).written == ()
    assert tree(tmp_path) == before
    rows = [{"loc": "/a", "text": "2"}, {"loc": "/b", "text": "2"}]
    publish(rows, tmp_path, 4, columns={"content": "text"})
    assert lastmods(tmp_path) == {"a": "2024-01-04T12:00:00Z", "b": "2024-01-04T12:00:00Z"}


def test_a_lastmod_of_the_row_counts_more_than_its_content(tmp_path: Path) -> None:
    columns = {"content": "text"}
    publish([{"loc": "/a", "text": "1", "lastmod": "2023-05"}], tmp_path, columns=columns)
    second = publish([{"loc": "/a", "text": "2", "lastmod": "2023-05"}], tmp_path, 2, columns=columns)
    assert (lastmods(tmp_path), second.written) == ({"a": "2023-05"}, ())
    # Without one it is what the content says, and that is the same.
    third = publish([{"loc": "/a", "text": "2"}], tmp_path, 3, columns=columns)
    assert (lastmods(tmp_path), third.plan.lastmod_sources) == ({"a": "2023-05"}, {"column": 1})
    # Without it, the row has no lastmod.
    publish([{"loc": "/a"}], tmp_path, 4)
    assert lastmods(tmp_path) == {"a": None}


def test_a_page_that_comes_back_is_compared_with_what_it_was(tmp_path: Path) -> None:
    columns = {"content": "text"}
    publish([{"loc": "/a", "text": "1"}, {"loc": "/b", "text": "1"}, "/c"], tmp_path, columns=columns)
    publish(["/c"], tmp_path, 2, columns=columns)
    third = publish([{"loc": "/a", "text": "2"}, {"loc": "/b", "text": "1"}, "/c"], tmp_path, 3, columns=columns)
    assert third.plan.added == 2
    assert lastmods(tmp_path) == {"a": "2024-01-03T12:00:00Z", "b": None, "c": None}


def test_a_row_names_the_source_of_its_lastmod(tmp_path: Path) -> None:
    rows: list[Any] = [
        {"loc": "/a", "lastmod": "2023-05", "why": "git"},
        {"loc": "/b", "lastmod": "2023-05", "why": "front matter"},
        {"loc": "/c", "lastmod": "2023-05"},
        {"loc": "/d", "why": "git"},
    ]
    first = publish(rows, tmp_path, columns={"lastmod_source": "why"})
    assert first.plan.lastmod_sources == {"column": 1, "front matter": 1, "git": 1, "none": 1}
    # What is remembered of it is the last that was said.
    rows[0]["why"] = "page"
    assert publish(rows, tmp_path, 2, columns={"lastmod_source": "why"}).written == ()
    table = pa.table({name: [row.get(name) for row in rows] for name in ("loc", "lastmod", "why")})
    third = publish(table, tmp_path, 3, columns={"lastmod_source": "why"})
    assert (third.plan.lastmod_sources["page"], third.written) == (1, ())
    with pytest.raises(
        InputError, match=r"lastmod_source must be one of column, page.* got 'guess' for https://example.com/a"
    ):
        publish([{"loc": "/a", "lastmod": "2023-05", "why": "guess"}], tmp_path, 4, columns={"lastmod_source": "why"})


def test_a_column_counts_before_content_and_content_before_git(tmp_path: Path) -> None:
    def given_on(day: int, content: str, lastmod: str | None, source: str | None) -> tuple[str | None, Any]:
        row = {"loc": "/a", "content": content, "lastmod": lastmod, "lastmod_source": source}
        publication = publish([row], tmp_path, day)
        return lastmods(tmp_path)["a"], publication.plan.lastmod_sources

    assert given_on(1, "1", "2023-05-01", "git") == ("2023-05-01", {"git": 1})
    # A commit that leaves the page as it was does not count as a change, unless it is the only known commit.
    assert given_on(2, "1", "2023-06-01", "git") == ("2023-06-01", {"git": 1})
    assert given_on(3, "2", "2023-06-01", "git") == ("2024-01-03T12:00:00Z", {"content": 1})
    assert given_on(4, "2", "2024-01-04", "git") == ("2024-01-03T12:00:00Z", {"content": 1})
    assert given_on(5, "2", "2024-01-04", "front matter") == ("2024-01-04", {"front matter": 1})
    assert given_on(6, "3", "2024-01-04", "front matter") == ("2024-01-04", {"front matter": 1})


def test_a_date_of_publication_counts_until_the_page_changes(tmp_path: Path) -> None:
    row = {"loc": "/a", "lastmod": "2020-05-01", "lastmod_source": "publication", "content": "1"}
    publish([row], tmp_path)
    assert lastmods(tmp_path) == {"a": "2020-05-01"}
    publication = publish([{**row, "content": "2"}], tmp_path, 2)
    assert lastmods(tmp_path) == {"a": "2024-01-02T12:00:00Z"}
    assert publication.plan.lastmod_sources == {"content": 1}
    publish([{**row, "content": "2"}], tmp_path, 3)
    assert lastmods(tmp_path) == {"a": "2024-01-02T12:00:00Z"}


def test_the_lastmod_that_counts_is_the_one_that_is_recent(tmp_path: Path) -> None:
    """Of a page with a commit of long ago whose content has changed now."""
    row = {"loc": "/a", "lastmod": "2020-05-01", "lastmod_source": "git", "content": "1"}
    publish([row, "/b"], tmp_path)
    publication = publish([{**row, "content": "2"}, "/b"], tmp_path, 2, recent=3)
    assert [shard.entries for shard in publication.shards if shard.name.startswith("sitemap-recent")] == [1]


def test_of_a_long_content_a_hash_is_kept(tmp_path: Path) -> None:
    texts = {"/a": "1" * 64, "/b": "x" * 65, "/c": "ä" * 10_000}
    publish([{"loc": loc, "content": text} for loc, text in texts.items()], tmp_path)
    manifest = import_module("duckdb").read_parquet(str(tmp_path / ".urlset" / "manifest.parquet"))
    kept = dict(manifest.project("loc, content").fetchall())
    assert kept == {
        BASE + "a": texts["/a"],
        BASE + "b": hashlib.md5(texts["/b"].encode()).hexdigest(),
        BASE + "c": hashlib.md5(texts["/c"].encode()).hexdigest(),
    }
    texts["/c"] += "."
    publish([{"loc": loc, "content": text} for loc, text in texts.items()], tmp_path, 2)
    assert lastmods(tmp_path) == {"a": None, "b": None, "c": "2024-01-02T12:00:00Z"}


def test_dicts_and_tables_bring_the_same_further_columns(tmp_path: Path) -> None:
    rows = [
        {"loc": "/en", "group": "home", "lang": "en", "file": "en.html", "lastmod_source": "git", "lastmod": "2023-05"},
        {"loc": "/de", "group": "home", "lang": "de", "content": "1"},
    ]
    first = publish(rows, tmp_path / "dicts")
    assert first.plan.lastmod_sources == {"git": 1, "none": 1}
    [entry, _] = urlset.read(tmp_path / "dicts")
    assert isinstance(entry, urlset.UrlEntry)
    assert [link.hreflang for link in entry.alternates] == ["de", "en"]
    names = ("loc", "group", "lang", "lastmod", "lastmod_source", "content", "file")
    table = pa.table({name: [row.get(name) for row in rows] for name in names})
    second = publish(table, tmp_path / "table")
    assert (second.unused_columns, second.plan.lastmod_sources) == (first.unused_columns, first.plan.lastmod_sources)
    assert list(urlset.read(tmp_path / "table")) == list(urlset.read(tmp_path / "dicts"))


def test_a_group_without_a_language_and_unknown_columns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is a column 'group' and no column 'lang'"):
        publish(pa.table({"loc": ["/a"], "group": ["home"]}), tmp_path)
    with pytest.raises(InputError, match="unknown columns: colour; leave them out"):
        publish(pa.table({"loc": ["/a"], "colour": ["green"]}), tmp_path)
    # A language alone is known: sections can be sharded by it.
    publish(pa.table({"loc": ["/a"], "lang": ["en"]}), tmp_path)
    assert [entry.loc for entry in urlset.read(tmp_path)] == [BASE + "a"]


def test_lastmods_of_all_kinds_are_published_as_they_were_written(tmp_path: Path) -> None:
    rows = [
        {"loc": "/a", "lastmod": "2023"},
        {"loc": "/b", "lastmod": date(2023, 5, 2)},
        {"loc": "/c", "lastmod": datetime(2023, 5, 2, 12, tzinfo=UTC)},
        {"loc": "/d", "lastmod": "2023-05-02T12:00+02:00"},
    ]
    publish(rows, tmp_path)
    expected = {"a": "2023", "b": "2023-05-02", "c": "2023-05-02T12:00:00Z", "d": "2023-05-02T12:00+02:00"}
    assert lastmods(tmp_path) == expected


# --- progress and size --------------------------------------------------------------------------------------


def test_progress_goes_on_from_section_to_section(tmp_path: Path) -> None:
    told: list[urlset.Progress] = []
    sections = {name: Section(locs(count, name)) for name, count in (("a", 70_000), ("b", 5))}
    publish(sections, tmp_path, progress=told.append)
    rows = [each.done for each in told if each.what == "rows"]
    assert all(one < other for one, other in pairwise(rows))
    assert rows[-1] == 70_005
    assert told[-1] == urlset.Progress("shards", 3, 3)


def test_the_time_of_a_publish_is_in_no_page(tmp_path: Path) -> None:
    publish(locs(3), tmp_path)
    assert DAY[0].isoformat()[:10].encode() not in (tmp_path / "sitemap.xml").read_bytes()
