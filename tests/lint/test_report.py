"""`Report`: exact counts, and the parts of it."""

from __future__ import annotations

from collections import Counter

import pytest
import urlset
from support.lint.cases import in_root
from urlset import Diagnostic, InputError, Report, Severity

SEVERITIES: dict[str, Severity] = {"LOC002": "error", "LOC008": "warning", "MOD001": "error", "TXT003": "info"}


def found(code: str, location: str | None, line: int = 1, more: int = 0) -> Diagnostic:
    """A finding of which only these count."""
    return Diagnostic(code, SEVERITIES[code], "bad", location, line, 1, 2, "x", 1, more=more)


REPORT = Report(
    (
        *(found("LOC002", "a.xml"), found("LOC002", "a.xml", 2, more=40), found("MOD001", "a.xml", 3)),
        *(found("LOC002", None), found("LOC008", None, 2, more=6), found("TXT003", "c.txt")),
    ),
    {"LOC002": 43, "LOC008": 7, "MOD001": 1, "TXT003": 1},
    ("a.xml", "<bytes>", "c.txt", "d.xml"),
    99,
    SEVERITIES,
)


def test_the_numbers_are_exact() -> None:
    assert len(REPORT) == 52
    assert (REPORT.errors, REPORT.warnings, REPORT.infos) == (44, 7, 1)
    assert list(REPORT) == list(REPORT.diagnostics)
    assert REPORT
    assert not Report((), {}, ("a.xml",), 3, SEVERITIES)


def test_by_rule() -> None:
    by_rule = REPORT.by_rule()
    assert list(by_rule) == ["LOC002", "LOC008", "MOD001", "TXT003"]
    assert [(each.location, each.line) for each in by_rule["LOC002"]] == [("a.xml", 1), ("a.xml", 2), (None, 1)]
    assert sum(map(len, by_rule.values())) == 6


@pytest.mark.parametrize(
    ("arguments", "counts", "kept"),
    [
        ({}, {"LOC002": 43, "LOC008": 7, "MOD001": 1, "TXT003": 1}, 6),
        ({"select": ["LOC"]}, {"LOC002": 43, "LOC008": 7}, 4),
        ({"select": ["LOC002", "TXT"]}, {"LOC002": 43, "TXT003": 1}, 4),
        ({"select": []}, {}, 0),
        ({"severity": "error"}, {"LOC002": 43, "MOD001": 1}, 4),
        ({"severity": "warning"}, {"LOC008": 7}, 1),
        ({"location": "a.xml"}, {"LOC002": 42, "MOD001": 1}, 3),
        ({"location": "<bytes>"}, {"LOC002": 1, "LOC008": 7}, 2),
        ({"location": "d.xml"}, {}, 0),
        ({"select": ["LOC"], "severity": "error", "location": "<bytes>"}, {"LOC002": 1}, 1),
    ],
)
def test_a_part_has_exact_counts(arguments: dict[str, object], counts: dict[str, int], kept: int) -> None:
    part = REPORT.filter(**arguments)  # type: ignore[arg-type]
    assert part.counts == counts
    assert len(part.diagnostics) == kept
    assert len(part) == sum(counts.values())
    assert set(part.diagnostics) <= set(REPORT.diagnostics)
    # What was checked stays what it was.
    assert (part.documents, part.entries, part.severities) == (REPORT.documents, 99, SEVERITIES)


def test_the_parts_are_the_whole() -> None:
    for parts in (
        [REPORT.filter(severity=severity) for severity in ("error", "warning", "info")],
        [REPORT.filter(location=location) for location in REPORT.documents],
        [REPORT.filter(select=[code]) for code in SEVERITIES],
    ):
        total: Counter[str] = Counter()
        for part in parts:
            total.update(part.counts)
        assert total == REPORT.counts
        assert sum(len(part.diagnostics) for part in parts) == len(REPORT.diagnostics)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"select": ["LOX"]}, "'LOX'"),
        ({"select": [""]}, "''"),
        ({"select": "LOC"}, "select must be a list of codes"),
        ({"severity": "fatal"}, "'fatal'"),
        ({"location": "b.xml"}, "'b.xml'"),
    ],
)
def test_a_filter_that_the_report_does_not_know_is_refused(arguments: dict[str, object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        REPORT.filter(**arguments)  # type: ignore[arg-type]


def test_the_report_of_a_check_knows_the_severities() -> None:
    report = urlset.lint(in_root("<url><loc>\u00a0https://example.com/</loc><priority>7</priority></url>").encode())
    assert report.counts.keys() <= report.severities.keys()
    assert (report.errors, report.warnings, report.infos) == (1, 1, 0)
    assert report.filter(severity="warning").counts == {"LOC008": 1}
    assert report.filter(location="<bytes>") == report
