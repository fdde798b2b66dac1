"""`urlset diff`: every form of the same changes, exit codes, and what a terminal gets."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from support.cli import Cli, unwrapped

Put = Callable[[str, str | bytes], Path]

CORE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
OLD: list[tuple[str, str | None]] = [
    ("https://example.com/a", "2026-01-01"),
    ("https://example.com/b", "2026-01-01T01:00:00+01:00"),
    ("https://example.com/c", None),
    ("https://example.com/d", "2026-01-01"),
    ("https://example.com/d", "2025-01-01"),
]
NEW: list[tuple[str, str | None]] = [
    ("https://example.com/a", "2026-01-02"),
    ("https://example.com/b", "2026-01-01T00:00:00Z"),
    ("https://example.com/d", "2026-01-01"),
    ("https://example.com/é?a=1,2&amp;b=“x”", "2026-02-01T08:00:00.5Z"),
]
CHANGES: list[dict[str, Any]] = [
    {
        "loc": "https://example.com/a",
        "change": "changed",
        "old_lastmod": "2026-01-01",
        "new_lastmod": "2026-01-02",
        "fields": ["lastmod"],
    },
    {"loc": "https://example.com/c", "change": "removed", "old_lastmod": None, "new_lastmod": None, "fields": []},
    {
        "loc": "https://example.com/é?a=1,2&b=“x”",
        "change": "added",
        "old_lastmod": None,
        "new_lastmod": "2026-02-01T08:00:00.5Z",
        "fields": [],
    },
]
SUMMARY = "1 added, 1 removed, 1 changed, 2 unchanged"
TWICE = "old.xml: 1 duplicate ignored: of each loc, the entry with the latest lastmod counts"


def sitemap(rows: Sequence[tuple[str, str | None]]) -> str:
    """A urlset of locs and lastmods."""
    entries = "".join(
        f"<url><loc>{loc}</loc>{'' if lastmod is None else f'<lastmod>{lastmod}</lastmod>'}</url>\n"
        for loc, lastmod in rows
    )
    return f"<urlset {CORE}>\n{entries}</urlset>\n"


@pytest.fixture
def sets(put: Put) -> None:
    """The two above."""
    put("old.xml", sitemap(OLD))
    put("new.xml", sitemap(NEW))


def many(first: int, last: int) -> str:
    """Pages of consecutive numbers."""
    return sitemap([(f"https://example.com/{number}", None) for number in range(first, last)])


def from_csv(text: str) -> list[dict[str, Any]]:
    """What a CSV says, with JSON where lists are."""
    rows = csv.DictReader(io.StringIO(text))
    return [
        {name: json.loads(cell) if name == "fields" else cell or None for name, cell in row.items()} for row in rows
    ]


def from_parquet(path: Path) -> list[dict[str, Any]]:
    """What a Parquet file says."""
    with duckdb.connect() as connection:
        cursor = connection.execute("FROM read_parquet(?)", [str(path)])
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


@pytest.mark.usefixtures("sets")
def test_every_format_has_the_same_changes(cli: Cli, tmp_path: Path) -> None:
    piped = cli("diff", "old.xml", "new.xml")
    assert (piped.code, piped.err) == (1, f"urlset: {TWICE}\nurlset: {SUMMARY}\n")
    assert [json.loads(line) for line in piped.out.splitlines()] == CHANGES
    assert cli("diff", "old.xml", "new.xml", "--format", "jsonl", "--output", "-").out == piped.out
    assert from_csv(cli("diff", "old.xml", "new.xml", "-f", "csv").out) == CHANGES
    for name, read in (("changes.csv", lambda path: from_csv(path.read_text())), ("changes.parquet", from_parquet)):
        ended = cli("diff", "old.xml", "new.xml", "--output", name)
        assert (ended.code, ended.out) == (1, "")
        assert ended.err.endswith(f"urlset: {SUMMARY}\n")
        assert read(tmp_path / name) == CHANGES
    cli.shell("urlset diff old.xml new.xml -f parquet > piped.parquet")
    assert from_parquet(tmp_path / "piped.parquet") == CHANGES


@pytest.mark.usefixtures("sets")
def test_a_table_and_a_summary(cli: Cli) -> None:
    ended = cli("diff", "old.xml", "new.xml", "--format", "table", COLUMNS="120")
    assert (ended.code, ended.err) == (1, f"urlset: {TWICE}\n")
    head, *rows, blank, counts = [line.split() for line in ended.out.splitlines()]
    assert head == ["change", "loc", "old", "lastmod", "new", "lastmod", "differs", "in"]
    assert rows == [
        ["changed", "https://example.com/a", "2026-01-01", "2026-01-02", "lastmod"],
        ["removed", "https://example.com/c"],
        ["added", "https://example.com/é?a=1,2&b=“x”", "2026-02-01T08:00:00.5Z"],
    ]
    assert (blank, " ".join(counts)) == ([], SUMMARY)
    assert cli("diff", "old.xml", "new.xml", "--format", "summary").out == f"{SUMMARY}\n"


def test_a_summary_says_that_a_set_has_moved(cli: Cli, put: Put) -> None:
    put("was.txt", "https://old.example/\nhttps://old.example/a\n")
    put("is.txt", "https://new.example/\nhttps://new.example/a\n")
    where = "with the same paths under another host: https://old.example is now https://new.example"
    said = f"2 added, 2 removed, 0 changed, 0 unchanged; all removed pages are among the added ones, {where}\n"
    assert cli("diff", "was.txt", "is.txt", "--format", "summary").out == said
    assert cli("diff", "was.txt", "is.txt", "--format", "json").err.endswith(said)


def test_a_table_has_the_first_twenty(cli: Cli, put: Put) -> None:
    put("old.xml", many(0, 1_050))
    put("new.xml", many(50, 1_000))
    ended = cli("diff", "old.xml", "new.xml", "-f", "table")
    assert len(ended.out.splitlines()) == 23
    assert "0 added, 100 removed, 0 changed, 950 unchanged; 80 more, which the other formats contain" in ended.out
    assert len(cli("diff", "old.xml", "new.xml").out.splitlines()) == 100
    assert cli.shell("urlset diff old.xml new.xml 2> /dev/null | head -1").out.startswith(
        '{"loc":"https://example.com/0"'
    )


@pytest.mark.usefixtures("sets")
def test_exit_codes_are_those_of_diff(cli: Cli, put: Put) -> None:
    assert cli("diff", "old.xml", "new.xml").code == 1
    same = cli("diff", "new.xml", "new.xml")
    assert (same.code, same.out, same.err) == (0, "", "urlset: 0 added, 0 removed, 0 changed, 4 unchanged\n")
    assert cli("diff", "new.xml", "new.xml", "-f", "table").out == "0 added, 0 removed, 0 changed, 4 unchanged\n"
    assert cli("diff", "old.xml", "nothing.xml").err == "urlset: nothing.xml: No such file or directory\n"
    put("cut.xml", sitemap(NEW)[:-30])
    cut = cli("diff", "old.xml", "cut.xml", "--output", "changes.csv", "--strict")
    assert (cut.code, cut.out) == (2, "")
    assert "cut.xml:" in cut.err
    assert not (cli.folder / "changes.csv").exists()
    cut = cli("diff", "old.xml", "cut.xml")
    assert cut.code == 2
    assert cut.out
    assert "cut.xml:" in cut.err
    put("page.xml", "<!doctype html>")
    assert cli("diff", "page.xml", "old.xml").code == 2


@pytest.mark.usefixtures("sets")
def test_an_index_without_a_folder_is_not_compared(cli: Cli) -> None:
    index = (
        '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>https://e.com/a.xml</loc>'
        "</sitemap></sitemapindex>"
    )
    ended = cli.process("diff", "-", "new.xml", stdin=index.encode())
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("urlset: -: it lists 1 sitemap, which could not be followed")


@pytest.mark.usefixtures("sets")
def test_only_some_changes(cli: Cli) -> None:
    ended = cli("diff", "old.xml", "new.xml", "--only", "removed, added")
    assert cli("diff", "old.xml", "new.xml", "--only", "removed", "--only", "added").out == ended.out
    assert [json.loads(line) for line in ended.out.splitlines()] == CHANGES[1:]
    assert (ended.code, ended.err.splitlines()[-1]) == (1, f"urlset: {SUMMARY}")
    assert cli("diff", "new.xml", "new.xml", "--only", "changed").code == 0
    # What is not asked for is counted, and does not fail.
    ended = cli("diff", "new.xml", "old.xml", "--only", "changed", "--format", "summary", "--compare", "priority")
    assert (ended.code, ended.out) == (0, "1 added, 1 removed, 0 changed, 3 unchanged\n")
    for only in ("gone", "", ","):
        ended = cli("diff", "old.xml", "new.xml", "--only", only)
        assert ended.code == 2
        assert "added, removed, changed" in ended.err


def test_what_makes_a_page_differ(cli: Cli, put: Put) -> None:
    page = "<url><loc>https://example.com/</loc><lastmod>2026-01-0{}</lastmod><priority>0.{}</priority></url>"
    for name, numbers in (("old.xml", (1, 1)), ("new.xml", (2, 2))):
        put(name, f"<urlset {CORE}>{page.format(*numbers)}</urlset>")
    for compare, fields in (
        ("priority", ["priority"]),
        ("priority,lastmod", ["lastmod", "priority"]),
        ("all", ["lastmod", "priority"]),
    ):
        ended = cli("diff", "old.xml", "new.xml", "--compare", compare)
        assert json.loads(ended.out)["fields"] == fields
    assert cli("diff", "old.xml", "new.xml", "--compare", "news").code == 0
    ended = cli("diff", "old.xml", "new.xml", "--compare", "title")
    assert ended.code == 2
    assert "Invalid value for --compare: unknown value 'title'" in unwrapped(ended.err)
    assert (
        "compare can name content only if both sets are manifests"
        in cli("diff", "old.xml", "new.xml", "--compare", "content").err
    )


@pytest.mark.usefixtures("sets")
def test_folders_and_standard_input(cli: Cli, put: Put) -> None:
    put(
        "set/sitemap.xml",
        f"<sitemapindex {CORE}><sitemap><loc>https://example.com/a.xml</loc></sitemap></sitemapindex>",
    )
    put("set/a.xml", sitemap(NEW))
    assert cli("diff", "set", "new.xml").code == 0
    assert cli("diff", "-", "set", stdin=sitemap(NEW).encode()).code == 0
    twice = cli("diff", "-", "-", stdin=sitemap(NEW).encode())
    assert (twice.code, "standard input (-) can be given only once" in twice.err) == (2, True)


@pytest.mark.usefixtures("sets")
def test_ignored_entries_are_reported(cli: Cli, put: Put) -> None:
    put("nameless.xml", f"<urlset {CORE}>\n<url><lastmod>2026-01-01</lastmod></url><url/>\n</urlset>")
    ended = cli("diff", "nameless.xml", "old.xml", "--format", "summary")
    assert ended.err.splitlines() == [
        "urlset: nameless.xml: 2 entries without a loc ignored",
        f"urlset: {TWICE}",
    ]
    assert ended.out == "4 added, 0 removed, 0 changed, 0 unchanged\n"


def test_what_a_terminal_would_obey_does_not_reach_it(cli: Cli, put: Put) -> None:
    put("old.txt", "https://example.com/\n")
    put("new.txt", "https://example.com/\nhttps://example.com/\x1b[31m\u202e\x07\n")
    for ended in (cli("diff", "old.txt", "new.txt", "-f", "table"), cli.terminal("diff", "old.txt", "new.txt")):
        assert ended.code == 1
        assert "\x1b[31m\u202e" not in ended.out
        assert "\x07" not in ended.out
        assert "␛[31m\ufffd␇" in ended.out
    assert "\\u001b[31m" in cli("diff", "old.txt", "new.txt").out


@pytest.mark.usefixtures("sets")
def test_forms_that_make_no_sense_there_are_refused(cli: Cli) -> None:
    ended = cli.terminal("diff", "old.xml", "new.xml", "--format", "parquet")
    assert ended.code == 2
    assert "PAR1" not in ended.out
    for form in ("table", "summary"):
        ended = cli("diff", "old.xml", "new.xml", "--format", form, "--output", "changes.txt")
        assert (ended.code, f"{form} is for reading" in ended.err) == (2, True)
    assert cli("diff", "old.xml").code == 2
    assert cli("diff", "old.xml", "new.xml", "--output", "nowhere/changes.csv").code == 2


def test_ctrl_c_ends_it_with_130_and_leaves_nothing(cli: Cli, put: Put, tmp_path: Path) -> None:
    line = f"<url><loc>https://example.com/{'x' * 100}{{}}</loc><lastmod>2024-01-01</lastmod></url>\n"
    giant = "".join(line.format(number) for number in range(1_000_000))
    put("giant.xml", f"<urlset {CORE}>\n{giant}</urlset>\n")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    ended = cli.terminal(
        "diff", "giant.xml", "giant.xml", "--compare", "all", interrupt_at="read ", TMPDIR=str(scratch)
    )
    assert ended.code == 130
    assert "Traceback" not in ended.out
    assert list(scratch.iterdir()) == []


def test_help_has_a_purpose_examples_and_exit_codes(cli: Cli) -> None:
    ended = cli("diff", "--help")
    assert ended.code == 0
    for said in ("\n    urlset diff old/ public/", "Examples:", "Exit codes:"):
        assert said in ended.out
