"""The view of a lint: its findings, and which documents they are in."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence

import urlset
from urlset._lint.report import Report
from urlset._model.diagnostics import BYTES, Diagnostic, Severity
from urlset._read.source import is_url
from urlset._report.charts.treemap import Tile
from urlset._report.figures import SEVERITIES, paths_figure
from urlset._report.model import Group, Headline, ReportedFinding, View
from urlset._util.text import plural

#: Findings that the card of a rule shows.
TOP = 5
#: What is counted.
THINGS = ("finding", "findings")


def view_of(report: Report) -> View:
    """Return what a page shows of a lint."""
    ordered = sorted(
        report.severities,
        key=lambda code: (list(SEVERITIES).index(report.severities[code]), -report.counts.get(code, 0), code),
    )
    found = report.by_rule()
    groups = tuple(_group(code, report, found.get(code, ())) for code in ordered if report.counts.get(code))

    def findings() -> Iterator[ReportedFinding]:
        for group in groups:
            yield from map(_finding, found.get(group.code, ()))

    checked = f"{plural(len(report.documents), 'document')}, {plural(report.entries, 'entry', 'entries')}"
    counts = {"error": report.errors, "warning": report.warnings, "info": report.infos}
    nouns = {"error": "errors", "warning": "warnings", "info": "for information"}
    when = "" if report.checked is None else f"{report.checked:%Y-%m-%d %H:%M} UTC"
    return View(
        name=f"lint of {when[:10]}" if when else "lint",
        site=report.site or _place(report.documents) or checked,
        facts=(
            ("Checked", checked),
            *([("Date", when)] if when else []),
            ("Rules", f"{len(report.severities):,}"),
            ("urlset", urlset.__version__),
        ),
        gaps=tuple(_gaps(report)),
        warning=None,
        headline=Headline(
            f"{len(report):,}",
            f"{'finding' if len(report) == 1 else 'findings'} in {checked}.",
            tuple((SEVERITIES[word], nouns[word], count) for word, count in counts.items()),
        ),
        whole=None,
        groups=groups,
        figures=tuple(filter(None, [paths_figure(_tiles(report), "document")])),
        findings=findings,
    )


def _gaps(report: Report) -> Iterator[str]:
    yield from map(str, report.failures)
    if report.unfollowed:
        yield f"{plural(report.unfollowed, 'sitemap')} of an index not checked"


def _place(documents: Sequence[str]) -> str | None:
    """Return what documents without a URL are called: the only one, or the folder that has all of them."""
    if len(documents) < 2 or any(each == BYTES or is_url(each) for each in documents):
        return documents[0] if len(documents) == 1 else None
    return os.path.commonpath(documents) or None


def _group(code: str, report: Report, kept: tuple[Diagnostic, ...]) -> Group:
    return Group(
        code=code,
        severity=report.severities[code],
        verdict="found",
        count=report.counts[code],
        findings=len(kept),
        new=0,
        fixed=0,
        top=tuple(map(_finding, kept[:TOP])),
        things=THINGS,
    )


def _finding(diagnostic: Diagnostic) -> ReportedFinding:
    source = diagnostic.source.strip()
    return ReportedFinding(
        code=diagnostic.code,
        severity=diagnostic.severity,
        verdict="found",
        state=None,
        count=1 + diagnostic.more,
        subject=f"{diagnostic.location or BYTES}:{diagnostic.line}:{diagnostic.column}",
        pattern=None,
        examples=(source,) if source else (),
        message=diagnostic.message,
        help=diagnostic.help,
    )


def _tiles(report: Report) -> list[Tile]:
    counts: Counter[str] = Counter()
    worst: dict[str, Severity] = {}
    order = list(SEVERITIES)
    for each in report:
        name = each.location or BYTES
        counts[name] += 1 + each.more
        worst[name] = min(worst.get(name, each.severity), each.severity, key=order.index)
    return [Tile(name, count, SEVERITIES[worst[name]], f"worst: {worst[name]}") for name, count in counts.most_common()]
