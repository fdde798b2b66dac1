"""One of Django's caches as a store of published sets: `DEST = "cache://ALIAS"`.

A file is a head, which says how many parts it has, and the parts. The parts are written first, under keys that are
never used again, so a reader gets the old bytes or the new ones. A file of which the cache has let go is missing, as in
any other store: a publish writes it again, and until then Django's own view answers.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import Any, NamedTuple

from django.core.cache import InvalidCacheBackendError, caches

from urlset._model.errors import InputError, LimitError, PublishError
from urlset._stores.errors import describe_store_error, os_errors_as_publish_errors
from urlset._stores.open import SCHEMES
from urlset._stores.store import Names, check_name, check_prefix
from urlset._util.files import remove_on_error

SCHEME = "cache"
#: Bytes of a part: memcached takes 1 MiB, with the key and what is beside the value; a table has a third more, as text.
PART = 512 << 10
#: The most bytes of a file, and the most files of a set, whose names are one value.
_MAX_BYTES, _MAX_FILES = 128 << 20, 2_000
#: Seconds after which the lock of a publish that was killed is free, and after which one at work renews its own.
_LEASE, _RENEWED_AFTER = 15 * 60, 5 * 60
#: How often a file is read while it is being replaced.
_ATTEMPTS = 4


class _Head(NamedTuple):
    """What a cache has under the name of a file."""

    size: int
    sha256: str
    #: What the keys of its parts begin with.
    token: str

    @property
    def parts(self) -> list[str]:
        """The keys of the parts."""
        return [f"{self.token}.{number}" for number in range(-(-self.size // PART))]


class CacheStore:
    """A set in a cache. Several threads can use it.

    Args:
        alias: The key of the cache in `CACHES`.
        name: The name of the set.

    Raises:
        InputError: There is no such cache.
    """

    stamps_are_proof = True

    def __init__(self, alias: str, name: str) -> None:
        cache_of(f"{SCHEME}://{alias}")
        self._alias = alias
        self._prefix = f"urlset.set.{hashlib.sha256(name.encode()).hexdigest()[:24]}"
        self.location = f"{SCHEME}://{alias}/{name}"
        self._listing = Lock()
        self._owner: str | None = None
        self._renewed = 0.0

    @property
    def _cache(self) -> Any:
        return caches[self._alias]  # each thread has a connection of its own

    def read(self, name: str, most: int) -> bytes | None:
        """See Store."""
        before: _Head | None = None
        for _ in range(_ATTEMPTS):
            head = self._head(check_name(name))
            if head is None or head == before:
                return None  # a part of it is gone
            if head.size > most:
                raise LimitError(f"the file has more than {most:,} bytes", location=f"{self.location}/{name}")
            if (pieces := self._pieces(name, head)) is not None:
                return b"".join(pieces)
            before = head
        return None

    def fetch(self, name: str, path: Path) -> bool:
        """See Store."""
        data = self.read(name, _MAX_BYTES)
        if data is None:
            return False
        with os_errors_as_publish_errors(path), remove_on_error(path):
            path.write_bytes(data)
        return True

    def size(self, name: str) -> int | None:
        """See Store."""
        found = self._whole(check_name(name))
        return None if found is None else found.size

    def sha256(self, name: str) -> str | None:
        """See Store."""
        data = self.read(name, _MAX_BYTES)
        return None if data is None else hashlib.sha256(data).hexdigest()

    def stamp(self, name: str) -> str | None:
        """See Store."""
        found = self._whole(check_name(name))
        return None if found is None else f"{found.size}:{found.sha256}"

    def put(self, name: str, data: bytes) -> None:
        """See Store.

        Raises:
            PublishError: It is too large, or the cache does not keep it.
        """
        check_name(name)
        if len(data) > _MAX_BYTES:
            raise PublishError(
                f"{self.location}/{name} has {len(data):,} bytes; in a cache, a file may have {_MAX_BYTES:,}:"
                " publish into a folder or an object store"
            )
        self._renew_lock(name)
        before = self._head(name)
        # The name comes first: a publish that is killed leaves nothing that no later one finds.
        self._change_names(name, added=[name])
        head = _Head(len(data), hashlib.sha256(data).hexdigest(), self._key(token_hex(12)))
        for number, key in enumerate(head.parts):
            self._set(name, key, data[number * PART : (number + 1) * PART])
        self._set(name, self._key_of(name), tuple(head))
        if self._whole(name) != head:
            raise self._not_kept(name, min(len(data), PART))
        if before is not None:
            with self._errors(name):
                self._cache.delete_many(before.parts)

    def put_file(self, name: str, path: Path) -> None:
        """See Store."""
        with os_errors_as_publish_errors(path):
            data = path.read_bytes()
        self.put(name, data)

    def rename(self, name: str, new_name: str) -> None:
        """See Store. Both names exist for a moment."""
        data = self.read(name, _MAX_BYTES)
        check_name(new_name)
        if data is not None and name != new_name:
            self.put(new_name, data)
            self.delete([name])

    def delete(self, names: Iterable[str]) -> None:
        """See Store."""
        gone = [check_name(name) for name in names]
        for name in gone:
            self._renew_lock(name)
            head = self._head(name)
            with self._errors(name):
                self._cache.delete_many([self._key_of(name), *([] if head is None else head.parts)])
        self._change_names("the list of names", removed=gone)

    def list(self, prefix: str) -> Names:
        """See Store. A file of which the cache has let go is left out."""
        check_prefix(prefix)
        return [name for name in self._names() if name.startswith(prefix) and self._whole(name) is not None]

    @contextmanager
    def lock(self) -> Iterator[None]:
        """See Store. The lock of a publish that was killed expires."""
        key, owner = self._key("lock"), token_hex(16)
        with self._errors("lock"):
            # FileBasedCache looks before it writes, so that two may write: the last one has the lock.
            is_mine = self._cache.add(key, owner, timeout=_LEASE) and self._cache.get(key) == owner
            holder = self._cache.get(key)
        if not is_mine:
            if holder is None:
                raise self._not_kept("its lock", len(owner))
            raise PublishError(
                f"another publish into {self.location} is running; if it was killed, its lock expires within"
                f" {_LEASE // 60} minutes"
            )
        self._owner, self._renewed = owner, time.monotonic()
        try:
            yield
        except BaseException:
            with suppress(PublishError):  # the first error is the one to report; the lock expires by itself
                self._release(key, owner)
            raise
        self._release(key, owner)

    def _release(self, key: str, owner: str) -> None:
        self._owner = None
        with self._errors("lock"):
            if self._cache.get(key) == owner:
                self._cache.delete(key)

    def _renew_lock(self, name: str) -> None:
        """Renew the lock of this publish, if it has one. Raises PublishError if another publish has it."""
        if self._owner is None:
            return
        key = self._key("lock")
        with self._errors(name):
            is_mine = self._cache.get(key) == self._owner
            if is_mine and time.monotonic() > self._renewed + _RENEWED_AFTER:
                is_mine = self._cache.touch(key, _LEASE)
                self._renewed = time.monotonic()
        if not is_mine:
            raise PublishError(
                f"the lock of this publish at {self.location} is gone: the cache let go of it, or another publish took"
                " over. Nothing more was written: publish again"
            )

    def _names(self) -> Names:
        with self._errors("the list of names"):
            found = self._cache.get(self._key("names"), ())
        return sorted(name for name in found if isinstance(name, str)) if isinstance(found, tuple) else []

    def _change_names(self, what: str, *, added: Names | None = None, removed: Names | None = None) -> None:
        with self._listing:
            known = set(self._names())
            wanted = (known | set(added or ())) - set(removed or ())
            if wanted == known:
                return
            if len(wanted) > _MAX_FILES:
                raise PublishError(
                    f"{self.location}: in a cache, a set may have {_MAX_FILES:,} files: publish into a folder or an"
                    " object store, or raise `limit`"
                )
            self._set(what, self._key("names"), tuple(sorted(wanted)))

    def _head(self, name: str) -> _Head | None:
        with self._errors(name):
            found = self._cache.get(self._key_of(name))
        return _Head(*found) if isinstance(found, tuple) and len(found) == len(_Head._fields) else None

    def _whole(self, name: str) -> _Head | None:
        """Return the head of a file that has all of its parts."""
        before: _Head | None = None
        while (head := self._head(name)) is not None and head != before:
            with self._errors(name):
                if all(self._cache.has_key(key) for key in head.parts):
                    return head
            before = head
        return None

    def _pieces(self, name: str, head: _Head) -> Iterable[bytes] | None:
        with self._errors(name):
            pieces = [self._cache.get(key) for key in head.parts]
        if any(not isinstance(piece, bytes) for piece in pieces) or sum(map(len, pieces)) != head.size:
            return None
        return pieces

    def _set(self, name: str, key: str, value: Any) -> None:
        """Write a value. Caches drop without a word what they do not take."""
        with self._errors(name):
            self._cache.set(key, value, timeout=None)
            is_kept = self._cache.get(key) == value
        if not is_kept:
            raise self._not_kept(name, len(value))

    def _not_kept(self, what: str, size: int) -> PublishError:
        return PublishError(
            f"{self.location}: the cache did not keep {what}, a value of {size:,} bytes: it may take no value of that"
            " size, be full, or keep nothing; publish into a larger cache, a folder or an object store"
        )

    def _key(self, what: str) -> str:
        return f"{self._prefix}.{what}"

    def _key_of(self, name: str) -> str:
        # A key of memcached has at most 250 characters.
        return self._key(f"head.{hashlib.sha256(name.encode()).hexdigest()[:40]}")

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        """Raise PublishError for an error of the cache, whose classes are those of its client."""
        try:
            yield
        except PublishError:
            raise
        except Exception as error:
            reason = describe_store_error(error, ()) or type(error).__name__
            raise PublishError(f"{self.location}: {what}: {reason}") from error


def cache_of(dest: str) -> Any:
    """Return the cache that a destination names.

    Raises:
        InputError: There is none.
    """
    alias = dest.partition("://")[2].partition("/")[0]
    try:
        return caches[alias]
    except InvalidCacheBackendError:
        raise InputError(f"{dest} must name a key of CACHES, got {alias!r}") from None


def _open(rest: str) -> CacheStore:
    alias, _, name = rest.partition("/")
    return CacheStore(alias, name)


SCHEMES[SCHEME] = _open
