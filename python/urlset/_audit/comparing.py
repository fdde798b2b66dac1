"""Which pages have changed from one audit to the next, without what differs at each fetch or on each day.

The content of a page is known by its parts, see `PageFacts.parts`. A part *rotates* if it differs between two fetches
of one page that are close together, or if it changes on most pages of a section at once, again and again. What rotates
does not count as a change. A section stands for a template: what is generated alike has a folder of its own, and places
tell apart the templates that share one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Which share of the pages fetched twice has to differ in a part: a change of a page may fall between two fetches.
_MIN_SHARE: Final = 0.1
#: Looks at which most pages of a section change in a part, and which share of its changes and of all looks these are.
_LOOKS: Final = 3
_MIN_SYNC: Final = 0.8
_MIN_LOOKS: Final = 0.4
#: Pages that must have a part before it is said what most of them do, and which share that is.
_MIN_PAGES: Final = 4
_MOST: Final = 0.8
#: Which share of the parts of a place stays while others come and go, so that these may be parts of the text.
_MIN_MIXED: Final = 0.5
#: The share of the parts of a page that must not rotate, so that it can be said that the page is the same.
_MIN_STEADY: Final = 0.25
#: A date is some day of a zone: it has ended everywhere so many hours after it has begun in UTC.
_DAY: Final = "INTERVAL 36 HOUR"

#: Looks that count for trust. A date that has not moved may be that of a second change on its day. If pages are not
#: judged because of something that they have in common, those that were changed in other things do not count either:
#: there would be more changes among the pages that count than among all.
JUDGED: Final = "is_changed IS NOT NULL AND NOT is_partly_unclear AND NOT (is_changed AND NOT is_moved AND is_of_day)"
#: The parts in which two lists differ, as `key` and `place`; `is_lone` if only one of them has this part. In a part,
#: the lowest 24 bits are the hash, then 16 are the line, and the others the place.
_DIFFERENT: Final = """
    SELECT {columns}, part >> 24 AS key, part >> 40 AS place, (part >> 39) & 1 = 1 AS is_price,
        count(*) = 1 AS is_lone
    FROM (
        SELECT {columns}, unnest(list_concat(
            list_filter(parts, lambda each: NOT list_contains(old_parts, each)),
            list_filter(old_parts, lambda each: NOT list_contains(parts, each)))) AS part
        FROM {pairs}
    ) GROUP BY ALL
"""
#: The audits that are compared. A file may have years of them, and what a section does now is seen in fewer.
_COMPARED: Final = 60
_COMPARED_RUNS: Final = f"""
    CREATE OR REPLACE TEMP TABLE compared AS
    SELECT run FROM runs WHERE verb = 'audit' AND run <= {{run}} ORDER BY run DESC LIMIT {_COMPARED}
"""
#: Two looks at one page, in two audits that leave out the same of its content. What a browser has shown is not fetched
#: twice, so nobody knows which of its parts rotate.
_STEPS: Final = """
    CREATE OR REPLACE TEMP TABLE steps AS
    WITH seen AS (
        SELECT pages.loc, pages.run, any_value(section) AS section, max(lastmod) AS lastmod,
            max_by(trim(lastmod_raw), lastmod) AS raw, any_value(content_hash) AS content_hash,
            any_value(parts) AS parts, any_value(started) AS looked,
            any_value(concat(settings->>'mask', settings->>'boilerplate')) AS ignored
        FROM pages JOIN listed USING (run, loc) JOIN runs USING (run)
        WHERE run IN (FROM compared) AND status = 200 AND refused IS NULL AND content_hash IS NOT NULL
            AND needs_browser IS NULL AND rendered IS NULL
        GROUP BY ALL
    ), steps AS (
        SELECT *, lag(run) OVER one AS old_run, lag(lastmod) OVER one AS old_lastmod, lag(raw) OVER one AS old_raw,
            lag(content_hash) OVER one AS old_hash, lag(parts) OVER one AS old_parts, lag(looked) OVER one AS old_looked
        FROM seen WINDOW one AS (PARTITION BY loc, ignored ORDER BY run)
    )
    SELECT * EXCLUDE (ignored), content_hash <> old_hash AS differs,
        -- A date stands for a day, so a time on that day is not another date.
        lastmod IS NOT NULL AND CASE WHEN length(raw) <= 10 OR length(old_raw) <= 10
            THEN left(raw, 10) IS DISTINCT FROM left(old_raw, 10) ELSE lastmod IS DISTINCT FROM old_lastmod END
            AS is_moved,
        -- It need not move for a second change on its day.
        coalesce(length(raw) <= 10 AND lastmod + {day} > old_looked, false) AS is_of_day
    FROM steps WHERE old_run IS NOT NULL
"""
_DIFFERENCES: Final = "CREATE OR REPLACE TEMP TABLE differences AS " + _DIFFERENT.format(
    columns="section, loc, run", pairs="steps WHERE differs"
)
#: What differs between two fetches of one run. A part that is always there rotates itself; if others come and go, all
#: of its place does.
_TWICE: Final = """
    CREATE OR REPLACE TEMP TABLE twice AS
    SELECT section, probes.loc, probes.run, pages.parts, probes.parts AS old_parts
    FROM probes JOIN pages USING (run, loc)
        JOIN (SELECT DISTINCT run, loc, section FROM listed) AS listed USING (run, loc)
    WHERE probes.kind = 'twice' AND probes.run IN (FROM compared)
        AND probes.content_hash IS NOT NULL AND pages.content_hash IS NOT NULL
"""
_CLOSE: Final = f"""
    CREATE OR REPLACE TEMP TABLE close AS
    WITH counted AS (SELECT section, count(*) AS pairs FROM twice GROUP BY section)
    SELECT each.*, counted.pairs FROM ({_DIFFERENT.format(columns="section, loc, run", pairs="twice")}) AS each
        JOIN counted USING (section)
"""
_ROTATING: Final = f"""
    CREATE OR REPLACE TEMP TABLE rotating AS
    SELECT section, key, NULL::UBIGINT AS place, true AS has_prices FROM close WHERE NOT is_lone
    GROUP BY section, key HAVING count(*) >= {_MIN_SHARE} * any_value(pairs)
    UNION ALL
    SELECT section, NULL, place, true FROM close WHERE is_lone
    GROUP BY section, place HAVING count(DISTINCT (loc, run)) >= {_MIN_SHARE} * any_value(pairs)
"""
#: Places that rotate, and of whose lines most stay: a line that comes there may be one that rotates, or of the page.
_MIXED: Final = f"""
    INSERT INTO mixed
    SELECT each.section, each.place
    FROM (SELECT section, loc, run, part >> 24 AS key, part >> 40 AS place
            FROM (SELECT section, loc, run, unnest(parts) AS part FROM {{pairs}})) AS each
        JOIN (SELECT section, place, has_prices FROM rotating) AS places USING (section, place)
        LEFT JOIN (SELECT DISTINCT loc, run, key FROM {{differences}}) AS other USING (loc, run, key)
    WHERE has_prices = {{by_fetches}} AND (loc, run) IN (SELECT (loc, run) FROM {{differences}})
    GROUP BY ALL HAVING count(*) FILTER (other.key IS NULL) >= {_MIN_MIXED} * count(*)
"""
_UNMIX: Final = "DELETE FROM rotating WHERE (section, place) IN (SELECT (section, place) FROM mixed)"
#: Looks at which most pages of a section that have a part, or a place, changed in it. A price belongs to its page.
_TOGETHER: Final = f"""
    CREATE OR REPLACE TEMP TABLE together_{{what}} AS
    WITH present AS (
        SELECT section, {{of_part}} AS {{what}}, count(DISTINCT loc) AS pages
        FROM (SELECT section, loc, unnest(parts) AS part FROM steps WHERE run = {{run}}) GROUP BY ALL
    ), changed AS (
        SELECT section, {{what}}, run, count(DISTINCT loc) AS pages FROM unexplained
        WHERE NOT is_price AND {{filter}} GROUP BY ALL
    )
    SELECT section, {{what}}, run, changed.pages,
        present.pages >= {_MIN_PAGES} AND changed.pages >= {_MOST} * present.pages AS is_most
    FROM changed JOIN present USING (section, {{what}})
"""
_BY_LOOKS: Final = f"""
    INSERT INTO rotating
    WITH looks AS (SELECT section, count(DISTINCT run) AS looks FROM steps GROUP BY section)
    SELECT section, {{key}}, {{place}}, false FROM together_{{what}} JOIN looks USING (section)
    GROUP BY section, {{what}}
    HAVING count(*) FILTER (is_most) >= greatest({_LOOKS}, {_MIN_LOOKS} * any_value(looks))
        AND sum(pages) FILTER (is_most) >= {_MIN_SYNC} * sum(pages)
"""
#: What has changed and does not rotate, as far as that is known.
_UNEXPLAINED: Final = """
    CREATE OR REPLACE TEMP TABLE unexplained AS
    SELECT * FROM differences WHERE NOT EXISTS (
        FROM rotating WHERE rotating.section = differences.section
            AND (rotating.key = differences.key OR rotating.place = differences.place)
            AND (rotating.has_prices OR NOT differences.is_price))
"""
_CHANGES: Final = f"""
    CREATE OR REPLACE TEMP TABLE changes_seen AS
    WITH sudden AS (
        SELECT DISTINCT section, run, key FROM unexplained WHERE NOT is_price
            AND ((section, key, run) IN (SELECT (section, key, run) FROM together_key WHERE is_most)
                OR (section, place, run) IN (SELECT (section, place, run) FROM together_place WHERE is_most))
    ), changed AS (
        SELECT loc, run, bool_or(sudden.key IS NOT NULL) AS is_sudden,
            bool_and(sudden.key IS NOT NULL OR (is_lone AND mixed.place IS NOT NULL)) AS is_unclear,
            bool_or(sudden.key IS NOT NULL OR (is_lone AND mixed.place IS NOT NULL)) AS is_partly_unclear
        FROM unexplained LEFT JOIN sudden USING (section, run, key) LEFT JOIN mixed USING (section, place)
        GROUP BY loc, run
    ), unstable AS (
        -- Between two fetches of this run, it differed in what does not rotate.
        SELECT DISTINCT loc, run FROM close WHERE NOT EXISTS (
            FROM rotating WHERE rotating.section = close.section
                AND (rotating.key = close.key OR rotating.place = close.place))
    ), steady AS (
        SELECT loc, run, count(*) FILTER (rotating.section IS NULL) >= {_MIN_STEADY} * count(*) AS is_steady
        FROM (SELECT section, loc, run, unnest(parts) AS part FROM steps WHERE differs) AS each
            LEFT JOIN (SELECT DISTINCT section, key FROM rotating WHERE key IS NOT NULL
                UNION SELECT DISTINCT section, differences.key FROM differences JOIN rotating USING (section, place)
            ) AS rotating ON rotating.section = each.section AND rotating.key = each.part >> 24
        GROUP BY loc, run
    )
    SELECT steps.* EXCLUDE (parts, old_parts),
        CASE WHEN NOT differs THEN NULL
            WHEN unstable.loc IS NOT NULL THEN 'it differs between two fetches'
            WHEN changed.loc IS NULL AND NOT is_steady THEN 'most of it is another at each fetch'
            WHEN changed.is_unclear AND is_sudden THEN 'most pages of the section changed in the same place'
            WHEN changed.is_unclear THEN 'what rotates is not apart from its text'
        END AS why,
        CASE WHEN why IS NULL THEN changed.loc IS NOT NULL END AS is_changed,
        coalesce(is_partly_unclear, false) AS is_partly_unclear
    FROM steps LEFT JOIN changed USING (loc, run) LEFT JOIN unstable USING (loc, run) LEFT JOIN steady USING (loc, run)
"""


def compare_looks(connection: DuckDBPyConnection, run: int) -> None:
    """Make the tables `changes_seen`, of the looks at the pages of a site up to a run, and `changes_now`, of this run.

    `is_changed` is whether a page has changed since the look before; NULL if that cannot be told, and `why` says why.
    """
    connection.execute(_COMPARED_RUNS.format(run=run))
    connection.execute(_STEPS.format(day=_DAY))
    connection.execute(_DIFFERENCES)
    connection.execute(_TWICE)
    connection.execute(_CLOSE)
    connection.execute(_ROTATING)
    connection.execute("CREATE OR REPLACE TEMP TABLE mixed (section VARCHAR, place UBIGINT)")
    connection.execute(_MIXED.format(pairs="twice", differences="close", by_fetches=True))
    connection.execute(_UNMIX)
    for what, of_part, only in (("key", "part >> 24", "NOT is_lone"), ("place", "part >> 40", "true")):
        connection.execute(_UNEXPLAINED)
        connection.execute(_TOGETHER.format(what=what, of_part=of_part, filter=only, run=run))
        columns = {"key": "NULL", "place": "NULL"} | {what: what}
        connection.execute(_BY_LOOKS.format(what=what, **columns))
    connection.execute(_MIXED.format(pairs="steps", differences="differences", by_fetches=False))
    connection.execute(_UNMIX)
    connection.execute(_UNEXPLAINED)
    connection.execute(_CHANGES)
    connection.execute(f"CREATE OR REPLACE TEMP VIEW changes_now AS SELECT * FROM changes_seen WHERE run = {run}")


def keep_changes(connection: DuckDBPyConnection) -> None:
    """Write down what is known of the changes of all runs compared, which is more than was known then."""
    connection.execute("DELETE FROM changes WHERE run IN (FROM compared)")
    connection.execute(
        "INSERT INTO changes SELECT run, section, loc, is_moved, is_changed,"
        f" coalesce({JUDGED}, false) FROM changes_seen"
    )
