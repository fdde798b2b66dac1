"""SQL for the comparison of two sets, which DuckDB and Spark both run.

The two sides have a row per loc with the columns that `urlset._diff.tables` describes, and `key`, the normal form of
the loc.
"""

from __future__ import annotations

from collections.abc import Sequence

#: SQL for the precision of a lastmod, by its text: year (0), month, day, instant (3).
PRECISION = "CASE length({0}) WHEN 4 THEN 0 WHEN 7 THEN 1 WHEN 10 THEN 2 ELSE 3 END"


def changes_sql(old: str, new: str, fields: Sequence[str]) -> str:
    """Return the query for the locs that are not the same on both sides.

    Its columns are `loc`, `change`, the lastmods of both sides, and `fields`: a bit for each field that differs.

    Args:
        old: The table of the set before.
        new: The table of the set after.
        fields: The fields that are compared, in the order of their bits.
    """
    differences = [_difference(name) for name in fields]
    bits = [f"CAST({each} AS INTEGER) * {1 << bit}" for bit, each in enumerate(differences)]
    return f"""
        SELECT coalesce(o.loc, n.loc) AS loc,
            CASE WHEN o.loc IS NULL THEN 'added' WHEN n.loc IS NULL THEN 'removed' ELSE 'changed' END AS change,
            o.lastmod AS old_lastmod, o.raw AS old_raw, n.lastmod AS new_lastmod, n.raw AS new_raw,
            CASE WHEN o.loc IS NULL OR n.loc IS NULL THEN 0 ELSE {" + ".join(bits) or 0} END AS fields
        FROM {old} AS o FULL JOIN {new} AS n ON o.key = n.key
        WHERE {" OR ".join(["o.loc IS NULL", "n.loc IS NULL", *differences])}
    """  # noqa: S608


def _difference(name: str) -> str:
    """Return SQL for whether the two entries of a loc differ in a field."""
    columns = ("lastmod", "raw") if name == "lastmod" else (name,)
    return f"({' OR '.join(f'o.{column} IS DISTINCT FROM n.{column}' for column in columns)})"
