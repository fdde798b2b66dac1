"""Tables that are not as Arrow has them, as a faulty or hostile producer hands them out."""

from __future__ import annotations

from importlib import import_module
from io import BytesIO
from typing import Any

import pytest
import urlset
from urlset import InputError

pa: Any = import_module("pyarrow")


def texts(data: bytes, offsets: list[int]) -> Any:
    """A column of texts of these bytes, which nobody has looked at."""
    positions = pa.py_buffer(b"".join(offset.to_bytes(4, "little") for offset in offsets))
    return pa.StringArray.from_buffers(len(offsets) - 1, positions, pa.py_buffer(data))


GOOD = b"https://example.com/a"


@pytest.mark.parametrize(
    "column",
    [
        texts(b"https://example.com/\xff", [0, 21]),
        texts(b"https://example.com/\xc3", [0, 21]),
        texts("https://example.com/é".encode(), [0, 21, 22]),
    ],
    ids=["a byte", "half a character", "a cut character"],
)
@pytest.mark.parametrize("name", ["loc", "changefreq", "lastmod"])
def test_a_broken_column_is_refused(column: Any, name: str) -> None:
    columns = {"loc": pa.array([GOOD.decode()] * len(column)), name: column}
    table = pa.Table.from_arrays(list(columns.values()), names=list(columns))
    with pytest.raises(InputError, match=f'the column "{name}" is not valid Arrow data'):
        urlset.write(table, BytesIO())


def test_broken_texts_inside_of_lists_are_refused_too() -> None:
    images = pa.ListArray.from_arrays([0, 1], texts(b"\xff", [0, 1]))
    table = pa.Table.from_arrays([pa.array([GOOD.decode()]), images], names=["loc", "images"])
    with pytest.raises(InputError, match='the column "images" is not valid Arrow data'):
        urlset.write(table, BytesIO())


@pytest.mark.parametrize("offsets", [[0, 3], [-1, 1], [2, 1], [0, 2, 1], [0, 5, 2], [-2, -1]], ids=str)
def test_lists_that_are_not_a_part_of_their_items_are_refused(offsets: list[int]) -> None:
    memory = bytearray(4 * len(offsets))
    items, rows = pa.array([GOOD.decode()] * 2), len(offsets) - 1
    images = pa.Array.from_buffers(pa.list_(pa.string()), rows, [None, pa.py_buffer(memory)], children=[items])
    table = pa.Table.from_arrays([pa.array([GOOD.decode()] * rows), images], names=["loc", "images"])
    # Written at last, because pyarrow looks at offsets.
    memory[:] = b"".join(offset.to_bytes(4, "little", signed=True) for offset in offsets)
    with pytest.raises(InputError, match="images"):
        urlset.write(table, BytesIO())
