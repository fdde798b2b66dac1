"""Shards to files: put together, compressed, and read back, on all cores."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from urlset import _core
from urlset._lint.api import lint
from urlset._model.errors import PublishError
from urlset._publish.assign import Look, Shard
from urlset._stores.errors import os_errors_as_publish_errors
from urlset._util.arguments import GZIP_LEVEL
from urlset._util.duckdb import insert_rows
from urlset._util.files import write_file

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_COLUMNS = "loc, lastmod, tail, links, news, uses"


@dataclass(frozen=True, slots=True)
class Staged:
    """A verified document that waits in the stage: `bytes` of XML, `size` and `sha256` of what is stored."""

    name: str
    entries: int
    bytes: int
    size: int
    sha256: str


def rows_of(connection: DuckDBPyConnection, shards: Sequence[Shard], order: str, *, is_all: bool) -> DuckDBPyRelation:
    """The rows of some shards in the order of these. Where all rows are fresh, they are in that order already."""
    placed = f"SELECT number AS shard, {_COLUMNS} FROM fresh POSITIONAL JOIN marks"
    if is_all and not any(shard.kept for shard in shards):
        return connection.sql(placed)
    connection.execute("CREATE OR REPLACE TEMP TABLE wanted (number UINTEGER)")
    insert_rows(connection, "wanted", [(shard.number,) for shard in shards])
    return connection.sql(f"""
        SELECT shard, {_COLUMNS} FROM (
            SELECT old AS shard, section, row, {_COLUMNS} FROM placed WHERE old IN (FROM wanted)
            UNION ALL
            SELECT number, section, row, {_COLUMNS} FROM fresh POSITIONAL JOIN marks WHERE number IN (FROM wanted)
        ) ORDER BY shard, {order}
    """)


def assembled(rows: DuckDBPyRelation, look: Look) -> Iterator[tuple[int, bytes, int]]:
    """Each document: the number of its shard, its XML and its entries."""
    documents = _core.Documents(rows, look.is_pretty, look.stylesheet)
    try:
        while (document := documents.next()) is not None:
            yield document
    except ValueError as error:
        raise PublishError(f"the rows cannot be had in the order of their documents: {error}") from error


def stage(
    documents: Iterator[tuple[int, bytes, int]],
    name: Callable[[int, str], str],
    folder: Path,
    look: Look,
) -> Iterator[tuple[int, Staged]]:
    """Writes each document into the stage, under the name for its shard and its content, and proves it."""
    workers = os.cpu_count() or 1
    waiting: deque[tuple[int, Future[Staged]]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for number, xml, entries in documents:
                waiting.append((number, pool.submit(_stage, number, xml, entries, name, folder, look)))
                # A document has up to 50 MiB: no more of them wait than can be worked on.
                while len(waiting) > workers:
                    yield _done(waiting.popleft())
            while waiting:
                yield _done(waiting.popleft())
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _done(one: tuple[int, Future[Staged]]) -> tuple[int, Staged]:
    return one[0], one[1].result()


def _stage(number: int, xml: bytes, entries: int, name: Callable[[int, str], str], folder: Path, look: Look) -> Staged:
    called = name(number, hashlib.sha256(xml).hexdigest()[:16])
    stored = _core.gzip(xml, GZIP_LEVEL) if called.endswith(".gz") else xml
    return put_aside(folder, called, stored, xml, entries)


def put_aside(folder: Path, name: str, stored: bytes, xml: bytes, entries: int) -> Staged:
    """Writes a document into the stage, and reads it back from there.

    Raises PublishError where what is found is not, byte by byte, what was meant, or is no right sitemap.
    """
    path = folder / name
    with os_errors_as_publish_errors(path):
        write_file(path, stored)
        found = path.read_bytes()
    try:
        count = _core.verify(found, xml)
    except ValueError as error:
        raise PublishError(f"{name} does not read back as it was written: {error}") from error
    if count != entries:
        raise PublishError(f"{name} has {count} entries, and {entries} were written")
    for finding in lint(found, select=["XML", "NS", "LOC", "LIM"], ignore=["LIM004"], fold=1):
        if finding.severity == "error":
            raise PublishError(f"{name} breaks the rules that it is checked by: {finding}")
    return Staged(name, entries, len(xml), len(stored), hashlib.sha256(stored).hexdigest())
