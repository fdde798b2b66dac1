"""The table of what is read: its columns, and the size of its batches."""

from __future__ import annotations

from collections.abc import Sequence

from urlset import _core
from urlset._model.errors import InputError

ALL_COLUMNS = tuple(_core.columns())

#: Rows of a full batch.
BATCH_ROWS = 32_768
#: Rows of a full batch if all rows are held anyway: more than a sitemap may have, so that it is one batch.
HELD_BATCH_ROWS = 65_536


def chosen_columns(columns: Sequence[str] | None) -> list[str] | None:
    """Return the columns that the caller names; all if None. Whether there are such is for the core to say.

    Raises:
        InputError: They are a text, or one is there twice.
    """
    if columns is None:
        return None
    if isinstance(columns, str):
        raise InputError(f"columns must be a list of names, got one str, {columns!r}")
    if len(set(columns)) != len(columns):
        raise InputError(f"columns must name each column once, got {', '.join(columns)}")
    return list(columns)
