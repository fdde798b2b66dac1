"""Which store a destination names."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from urlset._model.errors import InputError
from urlset._stores.folder import FolderStore
from urlset._stores.store import Headers, Store


def open_store(
    dest: str | os.PathLike[str],
    *,
    headers: Headers | None = None,
    locking: bool = True,
    clock: Callable[[], datetime] | None = None,
    **options: Any,
) -> Store:
    """The store at a folder, a `file://` URL, or `s3://`, `gs://`, `az://` or `abfss://` with a bucket and a prefix.

    The further arguments are for object stores only. `headers` are added to those that names give, or replace them.
    `locking` is False for a store that has no conditional writes: then it is up to the caller that only one publish
    runs. `clock` stands in for the present, in UTC. `options` are those of obstore, such as `endpoint`, `region`,
    `allow_http`, `virtual_hosted_style_request` or `timeout`, and `max_retries`. Credentials are best left to where
    obstore finds them: the environment, or the role of the machine.

    Nothing is read or written yet. Raises InputError for a place that cannot be meant, an unknown option and a missing
    extra.
    """
    text = os.fspath(dest)
    scheme, separator, rest = text.partition("://")
    if separator and scheme.lower() != "file":
        from urlset._stores.objects import open_objects  # noqa: PLC0415  (a folder need not pay for it)

        return open_objects(scheme.lower(), rest, headers or {}, locking, clock or _present, options)
    for name, given in (("headers", headers), ("locking", None if locking else False), *options.items()):
        if given is not None:
            raise InputError(f"{name} is for object stores, and {text} is a folder")
    return FolderStore(_path_of(text) if separator else text)


def _present() -> datetime:
    return datetime.now(UTC)


def _path_of(url: str) -> str:
    """The path of a file:// URL."""
    from urllib.request import url2pathname  # noqa: PLC0415  (with its HTTP client, a sixth of importing urlset)

    parts = urlsplit(url)
    if parts.netloc not in ("", "localhost") or parts.query or parts.fragment or not parts.path:
        raise InputError("a file:// URL names a folder of this machine, such as file:///srv/www")
    return url2pathname(parts.path)
