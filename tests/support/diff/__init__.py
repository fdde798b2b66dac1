"""What the tests of the diff share: what plain dicts say of two sets, and documents to compare."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

from hypothesis import strategies as st
from urlset import Diff
from urlset._diff.api import FIELDS, KINDS

from support.reading import CORE

pa: Any = import_module("pyarrow")

SITE = "https://example.com/"
DAY = datetime(2026, 1, 1, tzinfo=UTC)

Told = tuple[str, str, str | None, str | None, tuple[str, ...]]


def meant(entry: Any) -> tuple[Any, ...]:
    """What the lastmod of an entry means: a moment and how precise it is, or text that means none."""
    if entry.lastmod is None:
        return None, None, entry.lastmod_raw
    return entry.lastmod, {4: 0, 7: 1, 10: 2}.get(len(entry.lastmod_raw), 3), None


def told(entry: Any) -> str | None:
    """The same as text."""
    moment, precision, raw = meant(entry)
    text = str(raw) if moment is None else moment.replace(tzinfo=None).isoformat()
    if moment is None:
        return raw and text
    if precision < 3:
        return text[: (4, 7, 10)[precision]]
    return (text.rstrip("0") if "." in text else text) + "Z"


def rank(entry: Any) -> list[tuple[bool, Any]]:
    """By what one entry of a loc is chosen from several."""
    values = (*meant(entry), getattr(entry, "changefreq", None), getattr(entry, "priority", None))
    return [(value is not None, value) for value in values]


def by_loc(rows: Iterable[Any]) -> dict[str, Any]:
    """One entry of each loc."""
    found: dict[str, Any] = {}
    for row in rows:
        if row.loc is not None and (row.loc not in found or rank(row) > rank(found[row.loc])):
            found[row.loc] = row
    return found


def expected(old: Iterable[Any], new: Iterable[Any], fields: Sequence[str]) -> list[Told]:
    """All changes, in order."""
    before, after = by_loc(old), by_loc(new)
    changes: list[Told] = []
    for loc in sorted(before.keys() | after.keys()):
        one, two = before.get(loc), after.get(loc)
        if one is None or two is None:
            kind = "added" if one is None else "removed"
            changes.append((loc, kind, one and told(one), two and told(two), ()))
            continue
        differ = [
            name
            for name in FIELDS
            if name in fields
            and (meant(one) != meant(two) if name == "lastmod" else getattr(one, name) != getattr(two, name))
        ]
        if differ:
            changes.append((loc, "changed", told(one), told(two), tuple(differ)))
    return changes


def check(found: Diff, old: list[Any], new: list[Any], fields: Sequence[str] = ("lastmod",)) -> None:
    """Everything that a diff says, against the plain one."""
    changes = expected(old, new, fields)
    assert [astuple(change) for change in found] == changes
    assert [astuple(change) for change in found.first(3)] == changes[:3]
    counts = [sum(change[1] == kind for change in changes) for kind in KINDS]
    assert [found.added, found.removed, found.changed] == counts
    assert (len(found), bool(found)) == (len(changes), bool(changes))
    assert found.same == len(by_loc(old)) - found.removed - found.changed
    assert found.same == len(by_loc(new)) - found.added - found.changed
    sides = (
        (old, found.old_entries, found.duplicates_old, found.without_loc_old),
        (new, found.new_entries, found.duplicates_new, found.without_loc_new),
    )
    for rows, count, duplicates, without in sides:
        assert count == len(rows)
        assert without == sum(row.loc is None for row in rows)
        assert duplicates == count - without - len(by_loc(rows))
    assert found.failures == ()
    for kind in KINDS:
        assert [astuple(change) for change in found.only(kind)] == [each for each in changes if each[1] == kind]
    rows = pa.RecordBatchReader.from_stream(found).read_all().to_pylist()
    assert [(*list(row.values())[:4], tuple(row["fields"])) for row in rows] == changes


def xml(*rows: tuple[str | None, str | None] | tuple[str | None, str | None, str]) -> bytes:
    """A urlset of locs, lastmods and whatever else there is of an entry."""
    parts = []
    for loc, lastmod, *more in rows:
        loc_ = "" if loc is None else f"<loc>{loc}</loc>"
        lastmod_ = "" if lastmod is None else f"<lastmod>{lastmod}</lastmod>"
        parts.append(f"<url>{loc_}{lastmod_}{''.join(more)}</url>\n")
    return f'<urlset xmlns="{CORE}">\n{"".join(parts)}</urlset>'.encode()


# Few locs, so that many are in both sets and some stand twice; few lastmods, so that many are the same.
LOCS = st.sampled_from([f"{SITE}{page}" for page in ("", "a", "b", "é", "c?d=1", "😀", "Z")])
LASTMODS = st.sampled_from(
    [
        *(None, "2026", "2026-01", "2026-01-01", "2026-01-01T00:00Z", "2026-01-01T00:00:00+00:00"),
        *("2026-01-01T01:00:00+01:00", "2025-12-31T19:00:00.000-05:00", "2026-01-01T00:00:00.5Z"),
        *("2026-01-01T00:00:00.500001Z", "1969-12-31T23:59:59.75Z", "0001-01-01", "9999-12-31T23:59:59.999999Z"),
        *("yesterday", "2026-02-30", "2026-01-01T00:00:00", "2026-01-01T24:00:00Z"),
        *("0000-01-01", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:00-00:01", "2026-01-01T00:00:00+24:00"),
    ]
)
