"""The report of `urlset read --fetches`: one row for each fetch."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import duckdb
import pytest
from support.http_server import Answer, Site
from urlset import Fetch
from urlset._cli.export import _FETCH

READ = [sys.executable, "-c", "from urlset._cli import main; main()", "read"]


def table(query: str) -> list[tuple[object, ...]]:
    """Return the rows of a query."""
    with duckdb.connect() as connection:
        return connection.execute(query).fetchall()


def test_the_columns_are_the_fields_of_a_fetch() -> None:
    assert list(_FETCH) == [field.name for field in fields(Fetch)]


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_a_report_has_a_row_for_each_fetch(site: Site, tmp_path: Path, suffix: str) -> None:
    site.pages["/sitemap.xml"] = Answer(site.index("/1.xml", "/gone.xml"))
    site.pages["/1.xml"] = Answer(site.urlset("/1", 2))
    file = tmp_path / f"fetches.{suffix}"
    command = [*READ, f"{site.url}/sitemap.xml", "--fetches", str(file)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2, ended.stderr
    assert table(f"SELECT url, status, error FROM '{file}' ORDER BY url") == [
        (f"{site.url}/1.xml", 200, None),
        (f"{site.url}/gone.xml", 404, f"{site.url}/gone.xml: status 404"),
        (f"{site.url}/sitemap.xml", 200, None),
    ]


def test_a_report_of_files_alone_is_empty(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("https://shop.example/\n")
    command = [*READ, str(tmp_path / "a.txt"), "--fetches", str(tmp_path / "fetches.parquet")]
    subprocess.run(command, check=True, capture_output=True)
    assert table(f"SELECT count(*) FROM '{tmp_path / 'fetches.parquet'}'") == [(0,)]
