"""`urlset publish`: every form of rows in, a set of sitemaps out, and what is refused."""

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
import urlset
from urlset import Alternate, Image, News, Price, TvShow, UrlEntry, Video

from cli.harness import Cli

Put = Callable[[str, str | bytes], Path]
Published = Callable[[], list[urlset.UrlEntry | urlset.SitemapEntry]]

TO = ("--to", "out", "--base-url", "https://example.com/")

IMAGES = '[{"loc":"https://example.com/1.jpg"},"https://example.com/2.jpg"]'
ALTERNATES = '[{"hreflang":"de","href":"https://example.com/de"}]'
WHOLE = UrlEntry(
    "https://example.com/1?a=1&b=é",
    lastmod="2024-01-02",
    changefreq="daily",
    priority=0.5,
    images=(Image("https://example.com/1.jpg"), Image("https://example.com/2.jpg")),
    alternates=(Alternate("de", "https://example.com/de"),),
)
BARE = UrlEntry("https://example.com/2")


def as_csv(delimiter: str = ",", line_end: str = "\n") -> str:
    """The two entries, nested columns as JSON."""
    text = io.StringIO()
    rows = csv.writer(text, delimiter=delimiter, lineterminator=line_end)
    rows.writerow(["loc", "lastmod", "changefreq", "priority", "images", "alternates"])
    rows.writerow([WHOLE.loc, "2024-01-02", "daily", "0.5", IMAGES, ALTERNATES])
    rows.writerow([BARE.loc, "", "", "", "", ""])
    return text.getvalue()


def as_jsonl() -> str:
    """The two entries, a blank line between them."""
    first = (
        f'{{"loc":"{WHOLE.loc}","lastmod":"2024-01-02","changefreq":"daily","priority":0.5,'
        f'"images":{IMAGES},"alternates":{ALTERNATES}}}'
    )
    return f'{first}\n\n{{"loc":"{BARE.loc}","images":null}}\n'


def as_parquet(path: Path, select: str) -> None:
    """A Parquet file of what the query selects."""
    target = str(path).replace("'", "''")
    duckdb.execute(f"COPY ({select}) TO '{target}' (FORMAT parquet)")


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
def test_rows_are_told_by_name_or_content(
    cli: Cli, put: Put, published: Published, name: str, content: str | bytes
) -> None:
    put(name, content)
    ended = cli("publish", name, *TO)
    assert (ended.code, ended.err) == (0, "")
    assert published() == [WHOLE, BARE]


@pytest.mark.parametrize("content", [as_csv(), as_jsonl()], ids=["csv", "jsonl"])
def test_standard_input_is_told_by_content(cli: Cli, published: Published, content: str) -> None:
    assert cli("publish", "-", *TO, stdin=content.encode()).code == 0
    assert published() == [WHOLE, BARE]


def test_parquet_keeps_its_types(cli: Cli, tmp_path: Path, published: Published) -> None:
    row = """
        SELECT 'https://example.com/1' AS loc, {lastmod} AS lastmod, 0.7::FLOAT AS priority,
        [{{'loc': 'https://example.com/1.jpg'}}] AS images, ['https://example.com/de'] AS other
    """
    as_parquet(tmp_path / "a.parquet", row.format(lastmod="TIMESTAMPTZ '2024-01-02 03:04:05.5+02'"))
    as_parquet(tmp_path / "b.parquet", row.format(lastmod="DATE '2024-01-02'"))
    ended = cli("publish", "a.parquet", "b.parquet", *TO)
    assert ended.code == 0
    assert ended.err == "urlset: a.parquet: not used: other\nurlset: b.parquet: not used: other\n"
    image = Image("https://example.com/1.jpg")
    assert published() == [
        UrlEntry("https://example.com/1", lastmod="2024-01-02T01:04:05.5Z", priority=0.7, images=[image]),
        UrlEntry("https://example.com/1", lastmod="2024-01-02", priority=0.7, images=[image]),
    ]
    piped = cli("publish", "-", *TO, stdin=(tmp_path / "a.parquet").read_bytes())
    assert piped.code == 0
    assert len(published()) == 1


def test_a_parquet_time_without_a_zone_is_not_given_one(cli: Cli, tmp_path: Path) -> None:
    as_parquet(tmp_path / "a.parquet", "SELECT 'https://example.com/' AS loc, TIMESTAMP '2024-01-02' AS lastmod")
    ended = cli("publish", "a.parquet", *TO)
    assert ended.code == 2
    assert "row 1 is refused, and so nothing is published: MOD002" in ended.err


@pytest.mark.parametrize("name", ["locs.txt", "-"])
def test_a_text_list_has_a_loc_a_line(cli: Cli, put: Put, published: Published, name: str) -> None:
    content = "\ufeffhttps://example.com/1\r\n\r\n  https://example.com/2  \nhttps://example.com/3".encode()
    put("locs.txt", content)
    assert cli("publish", name, *TO, stdin=content).code == 0
    assert published() == [UrlEntry(f"https://example.com/{number}") for number in (1, 2, 3)]


def test_the_form_can_be_said(cli: Cli, put: Put, published: Published) -> None:
    put("locs.csv", "https://example.com/1\nhttps://example.com/2\n")
    assert cli("publish", "locs.csv", *TO).code == 2
    assert cli("publish", "locs.csv", "--from", "txt", *TO).code == 0
    assert len(published()) == 2


def test_files_of_different_forms_are_one_set(cli: Cli, put: Put, published: Published, tmp_path: Path) -> None:
    put("a.csv", as_csv())
    put("b.jsonl", as_jsonl())
    as_parquet(tmp_path / "c.parquet", "SELECT 'https://example.com/3' AS loc")
    assert cli("publish", "b.jsonl", "c.parquet", "a.csv", "b.jsonl", *TO).code == 0
    assert published() == [WHOLE, BARE, UrlEntry("https://example.com/3"), WHOLE, BARE, WHOLE, BARE]
    put("d.txt", "https://example.com/4\n")
    assert cli("publish", "a.csv", "d.txt", *TO).code == 2


def test_nothing_is_inferred_from_the_rows(cli: Cli, put: Put, published: Published) -> None:
    """Thousands of rows that look like numbers and dates, and then one that does not."""
    dull = "".join(f"https://example.com/{number},2024-01-02,1\n" for number in range(50_000))
    put("rows.csv", f"loc,lastmod,priority\n{dull}https://example.com/last,2024,0.50\n")
    assert cli("publish", "rows.csv", *TO).code == 0
    assert published()[-1] == UrlEntry("https://example.com/last", lastmod="2024", priority=0.5)


def test_what_read_writes_publish_takes_to_the_byte(cli: Cli, put: Put) -> None:
    times = ("2024", "2024-02", "2024-02-03", "2024-02-03T04:05Z", "2024-02-03T04:05:06.700+08:00")
    rows = as_csv() + "".join(f"https://example.com/{number},{time},,,,\n" for number, time in enumerate(times))
    put("rows.csv", rows)
    assert cli("publish", "rows.csv", *TO).code == 0
    whole = (cli.folder / "out" / "sitemap.xml").read_bytes()
    for form in ("csv", "jsonl", "parquet"):
        assert cli("read", "out", "-o", f"again.{form}").code == 0
        ended = cli("publish", f"again.{form}", "--to", f"out-{form}", "--base-url", "https://example.com/")
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
    Video("https://example.com/t.jpg", 'A, "B"', prices=[Price("1", "EUR")], tags=["x", "y"], tvshow=TvShow("S")),
    Video(ids=["7"], content_segments=["https://example.com/1.mp4"]),
]
ARTICLE = News("The Example", "en", title="A")


def test_videos_and_news_come_through_every_form(cli: Cli, put: Put, published: Published) -> None:
    entries = [UrlEntry("https://example.com/1", videos=VIDEOS), UrlEntry("https://example.com/2", news=ARTICLE), BARE]
    urlset.write(entries, cli.folder / "sitemap.xml")
    for form in ("csv", "jsonl", "parquet"):
        assert cli("read", "sitemap.xml", "-o", f"rows.{form}").code == 0
        ended = cli("publish", f"rows.{form}", *TO)
        assert (ended.code, ended.err) == (0, "")
        assert published() == entries
    put(
        "few.jsonl",
        '{"loc":"https://example.com/1","videos":[{"title":"T","tags":["x"]}]}\n'
        '{"loc":"https://example.com/2","news":{"title":"T"}}\n',
    )
    assert cli("publish", "few.jsonl", *TO).code == 0
    few = [UrlEntry("https://example.com/1", videos=[Video(title="T", tags=["x"])])]
    assert published() == [*few, UrlEntry("https://example.com/2", news=News(title="T"))]


def test_some_fields_of_videos_and_news_in_parquet(cli: Cli, published: Published, tmp_path: Path) -> None:
    as_parquet(
        tmp_path / "a.parquet",
        """SELECT 'https://example.com/' AS loc, {'title': 'T'} AS news,
        [{'title': 'T', 'tags': ['x'], 'prices': [{'price': '1'}]}] AS videos""",
    )
    assert cli("publish", "a.parquet", *TO).code == 0
    video = Video(title="T", tags=["x"], prices=["1"])
    assert published() == [UrlEntry("https://example.com/", videos=[video], news=News(title="T"))]


REFUSED = "loc,priority\nhttps://example.com/1,\n/two,\nhttps://example.com/3,2\n/four,\n"


def test_a_refused_row_stops_the_publish(cli: Cli, put: Put, tmp_path: Path) -> None:
    put("rows.csv", REFUSED)
    ended = cli("publish", "rows.csv", *TO)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("urlset: row 2 is refused, and so nothing is published: LOC002 /two: ")
    assert not (tmp_path / "out" / "sitemap.xml").exists()


def test_refused_rows_are_left_out_and_told(cli: Cli, put: Put, published: Published, tmp_path: Path) -> None:
    put("rows.csv", REFUSED)
    ended = cli("publish", "rows.csv", *TO, "--rejects", "rejects.jsonl")
    assert (ended.code, ended.err) == (1, "")
    assert published() == [UrlEntry("https://example.com/1")]
    lines = ended.out.splitlines()
    assert lines[0] == "Published 1 entry in 1 shard: https://example.com/sitemap.xml"
    assert "Refused 3 rows: 2 LOC002, 1 PRI002" in lines
    assert lines[-3].startswith("  row 2: LOC002 /two: ")
    rejects = [json.loads(line) for line in (tmp_path / "rejects.jsonl").read_text().splitlines()]
    assert [(each["row"], each["code"], each["loc"]) for each in rejects] == [
        (2, "LOC002", "/two"),
        (3, "PRI002", "https://example.com/3"),
        (4, "LOC002", "/four"),
    ]
    assert all(each["reason"] for each in rejects)
    assert cli("publish", "rows.csv", *TO, "--rejects", "rejects.jsonl", "--on-error", "raise").code == 2


def test_a_summary_lists_the_first_ten_refusals(cli: Cli, put: Put) -> None:
    put("rows.txt", "https://example.com/\n" + "/relative\n" * 25)
    ended = cli("publish", "rows.txt", *TO, "--on-error", "collect")
    assert ended.code == 1
    assert ended.out.count("  row ") == 10
    assert ended.out.endswith("  and 15 more: --rejects FILE lists them\n")


def test_the_summary_as_json(cli: Cli, put: Put, tmp_path: Path) -> None:
    put("rows.csv", REFUSED)
    ended = cli("publish", "rows.csv", *TO, "--on-error", "collect", "--json")
    assert ended.code == 1
    summary = json.loads(ended.out)
    assert list(summary) == [
        "location",
        "url",
        "entries",
        "bytes",
        "size",
        "shards",
        "written",
        "unchanged",
        "removed",
        "refused",
        "refused_by_code",
        "refusals",
    ]
    assert summary["location"] == str(Path("out", "sitemap.xml"))
    assert summary["url"] == "https://example.com/sitemap.xml"
    assert (summary["entries"], summary["refused"]) == (1, 3)
    assert summary["refused_by_code"] == {"LOC002": 2, "PRI002": 1}
    assert [each["row"] for each in summary["refusals"]] == [2, 3, 4]
    assert summary["size"] == (tmp_path / "out" / "sitemap.xml").stat().st_size
    assert (summary["written"], summary["unchanged"]) == (["sitemap.xml"], [])
    again = json.loads(cli("publish", "rows.csv", *TO, "--on-error", "collect", "--json").out)
    assert (again["written"], again["unchanged"]) == ([], ["sitemap.xml"])


@pytest.mark.parametrize(("compression", "suffix"), [("gzip", ".xml.gz"), ("none", ".xml")])
def test_what_outgrows_a_document_becomes_shards(
    cli: Cli, put: Put, published: Published, compression: str, suffix: str
) -> None:
    put("rows.txt", "".join(f"https://example.com/{number}\n" for number in range(50_001)))
    ended = cli("publish", "rows.txt", *TO, "--compression", compression, "--json")
    shards = json.loads(ended.out)["shards"]
    assert [shard["entries"] for shard in shards] == [50_000, 1]
    for shard in shards:
        assert shard["name"].endswith(suffix)
        assert shard["lastmod"].endswith("Z")
        assert (cli.folder / "out" / shard["name"]).stat().st_size == shard["size"]
    assert [entry.loc for entry in published()] == [f"https://example.com/{number}" for number in range(50_001)]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "noloc.csv",
            "url,lastmod\nhttps://example.com/,\n",
            "noloc.csv: there is no column loc, which every row",
        ),
        ("noloc.csv", "url,lastmod\nhttps://example.com/,\n", "columns found: url, lastmod"),
        ("empty.csv", "", "columns found: none"),
        ("twice.csv", "loc,loc\n", "twice.csv: the column loc is there twice"),
        ("ragged.csv", "loc,lastmod\nhttps://example.com/1,\nhttps://example.com/a,b,c\n", "ragged.csv:3: "),
        ("open.csv", 'loc,lastmod\nhttps://example.com/1,\n"https://example.com/2,\n', "open.csv:3: "),
        (
            "mixed.csv",
            "loc,lastmod\r\nhttps://example.com/1,2024\nhttps://example.com/2,2024\n",
            "mixed.csv: this is not CSV",
        ),
        ("latin.csv", b"loc\nhttps://example.com/\xe9\n", "latin.csv: not UTF-8"),
        (
            "late.csv",
            b"loc,lastmod\n" + b"https://example.com/,\n" * 50_000 + b"https://example.com/\xe9,\n",
            "late.csv:50002: ",
        ),
        (
            "nested.csv",
            "loc,images\nhttps://example.com/,nope\n",
            "nested.csv: images of https://example.com/ is no JSON",
        ),
        (
            "nested.csv",
            "loc,images\nhttps://example.com/,{}\n",
            "nested.csv: images of https://example.com/ is no JSON",
        ),
        (
            "nested.csv",
            "loc,news\nhttps://example.com/,[]\n",
            "nested.csv: news of https://example.com/ is no JSON object: []",
        ),
        *(
            ("nested.jsonl", f'{{"loc":"https://example.com/",{wrong}}}\n', "where they belong: ")
            for wrong in (
                '"videos":["x"]',
                '"videos":[{"title":"T"},{"prices":["1.99"]}]',
                '"videos":[{"tags":"x"}]',
                '"videos":[{"title":{"en":"T"}}]',
                '"videos":[{"tvshow":"x"}]',
                '"news":{"title":["x"]}',
            )
        ),
        ("bad.jsonl", '{"loc":"https://example.com/"}\n\n{"loc":oops}\n', "bad.jsonl:3:8: not JSON"),
        (
            "list.jsonl",
            '{"loc":"https://example.com/"}\n["https://example.com/"]\n',
            "list.jsonl:2: no JSON object",
        ),
        ("late.jsonl", '{"loc":"https://example.com/"}\n' * 50_000 + "{\n", "late.jsonl:50001:"),
        ("bad.parquet", "PAR1", "bad.parquet"),
        ("latin.txt", b"https://example.com/\xe9\n", "latin.txt: not UTF-8"),
        ("cut.csv.gz", gzip.compress(as_csv().encode())[:-20], "urlset: "),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(
    cli: Cli, put: Put, name: str, content: str | bytes, said: str
) -> None:
    put(name, content)
    ended = cli("publish", name, *TO, "--on-error", "collect")
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1
    assert not (cli.folder / "out" / "sitemap.xml").exists()


def test_a_parquet_column_of_the_wrong_type_is_told(cli: Cli, tmp_path: Path) -> None:
    forms = {"images": "a list of structs, a list of text", "videos": "a list of structs", "news": "a struct"}
    for column, said in forms.items():
        as_parquet(tmp_path / "a.parquet", f"SELECT 'https://example.com/' AS loc, 1 AS {column}")
        ended = cli("publish", "a.parquet", *TO)
        first = f"urlset: a.parquet: {column} is INTEGER; it can be {said}, or JSON as text"
        assert (ended.code, ended.err.splitlines()[0]) == (2, first)


def test_columns_that_are_not_used_are_named(cli: Cli, put: Put) -> None:
    put("rows.csv", "id,loc,title\n1,https://example.com/,T\n")
    put("rows.jsonl", '{"id":1,"loc":"https://example.com/"}\n')
    ended = cli("publish", "rows.csv", "rows.jsonl", *TO)
    assert ended.code == 0
    assert ended.err == "urlset: rows.csv: not used: id, title\nurlset: rows.jsonl: not used: id\n"


def test_what_cannot_be_had_is_told(cli: Cli, put: Put) -> None:
    put("rows.csv", as_csv())
    missing = cli("publish", "rows.csv", "nowhere.csv", *TO)
    assert missing.code == 2
    assert missing.err.startswith("urlset: nowhere.csv: ")
    assert cli("publish", ".", *TO).code == 2
    assert cli("publish", "rows.csv", "--to", "out", "--base-url", "example.com").code == 2
    assert cli("publish", "rows.csv", "--to", "out").code == 2
    assert cli("publish", "rows.csv", *TO, "--rejects", "no/folder.jsonl").code == 2
    assert cli("publish", "-", "-", *TO, stdin=as_csv().encode()).code == 2


def test_blank_lines_are_no_rows(cli: Cli, put: Put, published: Published) -> None:
    put("one.csv", "loc\nhttps://example.com/1\n\nhttps://example.com/2\n\n")
    put("two.csv", "loc,lastmod\nhttps://example.com/1,\n\nhttps://example.com/2,\n\n")
    for name in ("one.csv", "two.csv"):
        assert cli("publish", name, *TO).code == 0
        assert published() == [UrlEntry("https://example.com/1"), UrlEntry("https://example.com/2")]
