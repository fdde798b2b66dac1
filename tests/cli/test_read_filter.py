"""`urlset read` of a part: filters, a sample, bounds, and going on."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from support.cli import SCRIPT, SECONDS, Cli, unwrapped
from support.http_server import Answer, Handler, serve
from support.reading import index_of, lay, urlset_of

HOST = "http://a.example/"


@pytest.fixture
def site(tmp_path: Path) -> list[str]:
    """Lay an index of ten sitemaps with two entries each, and return their locs."""
    lay(tmp_path, sitemap=index_of(*(f"{HOST}s{number}.xml" for number in range(10))))
    lay(tmp_path, **{f"s{n}": urlset_of(f"{HOST}a/{n}", f"{HOST}b/{n}") for n in range(10)})
    return [f"{HOST}{name}/{number}" for number in range(10) for name in "ab"]


def rows(text: str) -> list[Any]:
    """The locs of JSON Lines."""
    return [json.loads(line)["loc"] for line in text.splitlines()]


def test_the_options_are_those_of_a_filter(cli: Cli, site: list[str]) -> None:
    ended = cli("read", "sitemap.xml", "--include-sitemaps", "s1.xml", "--include-sitemaps", "s2*", "--exclude", "/b/*")
    assert rows(ended.out) == [f"{HOST}a/1", f"{HOST}a/2"]
    assert ended.code == 0
    assert "skipped 8 sitemaps (--include-sitemaps: 8)" in ended.err
    assert "skipped 2 entries (--exclude: 2)" in ended.err
    ended = cli("read", ".", "--exclude-sitemaps", "s*", "--kinds", "rss,atom")
    assert (ended.code, ended.out) == (0, "")
    ended = cli("read", ".", "--modified-since", "2026-11-01", "--unknown-lastmod", "skip", "--include", "/a/1")
    assert "skipped 20 entries (--include: 19, --unknown-lastmod: 1)" in ended.err
    assert len(rows(cli("read", ".", "--modified-before", "2026-11-01T12:00:00+01:00").out)) == len(site)


def test_a_sample_says_what_it_stands_for(cli: Cli, site: list[str]) -> None:
    ended = cli("read", ".", "--sample-sitemaps", "2", "--format", "csv", "--columns", "loc")
    assert ended.out.splitlines() == ["loc", *site[4:6], *site[14:16]]
    assert ended.code == 0
    assert "read a sample of 2 of 10 sitemaps, with about 20 entries in all (standard error 0)" in ended.err


def test_a_sample_of_entries_is_drawn_from_all_sitemaps(cli: Cli, site: list[str], tmp_path: Path) -> None:
    ended = cli("read", ".", "--sample-entries", "7", "--format", "csv", "--columns", "loc")
    found = ended.out.splitlines()[1:]
    assert ended.code == 0
    assert len(found) == 7
    assert found == [loc for loc in site if loc in found]
    assert "read a sample of 7 of 20 entries, drawn evenly" in ended.err
    ended = cli("read", ".", "--sample-entries", "7", "--output", "rows.jsonl")
    assert rows((tmp_path / "rows.jsonl").read_text()) == found


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--sample-sitemaps", "2"],
            "--sample-entries draws from all sitemaps: leave out --sample-sitemaps, or take it alone",
        ),
        (["--resume", "state", "--output", "new.csv"], "--sample-entries must not come with resume: what is drawn is"),
        (["--sample-entries", "1000001"], "--sample-entries must be at most 1,000,000, got 1,000,001"),
    ],
)
def test_what_a_sample_of_entries_cannot_be_combined_with_is_refused(
    cli: Cli, site: list[str], options: list[str], message: str
) -> None:
    ended = cli("read", ".", "--sample-entries", "7", *options)
    assert (ended.code, ended.out) == (2, "")
    assert message in unwrapped(ended.err)


def test_stats_count_all_entries(cli: Cli, site: list[str]) -> None:
    ended = cli("stats", ".", "--sample-entries", "7")
    assert (ended.code, ended.out) == (2, "")
    assert "--sample-entries must not be set: stats counts all that it reads" in unwrapped(ended.err)


def test_a_bound_ends_a_run_with_what_was_read(cli: Cli, site: list[str]) -> None:
    ended = cli("read", ".", "--max-entries", "5")
    assert rows(ended.out) == site[:6]
    assert ended.code == 2
    assert (
        "the run has read 6 entries (max_entries, --max-entries): 7 sitemaps that were found are not read" in ended.err
    )


def test_the_bounds_of_a_run_are_options(cli: Cli) -> None:
    with serve() as server:
        children = [f"/s{number}.xml" for number in range(20)]
        server.pages = {path: Answer(server.urlset(path, 2)) for path in children}
        server.pages["/sitemap.xml"] = Answer(server.index(*children))
        source = f"{server.url}/sitemap.xml"
        for options, message in (
            (["--max-documents", "3"], "the run has fetched 3 documents (max_documents)"),
            (["--max-bytes", "10"], "the run has received 10 bytes (max_bytes)"),
            (["--max-depth", "0"], "because 0 indexes have led to each other (max_depth)"),
            (["--max-seconds", "0.000001"], "the run has taken 0 seconds (max_seconds)"),
        ):
            ended = cli("read", source, "--on-error", "collect", *options)
            assert ended.code == 2
            assert message in ended.err
            assert len(rows(ended.out)) < 40


def test_invalid_filters_name_the_option(cli: Cli, site: list[str]) -> None:
    del site
    for options, message in (
        (["--kinds", "html"], "unknown value 'html'; known: urlset, sitemapindex"),
        (
            ["--modified-since", "2026-02-01", "--modified-before", "2026-01-01"],
            "--modified-since must be earlier than --modified-before",
        ),
        (["--unknown-lastmod", "skip"], "--unknown-lastmod needs --modified-since or --modified-before"),
    ):
        ended = cli("read", ".", *options)
        assert ended.code == 2
        assert message in unwrapped(ended.err)


def test_a_run_goes_on_into_a_new_file(cli: Cli, site: list[str], tmp_path: Path) -> None:
    found: list[Any] = []
    for number, expected in enumerate((2, 2, 0)):
        ended = cli("read", ".", "--max-entries", "7", "--resume", "state", "--output", f"{number}.jsonl")
        assert ended.code == expected
        found += rows((tmp_path / f"{number}.jsonl").read_text())
        if not expected:
            break
    assert found == site
    ended = cli("read", ".", "--resume", "state", "--output", "more.csv")
    assert "state says that everything was read: delete it to begin again" in ended.err
    assert ended.code == 0


def test_going_on_needs_a_new_file(cli: Cli, site: list[str], tmp_path: Path) -> None:
    del site
    ended = cli("read", ".", "--resume", "state")
    assert ended.code == 2
    assert "--resume needs the name of a file" in unwrapped(ended.err)
    (tmp_path / "rows.jsonl").write_text("")
    ended = cli("read", ".", "--resume", "state", "--output", "rows.jsonl")
    assert ended.code == 2
    assert "rows.jsonl exists" in unwrapped(ended.err)
    ended = cli("read", ".", "--resume", "state", "--output", "rows.csv", "--modified-since", "2026", "-q")
    assert ended.code == 2
    assert not (tmp_path / "rows.csv").exists()


def test_ctrl_c_keeps_whole_documents_and_says_how_to_go_on(tmp_path: Path) -> None:
    with serve() as server:
        children = [f"/s{number}.xml" for number in range(40)]
        server.pages = {path: Answer(server.urlset(path, 2)) for path in children}
        server.pages["/sitemap.xml"] = Answer(server.index(*children))
        running: subprocess.Popen[str]

        def interrupt(handler: Handler) -> Answer:
            running.send_signal(signal.SIGINT)
            stopped.wait(SECONDS)
            return Answer(server.urlset("/s20.xml", 2))

        server.pages["/s20.xml"], stopped = interrupt, threading.Event()
        command = [str(SCRIPT), "read", f"{server.url}/sitemap.xml", "--resume", "state", "--output"]
        running = subprocess.Popen([*command, "1.jsonl"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        assert running.stderr is not None
        lines = [running.stderr.readline()]
        assert lines == [
            "urlset: ending with the sitemaps that are being read; press Ctrl-C again to drop the output\n"
        ]
        stopped.set()
        lines += running.stderr.readlines()
        running.stderr.close()
        assert running.wait() == 130, lines
        assert any("the run was stopped: " in line for line in lines), lines
        assert lines[-2].startswith("urlset: interrupted; 1.jsonl has "), lines
        assert lines[-1] == "urlset: to read the rest, run this again with another --output and --resume state\n"
        first = rows((tmp_path / "1.jsonl").read_text())
        assert 0 < len(first) < 80
        server.pages["/s20.xml"] = Answer(server.urlset("/s20.xml", 2))
        subprocess.run([*command, "2.jsonl"], cwd=tmp_path, check=True, stderr=subprocess.DEVNULL)
        found = first + rows((tmp_path / "2.jsonl").read_text())
        assert found == [f"{server.url}{path}/{number}" for path in children for number in range(2)]
