"""`urlset simulate`: files of pages or drawn ones in, a line for each policy out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
from support.cli import Cli

Put = Callable[[str, str | bytes], Path]

PAGES = "loc,change_rate,recall,stamps\nhttps://a.example/news,4,0.5,\nhttps://a.example/about,0.01,,1\n"


def test_policies_as_lines_of_json(cli: Cli, put: Put) -> None:
    put("pages.csv", PAGES)
    ended = cli("simulate", "pages.csv", "--budget", "2/day", "--policies", "moved,uniform", "--days", "3")
    assert ended.code == 0
    rows = [json.loads(line) for line in ended.out.splitlines()]
    assert {row["policy"] for row in rows} == {"moved", "uniform"}
    assert {row["bytes"] for row in rows} == {None}
    assert ended.err == "urlset: 2 pages, 30 days of each policy\n"


def test_policies_as_a_table(cli: Cli, put: Put) -> None:
    put("pages.csv", "loc,change_rate\nhttps://a.example/about,0\n")
    ended = cli("simulate", "pages.csv", "--budget", "2/day", "--policies", "uniform", "--format", "table")
    assert ended.out.splitlines() == [
        "policy   freshness          interval  expected  fetches",
        "uniform     100.0%  100.0% to 100.0%    100.0%    2/day",
        "",
        "1 page, 300 days of each policy",
    ]


def test_drawn_pages_into_a_file(cli: Cli) -> None:
    options = ("--recall", "0.9", "--stamped", "0.5", "--seed", "4", "--days", "2")
    assert cli("simulate", "--draw", "20", "--budget", "5", *options, "-o", "found.parquet").code == 0
    found = duckdb.read_parquet(str(cli.folder / "found.parquet"))
    assert "moved" in [row[0] for row in found.fetchall()]


def test_pages_are_read_or_drawn(cli: Cli, put: Put) -> None:
    put("pages.csv", PAGES)
    for given in ([], ["pages.csv", "--draw", "3"]):
        ended = cli("simulate", *given, "--budget", "2")
        assert (ended.code, ended.out) == (2, "")
        assert "name files with pages, or draw some with --draw, and not both" in ended.err
    ended = cli("simulate", "pages.csv", "--budget", "2", "--stamped", "0.5")
    assert ended.code == 2
    assert "--stamped is about pages that are drawn with --draw" in ended.err


def test_the_importance_is_in_a_column_that_is_named(cli: Cli, put: Put) -> None:
    put("pages.csv", "loc,change_rate,inlinks\nhttps://a.example/news,1,999\nhttps://a.example/about,1,\n")
    options = ("--budget", "1", "--policies", "importance", "--importance", "inlinks", "--days", "50", "-f", "jsonl")
    [row] = map(json.loads, cli("simulate", "pages.csv", *options).out.splitlines())
    assert 0.6 < row["freshness"] < 0.66
    assert cli("simulate", "pages.csv", "--budget", "1", "--importance", "links").code == 2


def test_pages_without_a_rate_of_change_are_counted(cli: Cli, put: Put) -> None:
    put("pages.csv", "loc,change_rate\nhttps://a.example/news,1\nhttps://a.example/new,\n")
    ended = cli("simulate", "pages.csv", "--budget", "1", "--days", "1", "--format", "summary")
    assert ended.out == "1 page, 10 days of each policy\n1 page without a change rate left out\n"
