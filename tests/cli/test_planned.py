"""`--plan`: a file that says what is due."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from support.cli import Cli
from support.crawl.linked_site import plant
from support.http_server import Answer, Site, serve


@pytest.fixture
def site() -> Iterator[Site]:
    with serve() as site:
        plant(site, {"/": ["/a", "/b"], "/a": [], "/b": []})
        yield site


@pytest.mark.parametrize("file", ["plan.parquet", "plan.csv", "plan.jsonl"])
def test_a_crawl_asks_for_what_a_file_says(cli: Cli, site: Site, file: str) -> None:
    query = (
        f"SELECT '{site.url}/' AS loc, 0.5 AS rate, TIMESTAMPTZ '2999-01-01 00:00:00Z' AS next"
        f" UNION ALL SELECT '{site.url}/a', 1, TIMESTAMPTZ '2026-01-01 00:00:00Z'"
        " UNION ALL SELECT 'https://other.example/', 1, NULL"
    )
    duckdb.execute(f"COPY ({query}) TO '{cli.folder / file}'")
    ended = cli("crawl", site.url, "--plan", file, "--format", "summary")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[1] == "of the plan, 1 page due, 1 not due; 1 not of the site"
    assert [path for path in site.paths() if path != "/robots.txt"] == ["/a"]


def test_a_file_that_is_no_plan_is_refused(cli: Cli, site: Site) -> None:
    (cli.folder / "plan.csv").write_text("loc,rate\n/,1\n")
    ended = cli("crawl", site.url, "--plan", "plan.csv")
    assert (ended.code, ended.out) == (2, "")
    assert "plan.csv" in ended.err
    assert "next" in ended.err
    (cli.folder / "plan.csv").write_text("loc,next\n/,soon\n")
    ended = cli("crawl", site.url, "--plan", "plan.csv")
    assert ended.code == 2
    assert "soon" in ended.err
    assert cli("crawl", site.url, "--plan", "none.csv").code == 2
    assert site.paths() == []


def test_a_watch_leaves_what_a_file_has_for_later(cli: Cli, site: Site) -> None:
    for name in "ab":
        site.pages[f"/{name}.txt"] = Answer(f"{site.url}/{name}\n".encode(), headers={"Content-Type": "text/plain"})
    run = ("watch", f"{site.url}/a.txt", f"{site.url}/b.txt", "--state", "a.sqlite", "--format", "summary")
    assert cli(*run).code == 0
    (cli.folder / "plan.csv").write_text(f"loc,next\n{site.url}/a.txt,2999-01-01\n{site.url}/b.txt,2026-01-01\n")
    ended = cli(*run, "--plan", "plan.csv")
    assert ended.out == "run 2: 2 entries in 2 sitemaps, 1 sitemap not due; nothing has changed\n"
    assert site.paths().count("/a.txt") == 1


def test_what_schedule_writes_is_what_a_crawl_takes(cli: Cli, site: Site) -> None:
    locs = {"/": "2026-01-01", "/a": "2199-01-01", "/b": ""}
    pages = "".join(f"{site.url}{path},1,{fetched}\n" for path, fetched in locs.items())
    (cli.folder / "pages.csv").write_text("loc,change_rate,fetched\n" + pages)
    for file in ("plan.parquet", "plan.csv", "plan.jsonl"):
        assert cli("schedule", "pages.csv", "--budget", "3/day", "-o", file).code == 0
        before = len(site.paths())
        ended = cli("crawl", site.url, "--plan", file, "--format", "summary")
        assert ended.code == 0, ended.err
        assert ended.out.splitlines()[1] == "of the plan, 2 pages due, 1 not due"
        assert sorted(path for path in site.paths()[before:] if path != "/robots.txt") == ["/", "/b"]
