"""`urlset watch`: what has changed on a site since the last run."""

import csv
import io
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from support.cli import Cli
from support.http_server import Answer, serve

Put = Callable[[str, str | bytes], Path]
BASE = "https://shop.example/"


def pages(*names: str) -> str:
    """A text list."""
    return "".join(f"{BASE}{name}\n" for name in names)


@pytest.fixture
def looked(cli: Cli, put: Put) -> Cli:
    """The command line after a first run over `a`."""
    put("a.txt", pages("", "tea"))
    first = cli("watch", "a.txt", "--state", "a.sqlite")
    assert (first.code, first.out) == (0, "")
    assert first.err == "urlset: run 1: 2 entries in 1 sitemap; the next one shows what has changed\n"
    return cli


def test_changes_as_lines_of_json(looked: Cli, put: Put) -> None:
    path = put("a.txt", pages("", "coffee"))
    second = looked("watch", "a.txt", "--state", "a.sqlite")
    assert (second.code, second.err) == (1, "urlset: run 2: 2 entries in 1 sitemap; 1 added, 1 removed\n")
    added, removed = map(json.loads, second.out.splitlines())
    assert added.pop("seen").endswith("Z")
    assert removed.pop("seen")
    nothing = dict.fromkeys(("how", "lastmod", "old_lastmod"))
    assert [added, removed] == [
        {
            "run": 2,
            "change": "added",
            "kind": "page",
            "loc": f"{BASE}coffee",
            **nothing,
            "sitemap": str(path),
            "old_sitemap": None,
        },
        {
            "run": 2,
            "change": "removed",
            "kind": "page",
            "loc": f"{BASE}tea",
            **nothing,
            "sitemap": None,
            "old_sitemap": str(path),
        },
    ]
    assert looked("watch", "a.txt", "--state", "a.sqlite").code == 0


def test_every_format_has_the_same_changes(looked: Cli, put: Put, tmp_path: Path) -> None:
    put("a.txt", pages("", *(f"tea/{number}" for number in range(30))))
    looked("watch", "a.txt", "--state", "a.sqlite", "--output", "a.jsonl")
    again = ("watch", "--state", "a.sqlite", "--since", "1")
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert len(rows) == 31
    assert [json.loads(line) for line in looked(*again).out.splitlines()] == rows
    assert json.loads(looked(*again, "--format", "json").out) == rows
    locs = [row["loc"] for row in rows]
    assert [row["loc"] for row in csv.DictReader(io.StringIO(looked(*again, "-f", "csv").out))] == locs
    looked(*again, "-o", "a.parquet")
    with duckdb.connect() as connection:
        found = connection.execute("SELECT loc FROM read_parquet(?)", [str(tmp_path / "a.parquet")]).fetchall()
    assert [loc for (loc,) in found] == locs
    table = looked(*again, "--format", "table").out
    assert table.count(BASE) == 20
    assert "11 more, which the other formats contain\nrun 2: 31 entries in 1 sitemap; 30 added, 1 removed" in table
    assert looked(*again, "--format", "summary").out == "run 2: 31 entries in 1 sitemap; 30 added, 1 removed\n"


def test_what_was_not_printed_is_printed_by_the_next_look(looked: Cli, put: Put, tmp_path: Path) -> None:
    put("a.txt", pages("", "tea", "new"))
    lost = looked("watch", "a.txt", "--state", "a.sqlite", "--output", "nowhere/a.jsonl")
    assert (lost.code, "No such file or directory" in lost.err) == (2, True)
    kept = looked("watch", "a.txt", "--state", "a.sqlite")
    assert [json.loads(line)["run"] for line in kept.out.splitlines()] == [2]


def test_a_sitemap_that_fails_is_a_failure_and_removes_nothing(cli: Cli, tmp_path: Path) -> None:
    with serve() as site:
        site.pages["/sitemap.xml"] = Answer(site.index("/a.xml", "/b.xml"))
        for name in "ab":
            site.pages[f"/{name}.xml"] = Answer(site.urlset(f"/{name}", 2), headers={"ETag": '"1"'})
        arguments = ("watch", site.url, "--state", "a.sqlite", "--trust-index", "--fetches", "fetches.jsonl")
        cli(*arguments)
        site.pages["/b.xml"] = Answer(status=404)
        site.pages["/a.xml"] = Answer(site.urlset("/a", 3), headers={"ETag": '"2"'})
        failed = cli(*arguments)
    assert (failed.code, json.loads(failed.out)["loc"]) == (2, f"{site.url}/a/2")
    assert "b.xml: status 404" in failed.err
    fetches = [json.loads(line) for line in (tmp_path / "fetches.jsonl").read_text().splitlines()]
    statuses = {fetch["url"].rpartition("/")[2]: fetch["status"] for fetch in fetches}
    assert (statuses["a.xml"], statuses["b.xml"]) == (200, 404)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a site to look at"),
        (["a.txt", "--every", "now"], "must be a time such as 30m, 1h or 1d, got 'now'"),
        (["a.txt", "--every", "0s"], "must be a time such as 30m"),
        (["a.txt", "--every", "1h", "--output", "a.csv"], "each run would replace the file"),
        (["b.txt"], "is the state of a watch of"),
    ],
)
def test_what_makes_no_sense_is_refused(looked: Cli, put: Put, arguments: list[str], message: str) -> None:
    put("b.txt", pages("other"))
    ended = looked("watch", "--state", "a.sqlite", *arguments)
    assert ended.code == 2
    assert message in " ".join(ended.err.replace("│", " ").split())


def test_it_looks_again_and_again_until_it_is_interrupted(put: Put, tmp_path: Path) -> None:
    path = put("a.txt", pages(""))
    program = "from urlset._cli import main; main()"
    arguments = ["watch", str(path), "--state", str(tmp_path / "a.sqlite"), "--every", "0.05s", "--format", "jsonl"]
    with subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stderr.readline().startswith("urlset: run 1: ")
        for name in ("a", "b"):
            aside = path.with_suffix(".new")
            aside.write_text(path.read_text() + pages(name))
            aside.replace(path)
            assert json.loads(running.stdout.readline())["loc"] == f"{BASE}{name}"
        path.unlink()
        lines = iter(running.stderr.readline, "")
        assert any("No such file" in line for line in lines)
        path.write_text(pages("", "a", "b", "c"))
        assert json.loads(running.stdout.readline())["loc"] == f"{BASE}c"
        running.send_signal(signal.SIGINT)
        rest = running.stderr.read()
        assert running.wait(30) == 130
    assert "interrupted; the state is as the last complete run left it" in rest


def test_what_is_held_back_or_too_old_is_a_finding(cli: Cli, put: Put) -> None:
    entries = "".join(f"<url><loc>{BASE}{number}</loc><lastmod>2026-01-02</lastmod></url>" for number in range(20))
    namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    path = put("a.xml", f"<urlset {namespace}>{entries}</urlset>")
    asked = ("watch", "a.xml", "--state", "a.sqlite")
    assert cli(*asked).code == 0
    stale = cli(*asked, "--max-age", "2d")
    assert stale.code == 1
    assert "the newest lastmod is 2026-01-03T00:00:00Z, which is older than --max-age 2d\n" in stale.err
    assert cli(*asked, "--max-age", "90000d").code == 0
    assert cli(*asked, "--max-age", "soon").code == 2
    put("a.xml", f"<urlset {namespace}></urlset>")
    held = cli(*asked, "--hooks", "told.jsonl")
    assert (held.code, held.out) == (1, "")
    assert "run 4: 20 entries in 1 sitemap, 1 held back; nothing has changed\n" in held.err
    assert f"{path} has 0 of 20 entries: held back, and what it listed still counts; the next run" in held.err
    confirmed = cli(*asked, "--hooks", "told.jsonl")
    assert (confirmed.code, len(confirmed.out.splitlines())) == (1, 20)
    assert (cli.folder / "told.jsonl").read_text().count("removed") == 20
