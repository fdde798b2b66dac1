"""The last step of an audit: pages that were found become findings, which are compared with those of another run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from urlset._audit.judging import Basis, DrawnPages
from urlset._audit.wording import of_what, words
from urlset._model.diagnostics import FindingState, Severity
from urlset._util.text import plural

if TYPE_CHECKING:
    from urlset._audit.earlier import Earlier
    from urlset._runs.file import RunFile

#: Pages of a finding that are kept as examples.
EXAMPLES: Final = 10

Verdict = Literal["found", "inconclusive"]

#: The pages that were found by the run to compare with, by rule. A baseline may be of another host, such as that of a
#: preview: there, pages are the same if their paths are.
_PREVIOUS: Final = """
    CREATE OR REPLACE TEMP TABLE previous AS
    SELECT key, code, verdict, loc, pattern, {place} AS place FROM {source}.page_findings WHERE run = {run}
"""
_PLACES: Final = ("loc", "regexp_replace(loc, '^[^:/?#]+://[^/?#]*', '')")
_FOLDED: Final = f"""
    WITH entries AS (
        SELECT loc, min((location, line)) AS place FROM listed
        WHERE run = {{run}} AND loc IN (SELECT loc FROM page_findings WHERE run = {{run}}) GROUP BY loc
    )
    -- New pages come first: a new fault must not hide behind old ones that are like it.
    SELECT each.key, each.code, each.verdict, any_value(each.pattern), count(*),
        list(each.loc ORDER BY each.place)[1:{EXAMPLES}], arg_min(each.detail, each.place),
        arg_min(coalesce(entries.place[1], ''), each.place), arg_min(coalesce(entries.place[2], 1), each.place),
        count(*) FILTER (each.is_new IS NOT false),
        each.key IN (SELECT key FROM previous), bool_and(each.loc IN (SELECT loc FROM page_view))
    FROM (
        SELECT DISTINCT ON (key, loc) *, (is_new IS false, loc) AS place FROM page_findings WHERE run = {{run}}
    ) AS each LEFT JOIN entries USING (loc)
    GROUP BY ALL
    ORDER BY each.code, each.verdict, count(*) FILTER (each.is_new IS NOT false) DESC, count(*) DESC,
        any_value(each.pattern)
"""
#: Without a run to compare with, nothing is known to be new.
_IS_NEW: Final = """
    UPDATE page_findings SET is_new = NOT EXISTS (
        FROM previous WHERE previous.code = page_findings.code AND previous.verdict = page_findings.verdict
            AND previous.place = {place}
    ) WHERE run = {run}
"""
#: A finding is fixed if none of its pages is found any more, and each was judged this time.
_FIXED: Final = f"""
    SELECT key, code, verdict, any_value(pattern), count(*), list(loc ORDER BY loc)[1:{EXAMPLES}]
    FROM previous
    WHERE {{is_own}} AND key NOT IN (SELECT key FROM page_findings WHERE run = {{run}})
        AND code IN (SELECT unnest($codes))
    GROUP BY ALL
    HAVING bool_and((code, loc) IN (SELECT (code, loc) FROM judged))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What an audit found, folded: pages with the same defect and the same remedy.

    Attributes:
        key: A name that is the same in every run that finds the same.
        code: Code of the rule, such as `"LIVE003"`.
        severity: How bad it is; `"info"` if it is inconclusive.
        verdict: `"found"`, or `"inconclusive"` if the answers prove nothing.
        pattern: What the pages have in common, such as `"http → https"`.
        count: How many pages there are.
        new: How many of them the run before had not found; all, if there was none.
        state: `"new"`, `"open"` if it was found before, or `"fixed"` since the run before.
        basis: What the count is of: `"all"` pages; a sample, from which an `"estimate"` is made; a `"sample"`
            alone, because several pages make the finding, and a sample seldom has all of them; or what was `"asked"`
            for, if there was more to ask for than an audit does. Of the last two there are at least so many.
        estimate: Between how many pages of all there are, with a probability of 95 %; None without an estimate.
        examples: The first pages, at most 10, new ones first.
        detail: More about the first page, or None.
        location: URL of the sitemap that lists the first one; empty if none does.
        line: Line of that entry.
        message: What is wrong, in a sentence.
        help: What to do about it.
    """

    key: str
    code: str
    severity: Severity
    verdict: Verdict
    pattern: str
    count: int
    new: int
    state: FindingState
    basis: Basis
    estimate: tuple[int, int] | None
    examples: tuple[str, ...]
    detail: str | None
    location: str
    line: int
    message: str
    help: str


def take_previous(file: RunFile, earlier: Earlier) -> None:
    """Make the table `previous`: what the audit to compare with has found."""
    own = file.connection.execute("SELECT current_database()").fetchall()[0][0]
    source = own if earlier.database is None else earlier.database
    file.connection.execute(
        _PREVIOUS.format(
            source=f'"{source}"', run=-1 if earlier.run is None else earlier.run.run, place=_place("loc", earlier)
        )
    )


def _place(loc: str, earlier: Earlier) -> str:
    """Return SQL for what two runs call the same page."""
    return _PLACES[earlier.database is not None].replace("loc", loc)


def fold(
    file: RunFile,
    run: int,
    severities: Mapping[str, Severity],
    *,
    sample: DrawnPages | None,
    asked: Mapping[str, tuple[int, int]],
    earlier: Earlier,
) -> tuple[Finding, ...]:
    """Fold what was found into findings, write them down, and return them, with those that are fixed at the end.

    Args:
        file: The file.
        run: The present run.
        severities: The severities of the rules that were applied.
        sample: The sample that was drawn; None if all pages were to be looked at.
        asked: How many questions were asked, and of how many, by the rules that did not ask all of theirs.
        earlier: The run to compare with.
    """
    if earlier.run is not None:
        with file.transaction():
            file.connection.execute(_IS_NEW.format(run=int(run), place=_place("page_findings.loc", earlier)))
    rows = file.connection.execute(_FOLDED.format(run=int(run))).fetchall()
    found = [_finding(row, severities, sample, asked) for row in rows]
    query = _FIXED.format(run=int(run), is_own=earlier.is_own)
    fixed = file.connection.execute(query, {"codes": list(severities)}).fetchall()
    findings = (*found, *(_fixed(row, severities) for row in fixed))
    with file.transaction():
        file.connection.execute("DELETE FROM findings WHERE run = ?", [run])
        file.insert("findings", [_row(run, each) for each in findings])
    return findings


def _finding(
    row: tuple[Any, ...],
    severities: Mapping[str, Severity],
    sample: DrawnPages | None,
    asked: Mapping[str, tuple[int, int]],
) -> Finding:
    key, code, verdict, pattern, count, examples, detail, location, line, new, is_known, is_drawn = row
    basis, estimate = ("all", None) if sample is None else sample.estimate(code, count, is_drawn=is_drawn)
    if code in asked:
        # Questions are drawn from all sections alike, and not as often as these have pages.
        basis, estimate = "asked", None
    message, help_text = words(code, verdict, pattern, count)
    if verdict == "found":
        message += of_what(basis, estimate, asked.get(code))
    return Finding(
        key=key,
        code=code,
        severity="info" if verdict == "inconclusive" else severities[code],
        verdict=verdict,
        pattern=pattern,
        count=count,
        new=new,
        state="open" if is_known else "new",
        basis=basis,
        estimate=estimate,
        examples=tuple(examples),
        detail=detail if detail and detail not in pattern else None,
        location=location,
        line=line,
        message=message,
        help=help_text,
    )


def _fixed(row: tuple[Any, ...], severities: Mapping[str, Severity]) -> Finding:
    key, code, verdict, pattern, count, examples = row
    return Finding(
        key=key,
        code=code,
        severity="info" if verdict == "inconclusive" else severities[code],
        verdict=verdict,
        pattern=pattern,
        count=0,
        new=0,
        state="fixed",
        basis="all",
        estimate=None,
        examples=tuple(examples),
        detail=None,
        location="",
        line=1,
        message=f"fixed: {plural(count, 'page')}, {pattern}",
        help="nothing is left to do",
    )


def _row(run: int, finding: Finding) -> dict[str, Any]:
    return {
        "run": run,
        "key": finding.key,
        "code": finding.code,
        "severity": finding.severity,
        "verdict": finding.verdict,
        "location": finding.location,
        "loc": finding.examples[0],
        "pattern": finding.pattern,
        "count": finding.count,
        "examples": list(finding.examples),
        "detail": finding.detail,
        "message": finding.message,
        "help": finding.help,
        "state": finding.state,
        "new": finding.new,
    }
