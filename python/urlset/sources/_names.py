"""From the names that somebody's columns have to ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from urlset._model.errors import InputError
from urlset._util.duckdb import identifier
from urlset._util.text import did_you_mean, escape_controls

#: The columns that `publish` knows.
KNOWN = (
    *("loc", "lastmod", "changefreq", "priority", "images", "videos", "news", "alternates"),
    *("group", "lang", "evidence", "content", "file"),
)
#: Columns, and characters of each, that an error names.
_MOST_SHOWN = 20
_LONGEST_SHOWN = 60


def rename(columns: Sequence[str], mapping: Mapping[str, str], keep: Sequence[str] = ()) -> list[tuple[str, str]]:
    """What is taken of a table, as pairs of the column's name and the one that it gets, in the order of ours.

    `mapping` leads from our names to theirs, as in `{"loc": "url"}`. What it does not say has our name already, or
    stays away; a column that it gives another name is not taken under its own too. The columns of `keep` come as well,
    last and under their own names. Names that differ in case are the same, unless the table has both, and then it is
    the one that is written alike.

    Raises InputError for a name of ours that there is not, for a column that there is not, for one that could be
    either of two, and where two columns would have one name.
    """
    for ours in mapping:
        if ours not in KNOWN:
            raise InputError(f"there is no column {_shown(ours)} to map to{did_you_mean(ours, KNOWN, or_all=True)}")
    mapped = {ours: _find(columns, theirs) for ours, theirs in mapping.items()}
    pairs = []
    for ours in KNOWN:
        theirs = mapped[ours] if ours in mapped else _find(columns, ours)
        if ours in mapped and theirs is None:
            raise _missing(columns, mapping[ours], f"{ours} is to be made of")
        if theirs is not None and (ours in mapped or theirs not in mapped.values()):
            pairs.append((theirs, ours))
    for wanted in keep:
        theirs = _find(columns, wanted)
        if theirs is None:
            raise _missing(columns, wanted, "what is wanted beside is")
        if not any(theirs == column and theirs.lower() == name.lower() for column, name in pairs):
            pairs.append((theirs, theirs))
    _check_distinct(pairs)
    return pairs


def select(columns: Sequence[str], mapping: Mapping[str, str], keep: Sequence[str] = ()) -> str:
    """The same as the list of a SELECT of DuckDB's: `"url" AS "loc", "lastmod" AS "lastmod"`.

    Raises InputError as `rename` does, where nothing is left, and for a column of which there is another that only
    differs in case: DuckDB would take the first of both.
    """
    pairs = rename(columns, mapping, keep)
    if not pairs:
        raise InputError(f"none of the columns is one of ours: say which is loc; {_listed(columns)}")
    lower = Counter(name.lower() for name in columns)
    for theirs, _ in pairs:
        if lower[theirs.lower()] > 1:
            raise InputError(f"the table has more than one column {_shown(theirs.lower())}: give them other names")
    return ", ".join(f"{identifier(theirs)} AS {identifier(ours)}" for theirs, ours in pairs)


def renamed(rows: Iterable[Mapping[str, object]], pairs: Sequence[tuple[str, str]]) -> Iterator[dict[str, object]]:
    """Rows of their columns as rows of ours, by what `rename` found; every row has every column."""
    return ({ours: row[theirs] for theirs, ours in pairs} for row in rows)


def _find(columns: Sequence[str], wanted: str) -> str | None:
    """The column of that name, else the one whose name only differs in case."""
    found = [name for name in columns if name == wanted] or [name for name in columns if name.lower() == wanted.lower()]
    if len(found) > 1:
        both = " and ".join(_shown(name) for name in found[:2])
        raise InputError(f"the table has {both}, and either could be {_shown(wanted)}: give one another name")
    return found[0] if found else None


def _check_distinct(pairs: Sequence[tuple[str, str]]) -> None:
    taken: dict[str, str] = {}
    for theirs, ours in pairs:
        other = taken.setdefault(ours.lower(), theirs)
        if other != theirs:
            raise InputError(
                f"two columns would be {_shown(ours)}: {_shown(other)}, which is mapped to it, and {_shown(theirs)}, "
                "which is to keep its name"
            )


def _missing(columns: Sequence[str], name: str, what: str) -> InputError:
    near = escape_controls(did_you_mean(name, columns))
    return InputError(f"{what} the column {_shown(name)}, and there is none{near or f'; {_listed(columns)}'}")


def _listed(columns: Sequence[str]) -> str:
    if not columns:
        return "the table has no columns"
    more = f" and {len(columns) - _MOST_SHOWN} more" if len(columns) > _MOST_SHOWN else ""
    return f"the columns are {', '.join(_shown(name) for name in columns[:_MOST_SHOWN])}{more}"


def _shown(name: str) -> str:
    return escape_controls(name if len(name) <= _LONGEST_SHOWN else name[:_LONGEST_SHOWN] + "…")
