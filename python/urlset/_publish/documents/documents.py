"""Stage documents: put each one together, compress it, write it, and verify it by reading it back, on all cores."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from urlset import _core
from urlset._lint.options import resolve_options
from urlset._model.core_types import CoreLintSettings
from urlset._model.errors import PublishError
from urlset._options.publish import Layout
from urlset._options.rules import Rules
from urlset._publish.rows.schema import ASSIGNED_NEW_ROWS, create_with
from urlset._publish.values.assignment import ShardDraft
from urlset._read.results import diagnostic
from urlset._stores.errors import os_errors_as_publish_errors
from urlset._util.arguments import GZIP_LEVEL
from urlset._util.cores import cores
from urlset._util.duckdb import parsed

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_COLUMNS = "loc, lastmod, xml_after_lastmod, links, news, namespace_bits"


@dataclass(frozen=True, slots=True)
class Staged:
    """A document in the stage that was verified: `bytes` of XML, `size` and `sha256` of what is stored."""

    name: str
    entries: int
    bytes: int
    size: int
    sha256: str


def rows_of(
    connection: DuckDBPyConnection, shards: Sequence[ShardDraft], order: str, *, is_all: bool
) -> DuckDBPyRelation:
    """Return the rows of some shards, sorted by shard. If all rows are new, they are in that order already."""
    if is_all and not any(shard.kept for shard in shards):
        return connection.sql(parsed(f"SELECT number AS shard, {_COLUMNS} FROM {ASSIGNED_NEW_ROWS}"))
    create_with(connection, "wanted_shards", [(shard.number,) for shard in shards])
    query = f"SELECT number AS shard, {_COLUMNS} FROM assigned WHERE number IN (FROM wanted_shards)"
    return connection.sql(parsed(f"{query} ORDER BY number, {order}"))


def assembled(rows: DuckDBPyRelation, layout: Layout) -> Iterator[tuple[int, memoryview, int]]:
    """Yield each document: the number of its shard, its XML, and how many entries it has."""
    yield from _documents(_core.Documents(rows, layout))


def assembled_in_core(
    rows: _core.RowStore, shards: Sequence[ShardDraft], wanted: Collection[int], layout: Layout
) -> Iterator[tuple[int, memoryview, int]]:
    """Yield the documents of some shards of a set whose rows are not in the planning database, as `assembled` does.

    Args:
        rows: All rows.
        shards: All shards, in the order of the rows.
        wanted: The numbers of the shards whose documents are made.
        layout: How documents are laid out.
    """
    planned = [(shard.number, shard.entries, shard.number in wanted) for shard in shards]
    yield from _documents(rows.documents(planned, layout))


def _documents(documents: _core.Documents) -> Iterator[tuple[int, memoryview, int]]:
    try:
        while (document := documents.next()) is not None:
            yield document.shard, document.xml, document.entries
    except ValueError as error:
        raise PublishError(f"the rows could not be read in the order of their documents: {error}") from error


def stage(
    documents: Iterator[tuple[int, memoryview, int]], name: Callable[[int, str], str], folder: Path, *, is_one: bool
) -> Iterator[tuple[int, Staged]]:
    """Stage and verify each document.

    Args:
        documents: The number of each shard, its XML, and how many entries it has.
        name: Returns the name of a document from the number of its shard and the hash of its XML.
        folder: The stage.
        is_one: There is only one document, for which other threads would cost more than they save.

    Yields:
        The number of each shard, and what was staged.
    """
    if is_one:
        for number, xml, entries in documents:
            yield number, _stage(number, xml, entries, name, folder)
        return
    workers = cores()
    waiting: deque[tuple[int, Future[Staged]]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for number, xml, entries in documents:
                waiting.append((number, pool.submit(_stage, number, xml, entries, name, folder)))
                # A document has up to 50 MiB, so no more of them wait than can be worked on.
                while len(waiting) > workers:
                    yield _done(waiting.popleft())
            while waiting:
                yield _done(waiting.popleft())
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _done(one: tuple[int, Future[Staged]]) -> tuple[int, Staged]:
    return one[0], one[1].result()


def _stage(number: int, xml: memoryview, entries: int, name: Callable[[int, str], str], folder: Path) -> Staged:
    file_name = name(number, hashlib.sha256(xml).hexdigest()[:16])
    stored = _core.gzip(xml, GZIP_LEVEL) if file_name.endswith(".gz") else xml
    return stage_file(folder, file_name, stored, xml, entries)


def stage_file(folder: Path, name: str, stored: bytes | memoryview, xml: bytes | memoryview, entries: int) -> Staged:
    """Write a document into the stage, and verify it by reading it back from there.

    Raises:
        PublishError: The file differs from what was written, in any byte, or breaks a rule of the protocol.
    """
    path = folder / name
    with os_errors_as_publish_errors(path):
        path.write_bytes(stored)  # the store makes it durable when it puts it into its place
        found = path.read_bytes()
    try:
        verified = _core.verify(found, xml, _protocol_rules())
    except ValueError as error:
        raise PublishError(f"{name} does not read back as it was written: {error}") from error
    if verified.entries != entries:
        raise PublishError(f"{name} has {verified.entries} entries, but {entries} were written")
    for finding in verified.findings:
        if finding.severity == "error":
            raise PublishError(f"{name} breaks a rule of the protocol: {diagnostic(name, finding)}")
    return Staged(name, entries, len(xml), len(stored), hashlib.sha256(stored).hexdigest())


@cache
def _protocol_rules() -> CoreLintSettings:
    """Return the rules that a staged document is checked by while it is read back: those of its form and its locs."""
    rules = Rules(select=["XML", "NS", "LOC", "LIM"], ignore=["LIM004"])  # a full document is what publish makes
    options = resolve_options(rules, now=datetime.now(UTC))  # none of these rules compares dates
    return options.for_core(options.rules, None)
