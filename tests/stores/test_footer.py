"""The key and value pairs of a Parquet file, as another reader finds them."""

from __future__ import annotations

import io
from contextlib import suppress

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st
from urlset._stores.footer import key_values

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200)


def footer_of(pairs: dict[str, str], rows: int = 3) -> bytes:
    """The footer of a file with those pairs, and columns of several types."""
    columns = {
        "a": pa.array(range(rows), pa.uint64()),
        "b": pa.array([f"urlset.{row}" for row in range(rows)]),
        "c": pa.array([[1.5, None]] * rows),
        "d": pa.array([{"x": True}] * rows, pa.struct({"x": pa.bool_()})),
    }
    table = pa.table(columns).replace_schema_metadata(pairs)
    with io.BytesIO() as file:
        pq.write_table(table, file, row_group_size=2)
        data = file.getvalue()
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


@given(st.dictionaries(TEXTS.filter(bool), TEXTS, max_size=20))
def test_the_pairs_are_those_that_were_written(pairs: dict[str, str]) -> None:
    found = key_values(footer_of(pairs))
    assert {key: value for key, value in found.items() if key != "ARROW:schema"} == pairs


def test_a_footer_of_many_groups() -> None:
    assert key_values(footer_of({"urlset.manifest": "1"}, 2000))["urlset.manifest"] == "1"


@given(st.binary(max_size=400), st.integers(0, 400), st.integers(0, 255))
def test_whatever_is_not_a_footer_is_an_error(data: bytes, place: int, value: int) -> None:
    good = footer_of({"a": "b"})
    for bad in (data, good[:place], good[: place % len(good)] + bytes([value]) + good[place % len(good) + 1 :]):
        with suppress(ValueError):
            assert all(isinstance(text, str) for text in key_values(bad).values())


@pytest.mark.parametrize(
    "bad", [b"\x1c" * 5000, b"\x19\xff\xff\xff\xff\xff\x0f", b"\x18\xff\xff\xff\x7f", b"\x1b\xff\x01\x11", b""]
)
def test_what_promises_more_than_there_is(bad: bytes) -> None:
    with pytest.raises(ValueError, match="footer"):
        key_values(bad)
