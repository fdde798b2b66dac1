"""What two looks at a page say together, counted by page and source, and by section.

A *step* is two looks at one page that follow each other. Its span is the time between them, in days. It says whether
the content has changed, whether the lastmod has moved, and if both, how long before the second look that was: the age
of the change. A lastmod that has moved to a moment between both looks *dates* the change.

    steps      each of them
    tallies    by source and page: unchanged steps and their time, dated changes and their ages, and the spans in which
               something changed that no date tells of. Times are in days
    trusts     by section: how often lastmods and contents agree, and what the lastmods are worth
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Microseconds of a day.
_DAY: Final = 86_400_000_000
#: Of each page, the last steps count for what its section's lastmods are worth: a section can get better.
_RECENT: Final = 20
#: Spans are counted by their logarithm, in steps of 2 %: a page that is looked at for years has few different ones.
_BUCKETS: Final = 50
#: From how many moves on something is said about a section. Most of them must have come with a change, beyond chance:
#: Wilson's interval of 95 % (`urlset._audit.intervals`) is above one half exactly where they exceed the others by 1.96
#: times the root of all, because it has the shares that the score test does not reject.
_MIN_MOVES: Final = 4
_IS_MOST: Final = "2 * told - moved > 1.96 * sqrt(moved)"
#: Days on which most pages of a section get that day as their lastmod, and which share of its moves that is.
_STAMPS: Final = 3
_MOST: Final = 0.8
_MIN_PAGES: Final = 4
#: How many times as often as dated changes allow a section may be found unchanged.
_MAX_UNCHANGED: Final = 2

#: A date is taken for the middle of its day. What lies ahead of the look by more than a day dates nothing.
#: A date need not move for a second change on its day, which has ended everywhere 36 hours after it began in UTC.
_STEPS: Final = f"""
    CREATE TABLE steps AS
    WITH ordered AS (
        SELECT *, lag(time) OVER one AS old_time, lag(hash) OVER one AS old_hash, lag(lastmod) OVER one AS old_lastmod,
            lag(is_day) OVER one AS was_day,
            count(*) OVER (PARTITION BY source, place) + 1 - row_number() OVER one AS recency
        FROM (SELECT place, section, looks.* EXCLUDE (loc) FROM looks JOIN pages USING (loc))
        WINDOW one AS (PARTITION BY source, place ORDER BY time)
    ), compared AS (
        SELECT source, place, section, time, recency, bytes, is_told, lastmod, (time - old_time) / {_DAY} AS span,
            CASE WHEN is_told THEN coalesce(changed, hash <> old_hash) END AS is_changed,
            CASE WHEN lastmod IS NULL THEN CASE WHEN old_lastmod IS NULL THEN NULL ELSE false END
                WHEN is_day OR was_day THEN old_lastmod // {_DAY} IS DISTINCT FROM lastmod // {_DAY}
                ELSE lastmod IS DISTINCT FROM old_lastmod END AS is_moved,
            (time - lastmod) / {_DAY} - CASE WHEN is_day THEN 0.5 ELSE 0 END AS age,
            is_day AND span <= 1 AS is_coarse,
            coalesce(counts, NOT (is_changed AND NOT is_moved AND is_day AND lastmod + 1.5 * {_DAY} > old_time))
                AS is_fair
        FROM ordered WHERE old_time IS NOT NULL AND time > old_time
    )
    SELECT * EXCLUDE (age, is_coarse), least(greatest(age, 0), span) AS age,
        coalesce(is_moved AND NOT is_coarse AND age BETWEEN -1 AND span + 0.5, false) AS is_dated
    FROM compared
"""
_TALLIES: Final = f"""
    CREATE TABLE tallies AS
    WITH counted AS (
        SELECT source, place, count(*) FILTER (NOT is_told OR NOT is_fair) AS unjudged,
            count(*) FILTER (is_changed IS NOT NULL) AS n, count(*) FILTER (is_changed) AS x,
            coalesce(sum(span) FILTER (NOT is_changed), 0) AS idle,
            count(*) FILTER (is_changed AND is_dated) AS dated,
            coalesce(sum(age) FILTER (is_changed AND is_dated), 0) AS ages,
            avg(span) FILTER (is_changed IS NOT NULL) AS mean_span,
            count(*) FILTER (is_moved IS NOT NULL) AS moves_n, count(*) FILTER (is_moved) AS moves_x,
            coalesce(sum(span) FILTER (NOT is_moved), 0) AS moves_idle,
            count(*) FILTER (is_dated) AS moves_dated, coalesce(sum(age) FILTER (is_dated), 0) AS moves_ages,
            sum(span) FILTER (is_changed IS NOT NULL) AS days,
            sum(span) FILTER (is_moved IS NOT NULL) AS moves_days,
            coalesce(sum(bytes) FILTER (NOT is_changed), 0) AS vain_bytes,
            count(*) FILTER (is_known AND is_moved) AS moved, count(*) FILTER (is_known AND is_changed) AS changed,
            count(*) FILTER (is_known AND is_moved AND is_changed) AS told, count(*) FILTER (is_known) AS pairs,
            count(*) FILTER (is_changed IS NOT NULL AND NOT is_changed AND NOT coalesce(is_moved, true)) AS foreseen
        FROM (
            SELECT *, is_fair AND recency <= {_RECENT} AND is_moved IS NOT NULL AND is_changed IS NOT NULL AS is_known
            FROM steps
        )
        GROUP BY source, place
    ), spans AS (
        SELECT source, place, round(ln(span) * {_BUCKETS}) AS bucket, avg(span) AS span,
            count(*) FILTER (is_changed) AS all_x, count(*) FILTER (is_changed AND NOT is_dated) AS undated,
            count(*) FILTER (is_moved AND NOT is_dated) AS moves_undated
        FROM steps WHERE is_changed OR (is_moved AND NOT is_dated) GROUP BY source, place, bucket
    ), lists AS (
        SELECT source, place,
            list({{'span': span, 'n': all_x}} ORDER BY bucket) FILTER (all_x > 0) AS all_spans,
            list({{'span': span, 'n': undated}} ORDER BY bucket) FILTER (undated > 0) AS undated_spans,
            list({{'span': span, 'n': moves_undated}} ORDER BY bucket) FILTER (moves_undated > 0) AS moves_spans
        FROM spans GROUP BY source, place
    )
    FROM counted LEFT JOIN lists USING (source, place)
"""
#: Pages of all sources, numbered: numbers are sorted faster than locs. What no source names any more is gone.
#: A section is one of its host, which its name says where there are several.
_PAGES: Final = """
    CREATE TABLE pages AS
    WITH named AS (
        SELECT loc, arg_max(section, source) AS section, arg_max(changefreq, source) AS changefreq,
            arg_max(priority, source) AS priority, arg_max(inlinks, source) AS inlinks
        FROM facts GROUP BY loc
    )
    SELECT row_number() OVER (ORDER BY loc) AS place, loc, host_of(loc) AS host,
        coalesce(section, CASE WHEN {names_hosts} THEN host_of(loc) ELSE '' END || section_of(loc)) AS section,
        lower(trim(changefreq)) AS changefreq, priority, inlinks
    FROM named
"""
#: Dates are lies if pages are found unchanged far more often than changes at these dates allow.
_TRUSTS: Final = f"""
    CREATE TABLE trusts AS
    WITH stamps AS (
        SELECT section, lastmod // {_DAY} AS day, count(DISTINCT place) AS pages, count(*) AS moves
        FROM steps WHERE is_moved AND recency <= {_RECENT} GROUP BY section, day
    ), sizes AS (SELECT section, count(*) AS pages FROM pages GROUP BY section),
    stamped AS (
        SELECT section, count(*) FILTER (is_stamp) >= {_STAMPS}
            AND sum(moves) FILTER (is_stamp) >= {_MOST} * sum(moves) AS is_stamped
        FROM (
            SELECT stamps.*, sizes.pages >= {_MIN_PAGES} AND stamps.pages >= {_MOST} * sizes.pages AS is_stamp
            FROM stamps JOIN sizes USING (section)
        ) GROUP BY section
    ), counted AS (
        SELECT section, sum(pairs) AS pairs, sum(moved) AS moved, sum(changed) AS changed, sum(told) AS told,
            count(*) FILTER (n > 0) AS pages, sum(n) AS looks, sum(n - x) AS vain, sum(vain_bytes) AS vain_bytes,
            sum(foreseen) AS foreseen, sum(unjudged) AS unjudged, max(n) AS most_looks,
            sum(n / days) FILTER (days > 0) AS per_day,
            sum(n - x) FILTER (dated > 0) AS unchanged,
            sum(n * exp(-mean_span * greatest(dated - 1, 0.5) / greatest(idle + ages, 1e-6))) FILTER (dated > 0)
                AS foretold
        FROM tallies JOIN pages USING (place) GROUP BY section
    )
    SELECT *, coalesce(is_stamped, false) AND moved < {_MIN_MOVES} AS is_stamped_blindly,
        coalesce(unchanged > {_MAX_UNCHANGED} * foretold + 3 * sqrt(foretold) + 1, false) AS is_off,
        CASE WHEN is_stamped_blindly OR is_off OR (moved >= {_MIN_MOVES} AND NOT {_IS_MOST})
                THEN 'ignored'
            WHEN moved >= {_MIN_MOVES} THEN 'used' ELSE 'unproven' END AS hints
    FROM counted LEFT JOIN stamped USING (section)
"""
_LEFT_OUT: Final = (
    "INSERT INTO left_out SELECT 'the page is not listed any more', count(DISTINCT loc) FROM looks"
    " WHERE loc NOT IN (SELECT loc FROM pages)",
    "INSERT INTO left_out SELECT 'the content is unstable', count(*) FROM steps WHERE NOT is_told",
)


def count_steps(connection: DuckDBPyConnection, *, names_hosts: bool | None) -> None:
    """Make the tables of this module of the looks.

    Args:
        connection: Where.
        names_hosts: Whether the names of sections begin with their host; if there are several hosts if None.
    """
    several = "(SELECT count(DISTINCT host_of(loc)) > 1 FROM named)" if names_hosts is None else str(names_hosts)
    connection.execute(_PAGES.format(names_hosts=several))
    for statement in (_STEPS, *_LEFT_OUT, _TALLIES, _TRUSTS):
        connection.execute(statement)
