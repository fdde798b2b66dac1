"""Whether the corrected set is better: its rules are applied once more to what the run knows, and nothing is asked.

A correction that makes a rule find more pages than before is taken back. If one is left that cannot be, there is no
corrected set: whoever publishes it must not find more wrong with it than with the set that it replaces.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from urlset._audit.applying import apply_rules
from urlset._audit.corrections import begin_corrections, make_corrections
from urlset._audit.linked import make_linked
from urlset._audit.page_views import make_page_views, make_soft
from urlset._audit.rules import RULES, validators
from urlset._audit.rules.declaration import LiveRule
from urlset._audit.rules.needs import NEAR
from urlset._model.errors import PublishError
from urlset._util.text import plural

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._runs.file import RunFile

#: After so many attempts there is no corrected set.
_ROUNDS: Final = 10
#: Pages that an error names.
_SHOWN: Final = 10

#: The set and its pages as they would be. A target has the answer that led to it, that of the crawl, or that of the
#: question about the canonical URL.
_CORRECTED_SET: Final = (
    """CREATE OR REPLACE TEMP TABLE targets AS
        SELECT loc, target, target_url FROM corrections WHERE target IS NOT NULL AND NOT is_removed""",
    """INSERT INTO pages BY NAME
        SELECT * EXCLUDE (target, target_url) REPLACE (target AS loc, target_url AS normal_loc, NULL AS hops)
        FROM pages JOIN targets USING (loc) WHERE run = {run} AND normal_final = target_url""",
    """INSERT INTO pages BY NAME
        SELECT * EXCLUDE (target, target_url) REPLACE ({run} AS run, target AS loc, target AS final_url)
        FROM pages JOIN (SELECT target, target_url FROM targets) AS targets ON normal_loc = target_url
        WHERE run = (SELECT run FROM crawl_run) AND status = 200 AND coalesce(len(hops), 0) = 0
            AND target NOT IN (SELECT loc FROM pages WHERE run = {run})""",
    """INSERT INTO pages BY NAME
        SELECT DISTINCT ON (target) {run} AS run, target AS loc, target_url AS normal_loc, target AS final_url,
            target_url AS normal_final, status, refused, content_type, etag, asked.content_hash, body_hash, is_noindex,
            CASE WHEN canonical IS NOT NULL THEN [canonical] END AS canonicals
        FROM asked_canonical AS asked JOIN targets ON asked.url = target
        WHERE target NOT IN (SELECT loc FROM pages WHERE run = {run})""",
    # What these pages answer stays known.
    """INSERT INTO probes BY NAME
        SELECT {run} AS run, kind, loc, url, coalesce(normal_final, url) AS final_url, status, refused, canonical,
            has_noindex AS is_noindex, hreflang
        FROM page_view CROSS JOIN (VALUES ('canonical'), ('hreflang')) AS kinds (kind)
        WHERE loc IN (SELECT loc FROM corrections WHERE is_removed OR target IS NOT NULL)""",
    "DELETE FROM links WHERE run = {run} AND source IN (SELECT url FROM corrections WHERE is_removed)",
    """DELETE FROM pages
        WHERE run = {run} AND loc IN (SELECT loc FROM corrections WHERE is_removed OR target IS NOT NULL)""",
    """UPDATE listed SET hreflang = links FROM (
            SELECT each.loc, list({{'hreflang': each.hreflang, 'href': coalesce(becomes, each.href)}})
                FILTER ((links_now.loc IS NULL OR becomes IS NOT NULL) AND each.loc NOT IN (SELECT loc FROM bare))
                AS links
            FROM (
                SELECT DISTINCT loc, link.hreflang AS hreflang, link.href AS href
                FROM (SELECT loc, unnest(hreflang) AS link FROM listed WHERE run = {run})
                WHERE loc IN (SELECT loc FROM links_now UNION SELECT loc FROM bare)
            ) AS each LEFT JOIN links_now USING (loc, hreflang, href) GROUP BY each.loc
        ) AS relinked WHERE run = {run} AND listed.loc = relinked.loc""",
    """UPDATE listed SET lastmod = corrections.lastmod::TIMESTAMPTZ, lastmod_raw = corrections.lastmod FROM corrections
        WHERE run = {run} AND listed.loc = corrections.loc AND corrections.lastmod IS NOT NULL""",
    "UPDATE listed SET loc = target FROM targets WHERE run = {run} AND listed.loc = targets.loc",
    "DELETE FROM listed WHERE run = {run} AND loc IN (SELECT loc FROM corrections WHERE is_removed)",
    "DELETE FROM normalized WHERE loc IN (SELECT loc FROM corrections WHERE is_removed OR target IS NOT NULL)",
    "INSERT INTO normalized SELECT target, target_url FROM targets",
    "INSERT INTO href_forms SELECT target, target_url FROM targets WHERE target <> target_url",
)
#: What rules find in more pages than before: the pages that they had not found.
_WORSE: Final = """
    WITH before AS (SELECT code, count(*) AS pages FROM found_before GROUP BY code),
    now AS (SELECT code, count(*) AS pages FROM page_findings WHERE run = {run} AND verdict = 'found' GROUP BY code),
    worse AS (
        SELECT code FROM now LEFT JOIN before USING (code) WHERE now.pages > coalesce(before.pages, 0)
    )
    SELECT code, loc FROM page_findings WHERE run = {run} AND verdict = 'found' AND code IN (FROM worse)
        AND (code, loc) NOT IN (SELECT (code, loc) FROM found_before)
    ORDER BY ALL
"""
#: What is taken back for pages that are found anew, by `worse`: the entry that leads to such a page or was removed, the
#: lastmod, or the links of all entries that are linked with it, if each of their pages has links of its own.
_HELD: Final = """
    INSERT INTO held
    WITH RECURSIVE entry AS (
        SELECT DISTINCT corrections.loc, 'entry' AS what FROM corrections JOIN worse ON worse.loc = corrections.target
            OR worse.loc = corrections.url OR (worse.loc = corrections.loc AND is_removed)
    ), moment AS (
        SELECT DISTINCT loc, 'lastmod' AS what FROM corrections JOIN worse USING (loc)
        WHERE lastmod IS NOT NULL AND NOT is_removed AND loc NOT IN (SELECT loc FROM entry)
    ), linked AS (
        SELECT DISTINCT each.loc, other.loc AS other FROM (
            SELECT loc, coalesce(normal, link.href) AS url
            FROM (SELECT loc, unnest(hreflang) AS link FROM entries) LEFT JOIN href_forms ON written = link.href
        ) AS each JOIN normalized AS other USING (url) WHERE each.loc <> other.loc
    ), pairs AS (FROM linked UNION SELECT other, loc FROM linked),
    languages AS (
        SELECT loc AS first, loc FROM worse SEMI JOIN links_now USING (loc)
        UNION SELECT first, pairs.other FROM languages JOIN pairs USING (loc)
    ), stated AS (
        SELECT first FROM languages LEFT JOIN page_view USING (loc) GROUP BY first
        HAVING bool_and(coalesce(len(hreflang), 0) > 0 OR NOT coalesce(is_indexable, false))
    )
    SELECT * FROM (
        FROM entry UNION FROM moment UNION SELECT DISTINCT loc, 'links' FROM languages SEMI JOIN stated USING (first)
    ) ANTI JOIN held USING (loc, what)
"""


def correct(file: RunFile, run: int, agents: Sequence[str], rules: Iterable[LiveRule]) -> None:
    """Make the tables of `corrections` for a set that is not worse than before by any rule.

    Raises:
        PublishError: There is none, or nothing is left of it.
    """
    connection = file.connection
    # What happened since an earlier audit, and what a server says of validators, is about no entry. And a redirect is
    # followed although its target, which was not judged before, has nearly the text of another page.
    rules = [
        rule
        for rule in rules
        if rule not in validators.RULES
        and NEAR not in rule.needs
        and not any("before" in need.tables for need in rule.needs)
    ]
    begin_corrections(connection, run)
    for _ in range(_ROUNDS):
        make_corrections(connection)
        _check_rest(connection, run)
        worse = _rehearsed(file, run, agents, rules)
        if not worse:
            return
        if not _hold(connection, worse):
            break
    code, loc = worse[0]
    raise PublishError(
        f"there is no corrected set: {RULES[code].words.subject}s like {loc} would be found by {code},"
        " which does not find them now"
    )


def _rehearsed(file: RunFile, run: int, agents: Sequence[str], rules: Iterable[LiveRule]) -> list[tuple[str, str]]:
    """Return the code and the page of what rules would find in more pages than now."""
    connection = file.connection
    worse: list[tuple[str, str]] = []
    with file.rehearsal():
        connection.execute(
            "CREATE OR REPLACE TEMP TABLE found_before AS SELECT code, loc FROM page_findings"
            " WHERE run = ? AND verdict = 'found'",
            [run],
        )
        for statement in _CORRECTED_SET:
            connection.execute(statement.format(run=int(run)))
        make_page_views(connection, run, agents)
        make_soft(connection)
        make_linked(connection, run)
        connection.execute("DELETE FROM page_findings WHERE run = ?", [run])
        apply_rules(connection, run, rules)
        worse += connection.execute(_WORSE.format(run=int(run))).fetchall()
    return worse


def _hold(connection: DuckDBPyConnection, worse: list[tuple[str, str]]) -> bool:
    """Take back what makes pages worse; return whether there is anything to take back."""
    connection.execute("CREATE OR REPLACE TEMP TABLE worse AS SELECT unnest(?) AS loc", [[loc for _, loc in worse]])
    before = connection.execute("SELECT count(*) FROM held").fetchall()
    connection.execute(_HELD)
    return bool(connection.execute("SELECT count(*) FROM held").fetchall() != before)


def _check_rest(connection: DuckDBPyConnection, run: int) -> None:
    """Raise PublishError if nothing would be left."""
    left = connection.execute(
        "SELECT count(DISTINCT loc) FROM entries WHERE loc NOT IN (SELECT loc FROM corrections WHERE is_removed)"
    ).fetchall()[0][0]
    if left:
        return
    rows = connection.execute(
        "SELECT loc, min(code), arg_min(pattern, code), arg_min(detail, code)"
        " FROM page_findings JOIN corrections USING (loc)"
        " WHERE run = ? AND verdict = 'found' AND is_removed AND code IN (SELECT unnest(?)) GROUP BY loc ORDER BY loc",
        [run, [rule.code for rule in RULES.values() if rule.correction is not None]],
    ).fetchall()
    reasons = "; ".join(f"{loc} {_reason(code, pattern, detail)}" for loc, code, pattern, detail in rows[:_SHOWN])
    more = f"; and {plural(len(rows) - _SHOWN, 'page')} more" if len(rows) > _SHOWN else ""
    raise PublishError(f"there is no corrected set, because nothing is left of it: {reasons}{more}")


def _reason(code: str, pattern: str, detail: str | None) -> str:
    """Return why an entry is left out, such as `is 404 (LIVE001)`."""
    predicate, _ = RULES[code].words.said(pattern)
    is_said = not detail or predicate.endswith(f" {detail}")
    return f"{predicate} ({code}{'' if is_said else f': {detail}'})"
