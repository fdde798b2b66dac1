"""The view of one run of a run file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING, Any, get_args

from urlset._model.diagnostics import BYTES, Severity
from urlset._model.errors import InputError
from urlset._report.figures import figures
from urlset._report.from_lint import THINGS
from urlset._report.known import load_known
from urlset._report.markup import number, share
from urlset._report.model import Group, Headline, ReportedFinding, View
from urlset._runs.chosen import chosen_run
from urlset._runs.file import Run, RunFile, Verb
from urlset._util.text import plural

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Patterns that the card of a rule shows.
TOP = 5
#: Findings that are fetched at once.
_BATCH = 5_000

_COLUMNS = (
    "code, severity, verdict, CASE WHEN $has_states THEN state END, count, coalesce(findings.loc, location), pattern,"
    " examples, message, help, detail, CASE WHEN $has_states THEN coalesce(new, 0) ELSE 0 END"
)
_SEVERITY = "array_position(['error', 'warning', 'info'], severity)"
_GROUPS = """
    SELECT
        code, severity, verdict, coalesce(sum(count) FILTER (state IS DISTINCT FROM 'fixed'), 0)::BIGINT,
        count(*), CASE WHEN $has_states THEN coalesce(sum(new), 0) ELSE 0 END::BIGINT,
        count(*) FILTER (state = 'fixed')
    FROM findings WHERE run = $run GROUP BY code, severity, verdict
"""
#: What is new comes first, and what is fixed last.
_ORDER = (
    "state IS NOT DISTINCT FROM 'fixed', CASE WHEN $has_states THEN coalesce(new, 0) ELSE 0 END DESC, count DESC,"
    " coalesce(findings.loc, location), key"
)
_OF_GROUP = "run = $run AND code = $code AND severity = $severity AND verdict = $verdict"
_TOP = f"SELECT {_COLUMNS} FROM findings WHERE {_OF_GROUP} ORDER BY {_ORDER} LIMIT {TOP}"
_FINDINGS = f"""
    WITH hit AS (
        SELECT key, loc AS hit_loc, page_findings.detail AS hit_detail, is_new FROM page_findings
        WHERE run = $run AND code = $code AND verdict = $verdict
    )
    SELECT findings.key, hit_loc, hit_detail, is_new, {_COLUMNS}
    FROM findings LEFT JOIN hit USING (key) WHERE {_OF_GROUP}
    ORDER BY {_ORDER}, is_new IS false, hit_loc, hit_detail
"""
_LINT_COLUMNS = "code, severity, 'found', state, count, location, line, \"column\", source, message, help, new"
_LINT_ORDER = "state IS NOT DISTINCT FROM 'fixed', new DESC, count DESC, location, line, \"column\", key"
_LINT_GROUPS = """
    SELECT code, severity, 'found', sum(count)::BIGINT, count(*),
        CASE WHEN count(state) > 0 THEN sum(new) ELSE 0 END::BIGINT, count(*) FILTER (state = 'fixed')
    FROM lint_findings WHERE run = $run GROUP BY code, severity
"""
_LINT = f"SELECT {_LINT_COLUMNS} FROM lint_findings WHERE run = $run AND code = $code ORDER BY {_LINT_ORDER}"


def run_to_show(file: RunFile, name: int | str | date | None) -> Run:
    """Return the run to show.

    Raises:
        InputError: The file has no runs, or not this one.
    """
    runs = file.runs()
    if not runs:
        raise InputError(f"{file.path} has no run yet: `urlset audit SITE --state {file.path}` makes one")
    if name is None:
        return runs[-1]
    return chosen_run(runs, name, "audit" if any(run.verb == "audit" for run in runs) else "crawl", "run")


def view_of(file: RunFile, run: Run) -> View:
    """Return what a page shows of a run. Its findings are read while it is written."""
    connection = file.connection
    audit, crawl = _shown(file, run, "audit"), _shown(file, run, "crawl")
    load_known(connection, run, audit, crawl)
    query = "SELECT count(*) FILTER (is_listed), count(*) FILTER (is_now) FROM known"
    listed, fetched = connection.execute(query).fetchall()[0]
    problems = connection.execute("SELECT problem FROM failures WHERE run = ? ORDER BY rowid", [run.run]).fetchall()
    gaps = tuple(problem for (problem,) in problems)
    groups = sorted([*_groups(connection, run), *_lint_groups(connection, run)], key=_rank)

    def findings() -> Iterator[ReportedFinding]:
        for group in groups:
            yield from (
                _in_sitemaps(connection, run, group) if group.things == THINGS else _in_pages(connection, run, group)
            )

    return View(
        name=f"{run.verb} of {run.started:%Y-%m-%d}",
        site=run.site,
        facts=tuple(_facts(run, gaps, listed, fetched)),
        gaps=gaps,
        warning=_warning(run, crawl),
        headline=_headline(connection, has_listing=bool(listed)),
        whole=listed or None,
        groups=tuple(groups),
        figures=tuple(figures(connection, run.run, run.ended or run.started)),
        findings=findings,
    )


def _shown(file: RunFile, run: Run, verb: Verb) -> Run | None:
    """Return the run itself, or the last one before it that was of another verb and went by no plan."""
    if run.verb == verb:
        return run
    before = [each for each in file.runs() if each.verb == verb and each.run < run.run and not each.is_by_plan]
    return before[-1] if before else None


def _rows(cursor: DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while rows := cursor.fetchmany(_BATCH):
        yield from rows


def _facts(run: Run, gaps: Sequence[str], listed: int, fetched: int) -> Iterator[tuple[str, str]]:
    state = f"incomplete: {plural(len(gaps), 'sitemap')} unread" if gaps and run.state == "complete" else run.state
    yield run.verb.capitalize(), f"{run.number}, {state}"
    yield "Started", f"{run.started:%Y-%m-%d %H:%M} UTC"
    if run.ended is not None:
        seconds = round((run.ended - run.started).total_seconds())
        yield "Took", f"{seconds // 60} min {seconds % 60} s" if seconds >= 60 else f"{seconds} s"
    if run.compared is not None:
        yield "Compared with", run.compared
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


def _rank(group: Group) -> tuple[bool, int, bool, int, str]:
    """Return by what groups are sorted: the worst first, of these what is new, then the greatest."""
    is_inconclusive = group.verdict != "found"
    severity = get_args(Severity).index(group.severity)
    return is_inconclusive, severity, not group.new, -group.count, group.code


def _values(run: Run, group: tuple[str, str, str] | None = None) -> dict[str, Any]:
    """Return the values of a statement. Without an earlier run everything would be new, which says nothing."""
    values: dict[str, Any] = {"run": run.run, "has_states": run.compared is not None}
    return values if group is None else values | dict(zip(("code", "severity", "verdict"), group, strict=True))


def _groups(connection: DuckDBPyConnection, run: Run) -> Iterator[Group]:
    for code, severity, verdict, count, rows, new, fixed in connection.execute(_GROUPS, _values(run)).fetchall():
        top = connection.execute(_TOP, _values(run, (code, severity, verdict))).fetchall()
        yield Group(code, severity, verdict, count, rows, new, fixed, tuple(map(_finding, top)))


def _lint_groups(connection: DuckDBPyConnection, run: Run) -> Iterator[Group]:
    for code, severity, verdict, count, rows, new, fixed in connection.execute(
        _LINT_GROUPS, {"run": run.run}
    ).fetchall():
        values = {"run": run.run, "code": code}
        top = connection.execute(f"{_LINT} LIMIT {TOP}", values).fetchall()
        yield Group(code, severity, verdict, count, rows, new, fixed, tuple(map(_lint_finding, top)), THINGS)


def _in_pages(connection: DuckDBPyConnection, run: Run, group: Group) -> Iterator[ReportedFinding]:
    values = _values(run, (group.code, group.severity, group.verdict))
    cursor = connection.cursor().execute(_FINDINGS, values)
    for _, rows in groupby(_rows(cursor), lambda row: row[0]):
        found = list(rows)
        hits = tuple((loc, detail or "", bool(is_new)) for _, loc, detail, is_new, *_ in found if loc is not None)
        yield _finding(found[0][4:], hits)


def _in_sitemaps(connection: DuckDBPyConnection, run: Run, group: Group) -> Iterator[ReportedFinding]:
    cursor = connection.cursor().execute(_LINT, {"run": run.run, "code": group.code})
    yield from map(_lint_finding, _rows(cursor))


def _finding(row: tuple[Any, ...], hits: tuple[tuple[str, str, bool], ...] = ()) -> ReportedFinding:
    code, severity, verdict, state, count, subject, pattern, examples, message, help_, detail, new = row
    return ReportedFinding(
        code=code,
        severity=severity,
        verdict=verdict,
        state=state,
        count=count,
        subject=subject or "",
        pattern=pattern,
        examples=tuple(examples or ()),
        message=message or "",
        help=help_,
        detail=detail,
        new=new,
        hits=hits,
    )


def _lint_finding(row: tuple[Any, ...]) -> ReportedFinding:
    code, severity, verdict, state, count, location, line, column, source, message, help_, new = row
    source = (source or "").strip()
    return ReportedFinding(
        code=code,
        severity=severity,
        verdict=verdict,
        state=state,
        count=count,
        subject=f"{location or BYTES}:{line}:{column}",
        pattern=None,
        examples=(source,) if source else (),
        message=message or "",
        help=help_,
        new=new,
    )
