"""`urlset read`: every form, from files and pipes to files and pipes."""

import csv
import errno
import gzip
import io
import json
import os
import socket
import subprocess
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import duckdb
import pytest
from support.cli import SCRIPT, Cli, unwrapped

Put = Callable[[str, str | bytes], Path]

CORE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
SITEMAP = f"""<?xml version="1.0" encoding="UTF-8"?>
<urlset {CORE} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
  xmlns:xhtml="http://www.w3.org/1999/xhtml">
  <url>
    <loc>https://example.com/?a=1&amp;b=“é”,"😀"</loc>
    <lastmod>2024-01-01</lastmod>
    <priority>0.0</priority>
    <image:image><image:loc>https://example.com/1.jpg</image:loc></image:image>
    <xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/>
  </url>
  <url>
    <loc>https://example.com/2</loc>
    <lastmod>2024-01-01T01:02:03.25+02:00</lastmod>
    <changefreq>daily</changefreq>
  </url>
</urlset>
"""
LOCS = ['https://example.com/?a=1&b=“é”,"😀"', "https://example.com/2"]
BROKEN = f"<urlset {CORE}>\n<url><loc>https://example.com/whole</loc></url>\n<url><loc>https://exa"


def many(entries: int) -> str:
    """A sitemap with that many entries, one a line."""
    lines = (f"<url><loc>https://example.com/{number}</loc></url>\n" for number in range(entries))
    return f"<urlset {CORE}>\n{''.join(lines)}</urlset>\n"


@pytest.fixture
def sitemap(put: Put) -> Path:
    """The sitemap above."""
    return put("sitemap.xml", SITEMAP)


@pytest.fixture
def index(put: Put) -> Path:
    """An index with a plain child and a gzipped one."""
    put("a.xml", many(3))
    put("b.xml.gz", gzip.compress(SITEMAP.encode()))
    locs = "".join(f"<sitemap><loc>https://example.com/{name}</loc></sitemap>" for name in ("a.xml", "b.xml.gz"))
    return put("sitemap.xml", f"<sitemapindex {CORE}>{locs}</sitemapindex>")


@pytest.mark.usefixtures("sitemap")
def test_jsonl_is_what_a_pipe_gets(cli: Cli) -> None:
    ended = cli("read", "sitemap.xml")
    assert (ended.code, ended.err) == (0, "")
    first, second = map(json.loads, ended.out.splitlines())
    assert [first["loc"], second["loc"]] == LOCS
    assert first["lastmod"] == "2024-01-01T00:00:00Z"
    assert second["lastmod"] == "2023-12-31T23:02:03.25Z"
    assert second["lastmod_raw"] == "2024-01-01T01:02:03.25+02:00"
    assert first["priority"] == 0.0
    assert second["priority"] is None
    assert [image["loc"] for image in first["images"]] == ["https://example.com/1.jpg"]
    assert [(each["hreflang"], each["href"]) for each in first["alternates"]] == [("de", "https://example.com/de")]
    assert first["document"] == "sitemap.xml"


@pytest.mark.usefixtures("sitemap")
def test_csv_has_json_for_what_is_nested_and_nothing_for_what_is_absent(cli: Cli) -> None:
    ended = cli("read", "sitemap.xml", "--format", "csv")
    first, second = csv.DictReader(io.StringIO(ended.out))
    assert [first["loc"], second["loc"]] == LOCS
    assert first["lastmod"] == "2024-01-01T00:00:00Z"
    assert (first["changefreq"], second["changefreq"]) == ("", "daily")
    assert (first["priority"], second["priority"]) == ("0.0", "")
    assert json.loads(first["images"])[0]["loc"] == "https://example.com/1.jpg"
    assert second["images"] == ""


@pytest.mark.usefixtures("sitemap")
def test_parquet_in_a_pipe_and_in_a_file_is_read_by_duckdb(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "piped.parquet").write_bytes(cli.raw("read", "sitemap.xml", "--format", "parquet"))
    assert cli("read", "sitemap.xml", "--output", "named.parquet").code == 0
    for name in ("piped.parquet", "named.parquet"):
        rows = duckdb.read_parquet(str(tmp_path / name))
        assert str(rows.types[rows.columns.index("lastmod")]) == "TIMESTAMP WITH TIME ZONE"
        assert rows.select("loc, epoch_us(lastmod), images[1].loc").fetchall() == [
            (LOCS[0], 1_704_067_200_000_000, "https://example.com/1.jpg"),
            (LOCS[1], int(datetime(2023, 12, 31, 23, 2, 3, 250_000, UTC).timestamp() * 1_000_000), None),
        ]


@pytest.mark.usefixtures("index")
def test_a_database_has_the_rows_that_a_parquet_file_has(cli: Cli, tmp_path: Path) -> None:
    for name in ("rows.parquet", "rows.duckdb"):
        # What a killed run left is in nobody's way.
        (tmp_path / f".{name}.partial").write_text("half")
        assert cli("read", ".", "--output", name).code == 0
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{tmp_path / 'rows.duckdb'}' AS read (READ_ONLY)")
        parquet = f"read_parquet('{tmp_path / 'rows.parquet'}')"
        assert connection.sql("FROM read.entries").types == connection.sql(f"FROM {parquet}").types
        assert connection.sql("SELECT count(*) FROM read.entries").fetchall() == [(5,)]
        assert connection.sql(f"FROM read.entries EXCEPT ALL FROM {parquet}").fetchall() == []
    assert not list(tmp_path.glob(".rows*"))


@pytest.mark.usefixtures("sitemap")
def test_a_database_needs_a_file(cli: Cli) -> None:
    for output in ([], ["--output", os.devnull]):
        ended = cli("read", "sitemap.xml", "--format", "duckdb", *output)
        assert ended.code == 2
        assert "duckdb is a database and needs a file of its own" in unwrapped(ended.err)


@pytest.mark.usefixtures("sitemap")
@pytest.mark.parametrize("name", ["rows.csv", "rows.JSONL", "rows.parquet", "rows.duckdb", "rows"])
def test_the_suffix_of_the_output_selects_its_format(cli: Cli, tmp_path: Path, name: str) -> None:
    assert cli("read", "sitemap.xml", "-o", name) == cli("read", "sitemap.xml", "-o", name)
    # DuckDB's own mark comes behind a checksum.
    marks = {".csv": b"loc,", ".parquet": b"PAR1", ".duckdb": b"DUCK"}
    assert marks.get(Path(name).suffix, b'{"loc"') in (tmp_path / name).read_bytes()[:12]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "sitemap.xml"])


@pytest.mark.usefixtures("sitemap")
def test_columns_come_in_the_given_order(cli: Cli) -> None:
    ended = cli("read", "sitemap.xml", "--format", "csv", "--columns", "line, loc")
    assert next(csv.reader(io.StringIO(ended.out))) == ["line", "loc"]
    assert cli("read", "sitemap.xml", "--columns", "lok").code == 2


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input_is_a_source(cli: Cli, packed: bool) -> None:
    content = gzip.compress(SITEMAP.encode()) if packed else SITEMAP.encode()
    ended = cli("read", "-", "--columns", "loc,document", stdin=content)
    assert [json.loads(line) for line in ended.out.splitlines()] == [{"loc": loc, "document": "-"} for loc in LOCS]


@pytest.mark.usefixtures("index")
def test_an_index_is_followed_or_not(cli: Cli) -> None:
    followed = [json.loads(line)["loc"] for line in cli("read", ".").out.splitlines()]
    assert followed == [*(f"https://example.com/{number}" for number in range(3)), *LOCS]
    own = [json.loads(line)["loc"] for line in cli("read", ".", "--no-follow").out.splitlines()]
    assert own == ["https://example.com/a.xml", "https://example.com/b.xml.gz"]


@pytest.mark.usefixtures("index")
def test_several_sources_come_one_after_the_other(cli: Cli) -> None:
    ended = cli("read", "b.xml.gz", "a.xml", "--columns", "loc", "--format", "csv")
    assert [row[0] for row in csv.reader(io.StringIO(ended.out))][1:3] == LOCS
    assert len(ended.out.splitlines()) == 6


def test_a_table_shows_the_first_rows_and_how_many_more(cli: Cli, put: Put) -> None:
    put("sitemap.xml", many(1234))
    ended = cli("read", "sitemap.xml", "--format", "table")
    assert ended.code == 0
    assert ended.out.count("https://example.com/") == 20
    assert "1,234 rows from 1 document; 1,214 more, " in ended.out
    assert cli("read", "sitemap.xml", "--format", "table", "--output", "rows").code == 2


def test_rows_keep_their_order_in_a_large_document(cli: Cli, put: Put) -> None:
    put("sitemap.xml", many(200_000))
    ended = cli("read", "sitemap.xml", "--format", "csv", "--columns", "loc")
    assert ended.out.splitlines()[1:] == [f"https://example.com/{number}" for number in range(200_000)]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_reader_that_leaves_ends_it_quietly(cli: Cli, put: Put, form: str) -> None:
    put("sitemap.xml", many(200_000))
    ended = cli.shell(f"urlset read sitemap.xml --format {form} | head -c 10 | wc -c; echo ${{PIPESTATUS[0]}}")
    assert ended.err == ""
    # A parquet file may fit into the pipe before its reader is gone.
    assert ended.out.split() in ([["10", "141"]] if form != "parquet" else [["10", "141"], ["10", "0"]])


def test_appending_to_a_file_keeps_what_it_had(cli: Cli, put: Put, tmp_path: Path) -> None:
    put("sitemap.xml", many(2))
    put("rows.csv", "before\n")
    cli.shell("urlset read sitemap.xml --format csv --columns line >> rows.csv")
    assert (tmp_path / "rows.csv").read_text() == "before\nline\n2\n3\n"


def test_rows_go_out_while_the_document_comes_in(tmp_path: Path) -> None:
    whole = many(800_000).encode()
    half = len(whole) // 2
    process = subprocess.Popen(
        [SCRIPT, "read", "-", "--columns", "loc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path
    )
    first_row, waited_in_vain = threading.Event(), threading.Event()

    def feed(stdin: IO[bytes]) -> None:
        with stdin:
            stdin.write(whole[:half])
            stdin.flush()
            if not first_row.wait(30):
                waited_in_vain.set()
            stdin.write(whole[half:])

    assert process.stdin is not None
    assert process.stdout is not None
    feeder = threading.Thread(target=feed, args=[process.stdin])
    feeder.start()
    with process.stdout as stdout:
        assert json.loads(stdout.readline()) == {"loc": "https://example.com/0"}
        first_row.set()
        assert sum(1 for _ in stdout) == 799_999
    feeder.join()
    assert process.wait(60) == 0
    assert not waited_in_vain.is_set()


@pytest.mark.parametrize("form", ["table", "csv", "jsonl", "parquet"])
def test_a_broken_document_is_reported_in_one_line(cli: Cli, put: Put, form: str) -> None:
    put("broken.xml", BROKEN)
    ended = cli("read", "broken.xml", "--format", form, "-o", "-", "--strict")
    assert ended.code == 2
    assert ended.err.startswith("urlset: broken.xml:3:")
    assert len(ended.err.splitlines()) == 1


def test_a_failure_leaves_the_output_as_it_was(cli: Cli, put: Put, tmp_path: Path) -> None:
    put("broken.xml", BROKEN)
    put("rows.csv", "what was there\n")
    assert cli("read", "broken.xml", "-o", "rows.csv", "--strict").code == 2
    assert (tmp_path / "rows.csv").read_text() == "what was there\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.xml", "rows.csv"]


def test_failures_are_collected_and_reported(cli: Cli, put: Put) -> None:
    put("broken.xml", BROKEN)
    put("whole.xml", many(1))
    ended = cli("read", "broken.xml", "whole.xml", "--columns", "loc")
    assert ended.code == 2
    assert [json.loads(line)["loc"] for line in ended.out.splitlines()] == [
        "https://example.com/whole",
        "https://example.com/0",
    ]
    assert "urlset: broken.xml:3:" in ended.err
    assert "urlset: truncated 1 document: " in ended.err
    assert "1 failure" in ended.err


@pytest.mark.parametrize("form", ["table", "csv", "jsonl"])
def test_a_recovered_document_is_read_and_reported(cli: Cli, put: Put, form: str) -> None:
    put("raw.xml", many(2).replace("/0<", "/?a=1&b=2&c=3<"))
    put("open.xml", many(2).replace("</url>", "", 1))
    put("whole.xml", many(1))
    ended = cli("read", "raw.xml", "open.xml", "whole.xml", "--columns", "loc", "--format", form)
    assert ended.code == 0
    assert "https://example.com/?a=1&b=2&c=3" in ended.out
    findings, recovered = ended.err.splitlines()
    assert findings == "urlset: 3 findings while reading (2 XML005, 1 XML001): `urlset lint` shows them"
    assert recovered.startswith("urlset: recovered 2 documents: ")


def test_findings_past_the_first_of_a_document_are_counted(cli: Cli, put: Put) -> None:
    put("relative.xml", many(1_500).replace("https://example.com/", "/"))
    ended = cli("read", "relative.xml", "--columns", "loc")
    assert (ended.code, len(ended.out.splitlines())) == (0, 1_500)
    assert "1,500 findings while reading (1,500 LOC002)" in ended.err


LIST = "https://example.com/1\nhttps://example.com/2\n"
FEED = f"<rss version='2.0'><channel><item><link>{LOCS[1]}</link></item></channel></rss>"


@pytest.mark.parametrize(
    ("content", "loc"),
    [
        (LIST, "https://example.com/1"),
        (FEED, LOCS[1]),
        (gzip.compress(LIST.encode(), mtime=0), "https://example.com/1"),
    ],
    ids=["list", "feed", "gzip"],
)
def test_lists_and_feeds_are_read_under_any_name(cli: Cli, put: Put, content: str | bytes, loc: str) -> None:
    put("sitemap.xml", content)
    ended = cli("read", "sitemap.xml", "--columns", "loc")
    assert (ended.code, ended.err) == (0, "")
    assert json.loads(ended.out.splitlines()[0]) == {"loc": loc}


@pytest.mark.usefixtures("sitemap")
def test_robots_txt_leads_to_the_sitemap_in_its_folder(cli: Cli, put: Put) -> None:
    put("robots.txt", "User-agent: *\nSitemap: https://example.com/sitemap.xml\n")
    followed = cli("read", "robots.txt", "--columns", "loc")
    assert (followed.code, followed.err) == (0, "")
    assert [json.loads(line)["loc"] for line in followed.out.splitlines()] == LOCS
    own = cli("read", "robots.txt", "--columns", "loc", "--no-follow")
    assert json.loads(own.out) == {"loc": "https://example.com/sitemap.xml"}


def test_the_help_names_what_is_read(cli: Cli) -> None:
    text = cli("read", "--help").out
    assert all(word in text for word in ("XML", "RSS", "Atom", "text lists", "robots.txt"))


@pytest.mark.parametrize("form", ["table", "csv"])
def test_what_is_no_sitemap_fails_even_when_collecting(cli: Cli, put: Put, form: str) -> None:
    put("page.html", "<!doctype html><html></html>")
    ended = cli("read", "page.html", "--format", form)
    assert (ended.code, ended.out) == (2, "")
    assert "page.html" in ended.err


@pytest.mark.parametrize(
    "text",
    [
        "loc;lastmod\nhttps://example.com/a;2026-01-02\n",
        '"URL","Status"\r\n"https://example.com/a","200"\r\n',
        "https://example.com/a,2026-01-02\nhttps://example.com/b,2026-01-03\n",
    ],
)
def test_a_table_is_no_list_of_urls(cli: Cli, put: Put, text: str) -> None:
    put("rows.csv", text)
    ended = cli("read", "rows.csv", "--format", "jsonl")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "urlset: rows.csv:1:1: not a sitemap: it is a table in CSV: `urlset publish` takes its rows\n"


def test_a_missing_file_is_reported(cli: Cli, put: Put) -> None:
    put("sitemap.xml", SITEMAP)
    missing = cli("read", "sitemap.xml", "nowhere.xml")
    assert (missing.code, missing.out) == (2, "")
    assert missing.err == f"urlset: nowhere.xml: {os.strerror(2)}\n"
    assert cli("read", "https://example.com/sitemap.xml").code == 2
    assert cli("read", "sitemap.xml", "-o", "no/folder.csv").code == 2
    assert cli("read", "sitemap.xml", "-o", ".").code == 2
    assert cli("read", "-", "-", stdin=SITEMAP.encode()).code == 2
    assert cli("read").code == 2


def test_a_file_that_cannot_be_read_is_named(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as endpoint:
        endpoint.bind("a.xml")
        ended = cli("read", "a.xml")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"urlset: a.xml: {os.strerror(errno.ENXIO)}\n"


def test_a_source_may_look_like_an_option(cli: Cli, put: Put) -> None:
    put("-odd.xml", SITEMAP)
    assert cli("read", "--columns", "loc", "--", "-odd.xml").code == 0


def test_a_character_that_the_terminal_lacks_does_no_harm(cli: Cli, put: Put) -> None:
    put("sitemap.xml", SITEMAP)
    ended = cli("read", "sitemap.xml", "--format", "table", PYTHONIOENCODING="ascii")
    assert ended.code == 0
    assert "\\xe9" in ended.out


@pytest.mark.usefixtures("sitemap")
@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl", "rows.parquet"])
def test_what_was_read_can_be_published_without_a_note_on_its_columns(cli: Cli, name: str) -> None:
    assert cli("read", "sitemap.xml", "-o", name).code == 0
    ended = cli("publish", name, "--dest", "public", "--base-url", "https://example.com/")
    assert (ended.code, ended.err) == (0, "")
    assert len(cli("read", "public", "--columns", "loc").out.splitlines()) == len(LOCS)
