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


@pytest.mark.parametrize("at", [0, 9_999, 10_000, 19_999])
@pytest.mark.parametrize("broken", [b"\xff", b"\xc3"], ids=["a byte", "half a character"])
def test_one_broken_text_among_many_is_refused(at: int, broken: bytes) -> None:
    """There are more than a MiB of them, of which two threads look at half each."""
    locs = [GOOD + b"%050d" % number for number in range(20_000)]
    size = len(locs[0])
    locs[at] = locs[at][:-1] + broken
    column = texts(b"".join(locs), list(range(0, size * len(locs) + 1, size)))
    with pytest.raises(InputError, match='the column "loc" is not valid Arrow data'):
        urlset.write(pa.Table.from_arrays([column], names=["loc"]), BytesIO())


def images_of(bitmap: bytes, null_count: int) -> Any:
    """A table of a loc with an image that is not UTF-8, unless the bitmap says that it is null."""
    offsets = pa.py_buffer(b"".join(offset.to_bytes(4, "little") for offset in (0, 1)))
    images = pa.Array.from_buffers(
        pa.list_(pa.string()), 1, [pa.py_buffer(bitmap), offsets], null_count, children=[texts(b"\xff", [0, 1])]
    )
    return pa.Table.from_arrays([pa.array([GOOD.decode()]), images], names=["loc", "images"])


def test_what_is_behind_nulls_does_not_count() -> None:
    out = BytesIO()
    assert urlset.write(images_of(b"\0", 1), out).entries == 1
    assert list(urlset.parse(out.getvalue())) == [urlset.UrlEntry(GOOD.decode())]


@pytest.mark.parametrize(("bitmap", "null_count"), [(b"\1", 1), (b"\1", 0), (b"\0", 0)])
def test_a_column_is_not_null_because_its_producer_says_so(bitmap: bytes, null_count: int) -> None:
    with pytest.raises(InputError, match='the column "images" is not valid Arrow data'):
        urlset.write(images_of(bitmap, null_count), BytesIO())
