"""The view of one run of a run file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

from urlset._model.errors import InputError
from urlset._report.figures import figures
from urlset._report.known import load_known
from urlset._report.markup import number, share
from urlset._report.model import Group, Headline, ReportedFinding, View
from urlset._runs.file import Run, RunFile, Verb

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Patterns that the card of a rule shows.
TOP = 5
#: Findings that are fetched at once.
_BATCH = 5_000

_COLUMNS = "code, severity, verdict, state, count, coalesce(findings.loc, location), pattern, examples, message, help"
_SEVERITY = "array_position(['error', 'warning', 'info'], severity)"
_FOUND = "coalesce(sum(count) FILTER (state IS DISTINCT FROM 'fixed'), 0)::BIGINT"
_GROUPS = f"""
    SELECT
        code, severity, verdict, {_FOUND} AS found,
        count(*), count(*) FILTER (state = 'new'), count(*) FILTER (state = 'fixed')
    FROM findings WHERE run = $run GROUP BY code, severity, verdict ORDER BY verdict, {_SEVERITY}, found DESC, code
"""
_TOP = f"""
    SELECT {_COLUMNS} FROM findings WHERE run = $run AND code = $code AND severity = $severity AND verdict = $verdict
    ORDER BY state IS NOT DISTINCT FROM 'fixed', count DESC, coalesce(loc, location), key LIMIT {TOP}
"""
_FINDINGS = f"""
    WITH
        groups AS (SELECT code, severity, verdict, {_FOUND} AS found FROM findings WHERE run = $run GROUP BY ALL),
        hit AS (SELECT key, loc AS hit_loc, detail FROM page_findings WHERE run = $run)
    SELECT findings.key, hit_loc, detail, {_COLUMNS}
    FROM findings JOIN groups USING (code, severity, verdict) LEFT JOIN hit USING (key)
    WHERE run = $run
    ORDER BY verdict, {_SEVERITY}, found DESC, code, count DESC, coalesce(findings.loc, location), key, hit_loc, detail
"""


def chosen_run(file: RunFile, number: int | None) -> Run:
    """Return the run to show.

    Raises:
        InputError: The file has no runs, or not this one.
    """
    runs = {run.run: run for run in file.runs()}
    if not runs:
        raise InputError(f"{file.path} has no run yet: `urlset audit SITE --state {file.path}` makes one")
    if number is not None and number not in runs:
        raise InputError(f"run must be one of {', '.join(map(str, runs))} in {file.path}, got {number}")
    return runs[max(runs) if number is None else number]


def view_of(file: RunFile, run: Run) -> View:
    """Return what a page shows of a run. Its findings are read while it is written."""
    connection = file.connection
    audit, crawl = _shown(file, run, "audit"), _shown(file, run, "crawl")
    load_known(connection, run, audit, crawl)
    query = "SELECT count(*) FILTER (is_listed), count(*) FILTER (is_now) FROM known"
    listed, fetched = connection.execute(query).fetchall()[0]

    def findings() -> Iterator[ReportedFinding]:
        cursor = connection.cursor().execute(_FINDINGS, {"run": run.run})
        for _, rows in groupby(_rows(cursor), lambda row: row[0]):
            found = list(rows)
            yield _finding(found[0][3:], tuple((loc, detail or "") for _, loc, detail, *_ in found if loc is not None))

    return View(
        verb=run.verb,
        site=run.site,
        facts=tuple(_facts(run, listed, fetched)),
        warning=_warning(run, crawl),
        headline=_headline(connection, has_listing=bool(listed)),
        things=("page", "pages"),
        whole=listed or None,
        groups=tuple(_groups(connection, run.run)),
        figures=tuple(figures(connection, run.run, run.ended or run.started)),
        findings=findings,
    )


def _shown(file: RunFile, run: Run, verb: Verb) -> Run | None:
    """Return the run itself, or the last one before it that was of another verb."""
    before = [each for each in file.runs() if each.verb == verb and each.run <= run.run]
    return before[-1] if before else None


def _rows(cursor: DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while rows := cursor.fetchmany(_BATCH):
        yield from rows


def _facts(run: Run, listed: int, fetched: int) -> Iterator[tuple[str, str]]:
    yield "Run", f"{run.run}, {run.state}"
    yield "Started", f"{run.started:%Y-%m-%d %H:%M} UTC"
    if run.ended is not None:
        seconds = round((run.ended - run.started).total_seconds())
        yield "Took", f"{seconds // 60} min {seconds % 60} s" if seconds >= 60 else f"{seconds} s"
    yield "Pages", f"{number(listed)} listed, {number(fetched)} fetched"
    yield "urlset", run.version


def _warning(run: Run, crawl: Run | None) -> str | None:
    said = []
    if run.state != "complete":
        why = f": {run.reason}" if run.reason else ""
        said.append(f"This run is {run.state}{why}. What it did not see is unknown, and does not count as wrong.")
    if crawl is not None and crawl.run != run.run and crawl.state != "complete":
        said.append(
            f"The crawl before it is {crawl.state}, so a page that it did not reach may be linked all the same."
        )
    return " ".join(said) or None


def _headline(connection: DuckDBPyConnection, *, has_listing: bool) -> Headline | None:
    query = """
        SELECT count(*) FILTER (is_now AND is_indexable), count(*) FILTER (is_now AND NOT is_indexable),
               count(*) FILTER (is_now AND is_indexable IS NULL), count(*) FILTER (NOT is_now)
        FROM known WHERE is_listed OR NOT $has_listing
    """
    right, wrong, unclear, unseen = connection.execute(query, {"has_listing": has_listing}).fetchall()[0]
    if not right + wrong + unclear:
        return None
    judged = right + wrong
    which = "of the listed pages" if has_listing else "of the linked pages"
    sentence = (
        f"{which} answer 200, may be indexed, and name no other page as canonical: {number(right)} of "
        f"{number(judged)} that could be judged."
    )
    parts = (
        ("c-ok", "right", right),
        ("c-client", "wrong" if has_listing else "not to be listed", wrong),
        ("c-refused", "inconclusive", unclear),
        ("c-unseen", "not fetched", unseen),
    )
    return Headline(share(right, judged), sentence, parts)


def _groups(connection: DuckDBPyConnection, run: int) -> Iterator[Group]:
    for code, severity, verdict, count, rows, new, fixed in connection.execute(_GROUPS, {"run": run}).fetchall():
        values = {"run": run, "code": code, "severity": severity, "verdict": verdict}
        top = connection.execute(_TOP, values).fetchall()
        yield Group(code, severity, verdict, count, rows, new, fixed, tuple(map(_finding, top)))


def _finding(row: tuple[Any, ...], hits: tuple[tuple[str, str], ...] = ()) -> ReportedFinding:
    code, severity, verdict, state, count, subject, pattern, examples, message, help_ = row
    return ReportedFinding(
        code, severity, verdict, state, count, subject or "", pattern, tuple(examples or ()), message or "", help_, hits
    )
