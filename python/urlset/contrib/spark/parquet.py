"""Entries to Parquet inside tasks: only names and counts cross into Spark."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from shutil import rmtree
from typing import Any
from uuid import uuid4

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from urlset._model.errors import InputError
from urlset._stores.objects import ObjectStore
from urlset._stores.open import open_store
from urlset._stores.store import is_object_url
from urlset._util.tempdirs import temporary_folder
from urlset.contrib.spark.options import ReadOptions, absolute
from urlset.contrib.spark.tables import as_schema, table_schema
from urlset.jobs import ReadPart, scan_partition

#: Where the files of a job are until all of its tasks are done. Engines ignore names that begin like this.
TEMPORARY = "_temporary"
#: Columns whose values recur. A dictionary of locs would cost time and save nothing, because each loc is different.
_REPEATED = ("lastmod", "lastmod_raw", "changefreq", "priority", "document", "kind")
#: Batches in a row group: readers want hundreds of thousands of rows.
_BATCHES = 8
#: The errors of a part that are kept as text.
_ERRORS = 20
FACTS = pa.schema(
    {
        "part": pa.int64(),
        "file": pa.string(),
        "rows": pa.int64(),
        "bytes": pa.int64(),
        "documents": pa.int64(),
        "broken": pa.int64(),
        "errors": pa.list_(pa.string()),
    }
)


@dataclass(frozen=True, slots=True)
class ParquetJob:
    """The files of one job, written by tasks and put in place by the driver.

    It can be pickled. Each attempt of a task has a name of its own, so that one that is killed, repeated or run twice
    at the same time leaves nothing among the files of the result.

    Attributes:
        dest: The folder or prefix.
        id: What tells the job from others.
        columns: The columns; all if None.
        compression: The codec of Parquet.
        store: Options of object stores.
    """

    dest: str
    id: str
    columns: tuple[str, ...] | None
    compression: str
    store: Mapping[str, Any]

    @classmethod
    def begin(
        cls, dest: str, columns: Sequence[str] | None, compression: str, store: Mapping[str, Any] | None
    ) -> ParquetJob:
        """Begin a job, on the driver.

        Raises:
            InputError: There are Parquet files at the destination, or there is no such column.
        """
        job = cls(
            absolute(dest), uuid4().hex, None if columns is None else tuple(columns), compression, dict(store or {})
        )
        table_schema("entries", job.columns)
        if (found := job._existing()) is not None:
            raise InputError(f"{dest} has Parquet files already, such as {found}: name another folder, or remove them")
        return job

    @property
    def _temporary(self) -> str:
        return f"{TEMPORARY}/{self.id}"

    def _objects(self) -> ObjectStore:
        found = open_store(self.dest, locking=False, **self.store)
        assert isinstance(found, ObjectStore)
        return found

    def _existing(self) -> str | None:
        if is_object_url(self.dest):
            names = self._objects().list("part-")
        else:
            names = sorted(path.name for path in Path(self.dest).glob("*.parquet"))
        return next((name for name in names if name.endswith(".parquet")), None)

    def write(self, part: ReadPart, options: ReadOptions, attempt: int) -> dict[str, Any]:
        """Read a part and write its rows, in a task. Return what the driver has to know."""
        name = f"{self._temporary}/{part.number}-{attempt}.parquet"
        if not is_object_url(self.dest):
            path = Path(self.dest) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            return self._write(part, options, path) | {"file": name}
        with temporary_folder() as folder:
            facts = self._write(part, options, folder / "part.parquet")
            self._objects().put_file(name, folder / "part.parquet")
            return facts | {"file": name}

    def _write(self, part: ReadPart, options: ReadOptions, path: Path) -> dict[str, Any]:
        scan = scan_partition(
            part, columns=self.columns, strict=options.strict, store=options.store, filter=options.filter
        )
        batches = pa.RecordBatchReader.from_stream(scan)
        schema = _stored(batches.schema)
        repeated = [name for name in _REPEATED if name in schema.names]
        rows = 0
        with (
            _naming(path),
            pq.ParquetWriter(
                path, schema, compression=self.compression, use_dictionary=repeated, store_schema=False
            ) as writer,
        ):
            while group := list(islice(batches, _BATCHES)):
                table = pa.Table.from_batches([as_schema(batch, schema) for batch in group])
                writer.write_table(table)
                rows += table.num_rows
        errors = [str(error) for outcome in scan.outcomes for error in outcome.errors]
        return {
            "part": part.number,
            "rows": rows,
            "bytes": path.stat().st_size,
            "documents": len(scan.outcomes),
            "broken": sum(bool(outcome.errors) for outcome in scan.outcomes),
            "errors": errors[:_ERRORS],
        }

    def commit(self, facts: Sequence[Mapping[str, Any]]) -> list[str]:
        """Put the files that tasks have reported in place, on the driver, and remove all others of the job."""
        names = []
        for each in sorted(facts, key=lambda fact: int(fact["part"])):
            name = f"part-{each['part']:05}-{self.id}.parquet"
            names.append(name)
            if is_object_url(self.dest):
                self._objects().rename(each["file"], name)
            else:
                (Path(self.dest) / each["file"]).replace(Path(self.dest) / name)
        self.abort()
        if is_object_url(self.dest):
            self._objects().put("_SUCCESS", b"")
        else:
            (Path(self.dest) / "_SUCCESS").touch()
        return names

    def abort(self) -> None:
        """Remove what the job has not put in place."""
        if is_object_url(self.dest):
            store = self._objects()
            store.delete(store.list(f"{self._temporary}/"))
            return
        folder = Path(self.dest) / TEMPORARY
        rmtree(folder / self.id, ignore_errors=True)
        if folder.is_dir() and not os.listdir(folder):  # noqa: PTH208  (no other job is under way)
            folder.rmdir()


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Have an error of the file system say which file it is about, which Arrow leaves out."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


def _stored(schema: pa.Schema) -> pa.Schema:
    """Return the schema of a file: what is a dictionary in Arrow stays one, which need not be made again."""
    return pa.schema(
        [field.with_type(pa.int64()) if pa.types.is_unsigned_integer(field.type) else field for field in schema]
    )


def write_parts(
    batches: Iterator[pa.RecordBatch], parts: Sequence[ReadPart], options: ReadOptions, job: ParquetJob
) -> Iterator[pa.RecordBatch]:
    """Write the parts with the numbers in the batches, in a task, and yield the facts of each."""
    from pyspark import TaskContext  # noqa: PLC0415  (only a task has one)

    context = TaskContext.get()
    attempt = 0 if context is None else int(context.taskAttemptId())
    for batch in batches:
        for number in batch.column(0).to_pylist():
            facts = job.write(parts[number], options, attempt)
            yield pa.RecordBatch.from_pylist([facts], schema=FACTS)
