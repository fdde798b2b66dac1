"""Rows that an earlier publish has read: what they come to is known, and they are not read, or not rendered, again.

    .urlset/input.json   a hash of the rows and of all that decides what they come to, and what that was

Rows are known by the bytes of the files that they come from. Those of any other table have to be read, and are known by
a fingerprint of all that they say.

A record says nothing of a set. It stands for reading and rendering the rows, which always come to the same, and what a
publish does with that is decided as if it had been done. So it does not matter which set is current and how it is
stored, and a record that is missing, damaged or of other rows costs only time.
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
#: Files with fewer bytes, and tables with fewer rows, are read in less time than it takes to read and write a record.
_SMALL, _FEW = 1 << 20, 10_000


@dataclass(frozen=True, slots=True)
class InputRecord:
    """What some rows come to.

    Attributes:
        input: The hash of the rows, and of all that decides what they come to.
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
    """The rows of a publish, by the hash of all that decides what they come to.

    Attributes:
        key: The hash.
        sections: How many sections the rows have.
        files: The files that all rows come from, each with the hashes of its bytes; none if the rows were read.
    """

    key: str
    sections: int
    files: Sequence[tuple[RowFiles, Sequence[str]]] = ()

    def record(self, stored: InputRecord | None) -> InputRecord | None:
        """Return what these rows come to, if that is what was stored."""
        is_theirs = stored is not None and stored.input == self.key and len(stored.fingerprints) == self.sections
        return stored if is_theirs else None

    def learned(self, report: IngestReport, fingerprints: Sequence[str]) -> InputRecord | None:
        """Return what the rows come to, now that they were read.

        None if a row was refused or a value was corrected, because each publish has to say which, or if a file may have
        been written while it was read.
        """
        if report.refused or report.corrected:
            return None
        if not all(files.still_have(hashes) for files, hashes in self.files):
            return None
        counts = (report.rows, report.normalized, report.outside)
        return InputRecord(self.key, tuple(fingerprints), *counts, tuple(sorted(report.unused_columns)))


def is_decided(options: PublishOptions, sections: Sequence[SectionRows]) -> bool:
    """Return whether the same rows always come to the same set."""
    return not options.has_derived and all(section.shard_by.is_sticky for section in sections)


def known_files(options: PublishOptions, sections: Sequence[SectionRows]) -> KnownInput | None:
    """Return the input of a publish; None if not all rows are those of files, or if it does not help to know them."""
    files = [each for each in (files_of(section.entries) for section in sections) if each is not None]
    if not is_decided(options, sections) or len(files) < len(sections) or sum(each.size for each in files) < _SMALL:
        return None
    hashes = [found for found in (each.hashes() for each in files) if found is not None]
    if len(hashes) < len(files):
        return None
    known = list(zip(files, hashes, strict=True))
    import duckdb  # noqa: PLC0415  (it has made a table of the files, so it is there)

    inputs = [json.dumps([each.way, found, duckdb.__version__]) for each, found in known]
    return KnownInput(_key(options, sections, inputs), len(sections), known)


def given_rows(
    options: PublishOptions, sections: Sequence[SectionRows], given: Sequence[str | None], rows: int
) -> KnownInput | None:
    """Return the input of a publish whose rows were read; None if they cannot be known again, or if that does not help.

    Args:
        options: The options of the publish.
        sections: The sections.
        given: The fingerprint of the rows of each section as they are given, if it is known.
        rows: How many rows there are.
    """
    found = [each for each in given if each is not None]
    if not is_decided(options, sections) or len(found) < len(sections) or rows < _FEW:
        return None
    return KnownInput(_key(options, sections, found), len(sections))


def stored_record(store: Store) -> InputRecord | None:
    """Return the record of a store; None if it has no record, or one that cannot be read."""
    try:
        return _parsed(store.read(INPUT, _MAX_BYTES))
    except LimitError:
        return None


def store_record(store: Store, record: InputRecord) -> None:
    """Store what some rows come to."""
    store.put(INPUT, json.dumps({**asdict(record), "sha256": checksum(record)}, indent=0).encode())


def checksum(record: InputRecord) -> str:
    """Return the hash of all that a record says, which is stored with it."""
    return hashlib.sha256(json.dumps(asdict(record)).encode()).hexdigest()


def _key(options: PublishOptions, sections: Sequence[SectionRows], inputs: Sequence[str]) -> str:
    """Return the hash of the inputs of all sections, and of all that decides what they come to."""
    checks = options.checks
    decided = [*_programs(), checks.zone, checks.on_bad_value, options.fingerprint(sections, inputs)]
    return hashlib.sha256(json.dumps(decided).encode()).hexdigest()


@cache
def _programs() -> tuple[str, ...]:
    """Return the versions of all that renders rows."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  (only large input needs it)

    try:
        own = version("urlset")
    except PackageNotFoundError:
        own = ""
    # Two builds of one version differ in size, unless they are very much alike.
    size = Path(_core.__file__).stat().st_size
    return own, str(size), sys.version


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
