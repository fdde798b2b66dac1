"""Where rows stand in their files, compared with what DuckDB and the files have."""

from __future__ import annotations

import csv
import gzip
import io
import json
import pickle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pytest
import urlset
from hypothesis import example, given
from hypothesis import strategies as st
from urlset._util.row_files import Place, places_of
from urlset.sources import files

#: Values with what makes a record longer than a line.
VALUES = st.text(st.sampled_from('ab ;"\n'), max_size=4).map(lambda text: f"https://a.example/{text}x")


@given(st.lists(st.tuples(VALUES, st.sampled_from(["", "2026-01-01", 'a "b"\nc']), st.integers(0, 2)), max_size=8))
@example([("https://a.example/\n\nx", "", 2), ("https://a.example/", "", 0)])
def test_a_record_of_csv_begins_on_its_line(rows: list[tuple[str, str, int]]) -> None:
    written = io.StringIO()
    writer = csv.writer(written, delimiter=";", lineterminator="\n")
    writer.writerow(["loc", "note"])
    for loc, note, blanks in rows:
        written.write("\n" * blanks)
        writer.writerow([loc, note])
    with TemporaryDirectory() as folder:
        path = Path(folder, "pages.csv")
        path.write_text(written.getvalue(), "utf-8", newline="")
        with files.rows(path, keep=["note"]) as table:
            found = table.select("loc", "note").fetchall()  # type: ignore[union-attr]
            place_of = pickle.loads(pickle.dumps(places_of(table)))
            places = [place_of(index) for index in range(len(found))]
            assert place_of(len(found)) is None
    lines = written.getvalue().splitlines(keepends=True)
    for row, place in zip(found, places, strict=True):
        assert place is not None
        assert place.line is not None
        record = next(csv.reader(iter(lines[place.line - 1 :]), delimiter=";"))
        assert [cell.strip() for cell in record] == [str(cell or "").strip() for cell in row]


def looked_up(paths: Any, indexes: list[int]) -> list[Place | None]:
    """The places of rows, looked up in this order."""
    with files.rows(paths) as table:
        place_of = places_of(table)
        assert place_of is not None
        return [place_of(index) for index in indexes]


def test_the_files_of_a_table_follow_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_text('\n{"loc": "/a"}\n\n{"loc": "/b"}\n')
    with gzip.open("b.csv.gz", "wt") as file:
        file.write("\nloc,lastmod\n/c,\n")
    duckdb.execute("COPY (SELECT '/d' AS loc FROM range(2)) TO 'c.parquet'")
    Path("d.csv").write_text("loc\n\n/e\n")
    paths = ["a.jsonl", "b.csv.gz", "c.parquet", "d.csv"]
    places = [Place("a.jsonl", 2), Place("a.jsonl", 4), Place("b.csv.gz", 3), *[Place("c.parquet", None)] * 2]
    assert looked_up(paths, [0, 1, 2, 3, 4, 5, 6]) == [*places, Place("d.csv", 3), None]
    assert looked_up(paths, [5, 0, 5, 2]) == [Place("d.csv", 3), places[0], Place("d.csv", 3), places[2]]


def test_a_list_of_json_has_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([{"loc": "/a"}, {"loc": "/b"}]))
    assert looked_up(path, [1]) == [None]


def test_a_list_of_locs_has_lines(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    path.write_text("\nhttps://a.example/\n\nhttps://a.example/b\n")
    assert looked_up(path, [0, 1]) == [Place(str(path), 2), Place(str(path), 4)]


def test_rows_of_anything_else_have_no_place() -> None:
    assert places_of([{"loc": "/a"}]) is None


def test_an_error_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "dates.csv"
    path.write_text("loc,lastmod\n/a,2026-01-01\n/b,yesterday\n")
    with files.rows(path) as table, pytest.raises(urlset.EntryError) as caught:
        urlset.publish(table, tmp_path / "out", base_url="https://a.example/")
    assert (caught.value.file, caught.value.line, caught.value.row) == (str(path), 3, 2)
    assert str(caught.value).startswith(f"{path}:3 (/b): MOD001 ")
