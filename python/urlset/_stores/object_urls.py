"""Open an object store from its URL and its options."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from urlset._model.errors import InputError, PublishError
from urlset._stores.errors import describe_store_error
from urlset._stores.headers import check_headers
from urlset._stores.objects import ObjectStore
from urlset._stores.store import CLASSES, Headers, check_name

#: For one request with its response, and for its connection. On a slow connection, pass `timeout`.
_TIMEOUTS = {"timeout": "5 minutes", "connect_timeout": "10 seconds"}
#: The number of retries of a request, and the time after which there are no more.
_RETRIES, _RETRY_TIMEOUT = 5, timedelta(minutes=2)

#: Names of buckets and containers, including `$web`, which Azure serves as a website.
_BUCKET = re.compile(r"\$?[A-Za-z0-9][A-Za-z0-9._-]{1,221}")
_AZURE_HOST = re.compile(r"([a-z0-9]{3,24})\.(?:dfs|blob)\.core\.windows\.net")


@dataclass(frozen=True, slots=True)
class Connection:
    """A bucket or container below a prefix: obstore's object for it, its URL, and what no message may contain."""

    store: Any = field(repr=False)
    location: str
    secrets: tuple[str, ...] = field(repr=False)


def open_objects(
    scheme: str, rest: str, headers: Headers, locking: bool, clock: Callable[[], datetime], options: dict[str, Any]
) -> ObjectStore:
    """Open the store of a URL; see `open_store`. `rest` is what follows `scheme://`."""
    if scheme not in CLASSES:
        raise InputError(f"the destination must be a folder, or begin with s3://, gs:// or az://, got {scheme}://")
    authority, _, path = rest.partition("/")
    found = connect(scheme, authority, path.removesuffix("/"), options)
    if (bucket := authority.partition("@")[0]).endswith("--x-s3"):
        raise InputError(f"{bucket} is a directory bucket, which cannot serve files to the public")
    return ObjectStore(
        found.store, found.location, headers=check_headers(headers), locking=locking, clock=clock, secrets=found.secrets
    )


def connect(scheme: str, authority: str, prefix: str, options: Mapping[str, Any]) -> Connection:
    """Return a bucket or container below a prefix. No request is sent.

    Args:
        scheme: One of `CLASSES`.
        authority: The bucket or container, and the host of an `abfss` URL.
        prefix: The prefix, without a slash at its end.
        options: As for `open_store`.

    Raises:
        InputError: The URL or an option is invalid, or the extra is missing.
    """
    bucket, at, host = authority.partition("@")
    account = _AZURE_HOST.fullmatch(host) if scheme in ("abfs", "abfss") else None
    if "?" in prefix or "#" in prefix or not _BUCKET.fullmatch(bucket) or (at and not account):
        # The value is not shown, because it may contain a key.
        raise InputError(f"{scheme}:// must be followed by a bucket and a prefix, without a query or a key")
    try:
        check_name(prefix or "x")
    except PublishError as error:
        raise InputError(f"{scheme}://{bucket}: the prefix: {error}") from None
    location = f"{scheme}://{authority}" + (f"/{prefix}" if prefix else "")
    config = _config(options)
    if account:
        config["account_name"] = account[1]
    store = _build(CLASSES[scheme], bucket, prefix, config, location)
    return Connection(store, location, tuple(value for value in config.values() if isinstance(value, str)))


def _config(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options in the form that obstore takes."""
    config: dict[str, Any] = {}
    for key, value in options.items():
        if key == "credential_provider":
            config[key] = value
        elif isinstance(value, bool):
            config[key] = str(value).lower()
        elif isinstance(value, str | int | float):
            config[key] = str(value)
        else:
            raise InputError(f"the option {key} must be a string, a number or a bool, got {type(value).__name__}")
        if "endpoint" in key or key.endswith("base_url"):
            _check_endpoint(key, str(value))
    return config


def _check_endpoint(key: str, url: str) -> None:
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
    except ValueError:
        is_valid = False
    if not is_valid or not url.isprintable() or " " in url:
        raise InputError(f"the option {key} must be an absolute http(s) URL without a user name")


def _build(name: str, bucket: str, prefix: str, config: dict[str, Any], location: str) -> Any:
    try:
        from obstore import exceptions, store  # noqa: PLC0415  (an extra)
    except ImportError:
        raise InputError(f"{location} needs the extra: pip install 'urlset[stores]'") from None
    try:
        retry = {"max_retries": int(config.get("max_retries", _RETRIES)), "retry_timeout": _RETRY_TIMEOUT}
        # Not as client_options: those would replace all settings of the client in the environment.
        others = _TIMEOUTS | {key: value for key, value in config.items() if key != "max_retries"}
        return getattr(store, name)(bucket, prefix=prefix or None, retry_config=retry, **others)
    except (exceptions.BaseError, ValueError, TypeError) as error:
        raise InputError(f"{location}: {describe_store_error(error, config.values())}") from None
