"""Object stores: Amazon S3 and compatible ones, Google Cloud Storage, Azure Blob Storage.

In each of the three an object is written completely or not at all, and everybody sees it at once. So nothing is staged.
The lock is an object that can be created only if it does not exist (`If-None-Match: *`). It contains the time when it
expires, which frees the lock of a publish that was killed. Its owner renews it (`If-Match`) before writing, and writes
nothing more once another publish has it. The clocks of two machines that publish may differ by two minutes.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import Any, TypeAlias

from urlset._model.errors import LimitError, PublishError
from urlset._stores.errors import describe_store_error, os_errors_as_publish_errors
from urlset._stores.headers import headers_for
from urlset._stores.store import LOCK, MAX_NAMES, Headers, Names, check_name, check_prefix
from urlset._util.files import remove_on_error

#: How long a lock is valid. It is renewed when a third of that has passed, and no single request takes so long.
LEASE = timedelta(minutes=15)
#: The size of a part of a large file in bytes (S3 takes at most 10,000 parts), and the parts held in memory at once.
_PART, _PARTS_AT_ONCE = 8 * 1024 * 1024, 2
#: Bytes of a response that are read at once.
_PIECE = 256 * 1024
#: Objects that one request can delete. Source: Amazon S3, DeleteObjects.
_DELETED_AT_ONCE = 1000
#: The most bytes of a lock, and attempts to acquire one while others do the same.
_LOCK_BYTES, _ATTEMPTS = 512, 5

_Version: TypeAlias = dict[str, Any]


@dataclass(slots=True)
class _Lease:
    """A lock, either found in the store or held by this process."""

    owner: str
    host: str
    pid: int
    since: datetime
    until: datetime
    #: What a conditional write refers to: `e_tag` and `version`.
    version: _Version

    def body(self) -> bytes:
        """Return the content of the lock object."""
        holder = {"owner": self.owner, "host": self.host, "pid": self.pid}
        return json.dumps(holder | {"since": self.since.isoformat(), "until": self.until.isoformat()}).encode()


class ObjectStore:
    """A bucket or container below a prefix. Several threads can use it."""

    stamps_are_proof = True

    def __init__(
        self,
        store: Any,
        location: str,
        *,
        headers: Headers,
        locking: bool,
        clock: Callable[[], datetime],
        secrets: tuple[str, ...],
    ) -> None:
        import obstore  # noqa: PLC0415  (an extra)

        self._do: Any = obstore
        self._store = store
        self.location = location
        self._headers = headers
        self._locking = locking
        self._clock = clock
        self._secrets = secrets
        self._lease: _Lease | None = None
        self._renewing = Lock()
        self._bucket_exists = False

    def __repr__(self) -> str:
        return f"ObjectStore({self.location!r})"

    def read(self, name: str, most: int) -> bytes | None:
        """See Store."""
        found = self._read(check_name(name), most)
        return None if found is None else found[0]

    def _read(self, name: str, most: int) -> tuple[bytes, _Version] | None:
        """Return the content, with the version that a conditional write refers to."""
        with self._publish_errors(name):
            answer = self._get(name)
            if answer is None:
                return None
            data = bytearray()
            for piece in answer.stream(min_chunk_size=_PIECE):
                data += piece
                if len(data) > most:
                    raise LimitError(f"the file has more than {most:,} bytes", location=f"{self.location}/{name}")
            return bytes(data), _version(answer.meta)

    def _get(self, name: str) -> Any:
        try:
            return self._do.get(self._store, name)
        except FileNotFoundError:
            self._check_bucket()
            return None

    def _check_bucket(self) -> None:
        """Raise if the bucket does not exist, which the response to HEAD does not show. Lists once to find out."""
        if not self._bucket_exists:
            next(iter(self._do.list(self._store, prefix=".urlset")), None)
            self._bucket_exists = True

    def fetch(self, name: str, path: Path) -> bool:
        """See Store."""
        with self._publish_errors(check_name(name)):
            answer = self._get(name)
            pieces = None if answer is None else iter(answer.stream(min_chunk_size=_PIECE))
        if pieces is None:
            return False
        with os_errors_as_publish_errors(path), remove_on_error(path), path.open("wb") as file:
            while (piece := self._next(name, pieces)) is not None:
                file.write(piece)
        return True

    def _next(self, name: str, pieces: Iterator[bytes]) -> bytes | None:
        with self._publish_errors(name):
            return next(pieces, None)

    def size(self, name: str) -> int | None:
        """See Store."""
        found = self._head(name)
        return None if found is None else int(found["size"])

    def sha256(self, name: str) -> str | None:
        """See Store. The object is read piece by piece, and not kept."""
        with self._publish_errors(check_name(name)):
            answer = self._get(name)
            if answer is None:
                return None
            found = hashlib.sha256()
            for piece in answer.stream(min_chunk_size=_PIECE):
                found.update(piece)
            return found.hexdigest()

    def stamp(self, name: str) -> str | None:
        """See Store. The ETag of an object differs once it was written with other bytes."""
        found = self._head(name)
        return None if found is None else f"{found['size']}:{found['e_tag'] or found['last_modified'].isoformat()}"

    def _head(self, name: str) -> Any:
        with self._publish_errors(check_name(name)):
            try:
                return self._do.head(self._store, name)
            except FileNotFoundError:
                self._check_bucket()
                return None

    def put(self, name: str, data: bytes) -> None:
        """See Store."""
        headers = headers_for(check_name(name), self._headers)
        self._renew_lock()
        with self._publish_errors(name):
            self._do.put(self._store, name, data, attributes=headers, use_multipart=False)

    def put_file(self, name: str, path: Path) -> None:
        """See Store. A large file is sent in parts: let the bucket remove the parts of incomplete uploads."""
        headers = headers_for(check_name(name), self._headers)
        if not path.is_file():
            raise PublishError(f"{path} does not exist, so it cannot be stored as {name}")
        self._renew_lock()
        with self._publish_errors(name):
            parts = {"chunk_size": _PART, "max_concurrency": _PARTS_AT_ONCE}
            self._do.put(self._store, name, path, attributes=headers, **parts)

    def rename(self, name: str, new_name: str) -> None:
        """See Store."""
        names = (check_name(name), check_name(new_name))
        self._renew_lock()
        with self._publish_errors(new_name):
            try:
                self._do.copy(self._store, *names)
            except FileNotFoundError:
                self._check_bucket()
                return
        self.delete([name])

    def delete(self, names: Iterable[str]) -> None:
        """See Store."""
        left = [check_name(name) for name in names]
        while left:
            some, left = left[:_DELETED_AT_ONCE], left[_DELETED_AT_ONCE:]
            self._renew_lock()
            with self._publish_errors(f"{some[0]} and {len(some) - 1} more" if len(some) > 1 else some[0]):
                self._delete(some)

    def _delete(self, names: Names) -> None:
        try:
            self._do.delete(self._store, names)
        except FileNotFoundError:
            # Google and Azure stop at the first missing object.
            self._check_bucket()
            for name in names:
                with suppress(FileNotFoundError):
                    self._do.delete(self._store, name)

    def list(self, prefix: str) -> Names:
        """See Store."""
        folder, slash, start = check_prefix(prefix).rpartition("/")
        # All three return sorted lists. So this one begins right before the first name, and ends after the last.
        before = folder + slash + start[:-1] if start[:-1].strip(".") else None
        names: Names = []
        with self._publish_errors(f"the list of {prefix}…"):
            for batch in self._do.list(self._store, prefix=folder or None, offset=before):
                for found in batch:
                    name = found["path"]
                    if name.startswith(prefix):
                        if len(names) == MAX_NAMES:
                            raise PublishError(f"{self.location} has more than {MAX_NAMES:,} files named {prefix}…")
                        names.append(name)
                    elif name > prefix:
                        return _without_lock(names)
        return _without_lock(names)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """See Store. The lock of a publish that was killed expires after LEASE."""
        if not self._locking:
            yield
            return
        self._lease = self._acquire()
        try:
            self._check_conditions(self._lease)
            yield
        except BaseException:
            with suppress(PublishError):  # the first error is the one to report; the lock expires by itself
                self._release()
            raise
        self._release()

    def _acquire(self) -> _Lease:
        owner = token_hex(16)
        for _ in range(_ATTEMPTS):
            now = self._clock()
            lease = _Lease(owner, socket.gethostname()[:100], os.getpid(), now, now + LEASE, {})
            if self._write_lock(lease, "create"):
                return lease
            found = self._read_lock()
            if found is None:
                continue  # released in between, or a conflict without a winner
            if found.owner == owner:
                return found  # the response was lost, and the request was repeated
            if now < found.until:
                raise PublishError(_lock_held(self.location, found))
            if self._write_lock(lease, found.version):
                return lease
        raise PublishError(f"several publishes compete for {self.location}/{LOCK}: try again")

    def _write_lock(self, lease: _Lease, mode: str | _Version) -> bool:
        """Write the lock conditionally. Return False if the condition is not met."""
        from obstore.exceptions import AlreadyExistsError, PreconditionError  # noqa: PLC0415  (an extra)

        headers = headers_for(LOCK, {}) | {"Content-Type": "application/json"}
        with self._publish_errors(LOCK):
            try:
                put = self._do.put(self._store, LOCK, lease.body(), attributes=headers, mode=mode)
            except (AlreadyExistsError, PreconditionError):
                return False
            lease.version = _version(put)
        return True

    def _check_conditions(self, lease: _Lease) -> None:
        """Raise PublishError for a store that ignores conditions: it lets the lock be created a second time."""
        if self._write_lock(lease, "create"):
            raise PublishError(
                f"{self.location} ignores conditional writes (If-None-Match), so it cannot be locked: "
                "make sure that only one publish runs at a time, and pass locking=False"
            )

    def _read_lock(self) -> _Lease | None:
        """Return the stored lock; None if there is none. Raises PublishError if it cannot be read."""
        try:
            found = self._read(LOCK, _LOCK_BYTES)
            if found is None:
                return None
            lock = json.loads(found[0])
            since, until = (datetime.fromisoformat(lock[key]).astimezone(UTC) for key in ("since", "until"))
            return _Lease(str(lock["owner"]), str(lock["host"]), int(lock["pid"]), since, until, found[1])
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError, LimitError):
            raise PublishError(f"{self.location}/{LOCK} cannot be read: remove it if no publish is running") from None

    def _renew_lock(self) -> None:
        """Renew the lock if a third of its time has passed. Raises PublishError if another publish has it."""
        with self._renewing:
            lease, now = self._lease, self._clock()
            if lease is None or lease.until - now > LEASE * 2 / 3:
                return
            renewed = replace(lease, until=now + LEASE)
            self._lease = renewed if self._write_lock(renewed, lease.version) else self._own_lock(lease)

    def _own_lock(self, lease: _Lease) -> _Lease:
        """Return this publish's own lock as stored. Raises PublishError if it is gone."""
        found = self._read_lock()
        if found is None or found.owner != lease.owner:
            raise PublishError(
                f"the lock of this publish at {self.location} is gone: somebody removed it, or another publish took "
                f"over because this one wrote nothing for {LEASE}. Nothing more was written: publish again"
            )
        return found

    def _release(self) -> None:
        """Remove this publish's lock. It is renewed first, so that no other publish can take it over in between."""
        try:
            self._renew_lock()
            lease, self._lease = self._lease, None
            if lease is not None:
                self._own_lock(lease)
                with self._publish_errors(LOCK):
                    self._delete([LOCK])
        finally:
            self._lease = None

    @contextmanager
    def _publish_errors(self, what: str) -> Iterator[None]:
        """Raise PublishError for an error of the store, with its location and a remedy, without secrets."""
        from obstore.exceptions import BaseError  # noqa: PLC0415  (an extra)

        try:
            yield
        except (BaseError, OSError, ValueError) as error:
            raise PublishError(f"{self.location}: {what}: {describe_store_error(error, self._secrets)}") from None


def _version(response: Any) -> _Version:
    """Return the version in a response, for a conditional write. Not every store returns both parts."""
    return {key: response[key] for key in ("e_tag", "version") if response[key] is not None}


def _without_lock(names: Names) -> Names:
    return sorted(name for name in names if name != LOCK)


def _lock_held(location: str, lease: _Lease) -> str:
    until = lease.until.isoformat(timespec="seconds")
    return (
        f"another publish into {location} is running: process {lease.pid} on {lease.host!r}. "
        f"If it was killed, its lock expires at {until}, or remove {LOCK}"
    )
