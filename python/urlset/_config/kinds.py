"""How values of each kind are read from the configuration file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from urlset._config.toml import Table, quoted_key
from urlset._model.errors import InputError
from urlset._options import kinds
from urlset._options.kinds import Kind
from urlset._options.shared import check_store_option
from urlset._rules.selection import per_file

_SECRET = re.compile(r"secret|token|passw|sas|credential|_key$", re.IGNORECASE)
_PASSWORD = re.compile(r"//[^/@?#]*:[^/@]+@|[?&](?:ssl)?password=", re.IGNORECASE)


def _destination(table: Table, key: str) -> str | None:
    """Read a folder, which is relative to the file, or the URL of a store."""
    value = table.text(key)
    return value if value is None or "://" in value else str(table.folder / value)


def _database(table: Table, key: str) -> str | None:
    """Read the URL of a database; the path of an SQLite file is relative to the configuration file."""
    url = table.text(key)
    if url is None:
        return None
    if _PASSWORD.search(url):
        raise table.error(key, "a password does not belong in a file: use database-env or ~/.pgpass")
    found = re.fullmatch(r"(?P<scheme>sqlite):///(?P<path>[^/].*)", url, re.DOTALL | re.IGNORECASE)
    return f"sqlite:///{table.folder / found['path']}" if found else url


def _store(table: Table, key: str) -> Mapping[str, str | int | bool] | None:
    """Read the options of a store, none of which may be a secret."""
    options = table.scalars(key)
    for name in options or ():
        with table.at(f"{key}.{name}"):
            check_store_option(name)
            if _SECRET.search(name):
                raise InputError(
                    "a secret does not belong in a file: use the environment variables that the store reads"
                )
    return options


def _headers(table: Table, key: str) -> dict[str, Mapping[str, str]] | None:
    inner = table.table(key)
    if inner is None:
        return None
    return {glob: headers for glob in inner.values if (headers := inner.strings(glob)) is not None}


def _ignores(table: Table, key: str) -> Mapping[str, tuple[str, ...]] | None:
    """Read rule selectors by glob, and check both."""
    ignores = table.lists(key)
    for glob, selectors in (ignores or {}).items():
        with table.at(f"{key}.{quoted_key(glob)}"):
            per_file({glob: selectors}, None)
    return ignores


READERS: Mapping[Kind | None, Callable[[Table, str], Any]] = {
    kinds.STRING: Table.text,
    kinds.BOOLEAN: Table.boolean,
    kinds.NUMBER: Table.count,
    kinds.PATH: Table.path,
    kinds.DESTINATION: _destination,
    kinds.DATABASE: _database,
    kinds.STRINGS: Table.texts,
    kinds.SELECTORS: Table.texts,
    kinds.GLOBS: Table.globs,
    kinds.COLUMNS: Table.strings,
    kinds.LANGUAGES: Table.strings,
    kinds.STORE: _store,
    kinds.OBJECT_HEADERS: _headers,
    kinds.IGNORES: _ignores,
    kinds.COPIES: Table.paths,
}
