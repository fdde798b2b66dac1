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
    assert [line.rstrip() for line in ended.out.splitlines()] == [
        "loc                       rate  freshness  why",
        "https://a.example/news   1/day        25%  every 1 d",
        "https://a.example/about  1/day       100%  every 1 d",
        "",
        "uniform: 2 pages, 2 fetched; freshness by importance 49.5%",
    ]


def test_a_plan_in_a_file(cli: Cli, put: Put) -> None:
    put("pages.csv", PAGES)
    assert cli("schedule", "pages.csv", "--budget", "3kB/day", "-o", "plan.parquet").code == 0
    plan = duckdb.read_parquet(str(cli.folder / "plan.parquet"))
    assert plan.columns == ["loc", "rate", "freshness", "next", "why"]
    rates = [rate for _, rate, *_ in plan.fetchall()]
    assert rates[0] * 1_000 + rates[1] * 9_000 == pytest.approx(3_000)


def test_the_fetches_that_are_due(cli: Cli, put: Put) -> None:
    put("pages.csv", "loc,change_rate,fetched\nhttps://a.example/a,1,2020-01-01T00:00:00Z\nhttps://a.example/b,0,\n")
    ended = cli("schedule", "pages.csv", "--budget", "2/day", "--due", "2d")
    assert ended.code == 0
    visits = [json.loads(line) for line in ended.out.splitlines()]
    assert [visit["loc"] for visit in visits] == ["https://a.example/a"] * 5
    assert [visit["moment"][-1] for visit in visits] == ["Z"] * 5
    ended = cli("schedule", "pages.csv", "--budget", "2/day", "--due", "2d", "--format", "table")
    assert ended.out.count("https://a.example/a") == 5
    ended = cli("schedule", "pages.csv", "--budget", "2/day", "--due", "soon")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "urlset: --due must be a time such as 12h or 2d, got 'soon'\n"


def test_less_is_spent_if_the_hosts_allow_no_more(cli: Cli, put: Put) -> None:
    put("pages.csv", PAGES)
    ended = cli("schedule", "pages.csv", "--budget", "1/hour", "--host-budget", "2/day", "--format", "summary")
    assert ended.out.endswith("; 2 of 24 a day are spent, which is all that pages and hosts allow\n")


def test_a_curve_as_a_picture(cli: Cli, put: Put) -> None:
    put("pages.csv", PAGES)
    assert cli("schedule", "pages.csv", "--budget", "2", "--curve", "curve.svg", "-f", "summary").code == 0
    assert (cli.folder / "curve.svg").read_text("utf-8").startswith("<svg ")
    ended = cli("schedule", "pages.csv", "--budget", "2", "--curve", "curve.png")
    assert ended.code == 2
    assert "--curve" in ended.err


@pytest.mark.long
def test_a_curve_as_figures(cli: Cli, put: Put) -> None:
    put("pages.csv", PAGES)
    assert cli("schedule", "pages.csv", "--budget", "2", "--curve", "curve.csv", "-f", "summary").code == 0
    lines = (cli.folder / "curve.csv").read_text("utf-8").splitlines()
    assert (lines[0], len(lines)) == ("policy,budget,freshness", 1 + 6 * 9)


def test_unknown_pages_and_another_importance(cli: Cli, put: Put) -> None:
    put(
        "pages.csv", "loc,change_rate,inlinks\nhttps://a.example/a,1,\nhttps://a.example/b,,0\nhttps://a.example/c,,2\n"
    )
    ended = cli("schedule", "pages.csv", "--budget", "8/day", "--explore", "0.5", "--importance", "inlinks")
    rows = [json.loads(line) for line in ended.out.splitlines()]
    assert [row["rate"] for row in rows] == pytest.approx([4, 1, 3])
    assert [row["freshness"] is None for row in rows] == [False, True, True]
    put("locs.csv", "loc\nhttps://a.example/a\n")
    assert cli("schedule", "locs.csv", "--budget", "8/day", "--explore", "0.5", "-f", "table").code == 0
    ended = cli("schedule", "pages.csv", "--budget", "8/day", "--explore", "0.5", "--importance", "sales")
    assert ended.code == 2
    assert "sales" in ended.err


def test_pages_without_rates_are_refused(cli: Cli, put: Put) -> None:
    put("pages.csv", "loc\nhttps://a.example/\n")
    ended = cli("schedule", "pages.csv", "--budget", "2")
    assert (ended.code, ended.out) == (2, "")
    assert "change_rate" in ended.err
    put("bad.csv", "loc,change_rate\nhttps://a.example/,often\n")
    ended = cli("schedule", "bad.csv", "--budget", "2")
    assert ended.code == 2
    assert "urlset: " in ended.err
