"""The rate at which each page changes, of what its steps say, with the interval that has it with 95 %.

A page changes at random moments, on average `r` times a day (a Poisson process). Then a step without a change over a
span of `I` days has the probability e^(-rI), one with a change 1 - e^(-rI), and a change that is dated `a` days before
the second look has the density r e^(-ra): nothing changed after it. The product over all steps of a page is greatest
where

    A/r - B + Σ I/(e^(rI) - 1) = 0

with A dated changes, B the time of unchanged steps and the ages of dated changes, and a sum over the changes without a
date. Changes that fall into one span are seen as one, so few looks at a page that changes often say little; a lastmod
tells the age of the last one, and so of rates above that of the looks.

Two corrections keep the estimate of a page alone from being too high, if there are few looks: dated changes X of N
steps count as (X - 1) - X/(N ln(1 - X/N)), and half of a mean span without a change is added to changes without a date.
Source: Cho and Garcia-Molina, Estimating frequency of change, TOIT 2003, sections 4.2 and 5.

The pages of a section with the same changefreq are alike. What is known of all of them is the prior of each one, a
gamma distribution with their mean and spread; dated changes and the time without them add to its two numbers. That is
empirical Bayes. With too few pages, a changefreq is a prior that weighs as much as one change, and without one the
whole site is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Steps of Newton's method. The equation is convex and the first value is below its root, so each step comes closer.
_STEPS: Final = 14
#: Pages of a group with looks from which on they are a prior, and how far its shape may go.
_MIN_GROUP: Final = 5
_LEAST_SHAPE, _MOST_SHAPE = 0.2, 20
#: Pages of a group that are drawn to know it, and steps of expectation and maximization.
_MOST_DRAWN: Final = 200
_ROUNDS: Final = 12
#: The least time that counts, in days: a second. No page is known to change more often than that.
_LEAST_TIME: Final = 1 / 86_400
#: What a changefreq says, in changes per day. Source: sitemaps.org, protocol: the values and what they mean. `always`
#: and `never` are taken for an hour and ten years.
_CHANGEFREQS: Final = {
    "always": 24.0,
    "hourly": 24.0,
    "daily": 1.0,
    "weekly": 1 / 7,
    "monthly": 12 / 365.25,
    "yearly": 1 / 365.25,
    "never": 1 / 3652.5,
}
_MACROS: Final = (
    # What a change without a date adds to the equation times r, and to its slope; x is r times the span. For small
    # x both are sums of two terms, because e^x - 1 has lost its digits there.
    "change_of(x) AS CASE WHEN x < 1e-5 THEN 1 - x / 2 ELSE x / (exp(least(x, 700)) - 1) END",
    "slope_of(x) AS CASE WHEN x < 1e-3 THEN 1 - x * x / 12 ELSE x * x / (exp(least(x, 700)) + exp(-x) - 2) END",
    """solved(a, b, spans) AS CASE WHEN spans IS NULL THEN a / b ELSE list_reduce(
        [(a + list_sum(list_transform(spans, lambda e: e.n))) / (b + list_sum(list_transform(spans,
            lambda e: e.n * e.span)) / 2)"""
    + ", 0" * _STEPS
    + """], lambda r, step: r * (1 + greatest(0, a - b * r + list_sum(list_transform(spans,
            lambda e: e.n * change_of(e.span * r)))) / (a + list_sum(list_transform(spans,
            lambda e: e.n * slope_of(e.span * r)))))) END""",
    # The information at the root, in changes: the shape of the gamma distribution that is as wide.
    """informed(r, a, spans) AS a + coalesce(list_sum(list_transform(spans,
        lambda e: e.n * slope_of(e.span * r))), 0)""",
    # Quantiles of a gamma distribution with the mean 1. Sources: Wilson and Hilferty, The distribution of chi-square
    # (1931), and for small shapes the first terms of the series of its lower tail.
    """gamma_low(shape) AS CASE WHEN shape >= 4 THEN pow(1 - 1 / (9 * shape) - 1.96 / (3 * sqrt(shape)), 3)
        ELSE exp((ln(0.025) + lgamma(shape + 1)) / shape) * (1 + exp((ln(0.025) + lgamma(shape + 1)) / shape)
            / (shape + 1)) / shape END""",
    "gamma_high(shape) AS pow(1 - 1 / (9 * shape) + 1.96 / (3 * sqrt(shape)), 3)",
    """dated_changes(x, n) AS CASE WHEN x = 0 OR n = 0 THEN 0 WHEN x >= n THEN n - 1
        ELSE greatest(x - 1 - x / (n * ln(1 - x / n)), 0) END""",
)
#: Which of the steps of a page count, and how. A crawler that goes by lastmods looks when something has changed, and
#: would find that pages change whenever it looks. A watch looks whatever happens. So what it has seen counts, if the
#: lastmods can be trusted and it has seen no less, and else looks at the content, if there are any.
_EVIDENCE: Final = """
    CREATE TABLE evidence AS
    WITH chosen AS (
        SELECT place, max(n) AS most, arg_max(source, n) AS of_content, arg_max(source, moves_n) AS of_lastmods,
            arg_max(source, moves_days) FILTER (source IN (FROM watches)) AS of_watch,
            coalesce(max(moves_days) FILTER (source IN (FROM watches)) >= coalesce(max(days), 0), false) AS is_watched
        FROM tallies GROUP BY place
    ), seen AS (
        SELECT loc, max(time) FILTER (hash IS NOT NULL OR changed IS NOT NULL) AS fetched, avg(bytes) AS bytes
        FROM looks GROUP BY loc
    ), moved_since AS (
        SELECT place, max(signals) AS signals FROM (
            SELECT place, source, count(*) AS signals FROM steps JOIN pages USING (place) JOIN seen USING (loc)
            WHERE is_moved AND time > fetched GROUP BY place, source
        ) GROUP BY place
    ), known AS (
        SELECT pages.*, fetched, seen.bytes, coalesce(signals, 0) AS signals, coalesce(hints, 'unproven') AS hints,
            CASE WHEN trusts.told > 0 AND hints <> 'ignored' THEN trusts.told / trusts.moved END AS precision,
            CASE WHEN trusts.told > 0 AND hints <> 'ignored' THEN trusts.told / trusts.changed END AS recall,
            coalesce(hints = 'used' AND is_watched, false) AS is_by_watch,
            CASE WHEN is_by_watch THEN of_watch WHEN most > 0 THEN of_content ELSE of_lastmods END AS source
        FROM pages LEFT JOIN trusts USING (section) LEFT JOIN seen USING (loc) LEFT JOIN moved_since USING (place)
            LEFT JOIN chosen USING (place)
    ), based AS (
        SELECT known.*, each.* EXCLUDE (source, place),
            CASE WHEN is_by_watch THEN 'lastmods'
                WHEN n > 0 THEN CASE WHEN hints = 'used' AND dated > 0 THEN 'dates' ELSE 'content' END
                WHEN moves_n > 0 AND hints <> 'ignored' THEN 'lastmods' END AS basis
        FROM known LEFT JOIN tallies AS each ON each.place = known.place AND each.source = known.source
    )
    SELECT place, loc, host, section, changefreq, priority, inlinks, fetched, bytes, signals, precision, recall, basis,
        CASE basis WHEN 'lastmods' THEN moves_n ELSE coalesce(n, 0) END AS looks,
        CASE basis WHEN 'lastmods' THEN moves_x ELSE coalesce(x, 0) END AS changes,
        CASE basis WHEN 'dates' THEN dated WHEN 'lastmods' THEN moves_dated ELSE 0 END AS a,
        -- Lastmods move so many times as often as pages change.
        CASE basis WHEN 'lastmods' THEN coalesce(recall / precision, 1) ELSE 1 END AS moves,
        CASE basis WHEN 'dates' THEN n - x + dated WHEN 'lastmods' THEN moves_n - moves_x + moves_dated ELSE 0 END
            AS plain_n,
        CASE basis WHEN 'dates' THEN undated_spans WHEN 'content' THEN all_spans
            WHEN 'lastmods' THEN moves_spans END AS spans,
        CASE basis WHEN 'dates' THEN idle + ages WHEN 'content' THEN idle WHEN 'lastmods' THEN moves_idle + moves_ages
            ELSE 0 END AS b,
        coalesce(list_sum(list_transform(spans, lambda e: e.n * e.span))
            / list_sum(list_transform(spans, lambda e: e.n)) / 2, 0) AS half
    FROM based
"""
#: Groups: pages of a section with one changefreq, and all pages of a host. Some pages of each are enough to know it.
_SAMPLE: Final = f"""
    CREATE TABLE sample AS
    WITH each AS (
        SELECT 'own' AS level, section, coalesce(changefreq, '') AS changefreq, loc, a, b, half, spans
        FROM evidence WHERE basis IS NOT NULL
        UNION ALL SELECT 'site', host, '', loc, a, b, half, spans FROM evidence WHERE basis IS NOT NULL
    )
    FROM each QUALIFY count(*) OVER (PARTITION BY level, section, changefreq) >= {_MIN_GROUP}
        AND row_number() OVER (PARTITION BY level, section, changefreq ORDER BY hash(loc), loc) <= {_MOST_DRAWN}
"""
#: The first guess: all pages alike.
_FIRST: Final = f"""
    CREATE TABLE groups AS
    SELECT level, section, changefreq,
        sum(solved(a, greatest(b + half, {_LEAST_TIME}), spans) * (b + half)) / sum(b + half) AS mean,
        1::DOUBLE AS shape
    FROM sample GROUP BY level, section, changefreq
    HAVING sum(a) > 0 OR count(spans) > 0
"""
#: One step of expectation and maximization for a gamma distribution, by the mean of the rates and that of their
#: logarithms. Source: Minka, Estimating a gamma distribution (2002), for the shape of both.
_BETTER: Final = f"""
    CREATE OR REPLACE TABLE groups AS
    WITH solved AS (
        SELECT sample.level, sample.section, sample.changefreq, a + shape AS a, spans,
            solved(a + shape, b + shape / mean, spans) AS rate
        FROM sample JOIN groups USING (level, section, changefreq)
    ), moments AS (
        SELECT level, section, changefreq, avg(rate) AS mean,
            greatest(ln(avg(rate)) - avg(ln(rate) - 1 / (2 * informed(rate, a, spans))), 1e-9) AS s
        FROM solved GROUP BY level, section, changefreq
    )
    SELECT level, section, changefreq, mean,
        least(greatest((3 - s + sqrt((s - 3) * (s - 3) + 24 * s)) / (12 * s), {_LEAST_SHAPE}), {_MOST_SHAPE}) AS shape
    FROM moments
"""
#: The prior of each page, and the rate. Without a prior, a page that was never seen to change counts as half a change.
#: Source: Jeffreys' prior for the rate of a Poisson process.
_RATES: Final = f"""
    CREATE TABLE rates AS
    WITH literal AS (SELECT unnest({list(_CHANGEFREQS)}) AS changefreq, unnest({list(_CHANGEFREQS.values())}) AS mean),
    prior AS (
        SELECT evidence.*,
            CASE WHEN own.mean IS NOT NULL THEN 'section' WHEN literal.mean IS NOT NULL THEN 'changefreq'
                WHEN site.mean IS NOT NULL THEN 'site' END AS prior,
            coalesce(own.shape, CASE WHEN literal.mean IS NOT NULL THEN 1 END, site.shape, 0) AS prior_a,
            coalesce(prior_a / coalesce(own.mean, literal.mean, site.mean), 0) AS prior_b
        FROM evidence
            LEFT JOIN groups AS own ON own.level = 'own' AND own.section = evidence.section
                AND own.changefreq = coalesce(evidence.changefreq, '')
            LEFT JOIN literal ON literal.changefreq = evidence.changefreq
            LEFT JOIN groups AS site ON site.level = 'site' AND site.section = evidence.host
    ), summed AS (
        SELECT *, CASE WHEN prior_a > 0 THEN a + prior_a
                WHEN spans IS NULL THEN greatest(dated_changes(a, plain_n), 0.5)
                ELSE dated_changes(a, plain_n) END AS events,
            greatest(b + CASE WHEN prior_a > 0 THEN prior_b ELSE half END, {_LEAST_TIME}) AS time
        FROM prior
    ), estimated AS (
        SELECT *, CASE WHEN basis IS NOT NULL OR prior IS NOT NULL THEN solved(events, time, spans) END AS rate,
            greatest(informed(rate, events, spans), 0.05) AS shape
        FROM summed
    )
    SELECT place, loc, rate / moves AS change_rate, rate / moves * gamma_low(shape) AS low,
        rate / moves * gamma_high(shape) AS high, section,
        looks::BIGINT AS looks, changes::BIGINT AS changes, coalesce(basis, prior) AS basis, precision, recall,
        signals, make_timestamptz(fetched) AS fetched, bytes, priority, inlinks
    FROM estimated
"""


def estimate(connection: DuckDBPyConnection) -> None:
    """Create the table `rates`, with a row for each page, of the tables that `count_steps` makes."""
    for macro in _MACROS:
        connection.execute(f"CREATE OR REPLACE TEMP MACRO {macro}")
    for statement in (_EVIDENCE, _SAMPLE, _FIRST, *[_BETTER] * _ROUNDS, _RATES):
        connection.execute(statement)
