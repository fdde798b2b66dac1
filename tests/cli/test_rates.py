"""`urlset rates`: histories in, rates out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import urlset
from support.cli import Cli

Put = Callable[[str, str | bytes], Path]

LOOKS = """loc,time,hash,lastmod,bytes
https://a.example/tea/1,2026-11-01T00:00:00Z,1,2026-10-31,900
https://a.example/tea/1,2026-11-02T00:00:00Z,2,2026-11-01T12:00:00Z,1000
https://a.example/tea/1,2026-11-03T00:00:00Z,2,2026-11-01T12:00:00Z,1000
https://a.example/about,2026-11-01T00:00:00Z,,,
"""


def test_rates_as_lines_of_json(cli: Cli, put: Put) -> None:
    put("looks.csv", LOOKS)
    ended = cli("rates", "looks.csv")
    assert ended.code == 0
    about, tea = map(json.loads, ended.out.splitlines())
    assert (about["change_rate"], about["basis"], about["fetched"]) == (None, None, None)
    assert (tea["looks"], tea["changes"], tea["basis"], tea["fetched"]) == (2, 1, "content", "2026-11-03T00:00:00Z")
    assert ended.err == (
        "urlset: 2 pages, 4 looks, of which 2 could find a change\n"
        "urlset: 1 found the page unchanged (1.0 kB): true lastmods, or answers with 304, would save these\n"
    )


def test_rates_as_a_table(cli: Cli, put: Put) -> None:
    put("looks.csv", LOOKS)
    ended = cli("rates", "looks.csv", "--format", "table")
    assert [line.rstrip() for line in ended.out.splitlines()] == [
        "loc                      per day          95 %  looks  changes  from",
        "https://a.example/about                             0        0  nothing",
        "https://a.example/tea/1    0.511  0.012 to 1.9      2        1  content",
        "",
        "2 pages, 4 looks, of which 2 could find a change",
        "1 found the page unchanged (1.0 kB): true lastmods, or answers with 304, would save these",
    ]


def test_rates_by_section(cli: Cli, put: Put) -> None:
    put("looks.csv", LOOKS)
    ended = cli("rates", "looks.csv", "--by", "section", "--format", "table")
    assert [line.rstrip() for line in ended.out.splitlines()[:3]] == [
        "section  lastmods  pages  per day      precision         recall  unchanged",
        "/        unproven      1                                            0 of 0",
        "/tea/    unproven      1    0.511  100% (21-100)  100% (21-100)     1 of 2",
    ]
    rows = [json.loads(line) for line in cli("rates", "looks.csv", "--by", "section").out.splitlines()]
    with urlset.rates(duckdb.read_csv(str(cli.folder / "looks.csv"), all_varchar=True)) as rates:
        assert rows == [each.as_dict() for each in rates.sections]


def test_a_summary(cli: Cli, put: Put) -> None:
    put("looks.csv", LOOKS)
    ended = cli("rates", "looks.csv", "--format", "summary")
    assert ended.out.startswith("2 pages, 4 looks")


def test_rates_become_a_plan(cli: Cli, put: Put) -> None:
    put("looks.csv", LOOKS.replace(",,,", ",9,,50"))
    assert cli("rates", "looks.csv", "-o", "pages.parquet").code == 0
    table = duckdb.read_parquet(str(cli.folder / "pages.parquet"))
    assert table.columns == list(urlset.PageRate._fields)
    table.filter("change_rate IS NOT NULL").write_parquet(str(cli.folder / "known.parquet"))
    assert cli("schedule", "known.parquet", "--budget", "2/day").code == 0


def test_what_is_no_history_is_refused(cli: Cli, put: Put) -> None:
    put("other.csv", "url\nhttps://a.example/\n")
    put("other.sqlite", b"SQLite format 3\0" + b"\0" * 100)
    for name, says in (("other.csv", "time"), ("other.sqlite", "other.sqlite"), ("no.csv", "no.csv")):
        ended = cli("rates", name)
        assert (ended.code, ended.out) == (2, "")
        assert says in ended.err
    put("looks.csv", LOOKS)
    ended = cli("rates", "looks.csv", "--of", "sitemaps")
    assert ended.code == 2
    assert "only the state of a watch has looks at sitemaps" in ended.err
