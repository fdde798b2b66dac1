"""The entries of a set without what an audit has found wrong with them, as rows for `publish`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from urlset._model.entries import UrlEntry

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._read.scan import Scan

#: What is done about the finding of a rule. What is inconclusive stays as it is.
_REMOVED: Final = ("LIVE001", "LIVE004", "LIVE012", "LIVE013", "LIVE022")
_DATED: Final = ("LIVE008", "LIVE015")
#: The change for each page that has one: the loc to list, NULL to remove the entry, and the lastmod to state.
_CHANGES: Final = f"""
    CREATE OR REPLACE TEMP TABLE changes AS
    WITH found AS (SELECT loc, code, detail FROM hits WHERE run = {{run}} AND verdict = 'found'),
    dated AS (
        SELECT loc, strftime(coalesce(
            CASE WHEN code = 'LIVE008' THEN page_date END, greatest(json_modified, modified), header_date
        ), '%Y-%m-%dT%H:%M:%SZ') AS lastmod
        FROM found JOIN look USING (loc) WHERE code IN {_DATED}
    ),
    wanted AS (
        SELECT loc, bool_or(code IN {_REMOVED}) AS is_removed,
            any_value(CASE code WHEN 'LIVE003' THEN look.final_url WHEN 'LIVE005' THEN look.canonical END) AS target,
            any_value(dated.lastmod) AS lastmod
        FROM found JOIN look USING (loc) LEFT JOIN dated USING (loc)
        WHERE code IN {(*_REMOVED, *_DATED, "LIVE003", "LIVE005")}
        GROUP BY loc
    )
    -- The entry of a target itself, if there is one, says more of it than one that only leads there.
    SELECT loc, lastmod, target, is_removed OR coalesce(target IN (
        SELECT url FROM spelled WHERE loc NOT IN (SELECT loc FROM wanted WHERE is_removed)
    ), false) AS is_removed
    FROM wanted
"""
#: Entries that are looked up at once.
_BATCH: Final = 5_000


def make_changes(connection: DuckDBPyConnection, run: int) -> None:
    """Make the table `changes`."""
    connection.execute(_CHANGES.format(run=int(run)))


def cleaned(connection: DuckDBPyConnection, entries: Scan) -> Iterator[UrlEntry]:
    """Yield the entries as they should be: each loc once, what is no page left out, redirects and canonicals followed.

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
    """Return a loc in the 16 bytes that are remembered of each."""
    return hashlib.blake2b(loc.encode("utf-8", "surrogatepass"), digest_size=16).digest()
