"""`urlset schedule`: files of pages in, a plan out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from support.cli import Cli

Put = Callable[[str, str | bytes], Path]

PAGES = "loc,change_rate,importance,bytes\nhttps://a.example/news,4,2,1000\nhttps://a.example/about,0.01,,9000\n"


def test_a_plan_as_lines_of_json(cli: Cli, put: Put) -> None:
    put("pages.csv", PAGES)
    ended = cli("schedule", "pages.csv", "--budget", "2/day")
    assert ended.code == 0
    rows = [json.loads(line) for line in ended.out.splitlines()]
    assert [row["loc"] for row in rows] == ["https://a.example/news", "https://a.example/about"]
    assert sum(row["rate"] for row in rows) == pytest.approx(2)
    assert ended.err == "urlset: azar: 2 pages, 2 fetched; freshness by importance 59.3%\n"


def test_a_plan_as_a_table(cli: Cli, put: Put) -> None:
    put("pages.csv", PAGES)
    ended = cli("schedule", "pages.csv", "--budget", "2", "--policy", "uniform", "--format", "table")
    assert ended.out.splitlines() == [
        "loc                       rate  freshness",
        "https://a.example/news   1/day        25%",
        "https://a.example/about  1/day       100%",
        "",
        "uniform: 2 pages, 2 fetched; freshness by importance 49.5%",
    ]


def test_a_plan_in_a_file(cli: Cli, put: Put) -> None:
    put("pages.csv", PAGES)
    assert cli("schedule", "pages.csv", "--budget", "3kB/day", "-o", "plan.parquet").code == 0
    plan = duckdb.read_parquet(str(cli.folder / "plan.parquet"))
    assert plan.columns == ["loc", "rate", "freshness"]
    rates = [rate for _, rate, _ in plan.fetchall()]
    assert rates[0] * 1_000 + rates[1] * 9_000 == pytest.approx(3_000)


def test_pages_without_rates_are_refused(cli: Cli, put: Put) -> None:
    put("pages.csv", "loc\nhttps://a.example/\n")
    ended = cli("schedule", "pages.csv", "--budget", "2")
    assert (ended.code, ended.out) == (2, "")
    assert "change_rate" in ended.err
    put("bad.csv", "loc,change_rate\nhttps://a.example/,often\n")
    ended = cli("schedule", "bad.csv", "--budget", "2")
    assert ended.code == 2
    assert "urlset: " in ended.err
