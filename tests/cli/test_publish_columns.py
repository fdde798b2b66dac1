"""`urlset publish`: rows whose columns have other names, and what is published of them."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from pathlib import Path

import duckdb
import pytest
import urlset
from support.cli import Cli, unwrapped
from support.cli.readback import BASE, TO, Put, manifest, published
from urlset import Alternate, Image, UrlEntry, Video

MAPPED = ("--columns", "loc=url", "--columns", "lastmod=updated", "--columns", "images=pictures")


def test_columns_of_csv_have_other_names(cli: Cli, put: Put) -> None:
    put("rows.csv", 'id;URL;updated;lastmod;pictures\n7;/a;2024-01-02;2020;"[""https://example.com/1.jpg""]"\n')
    ended = cli("publish", "rows.csv", *TO, *MAPPED)
    assert (ended.code, ended.err) == (0, "urlset: rows.csv: not used: id, lastmod\n")
    assert published(cli) == [UrlEntry(BASE + "a", lastmod="2024-01-02", images=[Image(BASE + "1.jpg")])]


def test_keys_of_json_have_other_names(cli: Cli, put: Put) -> None:
    put("rows.jsonl", '{"url":"/a","updated":"2024-01-02","id":7,"pictures":[{"loc":"https://example.com/1.jpg"}]}\n')
    ended = cli("publish", "rows.jsonl", *TO, *MAPPED)
    assert (ended.code, ended.err) == (0, "urlset: rows.jsonl: not used: id\n")
    assert published(cli) == [UrlEntry(BASE + "a", lastmod="2024-01-02", images=[Image(BASE + "1.jpg")])]


def test_columns_of_parquet_have_other_names(cli: Cli) -> None:
    duckdb.execute(
        "COPY (SELECT '/a' AS \"URL\", TIMESTAMPTZ '2024-01-02 03:04:05Z' AS updated, 7 AS id,"
        " ['https://example.com/1.jpg'] AS pictures) TO '" + str(cli.folder / "rows.parquet") + "' (FORMAT parquet)"
    )
    ended = cli("publish", "rows.parquet", *TO, *MAPPED)
    assert (ended.code, ended.err) == (0, "urlset: rows.parquet: not used: id\n")
    assert published(cli) == [UrlEntry(BASE + "a", lastmod="2024-01-02T03:04:05Z", images=[Image(BASE + "1.jpg")])]


def test_nested_json_lines(cli: Cli, put: Put) -> None:
    row = {
        "loc": "/a",
        "images": ["https://example.com/1.jpg", {"loc": "https://example.com/2.jpg", "title": "2"}],
        "alternates": [{"hreflang": "de", "href": "https://example.com/de"}],
        "videos": [
            {
                "thumbnail_loc": "https://example.com/t.jpg",
                "title": "T",
                "description": "D",
                "content_loc": "https://example.com/1.mp4",
                "tags": ["x"],
                "duration": 60,
            }
        ],
    }
    put("rows.jsonl", json.dumps(row) + "\n")
    assert cli("publish", "rows.jsonl", *TO).code == 0
    [entry] = published(cli)
    assert entry == UrlEntry(
        BASE + "a",
        images=[Image(BASE + "1.jpg"), Image(BASE + "2.jpg", "2")],
        alternates=[Alternate("de", BASE + "de")],
        videos=[Video("https://example.com/t.jpg", "T", "D", "https://example.com/1.mp4", tags=["x"], duration="60")],
    )


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_shards_by_a_column_of_the_rows(cli: Cli, put: Put, form: str) -> None:
    put("rows.csv", "loc,Brand\n/a,Tea & Co\n/b,pots\n/c,\n")
    rows = f"{cli.folder}/rows"
    duckdb.execute(f"COPY (FROM read_csv('{rows}.csv', all_varchar=true)) TO '{rows}.jsonl' (FORMAT json)")
    duckdb.execute(f"COPY (FROM read_csv('{rows}.csv', all_varchar=true)) TO '{rows}.parquet' (FORMAT parquet)")
    ended = cli("publish", f"rows.{form}", *TO, "--shard-by", "key:Brand")
    assert (ended.code, ended.err) == (0, "")
    shards = [str(shard) for _, shard in manifest(cli, "loc, shard")]
    assert [re.sub(r"[^a-z]", "", shard)[:4] for shard in shards] == ["teac", "pots", ""]


def test_pages_of_a_group_link_to_each_other(cli: Cli, put: Put) -> None:
    put("rows.csv", "loc,product,locale\n/en,1,en\n/de,1,de\n/other,,\n")
    ended = cli("publish", "rows.csv", *TO, "--columns", "group=product,lang=locale", "--x-default", "en")
    assert (ended.code, ended.err) == (0, "")
    links = [Alternate("de", BASE + "de"), Alternate("en", BASE + "en"), Alternate("x-default", BASE + "en")]
    assert [(entry.loc, entry.alternates) for entry in published(cli) if isinstance(entry, UrlEntry)] == [
        (BASE + "de", tuple(links)),
        (BASE + "en", tuple(links)),
        (BASE + "other", ()),
    ]


def test_a_group_column_without_languages_is_reported_as_unused(cli: Cli, put: Put) -> None:
    put("rows.csv", "loc,group\n/a,1\n/b,1\n")
    ended = cli("publish", "rows.csv", *TO)
    assert (ended.code, ended.err) == (0, "urlset: rows.csv: not used: group\n")


def test_what_changes_with_the_page_moves_its_lastmod(cli: Cli, put: Put) -> None:
    put("rows.csv", "loc,sum\n/a,1\n/b,1\n")
    assert cli("publish", "rows.csv", *TO, "--columns", "content=sum").code == 0
    put("rows.csv", "loc,sum\n/a,1\n/b,2\n")
    ended = cli("publish", "rows.csv", *TO, "--columns", "content=sum")
    assert "lastmods  1 content, 1 none" in ended.out
    first, second = published(cli)
    assert isinstance(first, UrlEntry)
    assert isinstance(second, UrlEntry)
    assert (first.lastmod, second.lastmod is None) == (None, False)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--columns", "url=loc"], "unknown column mapping 'url'; known: loc, "),
        (
            ["--columns", "loc=urll"],
            "rows.csv: there is no column urll, which loc is mapped to; did you mean url?",
        ),
        (["--columns", "loc"], "'loc' is not NAME=VALUE"),
        (["--columns", "loc=url", "--shard-by", "key:brand"], "there is no column brand"),
        (["--columns", "loc=url", "--shard-by", "kay:brand"], "--shard-by must be one of sticky"),
        (["--columns", "loc=url", "--lastmod-from", "git"], "lastmod-from needs a column file"),
        (["--columns", "loc=url", "--columns", "file=id", "--lastmod-from", "git"], "the folder of the files"),
        (["--columns", "loc=url", "--lastmod-from", "svn"], "unknown value 'svn'"),
        (["--html", "."], "rows and html cannot be combined"),
        (["--query", "SELECT 1"], "a database and a query belong together"),
    ],
)
def test_invalid_columns_are_reported(cli: Cli, put: Put, options: list[str], said: str) -> None:
    put("rows.csv", "id,url\n1,/a\n")
    ended = cli("publish", "rows.csv", *TO, *options)
    assert ended.code == 2
    assert said in unwrapped(ended.err)
    assert not (cli.folder / "out" / "sitemap.xml").exists()


def test_a_first_row_without_a_key_is_reported(cli: Cli, put: Put) -> None:
    put("rows.jsonl", '{"url":"/a"}\n{"url":"/b","updated":"2024-01-02"}\n')
    ended = cli("publish", "rows.jsonl", *TO, "--columns", "loc=url", "--columns", "lastmod=updated")
    assert (ended.code, ended.err) == (0, "urlset: rows.jsonl: the first row has no updated\n")
    assert published(cli)[1] == UrlEntry(BASE + "b", lastmod="2024-01-02")


def test_a_text_list_has_no_columns(cli: Cli, put: Put) -> None:
    put("rows.txt", BASE)
    ended = cli("publish", "rows.txt", *TO, "--columns", "lastmod=updated")
    assert (ended.code, ended.err) == (2, "urlset: a list of locs has no column updated\n")


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "sqlite"])
def test_one_url_in_a_cell_is_an_image(cli: Cli, tmp_path: Path, form: str) -> None:
    """As most tables hold it, beside JSON lists of images, which stay possible."""
    cells = {"/a": f"{BASE}i.jpg", "/b": json.dumps([f"{BASE}j.jpg", {"loc": f"{BASE}k.jpg"}]), "/c": None}
    source = ["rows." + form]
    if form == "csv":
        lines = [",".join([loc, '"' + (cell or "").replace('"', '""') + '"']) for loc, cell in cells.items()]
        (tmp_path / "rows.csv").write_text("loc,images\n" + "\n".join(lines) + "\n")
    elif form == "jsonl":
        rows = [
            {"loc": "/a", "images": cells["/a"]},
            {"loc": "/b", "images": json.loads(cells["/b"] or "")},
            {"loc": "/c"},
        ]
        (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif form == "parquet":
        values = ", ".join(f"('{loc}', {'NULL' if cell is None else repr(cell)})" for loc, cell in cells.items())
        duckdb.execute(f"COPY (FROM (VALUES {values}) AS t(loc, images)) TO '{tmp_path / 'rows.parquet'}'")
    else:
        with contextlib.closing(sqlite3.connect(tmp_path / "rows.db")) as database, database:
            database.execute("CREATE TABLE pages (loc, images)")
            database.executemany("INSERT INTO pages VALUES (?, ?)", cells.items())
        source = ["--database", f"sqlite:///{tmp_path}/rows.db", "--query", "SELECT * FROM pages"]
    ended = cli("publish", *source, "--dest", "out", "--base-url", BASE)
    assert ended.code == 0, ended.err
    found = {
        str(entry.loc).removeprefix(BASE): [i.loc for i in entry.images] for entry in urlset.read(tmp_path / "out")
    }
    assert found == {"a": [f"{BASE}i.jpg"], "b": [f"{BASE}j.jpg", f"{BASE}k.jpg"], "c": []}


@pytest.mark.parametrize("between", [",", ";", " "])
def test_several_images_in_a_cell_are_refused(cli: Cli, put: Put, between: str) -> None:
    put("rows.csv", f"loc\timages\n/a\thttps://a.example/1.jpg{between}https://a.example/2.jpg\n")
    ended = cli("publish", "rows.csv", "--dest", "out", "--base-url", "https://a.example/")
    assert ended.code == 2
    assert ended.err == "urlset: rows.csv: images of /a are several URLs: write a JSON list\n"
