"""`urlset lint` and `urlset rule`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.cli import Cli, unwrapped
from urlset import rules

Put = Callable[[str, str | bytes], Path]

CORE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def document(line: str) -> str:
    """A sitemap whose second line is `line`."""
    return f"<urlset {CORE}>\n{line}\n</urlset>\n"


def good(loc: str = "https://example.com/") -> str:
    """A sitemap in which there is nothing to find."""
    return document(f"<url><loc>{loc}</loc></url>")


def test_nothing_found_is_exit_code_0(cli: Cli, put: Put) -> None:
    put("sitemap.xml", good())
    ended = cli("lint", "sitemap.xml")
    assert (ended.code, ended.out, ended.err) == (0, "No findings in 1 document, 1 entry\n", "")


def test_a_finding_shows_its_position_its_line_and_what_to_do(cli: Cli, put: Put) -> None:
    put("sitemap.xml", document("<url><loc>/about</loc></url>"))
    ended = cli("lint", "sitemap.xml")
    assert ended.code == 1
    head, blank, source, caret, help_, _, summary = ended.out.splitlines()
    assert head.startswith("sitemap.xml:2:11 LOC002 error ")
    assert blank == "  |"
    assert source == "2 | <url><loc>/about</loc></url>"
    assert caret == "  |           ^^^^^^"
    assert help_.startswith("  = help: ")
    assert summary == "1 error in 1 document, 1 entry: 1 LOC002"


@pytest.mark.parametrize(
    ("before", "shown", "cells"),
    [
        ("<!-- 😀 -->", "<!-- 😀 -->", 11),
        ("<!-- 漢字 -->", "<!-- 漢字 -->", 13),
        ("<!-- e\u0301 -->", "<!-- e\u0301 -->", 10),
        ("\t<!-- -->\t", "    <!-- -->    ", 16),
        ("<!-- \x7f -->", "<!-- ␡ -->", 10),
        ("<!-- \u202e -->", "<!-- \ufffd -->", 10),
    ],
    ids=["emoji", "han", "combining", "tabs", "control", "direction"],
)
def test_the_caret_stands_under_the_column(cli: Cli, put: Put, before: str, shown: str, cells: int) -> None:
    put("sitemap.xml", document(f"{before}<url><loc>/😀</loc></url>"))
    ended = cli("lint", "sitemap.xml")
    source, caret = (line.removeprefix("2 | ") for line in ended.out.splitlines()[2:4])
    assert source == f"{shown}<url><loc>/😀</loc></url>"
    # "/😀" is two code points in three cells.
    assert caret == "  | " + " " * (cells + len("<url><loc>")) + "^^^"
    column = len(before) + len("<url><loc>") + 1
    assert ended.out.startswith(f"sitemap.xml:2:{column} LOC002 ")


def test_a_long_line_is_cut_around_the_column(cli: Cli, put: Put) -> None:
    put("sitemap.xml", document(f"<!--{'x' * 5000}--><url><loc>/about</loc></url><!--{'x' * 5000}-->"))
    source, caret = cli("lint", "sitemap.xml").out.splitlines()[2:4]
    assert source.startswith("2 | …")
    assert len(source) < 300
    begin, end = caret.index("^"), caret.rindex("^") + 1
    assert source[begin:end] == "/about"


def test_json_has_always_the_same_keys(cli: Cli, put: Put) -> None:
    put("good.xml", good())
    put("bad.xml", document("<url><loc>/😀</loc><priority>2</priority></url>"))
    assert cli("lint", "good.xml", "--format", "json").out == "[]\n"
    ended = cli("lint", "bad.xml", "good.xml", "--format", "json")
    assert ended.code == 1
    found = json.loads(ended.out)
    assert [finding["code"] for finding in found] == ["LOC002", "PRI002"]
    for finding in found:
        assert list(finding) == [
            "code",
            "severity",
            "message",
            "location",
            "line",
            "column",
            "end_column",
            "source",
            "source_column",
            "help",
            "fix",
            "more",
        ]
    position = [found[0][key] for key in ("location", "line", "column", "end_column", "source_column")]
    assert position == ["bad.xml", 2, 11, 13, 11]


def test_rules_are_chosen_and_left_out(cli: Cli, put: Put) -> None:
    put("bad.xml", document("<url><loc>/a</loc><priority>2</priority></url>"))
    assert cli("lint", "bad.xml", "--ignore", "LOC002,PRI002").code == 0
    assert cli("lint", "bad.xml", "--select", "MOD001").code == 0
    chosen = cli("lint", "bad.xml", "--select", "PRI002, MOD001", "--format", "json")
    assert [finding["code"] for finding in json.loads(chosen.out)] == ["PRI002"]


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_a_code_that_no_rule_has_is_refused_with_a_hint(cli: Cli, put: Put, option: str) -> None:
    put("good.xml", good())
    ended = cli("lint", "good.xml", option, "LOC0002")
    assert (ended.code, ended.out) == (2, "")
    assert f"Invalid value for {option}: no rule has the code 'LOC0002'; did you mean LOC002?" in unwrapped(ended.err)


def test_the_location_is_whose_host_counts(cli: Cli, put: Put) -> None:
    put("sitemap.xml", good())
    assert cli("lint", "sitemap.xml", "--location", "https://example.com/sitemap.xml").code == 0
    foreign = cli("lint", "sitemap.xml", "--location", "https://example.org/sitemap.xml")
    assert foreign.code == 1
    assert "LOC011" in foreign.out


def test_the_location_of_several_is_that_of_their_folder(cli: Cli, put: Put) -> None:
    put("a.xml", good("https://example.com/shop/a"))
    put("b.xml", good("https://example.com/b"))
    assert cli("lint", "a.xml", "b.xml", "--location", "https://example.com/").code == 0
    below = cli("lint", "a.xml", "b.xml", "--location", "https://example.com/shop/")
    assert (below.code, below.out.splitlines()[-1]) == (1, "1 warning in 2 documents, 2 entries: 1 LOC013")
    one = cli("lint", "a.xml", "b.xml", "--location", "https://example.com/sitemap.xml")
    assert (one.code, one.out) == (2, "")
    assert "--location must be the URL of a folder, with a slash at its end" in one.err


def test_several_sources_are_one_set(cli: Cli, put: Put) -> None:
    put("a.xml", good())
    put("b.xml", good())
    ended = cli("lint", "b.xml", "a.xml")
    assert ended.out.startswith("a.xml:2:1 IDX008 warning ")
    assert ended.out.endswith("1 warning in 2 documents, 2 entries: 1 IDX008\n")
    # A folder without an entry point is all of its sitemaps; a document is checked once.
    assert cli("lint", ".").out.splitlines()[-1] == "1 warning in 2 documents, 2 entries: 1 IDX008"
    assert cli("lint", "a.xml", "a.xml").out == "No findings in 1 document, 1 entry\n"


def test_standard_input_and_several_sources(cli: Cli, put: Put) -> None:
    put("good.xml", good())
    ended = cli("lint", "good.xml", "-", stdin=document("<url><loc>/a</loc></url>").encode())
    assert ended.code == 1
    assert ended.out.startswith("-:2:11 LOC002 ")
    assert ended.out.endswith("1 error in 2 documents, 2 entries: 1 LOC002\n")


def test_a_broken_document_is_a_finding_and_a_missing_one_a_failure(cli: Cli, put: Put) -> None:
    put("broken.xml", f"<urlset {CORE}")
    assert "XML001" in cli("lint", "broken.xml").out
    assert cli("lint", "broken.xml").code == 1
    missing = cli("lint", "nowhere.xml")
    assert (missing.code, missing.out) == (2, "")
    assert missing.err.startswith("urlset: nowhere.xml: ")


def test_findings_past_the_first_of_a_document_are_counted(cli: Cli, put: Put) -> None:
    put("bad.xml", document("<url><loc>/a</loc></url>\n" * 3000))
    ended = cli("lint", "bad.xml")
    assert ended.out.endswith("3,000 errors in 1 document, 3,000 entries: 3,000 LOC002\n")
    assert ended.out.count("bad.xml:") == 50
    assert "= and 2,950 more of LOC002 in this document\n" in ended.out
    few = cli("lint", "bad.xml", "--fold", "2", "--format", "json")
    assert [(found["line"], found["more"]) for found in json.loads(few.out)] == [(2, 0), (3, 2998)]
    assert cli("lint", "bad.xml", "--fold", "0").code == 2
    assert cli("lint", "bad.xml", "--fold", "3000").out.count("bad.xml:") == 3000


def test_an_escape_sequence_does_not_reach_the_terminal(cli: Cli, put: Put) -> None:
    put("bad.xml", document("<url><loc>/\x1b[31mred\u009b31m</loc></url>"))
    ended = cli("lint", "bad.xml")
    assert "\x1b" not in ended.out
    assert "\u009b" not in ended.out


def test_a_page_in_a_pipe_is_markdown(cli: Cli) -> None:
    ended = cli("rule", "loc002")
    page = next(rule.page for rule in rules() if rule.code == "LOC002")
    assert ended.code == 0
    assert ended.out.startswith("# LOC002 relative-url\n")
    assert ended.out.endswith(page)


def test_the_list_in_a_pipe_is_one_line_a_rule(cli: Cli) -> None:
    ended = cli("rule")
    cells = [line.split("\t") for line in ended.out.splitlines()]
    assert [row[:3] for row in cells] == [[rule.code, rule.name, rule.severity] for rule in rules()]
    assert all(len(row) == 4 and row[3] for row in cells)


@pytest.mark.parametrize(("code", "hint"), [("LOC0002", "LOC002"), ("ZZZ", "urlset rule")])
def test_a_rule_that_is_not_there_is_refused_with_a_hint(cli: Cli, code: str, hint: str) -> None:
    ended = cli("rule", code)
    assert (ended.code, ended.out) == (2, "")
    assert hint in ended.err


def test_the_rules_as_json_say_all_that_is_known(cli: Cli) -> None:
    listed = json.loads(cli("rule", "--format", "json").out)
    assert [each["code"] for each in listed] == [rule.code for rule in rules()]
    one = json.loads(cli("rule", "idx009", "--format", "json").out)
    assert one in listed
    assert one["profiles"] == dict.fromkeys(("protocol", "google", "bing", "yandex", "naver", "seznam")) | {
        "baidu": "warning"
    }
    assert (one["scope"], one["fix"], one["status"]) == ("document", "none", "stable")
    assert one["page"].startswith("## What it does")
