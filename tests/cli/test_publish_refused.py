"""`urlset publish`: rows that are refused, files that cannot be read, and how that is told."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from support.cli import Cli
from support.cli.readback import TO, Put, published
from support.cli.rows import as_csv, as_parquet
from urlset import UrlEntry

REFUSED = "loc,priority\nhttps://example.com/1,\nmailto:two,\nhttps://example.com/3,2\nmailto:four,\n"


def test_a_refused_row_stops_the_publish(cli: Cli, put: Put, tmp_path: Path) -> None:
    put("rows.csv", REFUSED)
    ended = cli("publish", "rows.csv", *TO)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("urlset: rows.csv:3 was refused, so nothing was published: LOC003 mailto:two: ")
    assert "; with --rejects FILE, the other rows are published, " in ended.err
    assert not (tmp_path / "out" / "sitemap.xml").exists()


def test_refused_rows_are_left_out_and_reported(cli: Cli, put: Put, tmp_path: Path) -> None:
    put("rows.csv", REFUSED)
    ended = cli("publish", "rows.csv", *TO, "--rejects", "rejects.jsonl")
    assert (ended.code, ended.err) == (1, "")
    assert published(cli) == [UrlEntry("https://example.com/1")]
    lines = ended.out.splitlines()
    assert "rows      4 read, 3 refused" in lines
    assert "Refused 3 rows: 2 LOC003, 1 PRI002" in lines
    assert any(line.startswith("  rows.csv:3: LOC003 mailto:two: ") for line in lines)
    assert "Published 1 entry in 1 shard: https://example.com/sitemap.xml" in lines
    rejects = [json.loads(line) for line in (tmp_path / "rejects.jsonl").read_text().splitlines()]
    assert [(each["line"], each["row"], each["code"], each["loc"]) for each in rejects] == [
        (3, 2, "LOC003", "mailto:two"),
        (4, 3, "PRI002", "https://example.com/3"),
        (5, 4, "LOC003", "mailto:four"),
    ]
    assert {each["file"] for each in rejects} == {"rows.csv"}
    assert all(each["reason"] for each in rejects)
    assert cli("publish", "rows.csv", *TO, "--rejects", "rejects.jsonl", "--on-error", "raise").code == 2


def test_a_duplicate_loc_has_a_line_among_the_rejects(cli: Cli, put: Put, tmp_path: Path) -> None:
    put("rows.csv", "loc,lastmod\nhttps://example.com/1,2024-01-01\n/1,2024-01-02\n")
    ended = cli("publish", "rows.csv", *TO, "--rejects", "rejects.jsonl")
    assert (ended.code, ended.err) == (0, "")
    assert "rows      2 read, 1 duplicate, 1 with a normalized loc" in ended.out.splitlines()
    [reject] = [json.loads(line) for line in (tmp_path / "rejects.jsonl").read_text().splitlines()]
    assert (reject["row"], reject["code"], reject["loc"]) == (1, "LOC014", "https://example.com/1")
    assert (reject["file"], reject["line"]) == ("rows.csv", 2)


def test_a_summary_lists_the_first_ten_refusals(cli: Cli, put: Put) -> None:
    put("rows.txt", "https://example.com/\n" + "mailto:nobody\n" * 25)
    ended = cli("publish", "rows.txt", *TO, "--on-error", "collect")
    assert ended.code == 1
    assert ended.out.count("  rows.txt:") == 10
    assert "\n  and 15 more; --rejects FILE writes all of them to a file\n" in ended.out


def test_the_summary_as_json(cli: Cli, put: Put, tmp_path: Path) -> None:
    put("rows.csv", REFUSED)
    ended = cli("publish", "rows.csv", *TO, "--on-error", "collect", "--format", "json")
    assert ended.code == 1
    summary = json.loads(ended.out)
    assert summary["location"] == str(tmp_path / "out" / "sitemap.xml")
    assert summary["url"] == "https://example.com/sitemap.xml"
    assert summary["urls"] == [summary["url"]]
    assert (summary["dry_run"], summary["entries"], summary["refused"]) == (False, 1, 3)
    assert summary["refused_by_code"] == {"LOC003": 2, "PRI002": 1}
    assert [each["row"] for each in summary["refusals"]] == [2, 3, 4]
    assert summary["size"] == (tmp_path / "out" / "sitemap.xml").stat().st_size
    assert (summary["written"], summary["unchanged"]) == (["sitemap.xml"], [])
    assert (summary["plan"]["added"], summary["plan"]["refused"]) == (1, 3)
    again = json.loads(cli("publish", "rows.csv", *TO, "--on-error", "collect", "--format", "json").out)
    assert (again["written"], again["unchanged"]) == ([], ["sitemap.xml"])


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "noloc.csv",
            "url,lastmod\nhttps://example.com/,\n",
            "noloc.csv: there is no column loc, which every row",
        ),
        ("noloc.csv", "url,lastmod\nhttps://example.com/,\n", "columns found: url, lastmod"),
        ("noloc.csv", "url,lastmod\nhttps://example.com/,\n", "map it (columns={'loc': NAME}, --columns loc=NAME)"),
        ("empty.csv", "", "empty.csv: it is empty; rows need a header"),
        ("twice.csv", "loc,loc\n", "twice.csv: there are two columns named loc"),
        ("ragged.csv", "loc,lastmod\nhttps://example.com/1,\nhttps://example.com/a,b,c\n", "ragged.csv:3: "),
        ("open.csv", 'loc,lastmod\nhttps://example.com/1,\n"https://example.com/2,\n', "open.csv:3: "),
        (
            "mixed.csv",
            "loc,lastmod\r\nhttps://example.com/1,2024\nhttps://example.com/2,2024\n",
            "mixed.csv: this is not CSV",
        ),
        (
            "latin.csv",
            b"loc\nhttps://example.com/\xe9\n",
            "--encoding must be that of the file, such as windows-1252: latin.csv:2 ",
        ),
        (
            "late.csv",
            b"loc,lastmod\n" + b"https://example.com/,\n" * 50_000 + b"https://example.com/\xe9,\n",
            "late.csv:50002 has the byte 0xE9",
        ),
        (
            "nested.csv",
            "loc,images\nhttps://example.com/,nope\n",
            "nested.csv: images of https://example.com/ is not a JSON list",
        ),
        (
            "nested.csv",
            "loc,images\nhttps://example.com/,{}\n",
            "nested.csv: images of https://example.com/ is not a JSON list",
        ),
        (
            "nested.csv",
            "loc,news\nhttps://example.com/,[]\n",
            "nested.csv: news of https://example.com/ is not a JSON object: []",
        ),
        *(
            ("nested.jsonl", f'{{"loc":"https://example.com/",{wrong}}}\n', "where a list, an object or text belongs: ")
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
            "list.jsonl:2: not a JSON object",
        ),
        ("late.jsonl", '{"loc":"https://example.com/"}\n' * 50_000 + "{\n", "late.jsonl:50001:"),
        ("bad.parquet", "PAR1", "bad.parquet"),
        (
            "latin.txt",
            b"https://example.com/\xe9\n",
            "--encoding must be that of the file, such as windows-1252: latin.txt:1 ",
        ),
        ("cut.csv.gz", gzip.compress(as_csv().encode())[:-20], "urlset: "),
    ],
)
def test_what_cannot_be_read_is_reported_in_one_line(
    cli: Cli, put: Put, name: str, content: str | bytes, said: str
) -> None:
    put(name, content)
    ended = cli("publish", name, *TO, "--on-error", "collect")
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1
    assert not (cli.folder / "out" / "sitemap.xml").exists()


def test_a_parquet_column_of_the_wrong_type_is_reported(cli: Cli, tmp_path: Path) -> None:
    forms = {"images": "a list of structs, a list of text", "videos": "a list of structs", "news": "a struct"}
    for column, said in forms.items():
        as_parquet(tmp_path / "a.parquet", f"SELECT 'https://example.com/' AS loc, 1 AS {column}")
        ended = cli("publish", "a.parquet", *TO)
        first = f"urlset: a.parquet: {column} must be {said}, or JSON as text, got INTEGER"
        assert (ended.code, ended.err.splitlines()[0]) == (2, first)


def test_a_missing_file_is_reported(cli: Cli, put: Put) -> None:
    put("rows.csv", as_csv())
    missing = cli("publish", "rows.csv", "nowhere.csv", *TO)
    assert missing.code == 2
    assert missing.err.startswith("urlset: nowhere.csv: ")
    assert cli("publish", ".", *TO).code == 2
    assert cli("publish", "rows.csv", "--dest", "out", "--base-url", "example.com").code == 2
    assert cli("publish", "rows.csv", "--dest", "out").code == 2
    assert cli("publish", "rows.csv", *TO, "--rejects", "no/folder.jsonl").code == 2
    assert cli("publish", "-", "-", *TO, stdin=as_csv().encode()).code == 2
