"""What a person at a terminal sees, and what must never reach a pipe."""

import os
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from support.cli import Cli

Put = Callable[[str, str | bytes], Path]

CORE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
BAD = f"<urlset {CORE}>\n<url><loc>/about</loc></url>\n</urlset>\n"
COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-9][0-9;]*m")


@pytest.fixture(scope="module")
def stored_giant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sitemap that takes a while to read, beyond both limits of the protocol."""
    line = f"<url><loc>https://example.com/{'x' * 100}</loc><lastmod>2024-01-01</lastmod></url>\n"
    path = tmp_path_factory.mktemp("giant") / "giant.xml"
    path.write_text(f"<urlset {CORE}>\n{line * 330_000}</urlset>\n")
    return path


@pytest.fixture
def giant(stored_giant: Path, tmp_path: Path) -> None:
    """The same as giant.xml in the test's own folder."""
    (tmp_path / "giant.xml").symlink_to(stored_giant)


def test_rows_are_a_table(cli: Cli, put: Put) -> None:
    put("bad.xml", BAD)
    ended = cli.terminal("read", "bad.xml")
    assert ended.code == 0
    assert "1 row from 1 document" in ended.out
    assert "/about" in ended.out
    assert "{" not in ended.out


def test_parquet_is_refused(cli: Cli, put: Put) -> None:
    put("bad.xml", BAD)
    ended = cli.terminal("read", "bad.xml", "--format", "parquet")
    assert ended.code == 2
    assert "PAR1" not in ended.out


def test_colours_are_for_terminals_that_want_them(cli: Cli, put: Put) -> None:
    put("bad.xml", BAD)
    assert COLOUR.search(cli.terminal("lint", "bad.xml").out)
    assert not COLOUR.search(cli.terminal("lint", "bad.xml", NO_COLOR="1").out)
    assert "\x1b" not in cli("lint", "bad.xml").out


def test_a_page_is_laid_out(cli: Cli) -> None:
    ended = cli.terminal("rule", "LOC002")
    assert ended.code == 0
    assert "LOC002 relative-url" in ended.out
    assert "## " not in ended.out
    assert "relative-url" in cli.terminal("rule").out


@pytest.mark.usefixtures("giant")
def test_long_work_shows_progress_and_clears_it(cli: Cli) -> None:
    ended = cli.terminal("read", "giant.xml", "--output", "rows.parquet")
    assert ended.code == 0
    assert " of 1 document" in ended.out
    # Only the findings remain: it exceeds both limits.
    assert ended.out.rpartition("\x1b[2K")[2].startswith("urlset: 2 findings while reading (1 LIM001, 1 LIM002)")


@pytest.mark.usefixtures("giant")
def test_a_pipe_gets_no_progress(cli: Cli) -> None:
    [said] = cli("read", "giant.xml", "--output", "rows.parquet", FORCE_COLOR="1").err.splitlines()
    assert said.startswith("urlset: 2 findings")


@pytest.fixture
def endless(tmp_path: Path) -> None:
    """A sitemap in the test's own folder that goes on for as long as somebody reads it."""
    path = tmp_path / "endless.xml"
    os.mkfifo(path)

    def feed() -> None:
        # Whoever reads has ended, or a later test is another user for a moment.
        with suppress(BrokenPipeError, PermissionError), path.open("wb") as pipe:
            pipe.write(f"<urlset {CORE}>\n".encode())
            while True:
                pipe.write(b"<url><loc>https://example.com/</loc></url>\n" * 1_000)

    threading.Thread(target=feed, daemon=True).start()


@pytest.mark.usefixtures("endless")
@pytest.mark.parametrize("form", ["table", "csv"])
def test_ctrl_c_ends_it_with_130_and_leaves_nothing(cli: Cli, tmp_path: Path, form: str) -> None:
    output = () if form == "table" else ("--output", "rows.csv")
    ended = cli.terminal("read", "endless.xml", "--format", form, *output, interrupt_at="document")
    assert "urlset: interrupted; " in ended.out
    assert ended.code == 130
    assert "Traceback" not in ended.out
    assert [path.name for path in tmp_path.iterdir()] == ["endless.xml"]


def test_ctrl_c_while_waiting_for_standard_input(cli: Cli) -> None:
    line = "(sleep 30 & echo $! > sleeper; wait) | urlset read - & sleep 3; kill -INT %1; wait %1; echo $?"
    ended = cli.shell(f"set -m; {line}; kill $(cat sleeper)")
    assert ended.out == "130\n"
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["read", "bad.xml", "--format", "csv"], 0),
        (["read", "bad.xml", "nowhere.xml", "--format", "csv"], 2),
        (["lint", "bad.xml"], 1),
        (["lint", "bad.xml", "--fix", "--diff"], 0),
        (["diff", "bad.xml", "bad.xml"], 0),
        (["publish", "rows.csv", "--dest", "out", "--base-url", "https://example.com/"], 0),
        (["publish", "refused.csv", "--dest", "out", "--base-url", "https://example.com/"], 2),
    ],
)
def test_a_process_ends_without_a_report_of_another_library(
    cli: Cli, put: Put, arguments: list[str], code: int
) -> None:
    put("bad.xml", BAD)
    put("rows.csv", "loc\n/a\n")
    put("refused.csv", "loc\nmailto:a\n")
    # `process` also fails for a traceback, and for objects that outlive DuckDB at the end of the interpreter.
    assert cli.process(*arguments).code == code


def test_help_has_a_purpose_examples_and_exit_codes(cli: Cli) -> None:
    assert cli("--help").code == 0
    for verb in ("read", "publish", "init", "diff", "submit", "lint", "rule"):
        ended = cli(verb, "--help")
        assert ended.code == 0
        assert f"\n    urlset {verb}" in ended.out
        assert "Examples:" in ended.out
        assert "Exit codes:" in ended.out
    assert cli().code == 2
    assert cli("--version").out.startswith("urlset ")
    assert cli("wrote").code == 2


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("urlset lint bad.xml >&-", 1),
        ("urlset lint bad.xml 2>&-", 1),
        ("urlset lint nowhere.xml 2>&-", 2),
        ("urlset read bad.xml >&- <&-", 0),
        ("urlset lint - <&-", 1),
        ("urlset rule > /dev/full", 2),
    ],
)
def test_a_closed_or_full_stream_is_no_bug(cli: Cli, put: Put, line: str, code: int) -> None:
    put("bad.xml", BAD)
    ended = cli.shell(line)
    assert ended.code == code
    assert "Traceback" not in ended.err
