"""Match the columns of a table to the columns that urlset knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from urlset._model.errors import InputError
from urlset._options.publish import KNOWN_COLUMNS
from urlset._util.text import did_you_mean, escape_controls

#: The most columns that an error names, and the most characters of each.
_MAX_SHOWN = 20
_LONGEST_SHOWN = 60


def match_columns(
    columns: Sequence[str], mapping: Mapping[str, str], keep: Sequence[str] = ()
) -> list[tuple[str, str]]:
    """Return the columns to take from a table, as pairs of its own name and the new name, in their usual order.

    A known column that is not in `mapping` is taken under its own name if the table has it. A column that `mapping`
    renames is not taken under its own name as well. Names match regardless of case; if the table has several that
    differ only in case, the exact match counts.

    Args:
        columns: The names of the table's columns.
        mapping: Names of the table by known name, such as `{"loc": "url"}`.
        keep: Further columns of the table to take under their own names, after the others.

    Raises:
        InputError: A name in `mapping` is unknown, a column is missing or ambiguous, or two would get the same name.
    """
    for known in mapping:
        if known not in KNOWN_COLUMNS:
            raise InputError(f"unknown column mapping {_shown(known)}{did_you_mean(known, KNOWN_COLUMNS, or_all=True)}")
    mapped = {known: _find(columns, name) for known, name in mapping.items()}
    pairs = []
    for known in KNOWN_COLUMNS:
        found = mapped[known] if known in mapped else _find(columns, known)
        if known in mapped and found is None:
            raise _missing(columns, mapping[known], f", which {known} is mapped to")
        if found is not None and (known in mapped or found not in mapped.values()):
            pairs.append((found, known))
    for name in keep:
        found = _find(columns, name)
        if found is None:
            raise _missing(columns, name, "")
        if not any(found == column and found.lower() == new.lower() for column, new in pairs):
            pairs.append((found, found))
    _check_distinct(pairs)
    return pairs


def rename_rows(rows: Iterable[Mapping[str, object]], pairs: Sequence[tuple[str, str]]) -> Iterator[dict[str, object]]:
    """Rename the columns of rows by what `match_columns` returned. Every row must have every column."""
    return ({new: row[column] for column, new in pairs} for row in rows)


def _find(columns: Sequence[str], name: str) -> str | None:
    """Return the column of that name, else the one whose name differs only in case."""
    found = [column for column in columns if column == name]
    found = found or [column for column in columns if column.lower() == name.lower()]
    if len(found) > 1:
        both = " and ".join(_shown(column) for column in found[:2])
        raise InputError(f"the column {_shown(name)} is ambiguous: the table has {both}; rename one of them")
    return found[0] if found else None


def _check_distinct(pairs: Sequence[tuple[str, str]]) -> None:
    taken: dict[str, str] = {}
    for column, new in pairs:
        other = taken.setdefault(new.lower(), column)
        if other != column:
            raise InputError(
                f"two columns would be named {_shown(new)}: {_shown(other)}, which is mapped to it, and "
                f"{_shown(column)}, which keeps its name"
            )


def _missing(columns: Sequence[str], name: str, purpose: str) -> InputError:
    near = escape_controls(did_you_mean(name, columns))
    return InputError(f"there is no column {_shown(name)}{purpose}{near or f'; {_list_columns(columns)}'}")


def _list_columns(columns: Sequence[str]) -> str:
    if not columns:
        return "the table has no columns"
    more = f" and {len(columns) - _MAX_SHOWN} more" if len(columns) > _MAX_SHOWN else ""
    return f"the columns are {', '.join(_shown(name) for name in columns[:_MAX_SHOWN])}{more}"


def _shown(name: str) -> str:
    return escape_controls(name if len(name) <= _LONGEST_SHOWN else name[:_LONGEST_SHOWN] + "…")
