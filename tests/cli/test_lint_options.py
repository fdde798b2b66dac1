"""`urlset lint`: which rules, at what time, how it ends, and what a configuration file says of that."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.cli import Cli, unwrapped

from cli.test_lint import CORE, document, good

Put = Callable[[str, str | bytes], Path]

BAD = document("<url><loc>/about</loc><priority>9</priority></url>")
OTHER = BAD.replace("about", "other")


def codes(cli: Cli, *arguments: str) -> list[str]:
    """The codes of what is found."""
    return [found["code"] for found in json.loads(cli("lint", *arguments, "--format", "json").out)]


# --- which rules, for whom, when ----------------------------------------------------------------------------


def test_the_profile(cli: Cli, put: Put) -> None:
    put("bad.xml", BAD)
    assert cli("lint", "bad.xml").out.splitlines()[-2] == "2 errors in 1 document, 1 entry: 1 LOC002, 1 PRI002"
    google = cli("lint", "bad.xml", "--profile", "google")
    assert google.out.splitlines()[-2] == "1 error, 1 warning in 1 document, 1 entry: 1 LOC002, 1 PRI002"
    wrong = cli("lint", "bad.xml", "--profile", "gogle")
    assert (wrong.code, wrong.out) == (2, "")
    assert "google" in wrong.err


def test_previews(cli: Cli, put: Put) -> None:
    put("sitemap.xml", good("https://example.com/?utm_source=mail"))
    assert codes(cli, "sitemap.xml") == []
    assert codes(cli, "sitemap.xml", "--preview") == ["LOC015"]
    assert cli("lint", "sitemap.xml", "--select", "LOC015").code == 2


def test_ignores_of_some_files(cli: Cli, put: Put) -> None:
    put("old/sitemap.xml", BAD)
    put("new/sitemap.xml", OTHER)
    both = ["old/sitemap.xml", "new/sitemap.xml"]
    assert codes(cli, *both) == ["LOC002", "PRI002"] * 2
    assert codes(cli, *both, "--per-file-ignores", "old/*:LOC,PRI") == ["LOC002", "PRI002"]
    assert codes(cli, *both, "--per-file-ignores", "old/*:LOC", "--per-file-ignores", "new/*:PRI") == [
        *("PRI002", "LOC002")
    ]
    for wrong in ("old", "old/*:LOX"):
        ended = cli("lint", *both, "--per-file-ignores", wrong)
        assert (ended.code, ended.out) == (2, "")
        assert wrong.rpartition(":")[2] in ended.err


def test_options_that_are_given_twice_add_up(cli: Cli, put: Put) -> None:
    put("bad.xml", BAD)
    assert codes(cli, "bad.xml", "--ignore", "LOC", "--ignore", "MOD") == ["PRI002"]
    assert codes(cli, "bad.xml", "--ignore", "LOC,MOD", "--ignore", "PRI") == []
    assert codes(cli, "bad.xml", "--select", "LOC", "--select", "XML,PRI") == ["LOC002", "PRI002"]
    assert codes(cli, "bad.xml", "--select", "LOC", "--select", "XML") == ["LOC002"]
    twice = ("--per-file-ignores", "bad.xml:LOC", "--per-file-ignores", "bad.xml:PRI")
    assert codes(cli, "bad.xml", *twice) == []
    wrong = cli("lint", "bad.xml", "--ignore", "LOC", "--ignore", "LOX")
    assert (wrong.code, "no rule has the code 'LOX'" in unwrapped(wrong.err)) == (2, True)


@pytest.mark.parametrize(
    ("line", "profile", "fails"),
    [
        ("<url><loc>/about</loc></url>", "protocol", {"error", "warning", "info"}),
        ("<url><loc>https://example.com/</loc><priority>9</priority></url>", "google", {"warning", "info"}),
        (
            "<url><loc>https://example.com/</loc><changefreq>daily</changefreq></url>",
            "google",
            {"info"},
        ),
        ("<url><loc>https://example.com/</loc></url>", "google", set()),
    ],
    ids=["error", "warning", "info", "nothing"],
)
def test_what_the_exit_code_counts(cli: Cli, put: Put, line: str, profile: str, fails: set[str]) -> None:
    put("sitemap.xml", document(line))
    at = ["lint", "sitemap.xml", "--profile", profile]
    ended = {each: cli(*at, "--fail-on", each) for each in ("error", "warning", "info")}
    assert {each for each in ended if ended[each].code == 1} == fails
    assert len({each.out for each in ended.values()}) == 1
    assert cli(*at).code == ended["warning"].code
    put("urlset.toml", '[lint]\nfail-on = "info"\n')
    assert cli(*at).code == ended["info"].code
    assert cli(*at, "--fail-on", "error").code == ended["error"].code
    assert cli(*at, "--exit-zero").code == 0


def test_a_missing_child_hides_no_finding(cli: Cli, put: Put) -> None:
    index = (
        f"<sitemapindex {CORE}><sitemap><loc>https://example.com/a.xml</loc></sitemap>\n"
        "<sitemap><loc>https://example.com/gone.xml</loc></sitemap></sitemapindex>"
    )
    put("sitemap.xml", index)
    put("a.xml", BAD)
    ended = cli("lint", ".", "--format", "json")
    assert [found["code"] for found in json.loads(ended.out)] == ["LOC002", "PRI002"]
    assert ended.code == 2
    assert "sitemap.xml:2: the child https://example.com/gone.xml was not found in the same folder" in ended.err
    assert "1 failure" in ended.err
    assert cli("lint", ".", "--exit-zero").code == 2
    alone = cli("lint", ".", "--no-follow")
    assert (alone.code, alone.out, alone.err) == (0, "No findings in 1 document, 2 entries\n", "")
    piped = cli("lint", "-", stdin=index.encode())
    assert (piped.code, piped.out) == (0, "No findings in 1 document, 2 entries\n")
    assert piped.err.startswith("urlset: 2 sitemaps of an index from standard input not checked: ")
    assert cli("lint", "-", "--no-follow", stdin=index.encode()).err == ""


def test_now(cli: Cli, put: Put) -> None:
    put("sitemap.xml", document("<url><loc>https://example.com/</loc><lastmod>2020-06-01</lastmod></url>"))
    assert codes(cli, "sitemap.xml") == []
    assert codes(cli, "sitemap.xml", "--now", "2020-05-01T00:00:00Z") == ["MOD007"]
    assert codes(cli, "sitemap.xml", "--now", "2020-06-01T00:00:00+02:00") == []
    # A time without a zone is in UTC, as in every other option.
    assert codes(cli, "sitemap.xml", "--now", "2020-05-01") == ["MOD007"]
    ended = cli("lint", "sitemap.xml", "--now", "tomorrow")
    assert (ended.code, ended.out) == (2, "")
    assert "'tomorrow' does not match the formats" in unwrapped(ended.err)


def test_a_robots_txt_allows_pages_of_its_host(cli: Cli, put: Put) -> None:
    put("sitemap.xml", good("https://shop.example.org/"))
    put("robots.txt", "Sitemap: https://example.com/sitemap.xml\n")
    at = ["sitemap.xml", "--location", "https://example.com/sitemap.xml"]
    assert codes(cli, *at) == ["LOC011"]
    for where in ("https://shop.example.org/robots.txt", "shop.example.org"):
        assert codes(cli, *at, "--robots", f"{where}=robots.txt") == []
    assert codes(cli, *at, "--robots", "https://www.example.org/robots.txt=robots.txt") == ["LOC011"]
    for wrong, says in (("robots.txt", "--robots"), ("shop.example.org=gone.txt", "gone.txt")):
        ended = cli("lint", *at, "--robots", wrong)
        assert (ended.code, ended.out) == (2, "")
        assert says in ended.err


# --- how it ends, and what is shown -------------------------------------------------------------------------


def test_exit_zero_is_for_findings_only(cli: Cli, put: Put) -> None:
    put("bad.xml", BAD)
    plain, zero = cli("lint", "bad.xml"), cli("lint", "bad.xml", "--exit-zero")
    assert (plain.code, zero.code) == (1, 0)
    assert (zero.out, zero.err) == (plain.out, plain.err)
    assert cli("lint", "gone.xml", "--exit-zero").code == 2
    assert cli("lint", "bad.xml", "--exit-zero", "--select", "LOX").code == 2


def test_statistics(cli: Cli, put: Put) -> None:
    put("bad.xml", document("<url><loc>/a</loc></url>\n" * 3_000 + "<url/>"))
    ended = cli("lint", "bad.xml", "--statistics")
    assert ended.code == 1
    rows = [line.split() for line in ended.out.splitlines()]
    assert [row for row in rows if "LOC002" in row] == [row for row in rows if "3000" in row or "3,000" in row]
    assert sum("LOC001" in row for row in rows) == 1
    assert "bad.xml" not in ended.out
    assert cli("lint", "bad.xml", "--format", "statistics").out == ended.out
    counted = cli("lint", "bad.xml", "--statistics", "--format", "json")
    assert [(row["code"], row["count"], row["severity"]) for row in json.loads(counted.out)] == [
        ("LOC002", 3_000, "error"),
        ("LOC001", 1, "error"),
    ]
    wrong = cli("lint", "bad.xml", "--statistics", "--format", "sarif")
    assert (wrong.code, "statistics are text or json, not sarif" in unwrapped(wrong.err)) == (2, True)
    put("good.xml", good())
    assert cli("lint", "good.xml", "--statistics").code == 0
    assert json.loads(cli("lint", "good.xml", "--statistics", "--format", "json").out) == []


# --- configuration ------------------------------------------------------------------------------------------

OURS = """[lint]
ignore = ["PRI"]
exit-zero = true
[lint.per-file-ignores]
"old/*" = ["ALL"]
"""


def test_the_nearest_configuration_holds(cli: Cli, put: Put) -> None:
    put("bad.xml", BAD)
    put("old/bad.xml", OTHER)
    both = ["bad.xml", "old/bad.xml"]
    assert codes(cli, *both) == ["LOC002", "PRI002"] * 2
    for name, text in [("urlset.toml", OURS), ("pyproject.toml", OURS.replace("[lint", "[tool.urlset.lint"))]:
        path = put(name, text)
        assert codes(cli, *both) == ["LOC002"]
        assert cli("lint", *both).code == 0
        # It holds for the folders below, and its globs begin where it lies.
        assert codes(Cli(cli.folder / "old"), "bad.xml") == []
        # What an option says counts instead.
        assert codes(cli, *both, "--ignore", "LOC") == ["PRI002"]
        assert codes(cli, *both, "--per-file-ignores", "old/*:LOC") == ["LOC002"]
        isolated = cli("lint", *both, "--isolated")
        assert (isolated.code, isolated.out.count("LOC002 error")) == (1, 2)
        path.unlink()


def test_a_configuration_that_is_named_holds_instead(cli: Cli, put: Put) -> None:
    put("bad.xml", BAD)
    put("urlset.toml", '[lint]\nselect = ["XML"]\n')
    put("conf/other.toml", '[lint]\nselect = ["PRI002"]\nformat = "json"\nfold = 1\n')
    assert cli("lint", "bad.xml").code == 0
    ended = cli("lint", "bad.xml", "--config", "conf/other.toml")
    assert [found["code"] for found in json.loads(ended.out)] == ["PRI002"]
    assert codes(cli, "bad.xml", "--config", "conf/other.toml", "--isolated") == ["LOC002", "PRI002"]
    missing = cli("lint", "bad.xml", "--config", "gone.toml")
    assert (missing.code, missing.out) == (2, "")
    assert "gone.toml" in missing.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[lint]\nignore = ["LOX"]\n', "urlset.toml: lint.ignore: no rule has the code 'LOX'"),
        ("[lint]\nfold = 0\n", "urlset.toml: lint.fold: "),
        ("[lint]\nfolds = 1\n", "did you mean fold?"),
        ("[lint\n", "urlset.toml:1:"),
    ],
)
def test_an_invalid_configuration_is_reported(cli: Cli, put: Put, text: str, says: str) -> None:
    put("bad.xml", BAD)
    put("urlset.toml", text)
    ended = cli("lint", "bad.xml")
    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err
    assert cli("lint", "bad.xml", "--isolated").code == 1
