"""CSV of a stranger's texts, which people open in spreadsheets and look at on terminals."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.cli import Cli
from urlset._cli import export

Put = Callable[[str, str | bytes], Path]

HEAD = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'


def entry(lastmod: str) -> str:
    return f"<url><loc>https://example.com/</loc><lastmod>{lastmod}</lastmod></url>"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+1+1", "'+1+1"),
        ("-1+1", "'-1+1"),
        ("@SUM(1)", "'@SUM(1)"),
        ("-1", "-1"),
        ("+2.5", "+2.5"),
        ("2026-01-01", "2026-01-01"),
        ("a=b", "a=b"),
    ],
)
def test_no_text_is_a_formula(cli: Cli, put: Put, text: str, written: str) -> None:
    put("sitemap.xml", f"{HEAD}{entry(text)}</urlset>")
    columns = ("--columns", "lastmod_raw,document")
    (row,) = csv.DictReader(io.StringIO(cli("read", "sitemap.xml", "--format", "csv", *columns).out))
    assert row == {"lastmod_raw": written, "document": "sitemap.xml"}
    # The other formats have every text as it is.
    assert json.loads(cli("read", "sitemap.xml", *columns).out)["lastmod_raw"] == text


def test_the_name_of_a_document_is_no_formula_either(cli: Cli, put: Put) -> None:
    put("=1+1.xml", f"{HEAD}{entry('2026')}</urlset>")
    (row,) = csv.DictReader(io.StringIO(cli("read", "=1+1.xml", "--format", "csv", "--columns", "document").out))
    assert row == {"document": "'=1+1.xml"}


#: An escape sequence of one character, and a mark that turns the direction of reading.
HOSTILE = "https://example.com/\x9b31m\u202etac"


def test_a_terminal_gets_no_controls(cli: Cli, put: Put) -> None:
    put("sitemap.xml", f"{HEAD}<url><loc>{HOSTILE}</loc></url></urlset>")
    arguments = ("read", "sitemap.xml", "--columns", "loc", "--format", "csv")
    shown = cli.terminal(*arguments)
    assert shown.code == 0
    assert shown.out.split() == ["loc", "https://example.com/�31m�tac"]
    assert cli(*arguments).out == f"loc\n{HOSTILE}\n"


@pytest.mark.parametrize("form", ["csv", "json", "jsonl", "parquet"])
def test_a_system_whose_pipes_have_no_names(
    cli: Cli, put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    put("sitemap.xml", f"{HEAD}{entry('2026-01-01')}</urlset>")
    expected = cli.raw("read", "sitemap.xml", "--format", form)
    monkeypatch.setattr(export, "DESCRIPTORS", tmp_path / "none")
    written = cli("read", "sitemap.xml", "--format", form) if form != "parquet" else None
    if written is None:
        assert cli("read", "sitemap.xml", "-o", "rows.parquet").code == 0
        assert (tmp_path / "rows.parquet").read_bytes()[:4] == expected[:4] == b"PAR1"
    else:
        assert (written.code, written.out.encode()) == (0, expected)
