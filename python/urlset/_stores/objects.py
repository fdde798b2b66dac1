"""Publishing into an object store: Amazon S3 and what speaks like it, Google Cloud Storage, Azure Blob Storage.

An object is put whole or not at all, and seen at once by all who ask afterwards, in each of the three. So nothing is
staged. The lock is an object that is created only where there is none (`If-None-Match: *`) and says until when it
counts: a publish that was killed ends by that. Whoever holds it puts it anew (`If-Match`) before it writes, and
writes nothing more once another publish has it. For this the clocks of two who publish may differ by two minutes.
"""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from urlset._model.errors import InputError, LimitError, PublishError
from urlset._stores.errors import reason_of
from urlset._stores.headers import check_headers, headers_of
from urlset._stores.store import LOCK, MOST_NAMES, Headers, Names, check_name, check_prefix
from urlset._util.files import remove_on_error

#: How long a lock counts. It is put anew when a third of that has passed, and no single request takes so long.
LEASE = timedelta(minutes=15)
#: For one request with its answer, and for its connection. Who has a slow line gives `timeout`.
_TIMEOUTS = {"timeout": "5 minutes", "connect_timeout": "10 seconds"}
#: Requests are made again so often, and not after this time.
_RETRIES, _RETRY_TIMEOUT = 5, timedelta(minutes=2)
#: A part of a large file: S3 takes 10,000 of them. So many are held at once.
_PART, _PARTS_AT_ONCE = 8 * 1024 * 1024, 2
#: Bytes of an answer that are handed over at once.
_PIECE = 256 * 1024
#: Objects that one request can delete. Source: Amazon S3, DeleteObjects.
_DELETED_AT_ONCE = 1000
#: Bytes of a lock, and attempts to get one that others want too.
_LOCK_BYTES, _ATTEMPTS = 512, 5

#: The stores by the scheme of their URL, and their class.
_CLASSES = {"s3": "S3Store", "gs": "GCSStore", "az": "AzureStore", "abfs": "AzureStore", "abfss": "AzureStore"}
#: Buckets and containers, also Azure's `$web`, which is served as a site.
_BUCKET = re.compile(r"\$?[A-Za-z0-9][A-Za-z0-9._-]{1,221}")
_AZURE_HOST = re.compile(r"([a-z0-9]{3,24})\.(?:dfs|blob)\.core\.windows\.net")

_Version: TypeAlias = dict[str, Any]


@dataclass(slots=True)
class _Lease:
    """A lock as it was found, or as we hold it."""

    owner: str
    host: str
    pid: int
    since: datetime
    until: datetime
    #: What a conditional write names: `e_tag` and `version`.
    version: _Version

    def body(self) -> bytes:
        """The lock as it is stored."""
        said = {"owner": self.owner, "host": self.host, "pid": self.pid}
        return json.dumps(said | {"since": self.since.isoformat(), "until": self.until.isoformat()}).encode()


def open_objects(
    scheme: str, rest: str, headers: Headers, locking: bool, clock: Callable[[], datetime], options: dict[str, Any]
) -> ObjectStore:
    """The store of a URL; see open_store. `rest` is what follows `scheme://`."""
    if scheme not in _CLASSES:
        raise InputError(f"a set cannot be published at {scheme}://; it can in a folder, or at s3://, gs:// or az://")
    authority, _, path = rest.partition("/")
    bucket, at, host = authority.partition("@")
    account = _AZURE_HOST.fullmatch(host) if scheme in ("abfs", "abfss") else None
    if "?" in rest or "#" in rest or not _BUCKET.fullmatch(bucket) or (at and not account):
        # What was given is not shown: people put keys there.
        raise InputError(f"{scheme}:// is followed by a bucket and a prefix, by nothing else, and by no key")
    if bucket.endswith("--x-s3"):
        raise InputError(f"{bucket} is a directory bucket, which nobody can be served from")
    prefix = path.removesuffix("/")
    try:
        check_name(prefix or "x")
    except PublishError as error:
        raise InputError(f"{scheme}://{bucket}: the prefix: {error}") from None
    location = f"{scheme}://{authority}" + (f"/{prefix}" if prefix else "")
    config = _config(options)
    if account:
        config["account_name"] = account[1]
    store = _build(_CLASSES[scheme], bucket, prefix, config, location)
    secrets = tuple(value for value in config.values() if isinstance(value, str))
    return ObjectStore(store, location, headers=check_headers(headers), locking=locking, clock=clock, secrets=secrets)


def _config(options: dict[str, Any]) -> dict[str, Any]:
    """Options as obstore takes them."""
    config: dict[str, Any] = {}
    for key, value in options.items():
        if key == "credential_provider":
            config[key] = value
        elif isinstance(value, bool):
            config[key] = str(value).lower()
        elif isinstance(value, str | int | float):
            config[key] = str(value)
        else:
            raise InputError(f"the option {key} is {type(value).__name__}; it is a text, a number or a bool")
        if "endpoint" in key or key.endswith("base_url"):
            _check_endpoint(key, str(value))
    return config


def _check_endpoint(key: str, url: str) -> None:
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
    except ValueError:
        is_one = False
    if not is_one or not url.isprintable() or " " in url:
        raise InputError(f"the option {key} is no http or https URL without a user in it")


def _build(name: str, bucket: str, prefix: str, config: dict[str, Any], location: str) -> Any:
    try:
        from obstore import exceptions, store  # noqa: PLC0415  (an extra)
    except ImportError:
        raise InputError(f"{location} needs the extra: pip install 'urlset[stores]'") from None
    try:
        retry = {"max_retries": int(config.get("max_retries", _RETRIES)), "retry_timeout": _RETRY_TIMEOUT}
        # Not as client_options: those would take the place of all that the environment says of the client.
        others = _TIMEOUTS | {key: value for key, value in config.items() if key != "max_retries"}
        return getattr(store, name)(bucket, prefix=prefix or None, retry_config=retry, **others)
    except (exceptions.BaseError, ValueError, TypeError) as error:
        raise InputError(f"{location}: {reason_of(error, config.values())}") from None


class ObjectStore:
    """A bucket or container, from a prefix on. It can be used by several threads."""

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
        self._is_there = False

    def __repr__(self) -> str:
        return f"ObjectStore({self.location!r})"

    def read(self, name: str, most: int) -> bytes | None:
        """See Store."""
        found = self._read(check_name(name), most)
        return None if found is None else found[0]

    def _read(self, name: str, most: int) -> tuple[bytes, _Version] | None:
        """The content, with what a conditional write has to name."""
        with self._told(name):
            answer = self._get(name)
            if answer is None:
                return None
            data = bytearray()
            for piece in answer.stream(min_chunk_size=_PIECE):
                data += piece
                if len(data) > most:
                    raise LimitError(f"it has more than {most:,} bytes", location=f"{self.location}/{name}")
            return bytes(data), _version(answer.meta)

    def _get(self, name: str) -> Any:
        try:
            return self._do.get(self._store, name)
        except FileNotFoundError:
            self._check_bucket()
            return None

    def _check_bucket(self) -> None:
        """An absent bucket is no absent object, which the answer to HEAD does not tell apart. Raises, or once lists."""
        if not self._is_there:
            next(iter(self._do.list(self._store, prefix=".urlset")), None)
            self._is_there = True

    def fetch(self, name: str, path: Path) -> bool:
        """See Store."""
        with self._told(check_name(name)):
            answer = self._get(name)
            pieces = None if answer is None else iter(answer.stream(min_chunk_size=_PIECE))
        if pieces is None:
            return False
        try:
            with remove_on_error(path), path.open("wb") as file:
                while (piece := self._next(name, pieces)) is not None:
                    file.write(piece)
        except OSError as error:
            raise PublishError(f"{path}: {error.strerror or error}") from error
        return True

    def _next(self, name: str, pieces: Iterator[bytes]) -> bytes | None:
        with self._told(name):
            return next(pieces, None)

    def size(self, name: str) -> int | None:
        """See Store."""
        with self._told(check_name(name)):
            try:
                return int(self._do.head(self._store, name)["size"])
            except FileNotFoundError:
                self._check_bucket()
                return None

    def put(self, name: str, data: bytes) -> None:
        """See Store."""
        headers = headers_of(check_name(name), self._headers)
        self._keep()
        with self._told(name):
            self._do.put(self._store, name, data, attributes=headers, use_multipart=False)

    def put_file(self, name: str, path: Path) -> None:
        """See Store. A large file goes in parts: let the bucket remove those of uploads that were broken off."""
        headers = headers_of(check_name(name), self._headers)
        if not path.is_file():
            raise PublishError(f"{path}: there is no such file to be stored as {name}")
        self._keep()
        with self._told(name):
            parts = {"chunk_size": _PART, "max_concurrency": _PARTS_AT_ONCE}
            self._do.put(self._store, name, path, attributes=headers, **parts)

    def delete(self, names: Iterable[str]) -> None:
        """See Store."""
        left = [check_name(name) for name in names]
        while left:
            some, left = left[:_DELETED_AT_ONCE], left[_DELETED_AT_ONCE:]
            self._keep()
            with self._told(f"{some[0]} and {len(some) - 1} more" if len(some) > 1 else some[0]):
                self._delete(some)

    def _delete(self, names: Names) -> None:
        try:
            self._do.delete(self._store, names)
        except FileNotFoundError:
            # Google and Azure stop at an absent one.
            self._check_bucket()
            for name in names:
                with suppress(FileNotFoundError):
                    self._do.delete(self._store, name)

    def list(self, prefix: str) -> Names:
        """See Store."""
        folder, slash, start = check_prefix(prefix).rpartition("/")
        # Lists are sorted, in all three. So it begins right before the first name, and ends behind the last.
        before = folder + slash + start[:-1] if start[:-1].strip(".") else None
        names: Names = []
        with self._told(f"the list of {prefix}…"):
            for batch in self._do.list(self._store, prefix=folder or None, offset=before):
                for found in batch:
                    name = found["path"]
                    if name.startswith(prefix):
                        if len(names) == MOST_NAMES:
                            raise PublishError(f"{self.location} has more than {MOST_NAMES:,} files named {prefix}…")
                        names.append(name)
                    elif name > prefix:
                        return _without_lock(names)
        return _without_lock(names)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """See Store. The lock of a publish that was killed ends after LEASE."""
        if not self._locking:
            yield
            return
        self._lease = self._acquire()
        try:
            self._check_conditions(self._lease)
            yield
        except BaseException:
            with suppress(PublishError):  # the first error is the one to be told; the lock ends by itself
                self._release()
            raise
        self._release()

    def _acquire(self) -> _Lease:
        owner = token_hex(16)
        for _ in range(_ATTEMPTS):
            now = self._clock()
            lease = _Lease(owner, socket.gethostname()[:100], os.getpid(), now, now + LEASE, {})
            if self._write(lease, "create"):
                return lease
            found = self._found()
            if found is None:
                continue  # released in between, or a conflict that nobody won
            if found.owner == owner:
                return found  # the answer was lost, and the request was made again
            if now < found.until:
                raise PublishError(_held(self.location, found))
            if self._write(lease, found.version):
                return lease
        raise PublishError(f"{self.location}/{LOCK} is wanted by several publishes at once: try again")

    def _write(self, lease: _Lease, mode: str | _Version) -> bool:
        """Puts the lock on a condition; False where that is not met."""
        from obstore.exceptions import AlreadyExistsError, PreconditionError  # noqa: PLC0415  (an extra)

        headers = headers_of(LOCK, {}) | {"Content-Type": "application/json"}
        with self._told(LOCK):
            try:
                put = self._do.put(self._store, LOCK, lease.body(), attributes=headers, mode=mode)
            except (AlreadyExistsError, PreconditionError):
                return False
            lease.version = _version(put)
        return True

    def _check_conditions(self, lease: _Lease) -> None:
        """A store that ignores conditions would let every publish in: what it says to a second creation shows it."""
        if self._write(lease, "create"):
            raise PublishError(
                f"{self.location} ignores conditional writes (If-None-Match), and so cannot be locked: "
                "see to it that only one publish runs, and give locking=False"
            )

    def _found(self) -> _Lease | None:
        """The lock that is there. Raises PublishError where it is none of ours."""
        try:
            found = self._read(LOCK, _LOCK_BYTES)
            if found is None:
                return None
            said = json.loads(found[0])
            since, until = (datetime.fromisoformat(said[key]).astimezone(UTC) for key in ("since", "until"))
            return _Lease(str(said["owner"]), str(said["host"]), int(said["pid"]), since, until, found[1])
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError, LimitError):
            raise PublishError(f"{self.location}/{LOCK} cannot be read: remove it if no publish runs") from None

    def _keep(self) -> None:
        """Puts our lock anew where a third of its time has passed. Raises PublishError where another publish has it."""
        with self._renewing:
            lease, now = self._lease, self._clock()
            if lease is None or lease.until - now > LEASE * 2 / 3:
                return
            renewed = replace(lease, until=now + LEASE)
            self._lease = renewed if self._write(renewed, lease.version) else self._ours(lease)

    def _ours(self, lease: _Lease) -> _Lease:
        """Our lock as it is stored."""
        found = self._found()
        if found is None or found.owner != lease.owner:
            raise PublishError(
                f"the lock of this publish at {self.location} is gone: another one took over, as this one wrote "
                f"nothing for {LEASE}, or somebody removed it. Nothing more was written: publish again"
            )
        return found

    def _release(self) -> None:
        """Removes our lock. It has ten minutes left then, so that no other publish can have it in between."""
        try:
            self._keep()
            lease, self._lease = self._lease, None
            if lease is not None:
                self._ours(lease)
                with self._told(LOCK):
                    self._delete([LOCK])
        finally:
            self._lease = None

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """Says of what the store refuses where it was, and what to do, without what could be secret."""
        from obstore.exceptions import BaseError  # noqa: PLC0415  (an extra)

        try:
            yield
        except (BaseError, OSError, ValueError) as error:
            raise PublishError(f"{self.location}: {what}: {reason_of(error, self._secrets)}") from None


def _version(said: Any) -> _Version:
    """What a conditional write names, of an answer. Not every store gives both."""
    return {key: said[key] for key in ("e_tag", "version") if said[key] is not None}


def _without_lock(names: Names) -> Names:
    return sorted(name for name in names if name != LOCK)


def _held(location: str, lease: _Lease) -> str:
    until = lease.until.isoformat(timespec="seconds")
    return (
        f"another publish into {location} is running: process {lease.pid} of {lease.host!r}. "
        f"If it was killed, its lock ends at {until}, or with the removal of {LOCK}"
    )
