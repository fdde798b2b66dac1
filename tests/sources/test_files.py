"""Files of rows: how their format is detected, and how their columns are mapped."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
import urlset
from support.cli import Cli
from urlset import InputError, UrlEntry
from urlset.sources.files import rows

BASE = "https://example.com/"


def taken(*paths: Any, **options: Any) -> list[dict[str, Any]]:
    """Return all rows of tables, without null values."""
    with rows(paths, **options) as found:
        assert isinstance(found, duckdb.DuckDBPyRelation)
        return [{name: value for name, value in row.items() if value is not None} for row in found.to_dicts()]


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_rows_are_published_from_files(tmp_path: Path) -> None:
    put(tmp_path, "a.csv", "url,day\n/a,2024-01-02\n")
    with rows([str(tmp_path / "*.csv")], columns={"loc": "url", "lastmod": "day"}) as found:
        urlset.publish(found, tmp_path / "out", base_url=BASE)
    assert list(urlset.read(tmp_path / "out")) == [UrlEntry(BASE + "a", lastmod="2024-01-02")]


def test_one_path_needs_no_list(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", "loc\n/a\n")
    for source in (path, str(path), io.BytesIO(path.read_bytes())):
        with rows(source) as found:
            assert isinstance(found, duckdb.DuckDBPyRelation)
            assert found.project("loc").fetchall() == [("/a",)]


def test_known_and_kept_columns_are_taken(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", "loc,Brand,lang,group,content,lastmod_source,file,x\n/a,T,en,1,c,column,a.md,7\n")
    notes: list[str] = []
    expected = {
        "loc": "/a",
        "group": "1",
        "lang": "en",
        "lastmod_source": "column",
        "content": "c",
        "file": "a.md",
        "brand": "T",
    }
    assert taken(path, keep=["brand"], on_note=notes.append) == [expected]
    assert notes == [f"{path}: not used: x"]


def test_files_of_one_section_need_not_have_the_same_columns(tmp_path: Path) -> None:
    first = put(tmp_path, "a.csv", "loc,content\n/a,1\n")
    second = put(tmp_path, "b.jsonl", '{"loc":"/b","images":["/i.jpg"]}\n')
    assert taken(first, second) == [
        {"loc": "/a", "content": "1"},
        {"loc": "/b", "images": [{"loc": "/i.jpg"} | dict.fromkeys(("title", "caption", "geo_location", "license"))]},
    ]


def test_one_column_can_be_mapped_to_two_names(tmp_path: Path) -> None:
    columns = {"lastmod": "day", "content": "day"}
    path = put(tmp_path, "a.csv", "loc,day\n/a,2024-01-02\n")
    assert taken(path, columns=columns) == [{"loc": "/a", "lastmod": "2024-01-02", "content": "2024-01-02"}]
    path = put(tmp_path, "a.jsonl", '{"loc":"/a","day":"2024-01-02"}\n')
    assert taken(path, columns=columns) == [{"loc": "/a", "lastmod": "2024-01-02", "content": "2024-01-02"}]
    path = put(tmp_path, "b.jsonl", '{"loc":"/a","images":["/i.jpg"]}\n')
    [row] = taken(path, columns={"content": "images", "images": "images"})
    assert (row["content"], row["images"][0]["loc"]) == ('["/i.jpg"]', "/i.jpg")


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_a_column_with_another_name_is_not_taken_under_its_own(tmp_path: Path, name: str) -> None:
    """Their lastmod is mapped to content, and their file to nothing."""
    path = tmp_path / name
    form = {"csv": "csv, HEADER", "jsonl": "json", "parquet": "parquet"}[path.suffix[1:]]
    duckdb.execute(
        f"COPY (SELECT '/a' AS loc, 'x' AS lastmod, '2024' AS \"a \"\"b\"\"'c\") TO '{path}' (FORMAT {form})"
    )
    assert taken(path, columns={"content": "lastmod"}) == [{"loc": "/a", "content": "x"}]
    assert taken(path, columns={"lastmod": 'a "b"\'c'}) == [{"loc": "/a", "lastmod": "2024"}]


def test_lastmod_raw_counts_only_while_lastmod_is_the_same_instant(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", "loc,lastmod,lastmod_raw,day\n/a,2024-01-01T00:00:00Z,2024-01-01,2020\n")
    assert taken(path) == [{"loc": "/a", "lastmod": "2024-01-01"}]
    assert taken(path, columns={"lastmod": "day"}) == [{"loc": "/a", "lastmod": "2020"}]


def test_types_of_parquet_become_text(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    duckdb.execute(
        "COPY (SELECT '/a' AS loc, 7 AS \"group\", 'en' AS lang, TIMESTAMPTZ '2024-01-02 03:04:05.5Z' AS content,"
        f" DATE '2024-01-02' AS lastmod, true AS lastmod_source, [1, 2] AS brand) TO '{path}' (FORMAT parquet)"
    )
    [row] = taken(path, keep=["brand"])
    assert row == {
        "loc": "/a",
        "lastmod": "2024-01-02",
        "group": "7",
        "lang": "en",
        "lastmod_source": "true",
        "content": "2024-01-02T03:04:05.5Z",
        "brand": "[1, 2]",
    }


def test_bytes_in_parquet_are_read_as_text(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    duckdb.execute(f"COPY (SELECT encode('/é') AS loc) TO '{path}' (FORMAT parquet)")
    assert taken(path) == [{"loc": "/é"}]
    duckdb.execute(f"COPY (SELECT from_hex('ff')  AS loc) TO '{path}' (FORMAT parquet)")
    with pytest.raises(InputError, match="Failure in decode"):
        taken(path)


def test_a_group_without_a_language_is_not_taken(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", "loc,group\n/a,1\n")
    assert taken(path) == [{"loc": "/a"}]
    assert taken(path, columns={"group": "group"}) == [{"loc": "/a", "group": "1"}]
    assert taken(path, keep=["group"]) == [{"loc": "/a", "group": "1"}]


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        ("url\n/a\n", {}, "there is no column loc, which every row needs; columns found: url"),
        ("loc,Loc\n/a,/b\n", {}, None),
        ("loc,x,x\n/a,1,2\n", {"lastmod": "x"}, "there are two columns named x"),
        ("loc,X,x\n/a,1,2\n", {"lastmod": "xx"}, "there is no column xx, which lastmod is mapped to"),
        ("LOC,Loc\n/a,/b\n", {}, "the column loc is ambiguous: the table has LOC and Loc; rename one of them"),
    ],
)
def test_an_error_in_a_header_names_the_column(
    tmp_path: Path, text: str, columns: dict[str, str], message: str | None
) -> None:
    path = put(tmp_path, "a.csv", text)
    if message is None:
        assert taken(path, columns=columns) == [{"loc": "/a"}]
        return
    with pytest.raises(InputError) as raised:
        taken(path, columns=columns)
    assert str(raised.value).startswith(f"{path}: {message}")


def test_keys_that_only_differ_in_case_are_refused(tmp_path: Path) -> None:
    path = put(tmp_path, "a.jsonl", '{"loc":"/a","Day":"2024"}\n')
    with pytest.raises(InputError, match="the keys day and Day differ only in case"):
        taken(path, columns={"lastmod": "day", "content": "Day"})


def test_file_objects_are_copied_first(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    duckdb.execute(f"COPY (SELECT '/a' AS loc) TO '{path}' (FORMAT parquet)")
    assert taken(io.BytesIO(path.read_bytes())) == [{"loc": "/a"}]
    with path.open("rb") as file:
        assert taken(file) == [{"loc": "/a"}]


@pytest.mark.parametrize("name", ["set", "set.xml", "set.xml.gz", "sitemap"])
def test_a_set_is_detected_by_name_or_content(tmp_path: Path, name: str) -> None:
    urlset.write([BASE + "a"], tmp_path / name, compression="gzip" if name.endswith("gz") else "none")
    with rows([tmp_path / name]) as found:
        assert [getattr(row, "loc", row) for row in found] == [BASE + "a"]  # type: ignore[union-attr]


def test_lists_of_locs_come_one_after_the_other(tmp_path: Path) -> None:
    first, second = put(tmp_path, "a.txt", BASE), put(tmp_path, "b.txt.gz", gzip.compress(f"\n{BASE}b\n".encode()))
    with rows([first, second]) as found:
        assert list(found) == [BASE, BASE + "b"]  # type: ignore[arg-type]


def test_a_pattern_is_a_glob_unless_a_file_has_that_name(tmp_path: Path) -> None:
    put(tmp_path, "a[1].csv", "loc\n/odd\n")
    put(tmp_path, "a1.csv", "loc\n/plain\n")
    assert taken(str(tmp_path / "a[1].csv")) == [{"loc": "/odd"}]
    assert taken(str(tmp_path / "a?.csv")) == [{"loc": "/plain"}]
    with pytest.raises(InputError, match="no file matches"):
        taken(str(tmp_path / "b*.csv"))
    with pytest.raises(FileNotFoundError):
        taken(str(tmp_path / "b.csv"))


def test_a_line_that_is_too_long_is_not_held_in_memory(tmp_path: Path) -> None:
    path = put(tmp_path, "a.txt", BASE + "\n" + "x" * (1 << 20))
    with (
        pytest.raises(InputError, match=r"a\.txt:2: the line exceeds 1,048,576 characters"),
        rows([path]) as found,
    ):
        list(found)  # type: ignore[arg-type]
    path = put(tmp_path, "a.csv", "loc," + "x" * (1 << 17))
    with pytest.raises(InputError, match=r"a\.csv: the header has more than 131,072 characters"):
        taken(path)
    path = put(tmp_path, "a.jsonl", '{"loc":"' + "x" * (1 << 24) + '"}')
    with pytest.raises(InputError, match="of 16777216 bytes exceeded"):
        taken(path)


def test_a_list_of_objects_is_read_as_lines_of_objects_are(tmp_path: Path) -> None:
    objects = [{"loc": "/a", "priority": "0.5"}, {"loc": "/b", "images": ["/i.jpg"], "other": {"x": [1]}}]
    lines = taken(put(tmp_path, "a.jsonl", "".join(json.dumps(each) + "\n" for each in objects)))
    for number, text in enumerate((json.dumps(objects), json.dumps(objects, indent=2), f"\n {json.dumps(objects)}\n")):
        for name in (f"{number}.json", f"{number}.rows", f"{number}.jsonl"):
            assert taken(put(tmp_path, name, text)) == lines
    assert taken(put(tmp_path, "a.json", "".join(json.dumps(each) + "\n" for each in objects))) == lines
    assert taken(put(tmp_path, "a.json.gz", gzip.compress(json.dumps(objects).encode()))) == lines


def test_a_list_that_is_not_json_is_refused_by_name(tmp_path: Path) -> None:
    for text in ('[{"loc": "/a"}', '[{"loc": "/a"}, {"loc" "/b"}]', "[1, 2]"):
        with pytest.raises(InputError, match=r"a\.json"):
            taken(put(tmp_path, "a.json", text))


def test_what_the_command_line_writes_as_json_is_read(tmp_path: Path) -> None:
    urlset.write([{"loc": BASE, "lastmod": "2026-01-02", "images": [BASE + "i.png"]}], tmp_path / "sitemap.xml")
    cli = Cli(tmp_path)
    (tmp_path / "rows.json").write_text(cli("read", "sitemap.xml", "-f", "json").out)
    ended = cli("publish", "rows.json", "--dest", "out", "--base-url", BASE)
    assert ended.code == 0, ended.err
    assert (tmp_path / "out" / "sitemap.xml").read_bytes() == (tmp_path / "sitemap.xml").read_bytes()


@pytest.mark.parametrize("begin", [b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1"])
def test_an_excel_file_is_named(tmp_path: Path, begin: bytes) -> None:
    with pytest.raises(InputError, match=r"pages\.xlsx: this is an Excel file or another archive: save its sheet as"):
        taken(put(tmp_path, "pages.xlsx", begin + b"\0" * 40))


def test_a_header_that_is_quoted_for_another_delimiter(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no column loc, which every row needs; columns found: url, t;itle"):
        taken(put(tmp_path, "a.csv", 'url,"t;itle"\n/a,x\n'))
    assert taken(put(tmp_path, "b.csv", '"a,b";loc\nx;/a\n')) == [{"loc": "/a"}]


def test_blanks_around_a_value_are_none_of_it(tmp_path: Path) -> None:
    found = taken(put(tmp_path, "a.csv", "loc, lastmod, priority\n/a, 2024-01-02, 0.5\n /b , ,\n"))
    assert found == [{"loc": "/a", "lastmod": "2024-01-02", "priority": "0.5"}, {"loc": "/b", "lastmod": ""}]


@pytest.mark.parametrize("is_published", [False, True])
def test_a_quoted_text_of_many_lines_that_look_like_rows_is_an_error(tmp_path: Path, *, is_published: bool) -> None:
    """DuckDB reads a large file in pieces, and cannot tell where a row begins."""
    path = tmp_path / "rows.csv"
    note = "\n".join(f"/fake{number},2024-01-01,daily,0.5" for number in range(20_000))
    path.write_text(
        "loc,lastmod,changefreq,note\n" + "".join(f'/{number},2023,daily,"{note}"\n' for number in range(40))
    )

    def read() -> None:
        with rows([path], columns={"content": "note"}) as found:
            assert isinstance(found, duckdb.DuckDBPyRelation)
            if is_published:
                urlset.publish(found, tmp_path / "set", base_url="https://shop.example/")
            found.fetchall()

    with pytest.raises(InputError, match=r"rows\.csv: a quoted text has so many lines that look like rows"):
        read()
    assert not (tmp_path / "set" / "sitemap.xml").exists()
