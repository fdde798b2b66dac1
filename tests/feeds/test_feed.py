"""`urlset.feed`: an Atom feed of a published set, read by lxml, by another library and by urlset itself."""

from __future__ import annotations

import json
import re
import string
from calendar import timegm
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from support.properties import times
from urlset import DocumentError, InputError, PublishError
from urlset._feeds import atom
from urlset._feeds.pages import ListedPage
from urlset._feeds.texts import MAX_DESCRIPTION, MAX_TITLE, Texts

pa: Any = import_module("pyarrow")
feedparser: Any = import_module("feedparser")

BASE = "https://tea.example/"
ATOM = "{http://www.w3.org/2005/Atom}"
ROWS = [
    {"loc": "/", "lastmod": "2026-11-19", "title": "Home"},
    {
        "loc": "/green",
        "lastmod": "2026-11-20T10:00+02:00",
        "title": "Green & <b>black</b>",
        "description": 'A "tea"',
        "markdown": "/green.md",
    },
    {"loc": "/cups", "title": "Cups"},
    {"loc": "/old", "lastmod": "2024", "description": "no title"},
]


def published(folder: Path, rows: Any = ROWS, **options: Any) -> Path:
    urlset.publish(rows, folder, base_url=BASE, **options)
    return folder


def written(folder: Path, rows: Any = ROWS, **options: Any) -> urlset.PageList:
    return urlset.feed(rows, folder, **{"title": "Tea & cups", **options})


def entries_of(data: bytes) -> list[dict[str, Any]]:
    """Return the entries of a feed as lxml reads them."""
    found = []
    for entry in etree.fromstring(data).findall(f"{ATOM}entry"):
        links = {link.get("type"): link.get("href") for link in entry.findall(f"{ATOM}link[@rel='alternate']")}
        texts = {name: entry.findtext(f"{ATOM}{name}") for name in ("id", "title", "updated", "summary")}
        found.append(texts | {"loc": links.get(None), "markdown": links.get("text/markdown")})
    return found


def test_the_latest_pages_of_the_set_are_its_entries(tmp_path: Path) -> None:
    result = written(published(tmp_path))
    assert result == urlset.PageList(
        url=BASE + "feed.xml",
        entries=3,
        rows=4,
        unpublished=0,
        undated=1,
        beyond=0,
        untitled=1,
        bad_markdown=0,
        shortened=0,
        is_written=True,
    )
    data = (tmp_path / "feed.xml").read_bytes()
    green, home, old = entries_of(data)
    assert green == {
        "id": BASE + "green",
        "loc": BASE + "green",
        "title": "Green & <b>black</b>",
        "updated": "2026-11-20T10:00:00+02:00",
        "summary": 'A "tea"',
        "markdown": BASE + "green.md",
    }
    assert (home["title"], home["updated"], home["summary"], home["markdown"]) == (
        "Home",
        "2026-11-19T00:00:00Z",
        None,
        None,
    )
    assert (old["title"], old["updated"]) == (BASE + "old", "2024-01-01T00:00:00Z")
    root = etree.fromstring(data)
    assert root.findtext(f"{ATOM}updated") == green["updated"]
    assert root.findtext(f"{ATOM}author/{ATOM}name") == root.findtext(f"{ATOM}title") == "Tea & cups"
    assert [(link.get("rel"), link.get("href")) for link in root.findall(f"{ATOM}link")] == [
        ("self", BASE + "feed.xml"),
        ("alternate", BASE),
    ]


def test_other_readers_find_the_same_pages_and_moments(tmp_path: Path) -> None:
    written(published(tmp_path), description="News", author="Tea Ltd.")
    theirs = feedparser.parse(str(tmp_path / "feed.xml"))
    assert not theirs.bozo
    assert (theirs.version, theirs.feed.subtitle, theirs.feed.author) == ("atom10", "News", "Tea Ltd.")
    moments = [datetime.fromtimestamp(timegm(entry.updated_parsed), UTC) for entry in theirs.entries]
    ours = urlset.read(tmp_path / "feed.xml")
    assert [entry.link for entry in theirs.entries] == [entry.loc for entry in ours]
    assert (
        moments
        == [entry.lastmod for entry in ours]
        == [
            datetime(2026, 11, 20, 8, tzinfo=UTC),
            datetime(2026, 11, 19, tzinfo=UTC),
            datetime(2024, 1, 1, tzinfo=UTC),
        ]
    )
    assert [entry.loc for entry in urlset.read(tmp_path)] == [BASE, BASE + "cups", BASE + "green", BASE + "old"]
    findings = urlset.lint(tmp_path / "feed.xml").diagnostics
    assert [each for each in findings if each.severity == "error"] == []


def test_what_the_set_says_counts_and_not_what_the_rows_say(tmp_path: Path) -> None:
    published(tmp_path, [{"loc": "/a", "lastmod": "2026-01-02"}, "/b"])
    rows = [
        {"loc": "/a", "lastmod": "2030-01-01", "title": "A"},
        {"loc": "/b", "lastmod": "2026-01-01", "title": "B"},
        {"loc": "/c", "lastmod": "2026-01-01", "title": "C"},
        {"loc": "https://other.example/", "lastmod": "2026-01-01"},
        {"loc": "not a url\x00", "lastmod": "never"},
    ]
    result = written(tmp_path, rows)
    assert (result.entries, result.unpublished, result.undated, result.rows) == (1, 3, 1, 5)
    [entry] = entries_of((tmp_path / "feed.xml").read_bytes())
    assert (entry["title"], entry["updated"]) == ("A", "2026-01-02T00:00:00Z")


def test_a_page_that_was_removed_is_not_in_the_feed(tmp_path: Path) -> None:
    published(tmp_path)
    published(tmp_path, ROWS[:2], checks=urlset.Checks(allow=["shrunk"]))
    result = written(tmp_path)
    assert (result.entries, result.unpublished) == (2, 2)


def test_the_limit_counts_what_it_leaves_out(tmp_path: Path) -> None:
    published(tmp_path)
    result = written(tmp_path, limit=1)
    assert (result.entries, result.beyond, result.undated) == (1, 2, 1)
    assert [entry["loc"] for entry in entries_of((tmp_path / "feed.xml").read_bytes())] == [BASE + "green"]


def test_the_same_rows_in_any_order_and_form_give_the_same_bytes(tmp_path: Path) -> None:
    published(tmp_path)
    assert written(tmp_path).is_written
    feed, record = tmp_path / "feed.xml", tmp_path / ".urlset" / "lists.json"
    stamps = [path.stat().st_mtime_ns for path in (feed, record)]
    data = feed.read_bytes()
    columns = ("loc", "title", "description", "markdown")
    table = pa.table({name: [row.get(name) for row in ROWS] for name in columns})
    for rows in (ROWS, ROWS[::-1], (dict(row) for row in ROWS), table, {"shop": urlset.Section(ROWS)}):
        assert not written(tmp_path, rows).is_written
    assert [path.stat().st_mtime_ns for path in (feed, record)] == stamps
    assert feed.read_bytes() == data


def test_columns_of_rows_can_have_other_names(tmp_path: Path) -> None:
    published(tmp_path)
    table = pa.table({"url": ["/green"], "headline": ["Tea"], "teaser": ["News"], "title": ["not this one"]})
    written(tmp_path, table, columns={"loc": "url", "title": "headline", "description": "teaser"})
    [entry] = entries_of((tmp_path / "feed.xml").read_bytes())
    assert (entry["title"], entry["summary"]) == ("Tea", "News")
    with pytest.raises(InputError, match="headline"):
        written(tmp_path, pa.table({"loc": ["/green"]}), columns={"title": "headline"})


@pytest.mark.parametrize("form", ["dicts", "arrow", "polars", "duckdb"])
def test_whatever_a_publish_takes_is_taken(tmp_path: Path, form: str) -> None:
    given = [
        {"loc": "/a", "lastmod": "2026-01-01T10:00:00", "brand": "leaf", "group": "a", "lang": "en", "title": "A"},
        {"loc": "/b", "lastmod": "2026-01-02T10:00:00", "brand": "cups", "group": "a", "lang": "de", "title": "B"},
    ]
    table = pa.Table.from_pylist(given)
    rows = {
        "dicts": given,
        "arrow": table,
        "polars": import_module("polars").from_arrow(table),
        "duckdb": duckdb.from_arrow(table),
    }[form]
    published(tmp_path, rows, shard_by="key:brand", checks=urlset.Checks(zone="Z"))
    assert written(tmp_path, rows).entries == 2
    assert [entry["title"] for entry in entries_of((tmp_path / "feed.xml").read_bytes())] == ["B", "A"]


def test_what_are_no_rows_is_refused(tmp_path: Path) -> None:
    published(tmp_path)
    for rows in ("/a", {"loc": "/a"}, tmp_path / "rows.csv", 5, None):
        with pytest.raises(InputError, match="entries must be"):
            written(tmp_path, rows)
    with pytest.raises(InputError, match="loc"):
        written(tmp_path, pa.table({"title": ["x"]}))
    with pytest.raises(InputError, match="loc"):
        written(tmp_path, pa.table({"id": [1]}))
    assert written(tmp_path, urlset.scan(tmp_path / "sitemap.xml")).untitled == 3


def test_pages_of_another_host_are_listed_with_the_scope_of_their_publish(tmp_path: Path) -> None:
    rows = [
        {"loc": "https://www.tea.example/a", "lastmod": "2026-01-01", "markdown": "https://m.example/" + "x" * 2_048}
    ]
    published(tmp_path, rows, scope="https://www.tea.example/", checks=urlset.Checks(allow=["foreign"]))
    with pytest.raises(InputError, match="none of 1 row is in the set"):
        written(tmp_path, rows)
    result = written(tmp_path, rows, scope="https://www.tea.example/")
    assert (result.entries, result.bad_markdown) == (1, 1)
    # The set does not list the base URL, so the feed does not name it as a page.
    assert f'rel="alternate" href="{BASE}"' not in (tmp_path / "feed.xml").read_text("utf-8")


def test_a_section_has_its_own_columns_and_a_page_of_two_sections_counts_once(tmp_path: Path) -> None:
    sections = {
        "teas": urlset.Section([{"loc": "/green", "lastmod": "2026-01-01", "title": "Of teas"}]),
        "all": urlset.Section(pa.table({"loc": ["/green", "/x"], "lastmod": ["2026-01-01"] * 2, "name": ["G", "X"]})),
    }
    published(tmp_path, {name: urlset.Section(list(rows(section))) for name, section in sections.items()})
    sections["all"] = urlset.Section(sections["all"].entries, columns={"title": "name"})
    assert written(tmp_path, sections).entries == 2
    titles = {entry["loc"]: entry["title"] for entry in entries_of((tmp_path / "feed.xml").read_bytes())}
    assert titles == {BASE + "green": "Of teas", BASE + "x": "X"}


def rows(section: urlset.Section) -> list[dict[str, Any]]:
    given: Any = section.entries
    return [
        {"loc": row["loc"], "lastmod": row["lastmod"]}
        for row in (given.to_pylist() if isinstance(given, pa.Table) else given)
    ]


def test_texts_are_one_line_and_bounded_and_have_no_controls(tmp_path: Path) -> None:
    row = {
        "loc": "/a",
        "lastmod": "2026-01-01",
        "title": " Tea\n\x00\x1b[31m\u202ered ]]>" + "x" * 400,
        "description": "y" * 2_000,
        "markdown": "javascript:alert(1)",
    }
    published(tmp_path, [{"loc": "/a", "lastmod": "2026-01-01"}])
    result = written(tmp_path, [row])
    assert (result.shortened, result.bad_markdown) == (2, 1)
    [entry] = entries_of((tmp_path / "feed.xml").read_bytes())
    assert entry["title"].startswith("Tea [31m red ]]>x")
    assert entry["title"].endswith("x…")
    assert (len(entry["title"]), len(entry["summary"]), entry["markdown"]) == (MAX_TITLE, MAX_DESCRIPTION, None)


@given(
    st.lists(st.tuples(st.text(), st.text(), st.text(string.printable)), min_size=1, max_size=3), st.text(min_size=1)
)
@times(100)
def test_any_texts_make_a_feed_that_is_read_as_it_was_meant(texts: list[tuple[str, str, str]], title: str) -> None:
    made = Texts(BASE)
    pages = [ListedPage("", BASE + "a?b&c", "2026-01-01T00:00:00Z", *each) for each in texts]
    data = atom.document(pages, made, url=BASE + "feed.xml", home=None, title="x", subtitle=None, author="x")
    for entry, page in zip(entries_of(data), pages, strict=True):
        again = Texts(BASE)
        assert entry["title"] == again.title(page)
        assert (entry["summary"] or "") == again.description(page)
        assert entry["markdown"] == again.markdown(page)
        assert "\n" not in entry["title"]
        assert re.fullmatch(r"\S(?:.*\S)?", entry["title"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit": 0}, "limit must be a whole number from 1 to 1,000, got 0"),
        ({"limit": True}, "limit must be"),
        ({"limit": 1_001}, "limit must be"),
        ({"title": " \n"}, "title must be a text of 1 to 2,000 characters"),
        ({"title": None}, "title must be a text"),
        ({"author": ""}, "author must be a text"),
        ({"description": "x" * 2_001}, "description must be a text"),
        ({"columns": {"titel": "x"}}, "columns has an unknown key 'titel'"),
        ({"columns": {"title": ""}}, "must be the name of a column"),
        ({"scope": "tea"}, "scope must be an absolute"),
    ],
)
def test_wrong_arguments_are_refused(tmp_path: Path, options: Mapping[str, Any], message: str) -> None:
    published(tmp_path)
    with pytest.raises(InputError, match=message):
        written(tmp_path, **options)
    assert not (tmp_path / "feed.xml").exists()


def test_without_a_set_or_without_lastmods_there_is_no_feed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no published set.*publish first"):
        written(tmp_path)
    published(tmp_path, ["/a"])
    with pytest.raises(InputError, match="none of 1 page has a lastmod"):
        written(tmp_path, ["/a"])
    with pytest.raises(InputError, match="none of 4 rows is in the set"):
        written(tmp_path)
    manifest = tmp_path / ".urlset" / "manifest.parquet"
    manifest.write_bytes(manifest.read_bytes()[:-9] + b"x" * 9)
    with pytest.raises(DocumentError, match="damaged; publish again"):
        written(tmp_path)


def test_a_file_of_somebody_else_is_not_replaced(tmp_path: Path) -> None:
    published(tmp_path)
    feed = tmp_path / "feed.xml"
    feed.write_text("<rss/>")
    with pytest.raises(PublishError, match="somebody's own"):
        written(tmp_path)
    assert feed.read_text() == "<rss/>"
    assert written(tmp_path, replace=True).is_written
    assert written(tmp_path, limit=1).is_written
    feed.write_bytes(feed.read_bytes() + b"<!-- changed -->")
    with pytest.raises(PublishError, match="somebody's own"):
        written(tmp_path)


@pytest.mark.parametrize("record", [b"[]", b"{", b"{'", b'{"feed.xml": 1}', b"[" * 50_000, b" " * 70_000])
def test_without_a_record_that_can_be_read_nothing_is_replaced(tmp_path: Path, record: bytes) -> None:
    published(tmp_path)
    written(tmp_path)
    (tmp_path / ".urlset" / "lists.json").write_bytes(record)
    assert not written(tmp_path).is_written
    with pytest.raises(PublishError, match="somebody's own"):
        written(tmp_path, limit=1)


def test_an_interrupted_write_is_done_again(tmp_path: Path) -> None:
    published(tmp_path)
    written(tmp_path)
    before = (tmp_path / "feed.xml").read_bytes()
    written(tmp_path, limit=1)
    (tmp_path / "feed.xml").write_bytes(before)  # the record was stored, and the feed was not
    assert written(tmp_path, limit=2).is_written
    assert len(json.loads((tmp_path / ".urlset" / "lists.json").read_bytes())["feed.xml"]) == 2
