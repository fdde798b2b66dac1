"""The bytes of files, checked against the hashes of the manifest, and compressed once for all who accept that.

What is in memory is named by its hash, so it is never old. It is bounded: what nobody has asked for longest goes first.
"""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from io import BufferedReader
from threading import Lock

from urlset import _core
from urlset._model.errors import LimitError
from urlset._model.limits import PROTOCOL
from urlset._serve.served import ServedFile
from urlset._stores.errors import os_errors_as_publish_errors
from urlset._stores.folder import FolderStore
from urlset._stores.store import Store
from urlset._util.arguments import GZIP_LEVEL

#: Larger files of a folder are sent as they are read, because the system has them in its own memory.
_MAX_KEPT = 1 << 20
#: How many threads compress, or read from an object store, at the same time.
_AT_ONCE = 8

_Key = tuple[str, bool]


class ChangedFileError(Exception):
    """A stored file is missing, or has other bytes than the manifest says."""


class Recent:
    """Contents that were asked for lately, as many bytes of them as there is room for."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._held: OrderedDict[_Key, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, key: _Key) -> bytes | None:
        """Return a content, or None."""
        with self._lock:
            if (data := self._held.get(key)) is not None:
                self._held.move_to_end(key)
            return data

    def put(self, key: _Key, data: bytes) -> None:
        """Keep a content, and let go of others."""
        with self._lock:
            if key in self._held or len(data) > self._room:
                return
            self._held[key] = data
            self._bytes += len(data)
            while self._bytes > self._room:
                self._bytes -= len(self._held.popitem(last=False)[1])


class Bodies:
    """Reads the files of a store for any number of threads.

    Args:
        store: Where they are.
        memory: Bytes that are kept in memory.
    """

    def __init__(self, store: Store, memory: int) -> None:
        self._store = store
        self._recent = Recent(memory)
        self._gates = [Lock() for _ in range(_AT_ONCE)]
        #: The hash that a file of a folder was found to have, and its stamp then.
        self._checked: dict[str, tuple[str, tuple[int, ...]]] = {}

    def at_once(self, file: ServedFile, *, is_gzip: bool) -> bytes | None:
        """Return the bytes of a file if they are in memory."""
        if file.data is not None and not is_gzip:
            return file.data
        return self._recent.get((file.sha256, is_gzip))

    def read(self, file: ServedFile, *, is_gzip: bool) -> bytes | BufferedReader:
        """Return the bytes of a file, or the file if it is large.

        Raises:
            ChangedFileError: It is missing, or is not as it was published.
            UrlsetError: The store fails.
        """
        if not is_gzip and isinstance(self._store, FolderStore):
            return self._opened(self._store, file)
        # Whoever asks for what another thread is making waits for it.
        with self._gates[hash((file.sha256, is_gzip)) % _AT_ONCE]:
            if (data := self.at_once(file, is_gzip=is_gzip)) is None:
                data = _core.gzip(self._whole(file), GZIP_LEVEL) if is_gzip else self._fetched(file)
                self._recent.put((file.sha256, is_gzip), data)
        return data

    def forget(self) -> None:
        """Forget which files were checked: those of another set follow."""
        self._checked.clear()

    def _whole(self, file: ServedFile) -> bytes:
        """Return all bytes of a file, which is not larger than a document may be."""
        if (data := self.at_once(file, is_gzip=False)) is not None:
            return data
        if not isinstance(self._store, FolderStore):
            return self._fetched(file)
        found = self._opened(self._store, file)
        if isinstance(found, bytes):
            return found
        with found:
            return _checked(file, found.read(_most(file) + 1))

    def _fetched(self, file: ServedFile) -> bytes:
        """Return the bytes of an object."""
        try:
            data = self._store.read(file.name, _most(file))
        except LimitError:
            raise ChangedFileError from None
        return _checked(file, data)

    def _opened(self, store: FolderStore, file: ServedFile) -> bytes | BufferedReader:
        """Return a file of a folder, or its bytes if they are few."""
        opened = store.open(file.name)
        if opened is None:
            raise ChangedFileError
        try:
            with os_errors_as_publish_errors(store.folder / file.name):
                found = os.fstat(opened.fileno())
                if found.st_size > _MAX_KEPT:
                    self._check(file, opened, (found.st_size, found.st_mtime_ns, found.st_ino))
                    return opened
                data = _checked(file, opened.read(_MAX_KEPT + 1))
        except BaseException:
            opened.close()
            raise
        opened.close()
        self._recent.put((file.sha256, False), data)
        return data

    def _check(self, file: ServedFile, opened: BufferedReader, stamp: tuple[int, ...]) -> None:
        """Check the bytes of a file, once for each time that it was written."""
        if self._checked.get(file.name) == (file.sha256, stamp):
            return
        if file.size not in (None, stamp[0]) or not hashlib.file_digest(opened, "sha256").hexdigest().startswith(
            file.sha256
        ):
            raise ChangedFileError
        opened.seek(0)
        self._checked[file.name] = (file.sha256, stamp)


def _most(file: ServedFile) -> int:
    return 2 * PROTOCOL.bytes if file.size is None else file.size


def _checked(file: ServedFile, data: bytes | None) -> bytes:
    if data is None or not hashlib.sha256(data).hexdigest().startswith(file.sha256):
        raise ChangedFileError
    return data
