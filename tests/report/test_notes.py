"""What somebody adds to a page for a client: a title, a logo and a note, whatever they say; and the tables for one."""

from __future__ import annotations

import base64
import csv
import zlib
from pathlib import Path

import openpyxl
import pytest
import urlset
from support.chromium import Chromium
from support.report.page import parsed
from support.report.run_file import HOSTILE, make_run_file
from urlset import InputError
from urlset._report.logo import MAX_BYTES

HOSTILE_SVG = b"""<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" onload="top.document.title='logo'">
<script>top.document.title='logo'</script><image href="http://127.0.0.1:9/a.png"/>
<rect width="40" height="20"/></svg>"""


def png() -> bytes:
    """One black pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)

    head = (1).to_bytes(4) * 2 + bytes([8, 0, 0, 0, 0])
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


def test_hostile_notes_stay_texts_and_the_logo_is_part_of_the_page(
    run_file: Path, tmp_path: Path, chromium: Chromium
) -> None:
    (tmp_path / "logo.svg").write_bytes(HOSTILE_SVG)
    hostile = HOSTILE.replace("\0", "")
    note = f"First {hostile}\n\nSecond"
    path = urlset.report(run_file, tmp_path / "r.html", title=hostile, logo=tmp_path / "logo.svg", note=note)
    page = parsed(path)
    policy = page.xpath("//meta[@http-equiv]/@content")[0]
    assert policy.startswith("default-src 'none'; ")
    assert "img-src data:; " in policy
    [source] = page.xpath("//img/@src")
    assert base64.b64decode(source.removeprefix("data:image/svg+xml;base64,")) == HOSTILE_SVG
    assert len(page.xpath("//div[@class='note']/p")) == 2
    assert "Site" in page.xpath("//dl")[0].text_content()
    with chromium.page() as tab:
        tab.load(path.as_uri())
        tab.draw()
        assert tab.evaluate("document.title").endswith(" · audit of 2026-11-23")
        assert tab.evaluate("document.title").startswith("<script>")
        assert tab.evaluate("document.querySelector('.logo').naturalWidth") == 40
        assert (
            tab.evaluate("performance.getEntriesByType('resource').filter(e => !e.name.startsWith('data:')).length")
            == 0
        )


def test_a_page_without_a_logo_allows_no_picture(report_file: Path) -> None:
    assert "img-src" not in parsed(report_file).xpath("//meta[@http-equiv]/@content")[0]


@pytest.mark.parametrize(
    ("data", "kind"),
    [(png(), "png"), (b"\xff\xd8\xff\xe0", "jpeg"), (b"RIFF\0\0\0\0WEBPVP8 ", "webp"), (b"GIF89a", "gif")],
)
def test_a_picture_is_known_by_its_first_bytes(run_file: Path, tmp_path: Path, data: bytes, kind: str) -> None:
    (tmp_path / "logo").write_bytes(data)
    page = parsed(urlset.report(run_file, tmp_path / "r.html", logo=tmp_path / "logo"))
    assert page.xpath("//img/@src")[0].startswith(f"data:image/{kind};base64,")


def test_a_file_that_is_no_small_picture_is_refused(run_file: Path, tmp_path: Path) -> None:
    (tmp_path / "large.png").write_bytes(png() + b"x" * MAX_BYTES)
    with pytest.raises(InputError, match="logo must be a file of at most 256 kB"):
        urlset.report(run_file, tmp_path / "r.html", logo=tmp_path / "large.png")
    for data in (b"<html>", b"<?xml version='1.0'?><html/>", b""):
        (tmp_path / "odd.png").write_bytes(data)
        with pytest.raises(InputError, match="logo must be a PNG, JPEG, GIF, WebP or SVG"):
            urlset.report(run_file, tmp_path / "r.html", logo=tmp_path / "odd.png")
    with pytest.raises(FileNotFoundError):
        urlset.report(run_file, tmp_path / "r.html", logo=tmp_path / "none.png")
    with pytest.raises(InputError, match="title, logo and note are for a page"):
        urlset.report(run_file, tmp_path / "r.csv", title="x")
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize("name", ["findings", "pages"])
def test_a_table_says_the_same_as_csv_and_as_a_workbook(tmp_path: Path, name: str) -> None:
    file = make_run_file(tmp_path / "site.duckdb", pages=40, findings=30, runs=1, hostile=True)
    written = urlset.report(file, tmp_path / "t.csv", table=name)  # type: ignore[arg-type]
    with written.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))
    book = openpyxl.load_workbook(urlset.report(file, tmp_path / "t.xlsx", table=name))  # type: ignore[arg-type]
    sheet = book[name]
    cells = [["" if cell.value is None else cell.value for cell in row] for row in sheet.iter_rows()]
    assert len(cells) == len(rows) > 20
    assert all(cell.data_type != "f" for row in sheet.iter_rows() for cell in row)
    for one, other in zip(rows, cells, strict=True):
        for text, value in zip(one, other, strict=True):
            shown = str(value).lower() if isinstance(value, bool) else str(value).replace("\ufffd", "\x1b")
            assert shown in (text, text.removeprefix("'")) or float(text) == value


def test_texts_that_a_cell_cannot_hold(tmp_path: Path) -> None:
    import duckdb
    from urlset._tables.workbook import MAX_TEXT, write_workbook

    with duckdb.connect() as connection:
        texts = {"=1+1": "=1+1", "a\x01b": "a\ufffdb", "http://e.org": "http://e.org", "12": "12"}
        long = "x" * (MAX_TEXT + 1)
        connection.execute("CREATE TABLE t (a VARCHAR, b BIGINT)")
        connection.executemany("INSERT INTO t VALUES (?, 1::BIGINT << 60)", [[text] for text in (*texts, long)])
        write_workbook(connection, "FROM t", tmp_path / "t.xlsx", "t")
    rows = list(openpyxl.load_workbook(tmp_path / "t.xlsx")["t"].iter_rows(min_row=2))
    assert [row[0].value for row in rows[:-1]] == list(texts.values())
    assert all(row[0].data_type == "s" for row in rows)
    # A number that a workbook would round is a text.
    assert {row[1].value for row in rows} == {str(1 << 60)}
    assert str(rows[-1][0].value).endswith("more characters)")
