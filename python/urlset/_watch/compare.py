"""What has changed since the last run: SQL over the state and what this run has seen, all in its one transaction.

A loc is what its latest entry says, in whatever sitemap that is, and however its URL is written. It counts as removed
once no sitemap lists it, and a sitemap that was not read whole, or not at all, goes on listing what it listed before.
`schema` describes the tables.
"""

from __future__ import annotations

from typing import Final

from urlset._watch.holding import HeldSitemap, hold_back, mark_held
from urlset._watch.schema import BY_LOC, COMPARISON
from urlset._watch.state import State

#: Runs whose changes are kept at least.
KEPT: Final = 1_000

#: Sitemaps that are not listed any more by anything that would know.
_GONE: Final = """
    INSERT INTO temp.gone SELECT sitemap FROM sitemaps AS old
    WHERE sitemap NOT IN (SELECT sitemap FROM temp.seen) AND sitemap NOT IN (SELECT sitemap FROM temp.gone)
    AND NOT EXISTS (
        SELECT 1 FROM listings WHERE child = old.sitemap AND parent <> child
        AND parent NOT IN (SELECT sitemap FROM temp.seen WHERE state = 'whole')
        AND parent NOT IN (SELECT sitemap FROM temp.gone)
    )
"""
_NEW: Final = "temp.seen.sitemap NOT IN (SELECT sitemap FROM sitemaps)"
#: Pairs of a sitemap that is gone and a new one that is the same: how that is known, and how well.
_PAIRS: Final = f"""
    WITH pairs AS (
        SELECT old.sitemap AS old, new.sitemap AS new,
            CASE
                WHEN new.url = old.final_url OR new.final_url IN (old.url, old.final_url) THEN 'redirect'
                WHEN new.sha256 = old.sha256 THEN 'body'
            END AS how
        FROM sitemaps AS old JOIN temp.gone USING (sitemap) JOIN temp.seen AS new
        WHERE new.sitemap NOT IN (SELECT sitemap FROM sitemaps)
    ), sizes AS (
        SELECT sitemap, count(*) AS size FROM entries WHERE sitemap IN (SELECT sitemap FROM temp.gone) GROUP BY sitemap
        UNION ALL
        SELECT sitemap, count(*) FROM temp.staged
        WHERE sitemap IN (SELECT sitemap FROM temp.seen WHERE {_NEW}) GROUP BY sitemap
    ), shared AS (
        SELECT entries.sitemap AS old, staged.sitemap AS new, count(*) AS size
        FROM temp.staged AS staged CROSS JOIN entries USING (loc)
        WHERE entries.sitemap IN (SELECT sitemap FROM temp.gone)
        AND staged.sitemap NOT IN (SELECT sitemap FROM sitemaps)
        GROUP BY 1, 2
    )
    SELECT old, new, how FROM (
        SELECT old, new, how, 0 AS size FROM pairs WHERE how IS NOT NULL
        UNION ALL
        SELECT shared.old, shared.new, 'entries', shared.size FROM shared
        JOIN sizes AS a ON a.sitemap = shared.old JOIN sizes AS b ON b.sitemap = shared.new
        WHERE 2 * shared.size >= max(a.size, b.size)
    ) ORDER BY CASE how WHEN 'redirect' THEN 0 WHEN 'body' THEN 1 ELSE 2 END, size DESC, old, new
"""  # noqa: S608
_LATE: Final = """
    UPDATE temp.seen SET is_late = 1
    WHERE NOT is_late AND coalesce((SELECT first_look = 1 AND whole_look = 0 FROM sitemaps AS old
        WHERE old.sitemap = temp.seen.sitemap), EXISTS (SELECT 1 FROM temp.listed JOIN temp.seen AS above
        ON above.sitemap = parent WHERE child = temp.seen.sitemap AND above.is_late))
"""
_DIFFERS: Final = (
    "(old.moment IS NOT new.moment OR old.fields IS NOT new.fields"
    " OR (new.moment IS NULL AND old.lastmod IS NOT new.lastmod))"
)
_TOUCHED: Final = (
    """
    INSERT INTO temp.dropped SELECT sitemap, loc FROM entries AS old
    WHERE sitemap IN (SELECT sitemap FROM temp.gone)
    OR sitemap IN (SELECT sitemap FROM temp.seen WHERE state = 'whole')
    AND NOT EXISTS (SELECT 1 FROM temp.staged AS new WHERE new.sitemap = old.sitemap AND new.loc = old.loc)
    """,
    "INSERT INTO temp.touched SELECT DISTINCT loc FROM temp.dropped",
    f"""
    INSERT OR IGNORE INTO temp.touched SELECT new.loc FROM temp.staged AS new
    LEFT JOIN entries AS old ON old.sitemap = new.sitemap AND old.loc = new.loc
    WHERE old.loc IS NULL OR {_DIFFERS}
    """,  # noqa: S608
    # A page that is written in another way now is the same page, and the state goes on with the new text.
    """
    INSERT INTO temp.forms
    SELECT loc, normalized_url(loc), EXISTS (SELECT 1 FROM temp.staged AS new WHERE new.loc = touched.loc)
    FROM temp.touched
    """,
    """
    INSERT OR IGNORE INTO temp.rewritten
    SELECT old.loc, new.loc FROM temp.forms AS old JOIN temp.forms AS new USING (form)
    WHERE NOT old.is_staged AND new.is_staged AND new.loc NOT IN (SELECT loc FROM entries)
    """,
    "UPDATE OR REPLACE entries SET loc = (SELECT new FROM temp.rewritten WHERE old = loc)"
    " WHERE loc IN (SELECT old FROM temp.rewritten)",
    "DELETE FROM temp.dropped WHERE loc IN (SELECT old FROM temp.rewritten)",
    "DELETE FROM temp.touched WHERE loc IN (SELECT old FROM temp.rewritten)",
    """
    INSERT INTO temp.before_sitemaps
    SELECT loc, sitemap FROM temp.touched CROSS JOIN entries USING (loc)
    """,
)
#: What each of the locs is, before or after. A sitemap that was found by the URL of its site is named by its own.
_FACTS: Final = """
    INSERT INTO temp.{name}
    SELECT loc, moment, lastmod, fields, iif(is_root AND final_url <> url AND is_site(url), final_url, url), form FROM (
        SELECT loc, moment, lastmod, fields, sitemap,
            row_number() OVER (PARTITION BY loc ORDER BY moment DESC NULLS LAST, sitemap) AS place
        FROM temp.touched CROSS JOIN entries USING (loc)
    ) JOIN sitemaps USING (sitemap) WHERE place = 1
"""
_APPLY: Final = (
    "DELETE FROM entries WHERE (sitemap, loc) IN (SELECT sitemap, loc FROM temp.dropped)",
    """
    INSERT INTO entries SELECT sitemap, loc, moment, lastmod, fields FROM temp.staged
    WHERE loc IN (SELECT loc FROM temp.touched)
    ON CONFLICT DO UPDATE SET moment = excluded.moment, lastmod = excluded.lastmod, fields = excluded.fields
    """,
)
#: What entries that are new need of their sitemaps. The rest of these is for the end.
_URLS: Final = (
    """
    UPDATE sitemaps SET
        url = new.url, final_url = coalesce(new.final_url, sitemaps.final_url), form = coalesce(new.form, sitemaps.form)
    FROM temp.seen AS new WHERE new.sitemap = sitemaps.sitemap
    """,
    f"""
    INSERT INTO sitemaps SELECT sitemap, url, final_url, kind, sha256, form, 0, 0, is_root, size, 0 FROM temp.seen
    WHERE {_NEW}
    """,  # noqa: S608
)
_SITEMAPS: Final = (
    "DELETE FROM listings WHERE child IN (SELECT sitemap FROM temp.gone)",
    "DELETE FROM listings WHERE parent IN (SELECT sitemap FROM temp.seen WHERE state = 'whole')",
    "DELETE FROM listings WHERE parent IN (SELECT sitemap FROM temp.gone)",
    "DELETE FROM sitemaps WHERE sitemap IN (SELECT sitemap FROM temp.gone)",
    """
    INSERT INTO sitemaps
    SELECT sitemap, url, final_url, kind, sha256, form, $run, iif(state IN ('whole', 'same'), $run, 0), is_root, size, 0
    FROM temp.seen WHERE true
    ON CONFLICT (sitemap) DO UPDATE SET
        url = excluded.url, is_root = excluded.is_root,
        first_look = iif(first_look = 0, excluded.first_look, first_look),
        whole_look = max(whole_look, excluded.whole_look),
        final_url = coalesce(excluded.final_url, final_url), kind = coalesce(excluded.kind, kind),
        size = coalesce(excluded.size, size),
        sha256 = iif(excluded.final_url IS NULL, sha256, excluded.sha256)
    """,
    "INSERT OR IGNORE INTO listings SELECT parent, child FROM temp.listed",
)
_OF_SITEMAPS: Final = (
    """
    INSERT INTO changes SELECT $run, 'added', 'sitemap', url, NULL, NULL, NULL, coalesce(final_url, url), NULL
    FROM temp.seen WHERE sitemap NOT IN (SELECT sitemap FROM sitemaps) AND NOT is_late ORDER BY url
    """,
    """
    INSERT INTO changes SELECT $run, 'removed', 'sitemap', url, NULL, NULL, NULL, NULL, coalesce(final_url, url)
    FROM sitemaps WHERE sitemap IN (SELECT sitemap FROM temp.gone) ORDER BY url
    """,
    """
    INSERT INTO changes SELECT $run, 'moved', 'sitemap', new.url, 'redirect', NULL, NULL, new.final_url, old.final_url
    FROM temp.seen AS new JOIN sitemaps AS old USING (sitemap)
    WHERE new.url = old.url AND new.final_url <> old.final_url ORDER BY new.url
    """,
)
_OF_PAGES: Final = (
    """
    INSERT INTO changes SELECT $run, 'added', 'page', loc, NULL, lastmod, NULL, url, NULL FROM temp.after
    WHERE loc NOT IN (SELECT loc FROM temp.before) AND EXISTS (
        SELECT 1 FROM entries WHERE entries.loc = temp.after.loc
        AND sitemap NOT IN (SELECT sitemap FROM temp.seen WHERE is_late)
    ) ORDER BY loc
    """,
    """
    INSERT INTO changes SELECT $run, 'removed', 'page', loc, NULL, NULL, lastmod, NULL, url FROM temp.before
    WHERE loc NOT IN (SELECT loc FROM temp.after) ORDER BY loc
    """,
    """
    INSERT INTO changes SELECT $run, 'lastmod', 'page', loc,
        CASE
            WHEN old.lastmod IS NULL THEN 'appeared' WHEN new.lastmod IS NULL THEN 'vanished'
            WHEN new.moment >> 2 > old.moment >> 2 THEN 'forward' WHEN new.moment >> 2 < old.moment >> 2 THEN 'backward'
            ELSE 'rewritten'
        END, new.lastmod, old.lastmod, new.url, old.url
    FROM temp.before AS old JOIN temp.after AS new USING (loc)
    WHERE old.moment IS NOT new.moment OR (new.moment IS NULL AND old.lastmod IS NOT new.lastmod) ORDER BY loc
    """,
    """
    INSERT INTO changes SELECT $run, 'fields', 'page', loc, NULL, new.lastmod, old.lastmod, new.url, old.url
    FROM temp.before AS old JOIN temp.after AS new USING (loc)
    WHERE old.fields IS NOT new.fields AND old.form IS new.form ORDER BY loc
    """,
    """
    INSERT INTO changes SELECT $run, 'moved', 'page', loc, NULL, new.lastmod, old.lastmod, new.url, old.url
    FROM temp.before AS old JOIN temp.after AS new USING (loc)
    WHERE NOT EXISTS (
        SELECT 1 FROM temp.before_sitemaps AS was JOIN entries USING (sitemap, loc) WHERE was.loc = old.loc
    ) ORDER BY loc
    """,
)


def end_look(state: State, sources: list[str], began: str, failures: int) -> tuple[HeldSitemap, ...]:
    """Compare what was seen with the state, and make it the state, with its changes, in one transaction.

    Returns:
        The sitemaps that are held back.
    """
    held: tuple[HeldSitemap, ...] = ()
    execute = state.connection.execute
    run = state.last_run + 1
    with state.transaction():
        for table in COMPARISON:
            execute(table)
        if run == 1:
            for source in sources:
                execute("INSERT INTO watched VALUES (?)", [source])
            execute("INSERT INTO entries SELECT sitemap, loc, moment, lastmod, fields FROM temp.staged")
            execute(BY_LOC)
        else:
            held = hold_back(state)
            _compare(state, run)
        for statement in _SITEMAPS:
            execute(statement, {"run": run} if "$run" in statement else {})
        mark_held(state)
        has_changes = state.scalar("SELECT EXISTS (SELECT 1 FROM changes WHERE run = ?)", [run])
        sitemaps = state.scalar("SELECT count(*) FROM sitemaps WHERE kind <> 'robots'")  # of others nothing was read
        entries = state.scalar("SELECT coalesce(sum(size), 0) FROM sitemaps")
        execute(
            "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?)", [run, began, sitemaps, entries, failures, not has_changes]
        )
        kept = "run <= ? AND run IN (SELECT run FROM runs WHERE is_confirmed)"
        execute(f"DELETE FROM changes WHERE {kept}", [run - KEPT])  # noqa: S608
    return held


def _compare(state: State, run: int) -> None:
    execute, number = state.connection.execute, {"run": run}
    while execute(_GONE).rowcount:
        pass
    while execute(_LATE).rowcount:
        pass
    _join_moved(state, run)
    for statement in _OF_SITEMAPS:
        execute(statement, number)
    for statement in _TOUCHED:
        execute(statement)
    execute(_FACTS.format(name="before"))
    for statement in _APPLY:
        execute(statement)
    for statement in _URLS:
        execute(statement)
    execute(_FACTS.format(name="after"))
    for statement in _OF_PAGES:
        execute(statement, number)


def _join_moved(state: State, run: int) -> None:
    """Take new sitemaps for those that are gone, where they are the same at another URL."""
    execute = state.connection.execute
    joined: set[int] = set()
    if not state.scalar("SELECT EXISTS (SELECT 1 FROM temp.gone)"):
        return
    for old, new, how in execute(_PAIRS).fetchall():
        if old in joined or new in joined:
            continue
        joined |= {old, new}
        execute(
            "INSERT INTO changes SELECT ?, 'moved', 'sitemap', new.url, ?, NULL, NULL,"
            " coalesce(new.final_url, new.url), coalesce(old.final_url, old.url)"
            " FROM temp.seen AS new JOIN sitemaps AS old WHERE new.sitemap = ? AND old.sitemap = ?",
            [run, how, new, old],
        )
        execute("DELETE FROM temp.gone WHERE sitemap = ?", [old])
        execute("UPDATE temp.seen SET sitemap = ? WHERE sitemap = ?", [old, new])
        execute("UPDATE temp.staged SET sitemap = ? WHERE sitemap = ?", [old, new])
        for column in ("parent", "child"):
            execute(f"UPDATE temp.listed SET {column} = ? WHERE {column} = ?", [old, new])  # noqa: S608
