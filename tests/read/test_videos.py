"""Videos and news: read as lxml sees them, bounded, in everybody's tables, and written back the same.

Random documents and rows have them too: test_oracle.py, test_write.py.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support import oracle
from support.documents import NEWS, VIDEO, violations
from support.read.videos import ARTICLES, FULL, LOC, REQUIRED, REQUIRED_NEWS, written
from support.reading import CORE, of_entry, outcome, plain, without_empty_lists
from support.strategies.media import NEWS_ROWS, NEWS_TEXTS, PARTS, VIDEO_ROWS, VIDEO_TEXTS
from urlset import ContentSegment, EntryError, InputError, LimitError, News, Price, TvShow, UrlEntry, Video, VideoId

pa: Any = import_module("pyarrow")
duckdb: Any = import_module("duckdb")

HEAD = f'<urlset xmlns="{CORE}" xmlns:video="{VIDEO}" xmlns:news="{NEWS}">'.encode()


def completed(entry: Any) -> UrlEntry:
    """The entry with what its videos and its article lack to be written."""
    row = of_entry(entry)
    news = row.get("news")
    return UrlEntry(
        row["loc"],
        videos=[REQUIRED | video for video in row.get("videos", ())],
        news=None if news is None else REQUIRED_NEWS | news,
    )


def document(*videos: bytes) -> bytes:
    """A urlset of one entry with these videos."""
    return HEAD + b"<url>" + b"".join(videos) + b"</url></urlset>"


# --- reading ------------------------------------------------------------------------------------------------


def test_the_vector_of_a_video_has_every_field() -> None:
    video = list(urlset.parse(FULL))[1].videos[0]
    assert all(getattr(video, name) for name in (*VIDEO_TEXTS, "content_segments", "tags", "prices", "ids"))
    assert video.tvshow == TvShow("Grilling", "full", "Steak", "1", "2", "2024-11-04")
    assert video.content_segments == (
        ContentSegment("http://a.example/1.mp4", "300"),
        ContentSegment("http://a.example/2.mp4"),
    )
    assert video.prices == (Price("1.99", "EUR", "purchase", "HD"), Price("0.99", "EUR"))
    assert (video.tags, video.ids) == (("steak", "été"), (VideoId("EP1", "tms:program"), VideoId("7")))


def test_the_vector_of_news_has_every_field() -> None:
    entries: list[Any] = list(urlset.parse(ARTICLES))
    assert all(getattr(entries[0].news, name) for name in NEWS_TEXTS)
    assert [entry.news for entry in entries[2:]] == [News(), News(genres="Blog"), None]


@pytest.mark.parametrize("data", [FULL, ARTICLES], ids=["videos", "news"])
def test_objects_read_are_those_that_would_have_been_made(data: bytes) -> None:
    entries: list[Any] = list(urlset.parse(data))
    for entry in entries:
        row = of_entry(entry) | {"line": None}
        made = UrlEntry(row["loc"], videos=row.get("videos", ()), news=row.get("news"))
        assert entry == made
        assert repr(entry.videos) == repr(made.videos)
        assert hash(entry) == hash(made)


def test_a_value_in_pieces_with_other_markup_inside() -> None:
    data = document(
        b"<video:video><?x?><video:title>a<!-- - -->b<x/><![CDATA[&]]> </video:title>text"
        b'<video:player_loc\n autoplay = \'a\tb&#10;"\'  x="1"\n>c</video:player_loc  ></video:video>'
    )
    assert outcome(data).rows[0]["videos"] == [
        {"title": "ab&", "player_loc": "c", "player_loc_autoplay": 'a b\n"'},
    ]


def test_columns_that_were_not_selected_are_absent() -> None:
    [entry] = urlset.scan(document(b"<video:video/><news:news/>"), columns=["videos"])
    assert entry == UrlEntry(None, videos=[Video()])
    [entry] = urlset.scan(document(b"<video:video/><news:news/>"), columns=["news"])
    assert entry == UrlEntry(None, news=News())


def test_a_batch_has_videos_in_some_of_its_rows_only() -> None:
    """Rows with and without them, over more than one batch."""
    video = b"<video:video><video:tag>%d</video:tag></video:video>"
    article = b"<news:news><news:title>%d</news:title></news:news>"
    rows = [b"<url>" + video % at + article % at + b"</url>" if at % 1_000 == 7 else b"<url/>" for at in range(70_000)]
    table = pa.table(urlset.read(HEAD + b"".join(rows) + b"</urlset>"))
    table.validate(full=True)
    expected = [str(at) if at % 1_000 == 7 else None for at in range(70_000)]
    assert [row and row[0]["tags"][0] for row in table["videos"].to_pylist()] == expected
    assert [row and row["title"] for row in table["news"].to_pylist()] == expected


def test_a_sitemap_has_neither() -> None:
    data = FULL.replace(b"urlset", b"sitemapindex").replace(b"<url>", b"<sitemap>").replace(b"</url>", b"</sitemap>")
    assert all("videos" not in row for row in outcome(data).rows)


# --- budgets ------------------------------------------------------------------------------------------------

LISTS = {"videos": b"<video:video/>"} | {
    name: b"<video:%s>x</video:%s>" % (name.encode(), name.encode())
    for name in ("content_segment_loc", "tag", "price", "id")
}


@pytest.mark.parametrize("name", LISTS)
def test_more_items_than_the_budget_are_reported(name: str) -> None:
    def of(count: int) -> bytes:
        items = LISTS[name] * count
        return document(items if name == "videos" else b"<video:video>" + items + b"</video:video>")

    assert outcome(of(10_000)).completeness == "complete"
    got = outcome(of(10_001))
    assert (got.error, got.rows) == ("LimitError", [])
    assert "more than 10000 " in got.diagnostics[-1].message
    assert name in got.diagnostics[-1].message
    with pytest.raises(LimitError):
        urlset.parse(of(10_001), strict=True)


def test_single_elements_are_not_limited() -> None:
    video = b"<video:video>" + b"<video:title>x</video:title>" * 20_000 + b"</video:video>"
    assert outcome(document(video, b"<news:news/>" * 20_000)).rows[0]["videos"] == [{"title": "x"}]


@pytest.mark.parametrize(
    ("videos", "code"),
    [
        ([{}] * 10_001, "LIM007"),
        ([{"tags": ["x"] * 10_001}], "VID008"),
        ([{}, {"prices": ["1"] * 10_001}], "LIM007"),
        ([{"ids": ["1"] * 10_001}], "LIM007"),
        ([{"content_segments": ["http://a.example/1.mp4"] * 10_001}], "LIM007"),
        ([{"description": "x" * 9_000_000}], "LIM007"),
        ([{"description": "x" * (1 << 20) + "x"}], "LIM007"),
    ],
    ids=["videos", "tags", "prices", "ids", "segments", "entry", "description"],
)
def test_rows_that_could_not_be_read_back_are_refused(videos: list[dict[str, Any]], code: str) -> None:
    with pytest.raises(EntryError) as raised:
        written([UrlEntry(LOC, videos=[Video(**REQUIRED | video) for video in videos])])
    assert raised.value.code == code


# --- writing ------------------------------------------------------------------------------------------------


def test_elements_are_written_in_the_order_of_the_schema() -> None:
    [_, full, *_] = urlset.parse(FULL)
    xml = written([full])
    offsets = [xml.index(f"<video:{name}".encode()) for name in PARTS]
    assert offsets == sorted(offsets)
    assert violations(xml) == []
    assert violations(written(map(completed, urlset.parse(ARTICLES)))) == []


def test_only_used_namespaces_are_declared() -> None:
    root = written([UrlEntry(LOC, videos=[Video(**REQUIRED)])]).split(b"\n")[1].decode()
    assert root == f'<urlset xmlns="{CORE}" xmlns:video="{VIDEO}">'
    root = written([UrlEntry(LOC, news=News(**REQUIRED_NEWS))]).split(b"\n")[1].decode()
    assert root == f'<urlset xmlns="{CORE}" xmlns:news="{NEWS}">'
    assert b"xmlns:" not in written([{"loc": LOC, "videos": [], "news": None}])


def test_the_markup_of_a_video_and_of_news() -> None:
    video = {
        **REQUIRED,
        "title": "A & B",
        "player_loc_autoplay": 'a"\n',
        "tags": ["x", "", None],
        "tvshow": {},
        "prices": ["1", {}],
    }
    news = {**REQUIRED_NEWS, "title": " T "}
    assert written([{"loc": LOC, "videos": [video], "news": news}]).split(b"\n")[2].decode() == (
        f"<url><loc>{LOC}</loc><video:video><video:thumbnail_loc>http://a.example/t.jpg</video:thumbnail_loc>"
        "<video:title>A &amp; B</video:title><video:description>A description</video:description>"
        "<video:content_loc>http://a.example/v.mp4</video:content_loc>"
        '<video:player_loc autoplay="a&quot;"></video:player_loc><video:tag>x</video:tag>'
        "<video:price>1</video:price><video:price></video:price><video:tvshow></video:tvshow></video:video>"
        "<news:news><news:publication><news:name>The Times</news:name><news:language>en</news:language>"
        "</news:publication><news:publication_date>2026-01-31</news:publication_date><news:title>T</news:title></news:news></url>"
    )


ROWS = st.lists(
    st.fixed_dictionaries({"loc": st.just(LOC), "videos": st.lists(VIDEO_ROWS, max_size=3), "news": NEWS_ROWS}),
    min_size=1,
    max_size=3,
)


@given(ROWS)
def test_written_rows_read_back_equal(rows: list[dict[str, Any]]) -> None:
    meant, xml = [UrlEntry(**row) for row in rows], written(rows)
    assert violations(xml) == []
    assert list(urlset.parse(xml)) == meant
    assert [plain(without_empty_lists(row)) for row in oracle.rows(xml)] == [of_entry(entry) for entry in meant]
    # Objects, our own table and a table that went through others say the same.
    table = pa.table(urlset.parse(xml))
    for again in (meant, urlset.parse(xml), table, table.to_pylist(), pl.DataFrame(table)):
        assert written(again) == xml


@pytest.mark.parametrize(
    "row",
    [
        {"videos": [{"title": "\x00"}]},
        {"videos": [{"uploader_info": "\ufffe"}]},
        {"videos": [{"tags": ["x", "\x08"]}]},
        {"videos": [{"tvshow": {"show_title": "\x1f"}}]},
        {"news": {"title": "\uffff"}},
        {"news": {"publication_name": "\x0b"}},
    ],
)
def test_a_character_that_xml_does_not_allow_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(EntryError) as raised:
        written([{"loc": LOC, **row}])
    assert raised.value.code == "XML007"


@pytest.mark.parametrize("row", [{"videos": [{}]}, {"news": {}}])
def test_a_sitemap_entry_has_neither_when_written(row: dict[str, Any]) -> None:
    with pytest.raises(EntryError) as raised:
        written([urlset.SitemapEntry(LOC), {"loc": LOC, **row}])
    assert raised.value.code == "IDX006"


UNUSABLE: dict[str, tuple[dict[str, Any], str]] = {
    "videos that are one": ({"videos": {"title": "x"}}, "row 1: videos is dict, not a list"),
    "a video that is a text": ({"videos": ["x"]}, "row 1: videos is str, not a list of dicts or of urlset's"),
    "a number": ({"videos": [{"duration": 600}]}, "row 1: duration is int, not str"),
    "a typing error": ({"videos": [{"titel": "x"}]}, 'row 1 has a key "titel" in videos; the keys are thumbnail_loc'),
    "tags that are one": ({"videos": [{"tags": "x"}]}, "row 1: tags is str, not a list"),
    "a tag that is a number": ({"videos": [{"tags": [1]}]}, "row 1: tags is int, not str"),
    "a price of nobody": ({"videos": [{"prices": [{"euro": "1"}]}]}, 'row 1 has a key "euro" in prices'),
    "a show that is a text": ({"videos": [{"tvshow": "x"}]}, "row 1: tvshow is str, not a dict or urlset's own"),
    "news that are several": ({"news": [{"title": "x"}]}, "row 1: news is list, not a dict or urlset's own object"),
    "news with a typing error": ({"news": {"name": "x"}}, 'row 1 has a key "name" in news; the keys are pub'),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_unusable_rows_are_refused_with_a_reason(name: str) -> None:
    row, message = UNUSABLE[name]
    with pytest.raises(InputError) as raised:
        written([{"loc": LOC, **row}])
    assert message in str(raised.value)


def test_publish_proves_them_and_gives_them_back(tmp_path: Path) -> None:
    for document in (FULL, ARTICLES):
        entries = [completed(entry) for entry in urlset.parse(document)]
        urlset.publish(entries, tmp_path, base_url="http://a.example/")
        # A set is in the order of its locs.
        assert list(urlset.read(tmp_path)) == sorted(entries, key=lambda entry: str(entry.loc))
