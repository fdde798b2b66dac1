"""The entries of a set without what an audit has found wrong with them, as rows for `publish`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from urlset import _core
from urlset._audit.rules import RULES
from urlset._model.entries import UrlEntry

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._read.scan import Scan

_CORRECTED: Final = [(rule.code, rule.correction) for rule in RULES.values() if rule.correction is not None]
#: The change for each page that has one: the loc to list, NULL to leave the entry out, and the lastmod to state. What
#: is inconclusive stays as it is.
_CHANGES: Final = f"""
    CREATE OR REPLACE TEMP TABLE changes AS
    WITH wanted AS (
        SELECT loc,
            bool_or(code IN {tuple(code for code, correction in _CORRECTED if correction.removes)}) AS is_removed,
            any_value(CASE code {" ".join(f"WHEN '{code}' THEN {each.loc}" for code, each in _CORRECTED)} END)
                AS target,
            any_value(CASE code {" ".join(f"WHEN '{code}' THEN {each.url}" for code, each in _CORRECTED)} END) AS url,
            strftime(any_value(
                CASE code {" ".join(f"WHEN '{code}' THEN {each.lastmod}" for code, each in _CORRECTED)} END
            ), '%Y-%m-%dT%H:%M:%SZ') AS lastmod
        FROM page_findings JOIN page_view USING (loc)
        WHERE page_findings.run = {{run}} AND verdict = 'found' AND code IN {tuple(code for code, _ in _CORRECTED)}
        GROUP BY loc
    )
    -- The entry of a target itself, if there is one, says more of it than one that only leads there.
    SELECT loc, lastmod, target, is_removed OR coalesce(wanted.url IN (
        SELECT url FROM normalized WHERE loc NOT IN (SELECT loc FROM wanted WHERE is_removed)
    ), false) AS is_removed
    FROM wanted
"""
#: Entries that are looked up at once.
_BATCH: Final = 5_000


def make_changes(connection: DuckDBPyConnection, run: int) -> None:
    """Make the table `changes`."""
    connection.execute(_CHANGES.format(run=int(run)))


def corrected_rows(connection: DuckDBPyConnection, entries: Scan) -> Iterator[UrlEntry]:
    """Yield the entries as they should be: each loc once, without pages that are left out, with links followed.

    Nothing else of an entry changes: images, videos, news and alternates stay.
    """
    listed: set[bytes] = set()
    batch: list[UrlEntry] = []
    for entry in entries:
        if isinstance(entry, UrlEntry) and entry.loc is not None:
            batch.append(entry)
        if len(batch) >= _BATCH:
            yield from _changed(connection, batch, listed)
            batch = []
    yield from _changed(connection, batch, listed)


def _changed(connection: DuckDBPyConnection, batch: list[UrlEntry], listed: set[bytes]) -> Iterator[UrlEntry]:
    locs = [entry.loc for entry in batch]
    rows = connection.execute(
        "SELECT loc, is_removed, target, lastmod FROM changes WHERE loc IN (SELECT unnest(?))", [locs]
    ).fetchall()
    changes = {loc: (is_removed, target, lastmod) for loc, is_removed, target, lastmod in rows}
    for entry in batch:
        is_removed, target, lastmod = changes.get(entry.loc, (False, None, None))
        loc = target or entry.loc or ""
        key = _key(loc)
        if is_removed or key in listed:
            continue
        listed.add(key)
        changed = entry if target is None else replace(entry, loc=loc)
        yield changed if lastmod is None else replace(changed, lastmod=lastmod, lastmod_raw=lastmod)


def _key(loc: str) -> bytes:
    """Return what is remembered of each loc: 16 bytes, the same for all its spellings."""
    return hashlib.blake2b(_core.normalized_url(loc).encode("utf-8", "surrogatepass"), digest_size=16).digest()
