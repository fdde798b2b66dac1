"""Every rule against its fixtures: what it finds and where, what it lets pass, and what its fixes make."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.http_server import Answer, Handler, Site, serve
from support.publish.grouped import ruled
from support.rule_fixtures import FOLDER, NOW, Fixture, expanded, first_of_each_kind, fixtures

ALL = fixtures()
FILES = [fixture for fixture in ALL if fixture.path.is_file() and fixture.served is None]
SERVED = [fixture for fixture in ALL if fixture.served is not None]
SETS = [fixture for fixture in ALL if fixture.path.is_dir()]
FIXED = [fixture for fixture in FILES if fixture.fixed is not None]
#: Those of pages are in tests/audit.
RULES = {rule.code: rule for rule in urlset.rules() if rule.scope != "live"}
#: Documents of 50 MB are looked at once.
QUICK = [fixture for fixture in FILES if "repeat" not in fixture.path.read_text("utf-8", "replace")]


def name(fixture: Fixture) -> str:
    return f"{fixture.code}-{fixture.name}"


def found(report: urlset.Report, *, of_set: bool = False) -> list[dict[str, Any]]:
    """The findings as expected.json has them."""
    return [
        {"code": each.code, "line": each.line, "column": each.column, "end_column": each.end_column}
        | ({"document": Path(each.location or "").name} if of_set else {})
        | ({"more": each.more} if each.more else {})
        for each in report
    ]


# --- they are there -----------------------------------------------------------------------------------------


def test_every_rule_has_its_fixtures() -> None:
    assert {folder.name for folder in FOLDER.iterdir()} == RULES.keys()
    by_code = {code: list(group) for code, group in groupby(ALL, key=lambda fixture: fixture.code)}
    for code, rule in RULES.items():
        names = [fixture.name for fixture in by_code[code]]
        assert any(each.startswith("bad") for each in names), code
        assert any(each.startswith("good") for each in names), code
        # A rule that offers a fix has an example of it; a rule that offers none has no example.
        fixable = [fixture for fixture in by_code[code] if fixture.fixed]
        assert bool(fixable) == (rule.fix in {"safe", "unsafe"}), code
        assert all(fixture.is_unsafe for fixture in fixable) or rule.fix == "safe", code


@pytest.mark.parametrize("code", [code for code, rule in RULES.items() if rule.severity == "error"])
def test_every_rule_for_an_error_has_near_misses_on_both_sides(code: str) -> None:
    names = {re.sub(r"-\d+$", "", fixture.name) for fixture in ALL if fixture.code == code}
    assert {"bad-near", "good-near"} <= names


def test_every_fixture_is_used() -> None:
    for folder in FOLDER.iterdir():
        answers = json.loads((folder / "expected.json").read_text("utf-8"))
        robots = [each.get("robots", {}) for each in (answers.get("arguments", {}), *answers.get("cases", {}).values())]
        used = {"expected.json", *(file for each in robots for file in each.values())}
        names = {path.name.partition(".")[0] for path in folder.iterdir() if path.name not in used}
        assert all(re.fullmatch(r"(bad|good|fixed)(-near)?(-\d+)?", each) for each in names), folder.name
        stated = answers.keys() - {"arguments", "cases", "modified", "served"}
        assert stated <= names, folder.name
        assert {each for each in names if each.startswith("bad")} <= stated, folder.name


# --- what is found ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fixture", FILES, ids=name)
def test_a_document(fixture: Fixture) -> None:
    report = urlset.lint(fixture.data(), **ruled(fixture.arguments()))
    assert found(report) == fixture.expected
    assert fixture.is_good or fixture.code in report.counts
    for each in report:
        assert each.message == each.message.strip()
        assert not each.message.endswith(".")
        assert "\n" not in each.message


@pytest.mark.parametrize("fixture", SETS, ids=name)
def test_a_set(fixture: Fixture, tmp_path: Path) -> None:
    report = urlset.lint(fixture.laid_out(tmp_path), **ruled(fixture.arguments()))
    assert found(report, of_set=True) == fixture.expected
    assert fixture.is_good or fixture.code in report.counts


def _of_servers() -> Iterator[Any]:
    """The fixtures that are served as parameters: those that take seconds as long tests."""
    for fixture in SERVED:
        yield pytest.param(fixture, marks=[pytest.mark.long] if (fixture.served or {}).get("wait") else [])


@pytest.mark.parametrize("fixture", [*_of_servers()], ids=name)
def test_an_answer_of_a_server(fixture: Fixture) -> None:
    with serve() as site:
        url = answer_with(site, fixture)
        report = urlset.lint(url, **ruled(fixture.arguments()))
        assert found(report) == fixture.expected
        assert fixture.is_good or fixture.code in report.counts
        assert report.failures == ()
        for each in report:
            assert each.location == f"{site.url}{(fixture.served or {}).get('path', '/sitemap.xml')}"


def answer_with(site: Site, fixture: Fixture) -> str:
    """Have a site answer as a fixture says, and return the URL to ask for."""
    how = fixture.served or {}
    data = fixture.data().replace(b"https://www.example.com", site.url.encode())
    headers = {"Content-Type": "application/xml", "ETag": '"1"'}
    if fixture.path.suffix == ".txt":
        headers["Content-Type"] = "text/plain"
    named = {key: value for key, value in (headers | how.get("headers", {})).items() if value is not None}
    answer = Answer(gzip.compress(data) if how.get("gzip") else data, headers=named)
    path: str = how.get("path", "/sitemap.xml")
    site.pages["/robots.txt"] = Answer(f"User-agent: *\nDisallow:\nSitemap: {site.url}{path}\n".encode())

    def waiting(handler: Handler) -> Answer:
        time.sleep(how.get("wait", 0))
        return answer

    site.pages[path] = waiting
    for number in range(how.get("redirects", 0)):
        site.pages[f"/{number}"] = Answer(status=301, headers={"Location": path})
        path = f"/{number}"
    return site.url + path


# XML013 is about how a document is compressed, and what it is called.
@pytest.mark.parametrize("fixture", [*first_of_each_kind(each for each in QUICK if each.code != "XML013")], ids=name)
def test_the_result_does_not_depend_on_how_a_document_is_passed(fixture: Fixture) -> None:
    data, arguments = fixture.data(), fixture.arguments()
    whole = urlset.lint(data, **ruled(arguments))
    for size in (1, 4_096):
        assert urlset.lint([data[at : at + size] for at in range(0, len(data), size)], **ruled(arguments)) == whole
    assert urlset.lint(gzip.compress(data), **ruled(arguments)) == whole


# --- no false alarm -----------------------------------------------------------------------------------------

#: What the rules say of vectors that are read without a word, each looked at: it is so.
SAID = {
    "ALT001": {"google/alternate-missing-attributes"},
    "ALT002": {"xml/attribute-values"},
    "FRQ001": {"protocol/empty-elements"},
    "IDX005": {"practice/duplicates-in-index"},
    "IDX006": {
        *("practice/sitemap-in-urlset", "practice/sitemaps-in-urlset"),
        *("practice/url-in-sitemapindex", "practice/urls-in-index"),
    },
    "IMG001": {"google/image-empty"},
    "LIM005": {
        *("protocol/empty-urlset", "protocol/empty-urlset-tag", "protocol/sitemapindex-empty"),
        "rss/empty",
    },
    "LOC004": {
        *("practice/newlines-around-loc", "robots/value-with-blanks", "xml/delete-and-c1"),
        *("xml/line-ends", "xml/references"),
    },
    "LOC006": {"practice/raw-greater-than", "protocol/entities", "xml/cdata"},
    "LOC014": {"practice/double-escaped", "practice/repeated-entry", "text/duplicates", "xml/cdata"},
    "LOC016": {"protocol/percent-encoding", "text/minimal", "text/upper-case-scheme"},
    "MOD001": {"protocol/empty-elements"},
    "MOD003": {"w3c-datetime/zones"},
    "MOD007": {"w3c-datetime/date", "w3c-datetime/year"},
    "MOD008": {"w3c-datetime/date", "w3c-datetime/year"},
    "NS006": {"google/mobile", "google/mobile-in-each-entry"},
    "PRI001": {"protocol/empty-elements"},
    "ROB006": {"robots/duplicates"},
    "XML006": {
        *("practice/double-escaped", "protocol/entities", "text/minimal", "xml/cdata", "xml/references"),
    },
    "XML013": {"rfc1952/in-gzip", "rfc1952/three-times"},
}
#: Rules of which most such vectors have something on purpose: links that lead elsewhere, elements nobody knows.
OF_MANY = {"ALT004", "XML010"}
VECTORS = Path(__file__).parents[2] / "vectors"


def silent_vectors() -> Iterator[tuple[str, bytes, str | None]]:
    """The vectors that are read whole and without a finding; those of robots.txt with their location."""
    for path in sorted(VECTORS.rglob("*.json")):
        answer = json.loads(path.read_text("utf-8"))
        if answer.get("completeness") == "complete" and not answer["findings"] and "content_encoding" not in answer:
            names = (each for each in path.parent.iterdir() if each.name.partition(".")[0] == path.stem)
            (document,) = (each for each in names if each != path)
            location = answer.get("location") if path.parent.name == "robots" else None
            yield f"{path.parent.name}/{path.stem}", document.read_bytes(), location


def test_no_false_alarm_over_the_corpus() -> None:
    said: dict[str, set[str]] = {}
    seen = 0
    for vector, data, location in silent_vectors():
        seen += 1
        for code in urlset.lint(data, location=location, now=NOW).counts.keys() - OF_MANY:
            said.setdefault(code, set()).add(vector)
    assert seen > 100
    assert said == SAID


@pytest.mark.parametrize("fixture", [each for each in QUICK if each.is_good], ids=name)
def test_good_fixtures_are_good_for_the_protocol(fixture: Fixture) -> None:
    arguments = fixture.arguments() | {"profile": "protocol"}
    assert urlset.lint(fixture.data(), **ruled(arguments)).diagnostics == ()


# --- fixes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fixture", FIXED, ids=name)
def test_fixes_produce_the_expected_document(fixture: Fixture) -> None:
    assert fixture.fixed is not None
    wanted, arguments = expanded(fixture.fixed.read_bytes()), fixture.arguments(of_fix=True)
    fixed = urlset.fix(fixture.data(), unsafe=fixture.is_unsafe, **ruled(arguments))
    assert fixed.data == wanted
    assert fixture.code in fixed.applied
    # Linting again does not find it, and fixing again changes nothing.
    left = fixture.answers.get(fixture.fixed.name.partition(".")[0], [])
    assert found(urlset.lint(wanted, **ruled(fixture.arguments()))) == left
    assert fixture.code not in fixed.report.counts
    again = urlset.fix(wanted, unsafe=fixture.is_unsafe, **ruled(arguments))
    assert again.data is wanted
    assert not again
    # Also in gzip, which stays gzip and is the same each time.
    packed = urlset.fix(gzip.compress(fixture.data()), unsafe=fixture.is_unsafe, **ruled(arguments))
    assert gzip.decompress(packed.data) == wanted
    assert (
        packed.data == urlset.fix(gzip.compress(fixture.data(), 1), unsafe=fixture.is_unsafe, **ruled(arguments)).data
    )


COLUMNS = ("loc", "lastmod", "lastmod_raw", "changefreq", "priority", "images", "videos", "alternates", "news")
#: The columns that a safe fix of a group may change: those its rules are about.
OF_GROUP = {
    **{group: set[str]() for group in ("XML", "NS", "TXT", "IDX", "ROB", "FEED")},
    "LOC": {"loc"},
    "MOD": {"lastmod", "lastmod_raw"},
    "FRQ": {"changefreq"},
    "PRI": {"priority"},
    "VID": {"videos"},
    "NWS": {"news"},
    "ALT": {"alternates"},
}


@pytest.mark.parametrize("fixture", [each for each in FIXED if not each.is_unsafe], ids=name)
def test_a_safe_fix_changes_nothing_but_the_defect(fixture: Fixture) -> None:
    location = fixture.arguments().get("location")
    fixed = urlset.fix(fixture.data(), **ruled(fixture.arguments(of_fix=True))).data
    before, after = (
        [
            {column: getattr(entry, column, None) for column in COLUMNS}
            for entry in urlset.parse(data, location=location)
        ]
        for data in (fixture.data(), fixed)
    )
    may_change = OF_GROUP[re.sub(r"\d", "", fixture.code)]
    kept = [[{key: row[key] for key in COLUMNS if key not in may_change} for row in rows] for rows in (before, after)]
    assert kept[0] == kept[1]


def test_a_fix_that_is_only_for_display_is_never_made() -> None:
    data = (FOLDER / "MOD002" / "bad.xml").read_bytes()
    (shown,) = {each.fix.safety for each in urlset.lint(data, rules=urlset.Rules(select=["MOD002"])) if each.fix}
    assert shown == "display"
    assert urlset.fix(data, unsafe=True, rules=urlset.Rules(select=["MOD002"])).data == data
