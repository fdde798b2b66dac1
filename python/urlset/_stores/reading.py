"""Objects of a bucket as they are read: in pieces, one object as it was when reading it began.

A large object is requested part by part. So no connection has to stay open while nobody reads, and memory is bounded.
Each part is requested for the version of the first (`If-Match`), so that no document is a mixture of two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from urlset._model.errors import FetchError, InputError
from urlset._stores.errors import TO_READ, describe_store_error
from urlset._stores.object_urls import connect
from urlset._stores.store import MAX_NAMES

#: Bytes of a part of an object, and of the largest object that is requested at once.
PART = 8 << 20
#: Options of a store that are about publishing to it.
_OF_WRITING = ("object_headers", "locking")


class ListedObject(NamedTuple):
    """An object as a listing shows it. Its version is its ETag, or else the time at which it was written."""

    key: str
    bytes: int
    version: str
    modified: float


class Bucket:
    """A bucket or container whose objects are read. Several threads can use it.

    Args:
        scheme: The scheme of its URL.
        authority: What follows the scheme, up to the first slash.
        options: Options of obstore; see `open_store`.

    Raises:
        InputError: The URL or an option is invalid, or the extra is missing.
    """

    def __init__(self, scheme: str, authority: str, options: Mapping[str, Any]) -> None:
        reading = {name: value for name, value in options.items() if name not in _OF_WRITING}
        self._connection = connect(scheme, authority, "", reading)
        self.location = self._connection.location

        import obstore  # noqa: PLC0415  (an extra, which is there)

        self._do: Any = obstore

    def __repr__(self) -> str:
        return f"Bucket({self.location!r})"

    def open(self, key: str) -> Object:
        """Begin to read an object.

        Raises:
            FetchError: It does not exist, or the store does not give it.
        """
        with self.fetch_errors(key):
            answer = self._do.get(self._connection.store, key)
            meta, coding = answer.meta, answer.attributes.get("Content-Encoding")
            first = bytes(answer.bytes()) if meta["size"] <= PART else b""
        return Object(self, key, meta, coding, first)

    def part(self, key: str, start: int, end: int, version: str | None) -> bytes:
        """Return some bytes of one version of an object.

        Raises:
            FetchError: It was removed or replaced, or the store does not give it.
        """
        options = {"range": (start, end)} | ({} if version is None else {"if_match": version})
        with self.fetch_errors(key):
            return bytes(self._do.get(self._connection.store, key, options=options).bytes())

    def beginning(self, key: str, most: int) -> tuple[bytes, int]:
        """Return the first bytes of an object, at most so many, and its size.

        Raises:
            FetchError: It does not exist, or the store does not give it.
        """
        with self.fetch_errors(key):
            size = int(self._do.head(self._connection.store, key)["size"])
            if not size or not most:
                return b"", size
            return bytes(self._do.get_range(self._connection.store, key, start=0, end=min(size, most))), size

    def has(self, key: str) -> bool:
        """Return whether an object exists.

        Raises:
            FetchError: The store does not say.
        """
        with self.fetch_errors(key):
            try:
                self._do.head(self._connection.store, key)
            except FileNotFoundError:
                return False
            return True

    def keys(self, prefix: str) -> list[str]:
        """Return the keys of all objects below a prefix, which is empty or ends with a slash.

        Raises:
            FetchError: The store does not list them.
            InputError: There are too many.
        """
        return [found.key for found in self.listing(prefix)]

    def listing(self, prefix: str) -> list[ListedObject]:
        """Return all objects below a prefix, as `keys` does, with what tells their versions apart."""
        found: list[ListedObject] = []
        with self.fetch_errors(prefix):
            for batch in self._do.list(self._connection.store, prefix=prefix.rstrip("/") or None):
                for each in batch:
                    modified = each["last_modified"]
                    version = each["e_tag"] or modified.isoformat()
                    found.append(ListedObject(each["path"], int(each["size"]), version, modified.timestamp()))
                if len(found) > MAX_NAMES:
                    raise InputError(f"{self.location}/{prefix} has more than {MAX_NAMES:,} objects: name fewer")
        return [each for each in found if each.key.startswith(prefix)]

    def names(self, prefix: str) -> list[str]:
        """Return the names of the objects right below a prefix, which is empty or ends with a slash.

        Raises:
            FetchError: The store does not list them.
        """
        with self.fetch_errors(prefix):
            found = self._do.list_with_delimiter(self._connection.store, prefix=prefix.rstrip("/") or None)
            return [each["path"].removeprefix(prefix) for each in found["objects"] if each["path"].startswith(prefix)]

    @contextmanager
    def fetch_errors(self, key: str) -> Iterator[None]:
        """Raise FetchError for an error of the store, with the URL of the object and a remedy, without secrets."""
        from obstore.exceptions import BaseError, PreconditionError  # noqa: PLC0415  (an extra)

        where = f"{self.location}/{key}"
        try:
            yield
        except InputError:
            raise
        except PreconditionError:
            raise FetchError(f"{where}: it was replaced while it was read: read it again") from None
        except (BaseError, OSError, ValueError) as error:
            said = describe_store_error(error, self._connection.secrets, TO_READ)
            if isinstance(error, FileNotFoundError) and "correct its name" not in said:
                said = "there is no object of this name; a prefix must end with a slash"
            raise FetchError(f"{where}: {said}") from None


class Object:
    """The content of an object: a binary file that is read once, from its begin to its end."""

    def __init__(self, bucket: Bucket, key: str, meta: Mapping[str, Any], coding: str | None, first: bytes) -> None:
        #: The header of that name, which the store keeps with the object.
        self.content_encoding = coding
        self._bucket = bucket
        self._key = key
        self._size = int(meta["size"])
        self._version: str | None = meta["e_tag"]
        self._first = first
        self._at = 0

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes, as many as arrive at once; none at the end. `size` only has to be other than 0.

        Raises:
            FetchError: The object was replaced or removed, or the store does not give it.
        """
        del size
        if self._at >= self._size:
            return b""
        end = min(self._at + PART, self._size)
        data = self._first or self._bucket.part(self._key, self._at, end, self._version)
        self._first = b""
        if len(data) != end - self._at:
            raise FetchError(
                f"{self._bucket.location}/{self._key}: the store sent {len(data):,} bytes, not {end - self._at:,}"
            )
        self._at = end
        return data

    def close(self) -> None:
        """Read no more."""
        self._first, self._at = b"", self._size
