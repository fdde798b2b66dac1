"""`urlset publish`: every form of rows in, and a set of sitemaps out."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import urlset
from support.cli import Cli
from support.cli.readback import TO, Put
from support.cli.rows import BARE, WHOLE, as_csv, as_jsonl, as_parquet
from urlset import Image, News, Price, TvShow, UrlEntry, Video

Published = Callable[[], list[urlset.UrlEntry | urlset.SitemapEntry]]


@pytest.fixture
def published(tmp_path: Path) -> Published:
    """What lies in the folder `out`, read back."""
    return lambda: list(urlset.read(tmp_path / "out"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.csv", as_csv()),
        ("rows.CSV", "\ufeff" + as_csv(line_end="\r\n")),
        ("rows.tsv", as_csv("\t")),
        ("semicolons.csv", "\n\n" + as_csv(";")),
        ("rows.csv.gz", gzip.compress(as_csv().encode())),
        ("rows.jsonl", as_jsonl()),
        ("rows.ndjson", "\ufeff" + as_jsonl()),
        ("rows.jsonl.gz", gzip.compress(as_jsonl().encode())),
        ("csv-without-a-name", as_csv()),
        ("jsonl-without-a-name", as_jsonl()),
        ("a[1]'*.csv", as_csv()),
    ],
)
def test_the_format_of_rows_follows_from_name_or_content(
    cli: Cli, put: Put, published: Published, name: str, content: str | bytes
) -> None:
    put(name, content)
    ended = cli("publish", name, *TO)
    assert (ended.code, ended.err) == (0, "")
    assert published() == [WHOLE, BARE]


@pytest.mark.parametrize("content", [as_csv(), as_jsonl()], ids=["csv", "jsonl"])
def test_the_format_of_standard_input_follows_from_its_content(cli: Cli, published: Published, content: str) -> None:
    assert cli("publish", "-", *TO, stdin=content.encode()).code == 0
    assert published() == [WHOLE, BARE]


def test_parquet_keeps_its_types(cli: Cli, tmp_path: Path, published: Published) -> None:
    row = """
        SELECT 'https://example.com/{number}' AS loc, {lastmod} AS lastmod, 0.7::FLOAT AS priority,
        [{{'loc': 'https://example.com/1.jpg'}}] AS images, ['https://example.com/de'] AS other
    """
    as_parquet(tmp_path / "a.parquet", row.format(number=1, lastmod="TIMESTAMPTZ '2024-01-02 03:04:05.5+02'"))
    as_parquet(tmp_path / "b.parquet", row.format(number=2, lastmod="DATE '2024-01-02'"))
    ended = cli("publish", "a.parquet", "b.parquet", *TO)
    assert ended.code == 0
    assert ended.err == "urlset: a.parquet: not used: other\nurlset: b.parquet: not used: other\n"
    image = Image("https://example.com/1.jpg")
    assert published() == [
        UrlEntry("https://example.com/1", lastmod="2024-01-02T01:04:05.5Z", priority=0.7, images=[image]),
        UrlEntry("https://example.com/2", lastmod="2024-01-02", priority=0.7, images=[image]),
    ]
    piped = cli("publish", "-", *TO, "--allow", "shrunk", stdin=(tmp_path / "a.parquet").read_bytes())
    assert piped.code == 0
    assert len(published()) == 1


def test_a_parquet_time_without_a_zone_is_not_given_one(cli: Cli, tmp_path: Path) -> None:
    as_parquet(tmp_path / "a.parquet", "SELECT 'https://example.com/' AS loc, TIMESTAMP '2024-01-02' AS lastmod")
    ended = cli("publish", "a.parquet", *TO)
    assert ended.code == 2
    assert "row 1 of a.parquet was refused, so nothing was published: MOD002" in ended.err


@pytest.mark.parametrize("name", ["locs.txt", "-"])
def test_a_text_list_has_a_loc_a_line(cli: Cli, put: Put, published: Published, name: str) -> None:
    content = "\ufeffhttps://example.com/1\r\n\r\n  https://example.com/2  \nhttps://example.com/3".encode()
    put("locs.txt", content)
    assert cli("publish", name, *TO, stdin=content).code == 0
    assert published() == [UrlEntry(f"https://example.com/{number}") for number in (1, 2, 3)]


def test_the_format_can_be_given(cli: Cli, put: Put, published: Published) -> None:
    put("locs.csv", "https://example.com/1\nhttps://example.com/2\n")
    assert cli("publish", "locs.csv", *TO).code == 2
    assert cli("publish", "locs.csv", "--from", "txt", *TO).code == 0
    assert len(published()) == 2


def test_files_of_different_forms_are_one_set(cli: Cli, put: Put, published: Published, tmp_path: Path) -> None:
    put("a.csv", as_csv())
    put("b.jsonl", as_jsonl())
    as_parquet(tmp_path / "c.parquet", "SELECT 'https://example.com/3' AS loc")
    assert cli("publish", "b.jsonl", "c.parquet", "a.csv", "b.jsonl", *TO).code == 0
    assert published() == [WHOLE, BARE, UrlEntry("https://example.com/3")]
    put("d.txt", "https://example.com/4\n")
    assert cli("publish", "a.csv", "d.txt", *TO).code == 2


def test_nothing_is_inferred_from_the_rows(cli: Cli, put: Put, published: Published) -> None:
    """Thousands of rows that look like numbers and dates, and then one that does not."""
    dull = "".join(f"https://example.com/{number},2024-01-02,1\n" for number in range(50_000))
    put("rows.csv", f"loc,lastmod,priority\n{dull}https://example.com/last,2024,0.50\n")
    assert cli("publish", "rows.csv", *TO, "--allow", "one-lastmod").code == 0
    assert UrlEntry("https://example.com/last", lastmod="2024", priority=0.5) in published()


def test_what_read_writes_publish_takes_to_the_byte(cli: Cli, put: Put) -> None:
    times = ("2024", "2024-02", "2024-02-03", "2024-02-03T04:05Z", "2024-02-03T04:05:06.700+08:00")
    rows = as_csv() + "".join(f"https://example.com/{number},{time},,,,\n" for number, time in enumerate(times))
    put("rows.csv", rows)
    assert cli("publish", "rows.csv", *TO).code == 0
    whole = (cli.folder / "out" / "sitemap.xml").read_bytes()
    for form in ("csv", "jsonl", "parquet"):
        assert cli("read", "out", "-o", f"again.{form}").code == 0
        ended = cli("publish", f"again.{form}", "--dest", f"out-{form}", "--base-url", "https://example.com/")
        assert ended.code == 0
        assert ended.err == ""
        assert (cli.folder / f"out-{form}" / "sitemap.xml").read_bytes() == whole


def test_an_edited_lastmod_counts_more_than_what_was_once_written(cli: Cli, put: Put, published: Published) -> None:
    put(
        "rows.csv",
        "loc,lastmod,lastmod_raw\n"
        "https://example.com/1,2024-06-01T00:00:00Z,2024-01-01\n"
        "https://example.com/2,,2024-01-01\n"
        "https://example.com/3,2024-01-01T00:00:00Z,2024-01-01\n",
    )
    assert cli("publish", "rows.csv", *TO).code == 0
    assert [entry.lastmod_raw for entry in published()] == ["2024-06-01T00:00:00Z", None, "2024-01-01"]


VIDEOS = [
    Video(
        "https://example.com/t.jpg",
        'A, "B"',
        "D",
        "https://example.com/1.mp4",
        prices=[Price("1", "EUR")],
        tags=["x", "y"],
        tvshow=TvShow("S"),
    ),
    Video(
        "https://example.com/u.jpg",
        "C",
        "D",
        "https://example.com/2.mp4",
        ids=["7"],
        content_segments=["https://example.com/2-1.mp4"],
    ),
]
ARTICLE = News("The Example", "en", publication_date="2024-01-02", title="A")


def test_videos_and_news_come_through_every_form(cli: Cli, put: Put, published: Published) -> None:
    entries = [UrlEntry("https://example.com/1", videos=VIDEOS), BARE, UrlEntry("https://example.com/3", news=ARTICLE)]
    urlset.write(entries, cli.folder / "sitemap.xml")
    for form in ("csv", "jsonl", "parquet"):
        assert cli("read", "sitemap.xml", "-o", f"rows.{form}").code == 0
        ended = cli("publish", f"rows.{form}", *TO)
        assert (ended.code, ended.err) == (0, "")
        assert published() == entries
    put(
        "few.jsonl",
        '{"loc":"https://example.com/1","videos":[{"thumbnail_loc":"https://example.com/t.jpg","title":"T",'
        '"description":"D","content_loc":"https://example.com/1.mp4","tags":["x"]}]}\n'
        '{"loc":"https://example.com/2","news":{"publication_name":"N","publication_language":"en",'
        '"publication_date":"2024-01-02","title":"T"}}\n',
    )
    assert cli("publish", "few.jsonl", *TO, "--allow", "shrunk").code == 0
    video = Video("https://example.com/t.jpg", "T", "D", "https://example.com/1.mp4", tags=["x"])
    few = [UrlEntry("https://example.com/1", videos=[video])]
    assert published() == [
        *few,
        UrlEntry("https://example.com/2", news=News("N", "en", publication_date="2024-01-02", title="T")),
    ]


def test_some_fields_of_videos_and_news_in_parquet(cli: Cli, published: Published, tmp_path: Path) -> None:
    as_parquet(
        tmp_path / "a.parquet",
        """SELECT 'https://example.com/' AS loc,
        {'publication_name': 'N', 'publication_language': 'en', 'publication_date': '2024-01-02', 'title': 'T'} AS news,
        [{'thumbnail_loc': 'https://example.com/t.jpg', 'title': 'T', 'description': 'D',
          'content_loc': 'https://example.com/1.mp4', 'tags': ['x'],
          'prices': [{'price': '1', 'currency': 'EUR'}]}] AS videos""",
    )
    assert cli("publish", "a.parquet", *TO).code == 0
    video = Video(
        "https://example.com/t.jpg", "T", "D", "https://example.com/1.mp4", tags=["x"], prices=[Price("1", "EUR")]
    )
    news = News("N", "en", publication_date="2024-01-02", title="T")
    assert published() == [UrlEntry("https://example.com/", videos=[video], news=news)]


@pytest.mark.parametrize(("compression", "suffix"), [("gzip", ".xml.gz"), ("none", ".xml")])
def test_what_outgrows_a_document_becomes_shards(
    cli: Cli, put: Put, published: Published, compression: str, suffix: str
) -> None:
    put("rows.txt", "".join(f"https://example.com/{number}\n" for number in range(50_001)))
    ended = cli("publish", "rows.txt", *TO, "--compression", compression, "--format", "json")
    shards = json.loads(ended.out)["shards"]
    assert [shard["entries"] for shard in shards] == [50_000, 1]
    for shard in shards:
        assert shard["name"].endswith(suffix)
        assert shard["lastmod"].endswith("Z")
        assert (cli.folder / "out" / shard["name"]).stat().st_size == shard["size"]
    assert [entry.loc for entry in published()] == sorted(f"https://example.com/{number}" for number in range(50_001))


def test_columns_that_are_not_used_are_named(cli: Cli, put: Put) -> None:
    put("rows.csv", "id,loc,colour\n1,https://example.com/,T\n")
    put("rows.jsonl", '{"id":1,"loc":"https://example.com/"}\n')
    ended = cli("publish", "rows.csv", "rows.jsonl", *TO)
    assert ended.code == 0
    assert ended.err == "urlset: rows.csv: not used: id, colour\nurlset: rows.jsonl: not used: id\n"


def test_blank_lines_are_no_rows(cli: Cli, put: Put, published: Published) -> None:
    put("one.csv", "loc\nhttps://example.com/1\n\nhttps://example.com/2\n\n")
    put("two.csv", "loc,lastmod\nhttps://example.com/1,\n\nhttps://example.com/2,\n\n")
    for name in ("one.csv", "two.csv"):
        assert cli("publish", name, *TO).code == 0
        assert published() == [UrlEntry("https://example.com/1"), UrlEntry("https://example.com/2")]
