"""`urlset lint --fix` and `--diff`: what is written into files, and what is not."""

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from support.cli import Cli

from cli.test_lint import document, good

Put = Callable[[str, str | bytes], Path]

BAD = document("<url><loc>https://example.com/</loc><priority>0,8</priority></url>")
MENDED = BAD.replace("0,8", "0.8")
#: What only --unsafe-fixes fixes.
LOSSY = BAD.replace("0,8", "8")


def test_files_are_fixed_in_place(cli: Cli, put: Put) -> None:
    path, left = put("bad.xml", BAD), put("left.xml", document("<url><loc>/about</loc></url>"))
    ended = cli("lint", "bad.xml", "left.xml", "--fix")
    assert (ended.code, ended.err) == (1, "urlset: fixed 1 PRI001 in 1 file\n")
    # What is left is shown as without it.
    assert ended.out == cli("lint", "bad.xml", "left.xml").out
    assert "LOC002" in ended.out
    assert path.read_text() == MENDED
    assert left.read_text() == document("<url><loc>/about</loc></url>")
    again = cli("lint", "bad.xml", "--fix")
    assert (again.code, again.out, again.err) == (0, "No findings in 1 document, 1 entry\n", "")
    assert sorted(each.name for each in path.parent.iterdir()) == ["bad.xml", "left.xml"]


def test_unsafe_fixes_are_applied_only_on_request(cli: Cli, put: Put) -> None:
    path = put("bad.xml", LOSSY)
    assert cli("lint", "bad.xml", "--fix").code == 1
    assert path.read_text() == LOSSY
    assert cli("lint", "bad.xml", "--fix", "--unsafe-fixes").code == 0
    assert path.read_text() == LOSSY.replace(">8<", ">1.0<")
    path = put("bad.xml", LOSSY)
    put("urlset.toml", "[lint]\nunsafe-fixes = true\n")
    assert cli("lint", "bad.xml", "--fix").code == 0


def test_the_children_of_an_index_are_fixed_too(cli: Cli, put: Put) -> None:
    children = "".join(f"<sitemap><loc>https://example.com/{name}</loc></sitemap>" for name in ("a.xml", "b.xml.gz"))
    index = put("sitemap.xml", document(children).replace("urlset", "sitemapindex"))
    before = index.read_bytes()
    plain = put("a.xml", BAD)
    packed = put("b.xml.gz", gzip.compress(BAD.replace("com/", "com/b").encode(), mtime=1))
    ended = cli("lint", ".", "--fix")
    assert (ended.code, ended.err) == (0, "urlset: fixed 2 PRI001 in 2 files\n")
    assert plain.read_text() == MENDED
    assert gzip.decompress(packed.read_bytes()).decode() == MENDED.replace("com/", "com/b")
    assert index.read_bytes() == before
    # Children are fixed as documents at the URL that the index gives them.
    put("a.xml", document("<url><loc>/about</loc></url>"))
    assert cli("lint", ".", "--fix").code == 0
    assert plain.read_text() == document("<url><loc>https://example.com/about</loc></url>")


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o755])
def test_permissions_are_kept(cli: Cli, put: Put, mode: int) -> None:
    path = put("bad.xml", BAD)
    path.chmod(mode)
    assert cli("lint", "bad.xml", "--fix").code == 0
    assert path.read_text() == MENDED
    assert path.stat().st_mode & 0o777 == mode


def test_good_files_are_not_written(cli: Cli, put: Put) -> None:
    packed = gzip.compress(good("https://example.com/2").encode(), 1, mtime=7)
    paths = [put("good.xml", good()), put("good.xml.gz", packed), put("list.txt", "https://example.com/3\n")]
    paths.append(put("unfixable.xml", document("<url><loc>ftp://example.com/</loc></url>")))
    paths.append(put("broken.xml", BAD[:-20]))
    for path in paths:
        os.utime(path, (1, 1))
        path.chmod(0o444)
    before = [(path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes()) for path in paths]
    ended = cli("lint", ".", "--fix", "--unsafe-fixes")
    said = "nothing was fixed: no finding has a fix; `urlset rule CODE` says what to do"
    assert (ended.code, ended.err) == (1, f"urlset: {said}\n")
    assert [(path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes()) for path in paths] == before


def test_a_link_stays_one(cli: Cli, put: Put) -> None:
    target = put("there/bad.xml", BAD)
    link = cli.folder / "bad.xml"
    link.symlink_to(target)
    assert cli("lint", "bad.xml", "--fix").code == 0
    assert target.read_text() == MENDED
    assert link.is_symlink()


def test_the_difference_is_shown_and_nothing_written(cli: Cli, put: Put) -> None:
    path, packed = put("bad.xml", BAD), put("bad.xml.gz", gzip.compress(BAD.replace("com/", "com/b").encode()))
    before = packed.read_bytes()
    ended = cli("lint", "bad.xml", "bad.xml.gz", "--diff")
    assert (ended.code, ended.err) == (1, "urlset: would fix 2 PRI001 in 2 files\n")
    plain, second = (
        [f"--- {name}", f"+++ {name}", "@@ -1,3 +1,3 @@", *(f"{mark}{line}" for mark, line in lines)]
        for name, lines in [
            (name, zip(" -+ ", [rows[0], rows[1], rows[1].replace("0,8", "0.8"), rows[2]], strict=True))
            for name, rows in [
                ("bad.xml", BAD.splitlines()),
                ("bad.xml.gz", BAD.replace("com/", "com/b").splitlines()),
            ]
        ]
    )
    assert ended.out.splitlines() == plain + second
    assert (path.read_text(), packed.read_bytes()) == (BAD, before)
    # It can be applied.
    assert cli.shell("urlset lint bad.xml --diff | patch bad.xml").code == 0
    assert path.read_text() == MENDED
    nothing = cli("lint", "bad.xml", "--diff")
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "")
    assert cli("lint", "bad.xml.gz", "--diff", "--exit-zero").code == 0


def test_a_last_line_without_an_end_is_one_in_the_difference(cli: Cli, put: Put) -> None:
    path = put("bad.xml", BAD.replace("\n", ""))
    ended = cli("lint", "bad.xml", "--diff")
    assert ended.out.count("\\ No newline at end of file\n") == 2
    assert cli.shell("urlset lint bad.xml --diff | patch bad.xml").code == 0
    assert path.read_text() == MENDED.replace("\n", "")


def test_ignored_rules_and_excluded_files_are_not_fixed(cli: Cli, put: Put) -> None:
    path = put("bad.xml", BAD)
    assert cli("lint", "bad.xml", "--fix", "--ignore", "PRI001").code == 0
    assert cli("lint", "bad.xml", "--fix", "--per-file-ignores", "*.xml:PRI").code == 0
    assert path.read_text() == BAD


def test_the_zone_makes_a_guess_a_fix(cli: Cli, put: Put) -> None:
    bad = document("<url><loc>https://example.com/</loc><lastmod>2026-01-31T08:00:00</lastmod></url>")
    path = put("bad.xml", bad)
    assert cli("lint", "bad.xml", "--fix", "--unsafe-fixes").code == 1
    assert path.read_text() == bad
    assert cli("lint", "bad.xml", "--fix", "--zone", "+01:00").code == 0
    assert path.read_text() == bad.replace("08:00:00", "08:00:00+01:00")
    assert cli("lint", "bad.xml", "--zone", "Berlin").code == 2


@pytest.mark.parametrize("option", ["--fix", "--diff"])
def test_standard_input_is_no_file(cli: Cli, option: str) -> None:
    ended = cli("lint", "-", option, stdin=BAD.encode())
    assert (ended.code, ended.out) == (2, "")
    assert "standard input" in ended.err


# --- what is not fixed, and why -----------------------------------------------------------------------------


def test_what_can_be_fixed_is_counted(cli: Cli, put: Put) -> None:
    bad = document("<url><loc>https://example.com/</loc><priority>0,8</priority></url>")
    put("sitemap.xml", bad)
    last = cli("lint", "sitemap.xml").out.splitlines()[-1]
    assert last == "[*] 1 fixable with --fix"
    put("sitemap.xml", document("<url><loc>https://example.com/</loc></url>"))
    assert "fixable" not in cli("lint", "sitemap.xml").out


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda text: text[:-5].encode(), "it cannot be read to its end (XML"),
        (lambda text: gzip.compress(text.encode()) + b"junk", "it is not well-formed, and while that has no fix, "),
        (lambda text: zstandard.compress(text.encode()), "must be plain or gzipped to be fixed, got zstd"),
        (
            lambda text: f'<?xml version="1.0" encoding="iso-8859-1"?><!-- \xe9 -->{text}'.encode("latin-1"),
            "its charset is not UTF-8, ",
        ),
    ],
    ids=["truncated", "after gzip", "zstd", "latin-1"],
)
def test_a_file_that_cannot_be_fixed_says_why(cli: Cli, put: Put, make: Callable[[str], bytes], why: str) -> None:
    bad = document("<url><loc>https://example.com/</loc><priority>0,8</priority></url>")
    put("a.xml", make(bad))
    put("b.xml", bad)
    ended = cli("lint", "a.xml", "b.xml", "--fix", "--ignore", "IDX008,XML002")
    assert ended.err.startswith(f"urlset: a.xml not fixed: {why}")
    assert "urlset: fixed 1 PRI001 in 1 file" in ended.err
    assert ended.code == 1


def test_fixes_that_need_to_be_allowed_are_named(cli: Cli, put: Put) -> None:
    put("sitemap.xml", document("<url><loc>https://example.com/</loc></url>\n" * 2))
    found = json.loads(cli("lint", "sitemap.xml", "--format", "json").out)
    assert [each["fix"]["safety"] for each in found] == ["unsafe"]
    ended = cli("lint", "sitemap.xml", "--fix")
    assert ended.err == (
        "urlset: nothing was fixed: the fixes may change the meaning of a document, and need --unsafe-fixes\n"
    )
    assert ended.out.splitlines()[-1] == "[!] 1 with --fix --unsafe-fixes"
    assert cli("lint", "sitemap.xml", "--fix", "--unsafe-fixes").code == 0
