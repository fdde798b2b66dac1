"""Rows of a publish from frames, tables, relations and scans, and how far it is with them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import duckdb
import polars as pl
import pytest
import urlset
from support.documents import ENTRIES_PER_DOCUMENT
from support.publish import locs, publish
from support.publish.model import small
from support.publish.row_files import published


@pytest.mark.parametrize(
    ("count", "limit"), [(5_001, 5_000), pytest.param(50_001, ENTRIES_PER_DOCUMENT, marks=pytest.mark.long)]
)
def test_tables_and_relations_and_scans(tmp_path: Path, count: int, limit: int) -> None:
    stamps = [datetime(2024, 1, 1, tzinfo=UTC) + timedelta(seconds=number) for number in range(count)]
    rows = [{"loc": loc, "lastmod": stamp} for loc, stamp in zip(locs(count), stamps, strict=True)]
    with small(limit):
        publish(rows, tmp_path / "rows")
    expected = published(tmp_path / "rows")

    frame = pl.DataFrame({"loc": locs(count), "lastmod": stamps})
    relation = duckdb.sql(
        "SELECT concat('https://example.com/p', lpad(n::VARCHAR, 6, '0')) AS loc, "
        "TIMESTAMPTZ '2024-01-01 00:00:00+00' + to_seconds(n) AS lastmod "
        f"FROM range({count}) numbers(n) ORDER BY n"
    )
    for name, table in [
        ("polars", frame),
        ("pyarrow", frame.to_arrow()),
        ("pandas", frame.to_arrow().to_pandas()),
        ("duckdb", relation),
        ("read", urlset.read(tmp_path / "rows")),
        ("scan", urlset.scan(tmp_path / "rows")),
    ]:
        with small(limit):
            publication = publish(table, tmp_path / name)
        assert published(tmp_path / name) == expected, name
        assert publication.unused_columns == (), name


def test_progress_reports_the_rows_done(tmp_path: Path) -> None:
    told: list[urlset.Progress] = []
    rows = locs(40_001)
    publish(rows, tmp_path, progress=told.append)
    read = [each.done for each in told if each.what == "rows"]
    assert read == sorted(read)
    assert read[-1] == len(rows)
    # Every few thousand: rows can be slow to come.
    assert all(after - before < 10_000 for before, after in pairwise([0, *read]))
    # Then the shards, of which it knows how many there will be.
    assert told[len(read) :] == [urlset.Progress("shards", done, 1) for done in (0, 1)]


def test_a_set_that_was_not_read_whole_does_not_replace_the_set(tmp_path: Path) -> None:
    old, public = tmp_path / "old", tmp_path / "public"
    old.mkdir()
    urlset.write(["https://a.example/1"], old / "a.xml")
    children = [urlset.SitemapEntry(f"https://a.example/{name}.xml") for name in "ab"]
    urlset.write(children, old / "sitemap.xml")
    for rows in (urlset.scan(old), urlset.read(old)):
        with pytest.raises(urlset.FetchError, match=r"b\.xml"):
            urlset.publish(rows, public, base_url="https://a.example/")
    assert not list(public.glob("*.xml"))
