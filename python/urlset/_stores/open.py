"""Open the store that a destination names."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from urlset._model.errors import InputError
from urlset._stores.folder import FolderStore
from urlset._stores.store import Headers, Store

#: What opens a store of another room, by the scheme of its URL, and gets what follows `://`.
SCHEMES: dict[str, Callable[[str], Store]] = {}


def open_store(
    dest: str | os.PathLike[str],
    *,
    object_headers: Headers | None = None,
    locking: bool = True,
    clock: Callable[[], datetime] | None = None,
    **options: Any,
) -> Store:
    """Open the store that a destination names. Nothing is read or written yet.

    All arguments but the first are for object stores only.

    Args:
        dest: A folder, a `file://` URL, or `s3://`, `gs://`, `az://` or `abfss://` with a bucket and a prefix.
        object_headers: HTTP headers by glob of names. They are added to the default ones, or replace them.
        locking: False for a store without conditional writes; then the caller must make sure that only one publish
            runs at a time.
        clock: Returns the present in UTC; for tests.
        **options: Options of obstore, such as `endpoint`, `region`, `allow_http`, `virtual_hosted_style_request` or
            `timeout` (in seconds), and `max_retries`. Credentials are best left to the places where obstore finds them:
            the environment, or the role of the machine.

    Returns:
        The store.

    Raises:
        InputError: The destination or an option is invalid, or the extra is missing: pip install 'urlset[stores]'.
    """
    text = os.fspath(dest)
    scheme, separator, rest = text.partition("://")
    opener = SCHEMES.get(scheme.lower()) if separator else None
    if separator and opener is None and scheme.lower() != "file":
        from urlset._stores.object_urls import open_objects  # noqa: PLC0415  (a folder need not pay for it)

        return open_objects(scheme.lower(), rest, object_headers or {}, locking, clock or _utc_now, options)
    for name, given in (("object_headers", object_headers), ("locking", None if locking else False), *options.items()):
        if given is not None:
            raise InputError(f"{name} is for object stores, but {text} is a {'folder' if opener is None else 'cache'}")
    if opener is not None:
        return opener(rest)
    return FolderStore(_file_url_path(text) if separator else text)


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _file_url_path(url: str) -> str:
    """Return the path of a file:// URL."""
    from urllib.request import url2pathname  # noqa: PLC0415  (with its HTTP client, a sixth of importing urlset)

    parts = urlsplit(url)
    if parts.netloc not in ("", "localhost") or parts.query or parts.fragment or not parts.path:
        raise InputError(f"a file:// URL must name a folder of this machine, such as file:///srv/www, got {url!r}")
    return url2pathname(parts.path)
