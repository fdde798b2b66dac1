"""Rows of files whose bytes an earlier publish has read: what they come to is known, and they are not read again.

    .urlset/input.json   a hash of the files and of all that decides what their rows come to, and what that was

A record says nothing of a set. It stands for reading and rendering the rows, which always come to the same, and what a
publish does with that is decided as if it had been done. So it does not matter which set is current and how it is
stored, and a record that is missing, damaged or of other files costs only time.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from urlset import _core
from urlset._model.errors import LimitError
from urlset._model.progress import Progress
from urlset._publish.rows.ingest import IngestReport
from urlset._publish.values.options import PublishOptions, SectionRows
from urlset._stores.store import Store
from urlset._util.row_files import RowFiles, files_of

INPUT = ".urlset/input.json"
#: Bytes of a record that are read.
_MAX_BYTES = 1_000_000
#: Files with fewer bytes are read in less time than it takes to read and write a record.
_SMALL = 1 << 20


@dataclass(frozen=True, slots=True)
class InputRecord:
    """What the rows of some files come to.

    Attributes:
        input: The hash of the files, and of all that decides what their rows come to.
        fingerprints: The fingerprint of the rows of each section.
        rows: How many rows there are.
        normalized: How many locs were not given in the form in which they are written.
        outside: How many locs are not below the folder of the set.
        unused_columns: The columns that were not used.
    """

    input: str
    fingerprints: tuple[str, ...]
    rows: int
    normalized: int
    outside: int
    unused_columns: tuple[str, ...]

    def count(self, report: IngestReport) -> None:
        """Count the rows as if they had been read."""
        report.rows, report.normalized, report.outside = self.rows, self.normalized, self.outside
        report.unused_columns.update(self.unused_columns)
        if report.progress is not None:
            report.progress(Progress("rows", self.rows, self.rows))


@dataclass(frozen=True, slots=True)
class KnownInput:
    """The files of all rows of a publish, by the hash of their bytes and of all that decides what these come to."""

    files: Sequence[RowFiles]
    hashes: Sequence[Sequence[str]]
    key: str

    def record(self, store: Store) -> InputRecord | None:
        """Return what the rows of these files come to, if that was stored."""
        try:
            found = _parsed(store.read(INPUT, _MAX_BYTES))
        except LimitError:
            return None
        is_theirs = found is not None and found.input == self.key and len(found.fingerprints) == len(self.files)
        return found if is_theirs else None

    def learned(self, report: IngestReport, fingerprints: Sequence[str]) -> InputRecord | None:
        """Return what the rows come to, now that they were read.

        None if a row was refused or a value was corrected, because each publish has to say which, or if a file may have
        been written while it was read.
        """
        if report.refused or report.corrected:
            return None
        if not all(files.still_have(hashes) for files, hashes in zip(self.files, self.hashes, strict=True)):
            return None
        counts = (report.rows, report.normalized, report.outside)
        return InputRecord(self.key, tuple(fingerprints), *counts, tuple(sorted(report.unused_columns)))


def known_input(options: PublishOptions, sections: Sequence[SectionRows]) -> KnownInput | None:
    """Return the input of a publish; None if not all rows are those of files, or if it does not help to know them."""
    if options.has_derived or not all(section.shard_by.is_sticky for section in sections):
        return None  # the same rows can make another set
    files = [each for each in (files_of(section.entries) for section in sections) if each is not None]
    if len(files) < len(sections) or sum(each.size for each in files) < _SMALL:
        return None
    hashes = [found for found in (each.hashes() for each in files) if found is not None]
    if len(hashes) < len(files):
        return None
    inputs = [json.dumps([each.way, found]) for each, found in zip(files, hashes, strict=True)]
    key = json.dumps(
        [*_programs(), options.checks.zone, options.checks.on_bad_value, options.fingerprint(sections, inputs)]
    )
    return KnownInput(files, hashes, hashlib.sha256(key.encode()).hexdigest())


def store_record(store: Store, record: InputRecord) -> None:
    """Store what the rows of some files come to."""
    store.put(INPUT, json.dumps({**asdict(record), "sha256": checksum(record)}, indent=0).encode())


def checksum(record: InputRecord) -> str:
    """Return the hash of all that a record says, which is stored with it."""
    return hashlib.sha256(json.dumps(asdict(record)).encode()).hexdigest()


@cache
def _programs() -> tuple[str, ...]:
    """Return the versions of all that reads and renders rows."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  (only large input needs it)

    import duckdb  # noqa: PLC0415

    try:
        own = version("urlset")
    except PackageNotFoundError:
        own = ""
    # Two builds of one version differ in size, unless they are very much alike.
    size = Path(_core.__file__).stat().st_size
    return own, str(size), duckdb.__version__, sys.version


def _parsed(stored: bytes | None) -> InputRecord | None:
    """Return a record as it was stored; None if it is not one."""
    try:
        said = json.loads(stored or b"")
        fingerprints, unused_columns = tuple(said["fingerprints"]), tuple(said["unused_columns"])
        counts = (said["rows"], said["normalized"], said["outside"])
        record = InputRecord(said["input"], fingerprints, *counts, unused_columns)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    is_one = all(isinstance(text, str) for text in (record.input, *fingerprints, *unused_columns))
    is_one = is_one and all(type(number) is int and number >= 0 for number in counts)
    return record if is_one and said.get("sha256") == checksum(record) else None
