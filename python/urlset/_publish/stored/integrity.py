"""Whether stored documents still have the bytes that were published.

    .urlset/stamps.json   what each document of the set looked like when its bytes were last known to be right

A stamp is cheap: the size, time and inode of a file, or the ETag of an object. While it stays, nobody has written the
document again. Once it differs, and whenever more than likelihood is needed, the hash of the bytes decides.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from urlset._model.errors import LimitError
from urlset._publish.values.header import ShardRecord
from urlset._read.entry_points import ENTRY_POINT
from urlset._stores.store import Store

STAMPS = ".urlset/stamps.json"
#: Bytes of stamps that are read: those of 100,000 documents.
_MAX_BYTES = 20_000_000


class Integrity:
    """Compares stored files with what was published. What was found is remembered for the rest of the publish.

    Attributes:
        store: Where the set is stored.
        is_full: Whether stamps do not count: every file is compared by its hash.
    """

    def __init__(self, store: Store, *, is_full: bool = False) -> None:
        self.store = store
        self.is_full = is_full
        self._stamps: dict[str, tuple[str, str]] | None = None
        self._stored: dict[str, tuple[str, str]] = {}
        self._hashes: dict[str, str | None] = {}

    def problem(self, name: str, sha256: str, size: int | None = None, *, is_careful: bool = False) -> str | None:
        """Return what is wrong with a stored file, in words; None if it is as it was published.

        Args:
            name: The name of the file.
            sha256: The hash of its bytes, or how that begins.
            size: How many bytes it has, if that is known.
            is_careful: The stamp is not enough, unless it is a proof.
        """
        stamp = self.store.stamp(name)
        if stamp is None:
            return "is missing"
        if size is not None and (found := int(stamp.partition(":")[0])) != size:
            return f"has {found:,} bytes in place of {size:,}"
        is_enough = not self.is_full and (self.store.stamps_are_proof or not is_careful)
        if is_enough and self._known().get(name) == (stamp, sha256):
            return None
        found_hash = self._hash(name)
        if found_hash is None or not found_hash.startswith(sha256):
            return "has other bytes than were published"
        self._known()[name] = (stamp, sha256)
        return None

    def is_intact(self, record: ShardRecord, *, is_careful: bool = False) -> bool:
        """Return whether a document has the bytes that the manifest says."""
        return self.problem(record.name, record.sha256, record.size, is_careful=is_careful) is None

    def is_index_intact(self, name: str, *, is_careful: bool = False) -> bool:
        """Return whether an index after the entry point has the content that its name promises."""
        return self.problem(name, index_hash(name), is_careful=is_careful) is None

    def learn(self, records: Iterable[ShardRecord], indexes: Sequence[str], *, written: Iterable[str]) -> None:
        """Store the stamps of the current set. What was just written is as it was staged.

        The stamp of an entry point is never needed, because the entry point is read whole.
        """
        files = {record.name: record.sha256 for record in records if record.name != ENTRY_POINT}
        files |= {name: index_hash(name) for name in indexes}
        if not files and self._stamps is None:
            return
        known, new = self._known(), set(written)
        kept = {name: known[name] for name, sha256 in files.items() if name not in new and name in known}
        for name, sha256 in files.items():
            if name in new and (stamp := self.store.stamp(name)) is not None:
                kept[name] = (stamp, sha256)
        if kept != self._stored:
            self.store.put(STAMPS, json.dumps(kept, indent=0, sort_keys=True).encode())
            self._stamps, self._stored = dict(kept), kept

    def _known(self) -> dict[str, tuple[str, str]]:
        if self._stamps is None:
            try:
                self._stored = _parsed(self.store.read(STAMPS, _MAX_BYTES))
            except LimitError:
                self._stored = {}
            self._stamps = dict(self._stored)
        return self._stamps

    def _hash(self, name: str) -> str | None:
        if name not in self._hashes:
            self._hashes[name] = self.store.sha256(name)
        return self._hashes[name]


def index_hash(name: str) -> str:
    """Return the beginning of the hash of an index, which its name contains."""
    return name.rpartition("-")[2].partition(".")[0]


def _parsed(stamps: bytes | None) -> dict[str, tuple[str, str]]:
    """Return the stamps of a file; none if it is not such a file. Then all documents are compared by their hashes."""
    try:
        listed = json.loads(stamps or b"{}")
        pairs = {name: (stamp, sha256) for name, (stamp, sha256) in listed.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}
    return pairs if all(isinstance(text, str) for pair in pairs.values() for text in pair) else {}


def problems(integrity: Integrity, records: Iterable[ShardRecord], indexes: Iterable[str]) -> Mapping[str, str]:
    """Return what is wrong with the documents of a set, without its entry point, by their names."""
    found = {
        record.name: integrity.problem(record.name, record.sha256, record.size)
        for record in records
        if record.name != ENTRY_POINT
    }
    found |= {name: integrity.problem(name, index_hash(name)) for name in indexes}
    return {name: problem for name, problem in found.items() if problem is not None}
