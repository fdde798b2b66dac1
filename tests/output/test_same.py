"""Every format has the same findings, whatever a document contains: each is read back as its readers do."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import unquote
from urllib.request import url2pathname

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from support.output.sample_report import CLEAN, DIAGNOSTICS, FAILED, HOSTILE, REPORT
from urlset import Diagnostic, Edit, Fix, Report, Severity
from urlset._output import FORMATS
from urlset._util.text import escape_controls

Place = tuple[str, int, int, str]
"""Location, line, column, code."""


def of_json(text: str) -> list[Place]:
    return [
        (found["location"] or "<bytes>", found["line"], found["column"], found["code"]) for found in json.loads(text)
    ]


def of_jsonl(text: str) -> list[Place]:
    return of_json(f"[{','.join(text.splitlines())}]")


def of_concise(text: str) -> list[Place]:
    places = []
    for line in text.splitlines():
        found = re.fullmatch(r"(.*?):(\d+):(\d+): ([A-Z]+\d+) (?:error|warning|info) .*", line)
        assert found is not None
        places.append((found[1], int(found[2]), int(found[3]), found[4]))
    return places


def of_full(text: str) -> list[Place]:
    heads = [block.split("\n")[0] for block in text.split("\n\n")[:-1]]
    found = [
        re.fullmatch(r"(.*?):(\d+):(\d+) ([A-Z]+\d+) (?:\[[*!]\] )?(?:error|warning|info) .*", head) for head in heads
    ]
    return [(each[1], int(each[2]), int(each[3]), each[4]) for each in found if each is not None]


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Workflow commands as a runner reads them: the command, its properties, its message."""
    read = []
    for line in text.splitlines():
        found = re.fullmatch(r"::(\w+) (.*?)::(.*)", line)
        assert found is not None
        properties = dict(part.split("=", 1) for part in found[2].split(","))
        read.append((found[1], {name: unescaped(value) for name, value in properties.items()}, unescaped(found[3])))
    return read


def unescaped(text: str) -> str:
    for escape, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escape, character)
    return text


def of_github(text: str) -> list[Place]:
    return [(at["file"], int(at["line"]), int(at["col"]), at["title"].partition(" ")[0]) for _, at, _ in commands(text)]


def of_gitlab(text: str) -> list[Place]:
    places = []
    for found in json.loads(text):
        at = re.match(r"([A-Z]+\d+) at column (\d+): ", found["description"])
        assert at is not None
        assert at[1] == found["check_name"]
        places.append((found["location"]["path"], found["location"]["lines"]["begin"], int(at[2]), at[1]))
    return places


def of_sarif(text: str) -> list[Place]:
    (run,) = json.loads(text)["runs"]
    places = []
    for result in run["results"]:
        (location,) = result["locations"]
        region = location["physicalLocation"]["region"]
        uri = location["physicalLocation"]["artifactLocation"]["uri"]
        path = url2pathname(uri.removeprefix("file://")) if uri.startswith("file://") else os.fsdecode(unquoted(uri))
        places.append((path, region["startLine"], region["startColumn"], result["ruleId"]))
    return places


def unquoted(uri: str) -> bytes:
    return unquote(uri, errors="surrogateescape").encode(errors="surrogateescape")


def of_junit(text: str) -> list[Place]:
    places = []
    for case in etree.fromstring(text.encode()).iter("testcase"):
        if case.find("failure") is not None:
            code, _, at = str(case.attrib["name"]).split(" ")
            line, column = at.split(":")
            places.append((str(case.attrib["classname"]), int(line), int(column), code))
    return places


READERS: dict[str, Callable[[str], list[Place]]] = {
    "full": of_full,
    "concise": of_concise,
    "json": of_json,
    "jsonl": of_jsonl,
    "github": of_github,
    "gitlab": of_gitlab,
    "sarif": of_sarif,
    "junit": of_junit,
}


def test_every_format_with_positions_is_read_back() -> None:
    assert FORMATS.keys() - READERS.keys() == {"statistics"}


def places(report: Report) -> Counter[Place]:
    """The places of a report; what a terminal would obey in a location looks as it is shown."""
    return Counter(
        (escape_controls("<bytes>" if each.location is None else each.location), each.line, each.column, each.code)
        for each in report
    )


def read_back(name: str, report: Report) -> Counter[Place]:
    return Counter((escape_controls(place[0]), *place[1:]) for place in READERS[name](FORMATS[name](report)))


@pytest.mark.parametrize("name", READERS)
def test_every_format_has_every_finding(name: str) -> None:
    assert read_back(name, REPORT) == places(REPORT)
    assert read_back(name, CLEAN) == Counter()
    if name != "github":  # which has commands for failures too
        assert read_back(name, FAILED) == places(FAILED)


@pytest.mark.parametrize("name", ["full", "concise", "json", "jsonl", "github", "gitlab", "sarif", "junit"])
def test_what_a_format_loses_is_listed(name: str) -> None:
    kept = DIAGNOSTICS[0]
    report = replace(REPORT, diagnostics=(kept,), counts={kept.code: 1}, documents=(str(kept.location),))
    folded = replace(report, diagnostics=(replace(kept, more=41),), counts={kept.code: 42})
    says = r"and 41 more|\"more\": 41\b"
    assert not re.search(says, FORMATS[name](report))
    assert re.search(says, FORMATS[name](folded))


# --- whatever a document says -------------------------------------------------------------------------------

OBEYED = {
    character
    for character in map(chr, range(0x11_0000))
    if unicodedata.category(character) in ("Cc", "Zl", "Zp", "Cs")
    or unicodedata.bidirectional(character) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    or unicodedata.name(character, "").endswith(("LEFT-TO-RIGHT MARK", "RIGHT-TO-LEFT MARK", "ARABIC LETTER MARK"))
} - {"\n"}
"""Controls, marks of direction, ends of lines and halves of characters."""

# As Python knows the names of files, single bytes that are not UTF-8 are among them.
texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.lists(st.sampled_from([*HOSTILE, "::", "%0A", "]]>", "<!--", "\n\n", ":1:1: LOC002", "\udc80", "\uffff"])).map(
        "".join
    ),
)
paths = texts.filter(lambda text: text not in ("", ".") and not re.match(r"\.?/|.*(//|/\.(/|$)|/$)", text, re.DOTALL))
findings = st.builds(
    Diagnostic,
    code=st.sampled_from(["LOC002", "MOD001", "TXT003"]),
    severity=st.sampled_from(["error", "warning", "info"]),
    message=texts,
    location=st.none() | paths,
    line=st.integers(1, 10**6),
    column=st.just(3),
    end_column=st.integers(4, 9),
    source=texts,
    source_column=st.integers(1, 3),
    help=st.none() | texts,
    fix=st.none()
    | st.builds(
        Fix, st.sampled_from(["safe", "unsafe", "display"]), st.tuples(st.builds(Edit, st.just(1), st.just(2), texts))
    ),
    more=st.sampled_from([0, 0, 7]),
)


@given(st.lists(findings, max_size=4))
def test_no_document_can_say_more_than_its_findings(found: list[Diagnostic]) -> None:
    counts: Counter[str] = Counter()
    for each in found:
        counts[each.code] += 1 + each.more
    documents = tuple(dict.fromkeys("<bytes>" if each.location is None else each.location for each in found))
    severities: dict[str, Severity] = {"LOC002": "error", "MOD001": "error", "TXT003": "info"}
    report = Report(tuple(found), dict(counts), documents, 1, severities)
    for name, render in FORMATS.items():
        text = render(report)
        assert not OBEYED & set(text), name
        text.encode()
    for name in ("concise", "github", "jsonl"):
        assert len(FORMATS[name](report).splitlines()) == len(found)
    # A location that ends as a place does is not told apart by a person either.
    for name in READERS.keys() - {"concise", "full"}:
        assert read_back(name, report) == places(report), name
