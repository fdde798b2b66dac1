"""`--quiet`: a command that cron runs prints only results and errors; and the formats that a file name stands for."""

import json
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from support.cli import Cli, unwrapped

from cli.test_lint import document, good

Put = Callable[[str, str | bytes], Path]

TO = ["--dest", "public", "--base-url", "https://example.com/"]


# --- quiet --------------------------------------------------------------------------------------------------


def test_a_command_that_succeeds_says_nothing(cli: Cli, put: Put) -> None:
    put("rows.csv", "loc,note\n/a,x\n/b,y\n")
    put("sitemap.xml", good())
    put("fixed.xml", document("<url><loc>https://example.com/</loc><priority>0,8</priority></url>"))
    for arguments in (
        ["publish", "rows.csv", *TO],
        ["publish", "rows.csv", *TO],
        ["lint", "public"],
        ["lint", "fixed.xml", "--fix"],
        ["diff", "public", "public"],
        ["init", "."],
        ["submit", "--dest", "public", "--key", "0123456789abcdef", "--dry-run"],
    ):
        loud, quiet = Cli(cli.folder), cli(*arguments, "--quiet")
        assert (quiet.code, quiet.out, quiet.err) == (0, "", ""), arguments
    assert loud("lint", "public").out != ""


def test_results_and_errors_are_printed(cli: Cli, put: Put) -> None:
    put("bad.xml", document("<url><loc>/about</loc></url>"))
    put("rows.csv", "loc\n/a\nhttps://other.example/\n")
    found = cli("lint", "bad.xml", "-q")
    assert found.code == 1
    assert "LOC002" in found.out
    assert "1 error in 1 document" not in found.out
    rows = cli("read", "bad.xml", "-q")
    assert (json.loads(rows.out)["loc"], rows.err) == ("/about", "")
    assert "1 finding while reading" in cli("read", "bad.xml").err
    refused = cli("publish", "rows.csv", *TO, "--on-error", "collect", "-q")
    assert (refused.code, refused.out) == (1, "")
    assert "https://other.example/" in refused.err
    missing = cli("read", "gone.xml", "--quiet")
    assert (missing.code, missing.err) == (2, "urlset: gone.xml: No such file or directory\n")


# --- what a file name stands for ----------------------------------------------------------------------------


def test_a_json_file_is_json(cli: Cli, put: Put) -> None:
    put(
        "sitemap.xml",
        document("<url><loc>https://example.com/1</loc></url><url><loc>https://example.com/2</loc></url>"),
    )
    assert cli("read", "sitemap.xml", "-o", "out.json").code == 0
    assert [row["loc"] for row in json.loads((cli.folder / "out.json").read_text())] == [
        "https://example.com/1",
        "https://example.com/2",
    ]
    assert json.loads(cli("read", "sitemap.xml", "--format", "json").out) == json.loads(
        (cli.folder / "out.json").read_text()
    )
    put("other.xml", good("https://example.com/1"))
    changes = cli("diff", "sitemap.xml", "other.xml", "--format", "json")
    assert [change["change"] for change in json.loads(changes.out)] == ["removed"]
    put("empty.xml", document(""))
    assert json.loads(cli("read", "empty.xml", "--format", "json").out) == []


def test_rows_are_written_as_a_workbook(cli: Cli, put: Put) -> None:
    put("sitemap.xml", document("<url><loc>https://example.com/1</loc><lastmod>2026-01-02</lastmod></url>"))
    assert cli("read", "sitemap.xml", "-o", "out.xlsx", "--columns", "loc,lastmod").code == 0
    rows = [
        [cell.value for cell in row]
        for row in openpyxl.load_workbook(cli.folder / "out.xlsx").worksheets[0].iter_rows()
    ]
    assert rows == [["loc", "lastmod"], ["https://example.com/1", "2026-01-02T00:00:00Z"]]
    assert cli("read", "sitemap.xml", "--format", "xlsx").code == 2


@pytest.mark.parametrize("name", ["out.ods", "out.csv.gz", "out.jsn"])
def test_a_name_of_no_known_format_is_refused(cli: Cli, put: Put, name: str) -> None:
    put("sitemap.xml", good())
    ended = cli("read", "sitemap.xml", "-o", name)
    assert (ended.code, ended.out) == (2, "")
    known = ".csv, .json, .jsonl, .ndjson, .parquet, .duckdb, .xlsx"
    said = f"no format ends with {Path(name).suffix}: name a file with {known}, or pass"
    assert said in unwrapped(ended.err)
    assert not (cli.folder / name).exists()
    assert cli("read", "sitemap.xml", "-o", name, "--format", "jsonl").code == 0
    assert cli("read", "sitemap.xml", "-o", "/dev/null").code == 0
