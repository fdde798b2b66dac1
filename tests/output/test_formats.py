"""What is particular to a format: its schema, its words, its numbers, what a reader of it would do."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from lxml import etree
from rich.console import Console
from support.output.sample_report import CLEAN, DIAGNOSTICS, DOCUMENT, FAILED, HOSTILE, MENDED, REPORT
from support.output.schemas import schema
from urlset import Diagnostic, Edit, Fix, Report, Safety
from urlset._output import FORMATS, full, gitlab, sarif

from output.test_same import commands

REPORTS = pytest.mark.parametrize("report", [REPORT, CLEAN, FAILED], ids=["findings", "no findings", "failures"])


def only(*diagnostics: Diagnostic) -> Report:
    """A report of these alone."""
    counts: dict[str, int] = {}
    for each in diagnostics:
        counts[each.code] = counts.get(each.code, 0) + 1 + each.more
    return replace(REPORT, diagnostics=diagnostics, counts=counts)


def test_the_table_is_light() -> None:
    listing = "import sys, urlset._output; print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True)
    assert "urlset._output.sarif" in ended.stdout.split()
    assert not {"rich", "duckdb", "click"} & set(ended.stdout.split())


@pytest.mark.parametrize("name", FORMATS)
def test_a_text_has_no_line_end_after_its_last_line(name: str) -> None:
    assert not FORMATS[name](REPORT).endswith("\n")
    assert (FORMATS[name](CLEAN) == "") == (name in {"concise", "jsonl", "github"})


# --- full ---------------------------------------------------------------------------------------------------


def _lines(**changed: Any) -> list[str]:
    return full.render(replace(DIAGNOSTICS[0], **changed)).plain.splitlines()


@pytest.mark.parametrize(
    ("safety", "mark", "says"),
    [("safe", " [*]", "write /b"), ("unsafe", " [!]", "write /b"), ("display", "", "write /b (only shown)")],
)
def test_a_fix_has_a_mark_and_a_line(safety: Safety, mark: str, says: str) -> None:
    lines = _lines(fix=Fix(safety, (Edit(1, 7, "/b"),)))
    assert lines[0] == f"public/sitemap.xml:3:10 LOC002{mark} error loc is not an absolute URL"
    assert lines[-1] == f"  = fix: {says}"
    assert _lines(fix=None)[0] == "public/sitemap.xml:3:10 LOC002 error loc is not an absolute URL"
    assert not any(line.startswith("  = fix: ") for line in _lines(fix=None))


@pytest.mark.parametrize(
    ("edits", "says"),
    [
        ((Edit(4, 4, "amp;"),), "insert amp;"),
        ((Edit(4, 5, ""),), "remove 1 byte"),
        ((Edit(4, 3004, ""),), "remove 3,000 bytes"),
        ((Edit(0, 1, "\x1b[31m\n"),), "write ␛[31m␊"),
        ((Edit(0, 1, "x" * 81),), f"write {'x' * 79}…"),
        ((Edit(0, 1, "漢" * 41),), f"write {'漢' * 39}…"),
        ((Edit(0, 1, "漢" * 40),), f"write {'漢' * 40}"),
        (tuple(Edit(at, at, "x") for at in range(3)), "insert x, insert x, insert x"),
        (tuple(Edit(at, at, "x") for at in range(4)), "insert x, insert x, insert x, and 1 more edit"),
        (tuple(Edit(at, at, "x") for at in range(5)), "insert x, insert x, insert x, and 2 more edits"),
    ],
)
def test_what_a_fix_would_do_is_one_line(edits: tuple[Edit, ...], says: str) -> None:
    assert _lines(fix=Fix("safe", edits))[-1] == f"  = fix: {says}"


def test_without_a_line_to_show_there_is_no_caret() -> None:
    assert _lines(source="", fix=None, more=1) == [
        "public/sitemap.xml:3:10 LOC002 error loc is not an absolute URL",
        "  = help: write the whole URL, scheme and host included",
        "  = and 1 more of LOC002 in this document",
    ]


def test_colours_add_nothing_to_the_text() -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, color_system="truecolor", width=40, highlight=False)
    for diagnostic in REPORT:
        console.print(full.render(diagnostic), "", sep="\n", soft_wrap=True)
    console.print(full.summary([REPORT]), soft_wrap=True)
    console.print(full.fixable(REPORT), soft_wrap=True, end="")
    assert "\x1b[1;31merror\x1b[0m" in written.getvalue()
    assert "\x1b[1;32m[*]\x1b[0m" in written.getvalue()
    assert re.sub(r"\x1b\[[0-9;]*m", "", written.getvalue()) == FORMATS["full"](REPORT)


# --- json ---------------------------------------------------------------------------------------------------


def test_json_loses_nothing() -> None:
    found = json.loads(FORMATS["json"](REPORT))
    assert [json.loads(line) for line in FORMATS["jsonl"](REPORT).splitlines()] == found
    for written, diagnostic in zip(found, REPORT, strict=True):
        fix = written.pop("fix")
        if fix is not None:
            fix = Fix(fix["safety"], tuple(Edit(**edit) for edit in fix["edits"]))
        assert Diagnostic(**written, fix=fix) == diagnostic


# --- github -------------------------------------------------------------------------------------------------


def test_a_runner_reads_the_commands_and_nothing_else() -> None:
    read = commands(FORMATS["github"](REPORT))
    assert [command for command, _, _ in read] == [
        {"error": "error", "warning": "warning", "info": "notice"}[diagnostic.severity] for diagnostic in REPORT
    ]
    for (_, properties, message), diagnostic in zip(read, REPORT, strict=True):
        assert list(properties) == ["file", "line", "col", "endColumn", "title"]
        assert properties["endColumn"] == str(diagnostic.end_column)
        assert message.endswith(" more)") == bool(diagnostic.more)
    hostile = read[5]
    # Line ends of a name have an escape and come through; other controls have none.
    assert hostile[1]["file"].startswith("bad/a\r\n::error file=x::b %0A ]]>")
    assert hostile[1]["title"] == "LOC003 bad-scheme"
    assert hostile[2].startswith("a␍␊::error file=x::b %0A ]]>")


# --- gitlab -------------------------------------------------------------------------------------------------


def test_gitlab_gets_the_keys_that_it_needs() -> None:
    report = json.loads(FORMATS["gitlab"](REPORT))
    for violation, diagnostic in zip(report, REPORT, strict=True):
        assert violation.keys() == {"description", "check_name", "fingerprint", "severity", "location"}
        assert violation["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert violation["location"].keys() == {"path", "lines"}
        assert violation["location"]["lines"] == {"begin": diagnostic.line}
    (found,) = json.loads(gitlab.render([replace(DIAGNOSTICS[0], location="./a.xml")]))
    assert found["location"]["path"] == "a.xml"


def _fingerprints_of_gitlab(report: Report) -> list[str]:
    return [violation["fingerprint"] for violation in json.loads(FORMATS["gitlab"](report))]


def _fingerprints_of_sarif(report: Report) -> list[str]:
    results = json.loads(FORMATS["sarif"](report))["runs"][0]["results"]
    return [result["partialFingerprints"]["primaryLocationLineHash"] for result in results]


@pytest.mark.parametrize("fingerprints", [_fingerprints_of_gitlab, _fingerprints_of_sarif])
def test_fingerprints_are_unique_and_stay(fingerprints: Callable[[Report], list[str]]) -> None:
    found = fingerprints(REPORT)
    assert len(set(found)) == len(found)
    moved = tuple(replace(diagnostic, line=diagnostic.line + 10) for diagnostic in REPORT)
    assert fingerprints(only(*moved)) == found
    assert fingerprints(only(*DIAGNOSTICS[1:])) == found[1:]
    first = DIAGNOSTICS[0]
    others = (replace(first, location="b"), replace(first, code="LOC003"), replace(first, message="b"))
    for other in (*others, replace(first, source="b")):
        assert fingerprints(only(other)) != found[:1]


# --- sarif --------------------------------------------------------------------------------------------------


@REPORTS
def test_sarif_is_valid_by_its_schema(report: Report) -> None:
    validator = jsonschema.Draft7Validator(schema("sarif-2.1.0"))
    validator.check_schema(validator.schema)
    log = json.loads(FORMATS["sarif"](report))
    assert [error.message for error in validator.iter_errors(log)] == []
    log["runs"][0]["tool"]["driver"].pop("name")
    assert not validator.is_valid(log)


def test_sarif_says_that_a_run_with_failures_has_failed() -> None:
    for report in (REPORT, CLEAN):
        (run,) = json.loads(FORMATS["sarif"](report))["runs"]
        assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]
    (run,) = json.loads(FORMATS["sarif"](FAILED))["runs"]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    notifications = invocation["toolExecutionNotifications"]
    assert [each["descriptor"]["id"] for each in notifications] == [type(each).__name__ for each in FAILED.failures]
    assert notifications[0]["message"]["text"] == str(FAILED.failures[0])
    place = notifications[1]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "public/b.xml"}, "region": {"startLine": 7, "startColumn": 3}}


def test_a_runner_gets_an_error_for_each_failure() -> None:
    read = commands(FORMATS["github"](FAILED))[1:]
    assert [(command, properties) for command, properties, _ in read] == [("error", {"title": "not checked"})] * 4
    assert read[0][2] == str(FAILED.failures[0])


def test_junit_has_an_error_for_each_failure() -> None:
    root = etree.fromstring(FORMATS["junit"](FAILED).encode())
    suite = root.findall("testsuite")[-1]
    assert suite.attrib["name"] == "not checked"
    errors = suite.findall("testcase/error")
    assert [error.attrib["type"] for error in errors] == [
        "FetchError",
        "MalformedError",
        "MalformedError",
        "FetchError",
    ]
    assert errors[0].attrib["message"] == str(FAILED.failures[0])


def test_a_result_of_sarif_has_its_rule() -> None:
    (run,) = json.loads(FORMATS["sarif"](REPORT))["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert [rule["id"] for rule in rules] == sorted(REPORT.counts)
    for result, diagnostic in zip(run["results"], REPORT, strict=True):
        rule = rules[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"] == diagnostic.code
        assert result["level"] == rule["defaultConfiguration"]["level"]
        assert result.get("occurrenceCount", 1) == 1 + diagnostic.more
        assert result["locations"][0]["physicalLocation"]["region"]["endColumn"] == diagnostic.end_column


def test_a_message_of_sarif_is_text_and_nothing_else() -> None:
    (run,) = json.loads(sarif.render(only(replace(DIAGNOSTICS[0], message=HOSTILE))))["runs"]
    written = run["results"][0]["message"]["text"]
    assert r"{{0}} \[c\](1) \\ ␛\[31m" in written
    # What a viewer does: nothing is left that is a placeholder or a link.
    plain = re.sub(r"\\(.)|\{(?=\{)|\}(?=\})", r"\1", written)
    assert "{0} [c](1) \\ ␛[31m" in plain


def test_fixes_of_sarif_repair_the_document() -> None:
    (run,) = json.loads(FORMATS["sarif"](REPORT))["runs"]
    fixes = [result.get("fixes") for result in run["results"]]
    # A fix that is only shown is left out; in a compressed document, nobody could find the bytes.
    offered = [bool(fix) for fix in fixes]
    assert offered == [True, False, True, False, False, False, False, False]
    (change,) = fixes[0][0]["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "public/sitemap.xml"}
    assert fixes[0][0]["description"] == {"text": "safe fix"}
    data = DOCUMENT.encode()
    for replacement in reversed(change["replacements"]):
        begin = replacement["deletedRegion"]["byteOffset"]
        end = begin + replacement["deletedRegion"]["byteLength"]
        data = data[:begin] + replacement["insertedContent"]["text"].encode() + data[end:]
    assert data.decode() == MENDED


@pytest.mark.parametrize(
    ("location", "uri"),
    [
        ("public/sitemap.xml", "public/sitemap.xml"),
        ("./a b.xml", "a%20b.xml"),
        ("a:b.xml", "a%3Ab.xml"),
        ("100%.xml", "100%25.xml"),
        ("\udcff.xml", "%FF.xml"),
        ("/srv/é.xml", "file:///srv/%C3%A9.xml"),
        ("https://example.com/a%20b.xml?x=1&y=2#z", "https://example.com/a%20b.xml?x=1&y=2#z"),
        ("https://example.com/é <a>", "https://example.com/%C3%A9%20%3Ca%3E"),
        ("-", "-"),
        (None, "%3Cbytes%3E"),
    ],
)
def test_a_location_is_a_uri_in_sarif(location: str | None, uri: str) -> None:
    (run,) = json.loads(sarif.render(only(replace(DIAGNOSTICS[0], location=location))))["runs"]
    (found,) = run["results"][0]["locations"]
    assert found["physicalLocation"]["artifactLocation"] == {"uri": uri}


# --- junit --------------------------------------------------------------------------------------------------

COUNTS = {"tests", "failures", "errors", "skipped", "time"}
ATTRIBUTES = {
    "testsuites": {"name", *COUNTS},
    "testsuite": {"name", *COUNTS},
    "testcase": {"name", "classname", "time"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
}
"""Of each element, those that every schema in use knows."""
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"testcase"},
    "testcase": {"failure", "error"},
    "failure": set[str](),
    "error": set[str](),
}


@REPORTS
def test_junit_is_of_the_form_that_servers_know(report: Report) -> None:
    root = etree.fromstring(FORMATS["junit"](report).encode())
    assert root.tag == "testsuites"
    for element in root.iter(etree.Element):
        assert set(element.attrib) == ATTRIBUTES[element.tag]
        assert {child.tag for child in element} <= CHILDREN[element.tag]
    suites = root.findall("testsuite")
    assert [suite.attrib["name"] for suite in suites if "\n" not in suite.attrib["name"]]
    assert len(suites) == len(report.documents) + bool(report.failures)
    for element in suites:
        assert element.findall("testcase")
        shown = len(element.findall("testcase/failure"))
        assert int(element.attrib["failures"]) >= shown
        assert int(element.attrib["tests"]) >= len(element.findall("testcase"))
    assert sum(int(suite.attrib["failures"]) for suite in suites) == int(root.attrib["failures"]) == len(report)
    for element in [root, *suites]:
        assert int(element.attrib["errors"]) == len(element.findall(".//testcase/error"))
    assert int(root.attrib["errors"]) == len(report.failures)
    passed = [suite for suite in suites if suite.attrib["failures"] == suite.attrib["errors"] == "0"]
    assert int(root.attrib["tests"]) == len(report) + len(passed) + len(report.failures)
    assert sum(int(suite.attrib["tests"]) for suite in suites) == int(root.attrib["tests"])
    for suite in passed:
        (case,) = suite
        assert (len(case), case.attrib["name"]) == (0, "no findings")


def test_junit_quotes_what_it_shows() -> None:
    root = etree.fromstring(FORMATS["junit"](REPORT).encode())
    failure = root.findall("testsuite/testcase/failure")[5]
    shown = HOSTILE.translate({0: "␀", 10: "␊", 13: "␍", 27: "␛", 127: "␡"})
    shown = re.sub("[\x9b\u202e\u2028]", "\ufffd", shown)
    assert failure.attrib["message"] == shown
    # An XML parser leaves no carriage return and no NUL; all the rest is there, and on lines of its own.
    assert failure.text == f"bad/{shown}:2:3\n{shown}\nhelp: {shown}"


# --- statistics ---------------------------------------------------------------------------------------------


def test_statistics_count_everything_and_sort_it() -> None:
    *rows, total = FORMATS["statistics"](REPORT).splitlines()
    counted = [(int(row.split()[0].replace(",", "")), row.split()[1]) for row in rows]
    assert {code: count for count, code in counted} == REPORT.counts
    assert counted == sorted(counted, key=lambda row: (-row[0], row[1]))
    assert total == "3,008 findings in 6 documents, 12,345 entries"
    assert FORMATS["statistics"](CLEAN) == "0 findings in 2 documents, 7 entries"
    one = replace(only(DIAGNOSTICS[0]), documents=("a",), entries=1)
    assert FORMATS["statistics"](one).endswith("\n1 finding in 1 document, 1 entry")
