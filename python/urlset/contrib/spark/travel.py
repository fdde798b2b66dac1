"""How rows travel between the tasks of a publish: packed, or one by one where Spark joins them.

Spark takes several microseconds for each row that it takes from Python, shuffles, and hands back. Where it only has to
bring rows of one route together, some dozens of them travel as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import compute

from urlset._publish.parts import KNOWN, ROW

#: Yields relations of rows, as `PublishJob` gives them, for the batches of a task.
Relations = Callable[[Iterator[pa.RecordBatch]], Iterator[Any]]

#: Rows of one route, as Arrow data without its schema; `kind` is one of `_KINDS`.
PACKED = "route STRING, kind STRING, rows BINARY"
#: The columns of a rendered row, or of a tally.
TALLIED = {**ROW, "tally": "BINARY"}
_KINDS = {"rows": ROW, "known": KNOWN, "tally": {"tally": "BINARY"}}
#: Bytes that are packed together, about: Spark collects up to 10,000 packets in memory.
_PACKET = 16 << 10
#: Rows that are packed, or go through a planning database, at once.
_ROWS_AT_ONCE = 100_000
#: Spark knows no unsigned numbers, so it gets the same bits as signed ones.
_SIGNED = {"UBIGINT": "BIGINT"}
_TYPES = {"STRING": pa.string(), "BIGINT": pa.int64(), "INT": pa.int32(), "BINARY": pa.binary(), "UBIGINT": pa.uint64()}
#: The schemas of packets.
_SCHEMAS = {kind: pa.schema({name: _TYPES[each] for name, each in columns.items()}) for kind, columns in _KINDS.items()}


def schema_of(columns: Mapping[str, str]) -> str:
    """Return the schema of rows that travel one by one, as Spark writes it."""
    return ", ".join(["route STRING", *(f"{name} {_SIGNED.get(kind, kind)}" for name, kind in columns.items())])


def packed(relations: Relations) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return a task that yields rows as packets of one route each."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for relation in relations(batches):
            kind = next(kind for kind, columns in _KINDS.items() if set(columns) < set(relation.columns))
            # Few rows at once are grouped in memory; those of a whole task may not fit.
            for batch in relation.to_arrow_reader(_ROWS_AT_ONCE):
                routes = batch.column("route")
                order = compute.sort_indices(routes.dictionary_encode().indices)
                rows = batch.select(_SCHEMAS[kind].names).cast(_SCHEMAS[kind]).take(order)
                yield _packets(kind, routes.take(order).to_pylist(), rows)

    return run


def _packets(kind: str, by_row: list[str | None], batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the rows of a batch, in which those of one route stand together, as packets."""
    routes: list[str | None] = []
    packets: list[bytes] = []
    most = max(1, _PACKET * len(batch) // max(batch.nbytes, 1))
    start = 0
    for route, same in groupby(by_row):
        end = start + sum(1 for _ in same)
        for at in range(start, end, most):
            routes.append(route)
            packets.append(batch.slice(at, min(most, end - at)).serialize().to_pybytes())
        start = end
    kinds = pa.array([kind] * len(routes), pa.string())
    columns = [pa.array(routes, pa.string()), kinds, pa.array(packets, pa.binary())]
    return pa.RecordBatch.from_arrays(columns, ["route", "kind", "rows"])


def unpacked(
    relations: Relations, columns: Mapping[str, str]
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return a task that yields rows one by one, with all columns that Spark expects, in its types."""
    kinds = {"route": "STRING", **columns}
    fields = {name: _TYPES[_SIGNED.get(kind, kind)] for name, kind in kinds.items()}

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for relation in relations(batches):
            for batch in relation.to_arrow_reader(_ROWS_AT_ONCE):
                found = dict(zip(batch.schema.names, batch.columns, strict=True))
                arrays = [
                    _as(found[name], kind) if name in found else pa.nulls(len(batch), kind)
                    for name, kind in fields.items()
                ]
                yield pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))

    return run


def _as(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return an array in another type; the bits of an unsigned number as they are."""
    is_unsigned = array.type == pa.uint64() or kind == pa.uint64()
    return array.view(kind) if is_unsigned and array.type != kind else array.cast(kind)


def arrived(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield what has arrived in a task, as the job sent it.

    The tables are large, because a statement takes as long for a few rows as for many.
    """
    held: dict[pa.Schema, list[pa.RecordBatch]] = {}
    rows = 0
    for batch in batches:
        for each in _sent(batch):
            held.setdefault(each.schema, []).append(each)
            rows += len(each)
        if rows >= _ROWS_AT_ONCE:
            yield from map(pa.Table.from_batches, held.values())
            held, rows = {}, 0
    yield from map(pa.Table.from_batches, held.values())


def _sent(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a batch as they were before they travelled."""
    names = batch.schema.names
    if "rows" in names:
        yield batch.select(["route"])
        for kind, packet in zip(batch.column("kind").to_pylist(), batch.column("rows"), strict=True):
            yield pa.ipc.read_record_batch(packet.as_buffer(), _SCHEMAS[kind])
        return
    kinds = {**TALLIED, **KNOWN}
    columns = [
        _as(column, pa.uint64()) if kinds.get(name) == "UBIGINT" else column
        for name, column in zip(names, batch.columns, strict=True)
    ]
    yield pa.RecordBatch.from_arrays(columns, names=names)
