"""The key and value pairs in the footer of a Parquet file, read without a database.

A web server reads them after each publish. It should not have to load DuckDB, whose import takes 0.15 s and whose
threads do not survive a fork. Only what `sealed_metadata` in `seal` has checked gets here.

Sources: Apache Parquet, parquet.thrift, FileMetaData; Apache Thrift, the compact protocol.
"""

from __future__ import annotations

from typing import Final

#: The types of the compact protocol. A boolean is a type in a struct, and one byte in a list.
_STOP, _TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(13)
#: The number of `key_value_metadata` in FileMetaData, and those of `key` and `value` in a pair.
_KEY_VALUES, _PAIR_KEY, _PAIR_VALUE = 5, 1, 2
#: Structs inside of each other. The metadata of Parquet need seven.
_DEEPEST: Final = 32


def key_values(footer: bytes) -> dict[str, str]:
    """Return the pairs of a footer.

    Args:
        footer: The metadata of the file, without their length and the `PAR1` after them.

    Raises:
        ValueError: It is not the footer of a Parquet file.
    """
    reader = _Reader(footer)
    pairs: dict[str, str] = {}
    try:
        for number, kind in reader.fields():
            if number == _KEY_VALUES and kind == _LIST:
                pairs = dict(reader.pair() for _ in range(reader.list_of(_STRUCT)))
            else:
                reader.skip(kind)
    except IndexError:
        raise ValueError("the footer ends too early") from None
    return pairs


class _Reader:
    """Reads values of the compact protocol, one after the other. An IndexError means that they end too early."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def fields(self) -> _Fields:
        """Return the fields of a struct. Each must be read or skipped before the next one."""
        return _Fields(self)

    def pair(self) -> tuple[str, str]:
        """Return one key with its value, which is empty if there is none."""
        texts = {_PAIR_KEY: "", _PAIR_VALUE: ""}
        for number, kind in self.fields():
            if number in texts and kind == _BINARY:
                texts[number] = self.binary().decode()
            else:
                self.skip(kind)
        return texts[_PAIR_KEY], texts[_PAIR_VALUE]

    def byte(self) -> int:
        """Return one byte."""
        self._at += 1
        return self._data[self._at - 1]

    def varint(self) -> int:
        """Return a number, seven bits to a byte."""
        number = shift = 0
        while (byte := self.byte()) & 0x80:
            number |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise ValueError("a number in the footer has too many bytes")
        return number | byte << shift

    def binary(self) -> bytes:
        """Return a text."""
        length = self.varint()
        begin = self._at
        self._move(length)
        return self._data[begin : self._at]

    def list_of(self, wanted: int) -> int:
        """Return how many values of a kind follow."""
        kind, size = self._list_header()
        if kind != wanted:
            raise ValueError("a list in the footer has values of another kind")
        return size

    def skip(self, kind: int, depth: int = 0) -> None:
        """Pass over a value of a struct."""
        if depth > _DEEPEST:
            raise ValueError("the footer is nested too deeply")
        if kind == _BINARY:
            self._move(self.varint())
        elif kind in (_I16, _I32, _I64):
            self.varint()
        elif kind == _STRUCT:
            for _, inner in self.fields():
                self.skip(inner, depth + 1)
        elif kind in (_LIST, _SET):
            inner, size = self._list_header()
            for _ in range(size):
                self._skip_element(inner, depth + 1)
        elif kind == _MAP:
            self._skip_map(depth + 1)
        elif kind in (_BYTE, _DOUBLE):
            self._move(1 if kind == _BYTE else 8)
        elif kind not in (_TRUE, _FALSE):
            raise ValueError("the footer has a value of an unknown kind")

    def _skip_element(self, kind: int, depth: int) -> None:
        self.skip(_BYTE if kind in (_TRUE, _FALSE) else kind, depth)

    def _skip_map(self, depth: int) -> None:
        size = self.varint()
        kinds = self.byte() if size else 0
        for _ in range(size):
            self._skip_element(kinds >> 4, depth)
            self._skip_element(kinds & 15, depth)

    def _list_header(self) -> tuple[int, int]:
        head = self.byte()
        return head & 15, head >> 4 if head >> 4 < 15 else self.varint()

    def _move(self, length: int) -> None:
        if length > len(self._data) - self._at:
            raise IndexError
        self._at += length


class _Fields:
    """The numbers and kinds of the fields of a struct, up to its end."""

    def __init__(self, reader: _Reader) -> None:
        self._reader = reader
        self._number = 0

    def __iter__(self) -> _Fields:
        return self

    def __next__(self) -> tuple[int, int]:
        head = self._reader.byte()
        if head == _STOP:
            raise StopIteration
        if head >> 4:
            self._number += head >> 4
        else:
            number = self._reader.varint()
            self._number = (number >> 1) ^ -(number & 1)
        return self._number, head & 15
