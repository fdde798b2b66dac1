"""Database URLs: which SQLite file or PostgreSQL server a URL names. Passwords are never shown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from urlset._model.errors import InputError
from urlset._util.text import escape_controls

#: Seconds to wait for a connection to PostgreSQL, and the most that a URL may ask for.
CONNECT_SECONDS = 10
MAX_CONNECT_SECONDS = 300
#: The most characters of a database's message that an error quotes.
_MAX_QUOTED = 1_000

_SUPPORTED = "sqlite:///file.db, sqlite:////absolute/file.db or postgresql://user:password@host:port/name"
_POSTGRES = re.compile(
    r"//(?:(?P<user>[^:@/?#]*)(?::(?P<password>[^@/]*))?@)?"
    r"(?P<hosts>[^/?#@]*)(?:/(?P<database>[^?@]*))?(?:\?(?P<query>[^@]*))?"
)
_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.%]+\]|[^:\[\]]*)(?::\d{0,5})?")


@dataclass(frozen=True, slots=True)
class SQLiteFile:
    """An SQLite database file. `shown` is safe to use in a message."""

    path: Path

    @property
    def shown(self) -> str:
        return escape_controls(str(self.path))

    def quote(self, text: str) -> str:
        """Return a message of the database as one line."""
        return _quote(text)


@dataclass(frozen=True, slots=True)
class PostgreSQLServer:
    """A PostgreSQL database: the `uri` for its client, and the part of it that may be `shown`."""

    uri: str = field(repr=False)
    shown: str
    secrets: tuple[str, ...] = field(repr=False)

    def quote(self, text: str) -> str:
        """Return a message of the database as one line, with any password in it masked."""
        for secret in self.secrets:
            # Only as a whole word: masking every "p" of a sentence would reveal that the password is "p".
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "***", text)
        return _quote(text)


def parse_url(url: str) -> SQLiteFile | PostgreSQLServer:
    """Return the database that a URL names. No error shows the URL, because a password may be anywhere in it.

    Raises:
        InputError: The scheme is not supported, the file does not exist, or the URL is ambiguous.
    """
    scheme, colon, rest = url.partition(":")
    scheme = scheme.lower()
    if colon and scheme == "sqlite":
        return _file(rest)
    if colon and scheme in ("postgresql", "postgres"):
        return _server(rest)
    name = escape_controls(scheme[:40]) if colon and re.fullmatch(r"[a-z][a-z0-9+.-]*", scheme) else None
    plain = (name or "").partition("+")[0]
    if name and plain in ("sqlite", "postgresql", "postgres"):
        raise InputError(f"{name}: names a driver of another library: write {plain}:")
    trouble = f"{name}: is not supported" if name else "it has no scheme"
    raise InputError(
        f"the database URL cannot be used: {trouble}; use {_SUPPORTED}; from another database, export CSV, JSON lines "
        "or Parquet, or pass an Arrow table"
    )


def _file(rest: str) -> SQLiteFile:
    name = rest
    if rest.startswith("//"):
        if not rest.startswith("///"):
            raise InputError(
                "sqlite: must be followed by three slashes and a path: sqlite:///file.db, sqlite:////absolute/file.db"
            )
        name = rest[3:]
    if name in ("", ":memory:"):
        raise InputError("the database URL does not name an SQLite file: write sqlite:///file.db")
    if "\0" in name:
        raise InputError("the path of the SQLite file must not contain U+0000")
    path = Path(name).absolute()
    if path.is_dir():
        raise InputError(f"{escape_controls(str(path))} is a folder, not an SQLite file")
    if not path.is_file():
        raise InputError(f"{escape_controls(str(path))} does not exist")
    return SQLiteFile(path)


def _server(rest: str) -> PostgreSQLServer:
    """Return the server that a URL names.

    libpq quotes what it cannot parse, which may be part of a password. So it is never given a URL that it cannot parse,
    nor one in which it is unclear where the password ends.
    """
    found = _POSTGRES.fullmatch(rest)
    is_clear = rest.isprintable() and " " not in rest and not re.search(r"%(?![0-9A-Fa-f]{2})|%00", rest)
    if found is None or not is_clear or not all(map(_HOST.fullmatch, found["hosts"].split(","))):
        raise InputError(
            "the PostgreSQL URL cannot be parsed: write postgresql://user:password@host:port/name, and percent-encode "
            "special characters in a name or a password: @ as %40, / as %2F, % as %25, a space as %20"
        )
    user, hosts, database = found["user"] or "", found["hosts"], found["database"] or ""
    given = _parameters(found["query"] or "")
    uri = f"postgresql:{rest}"
    if "connect_timeout" not in given:
        uri += f"{'&' if found['query'] else '' if found['query'] == '' else '?'}connect_timeout={CONNECT_SECONDS}"
    # Where the password equals the user name, masking one would reveal the other.
    public = {user, database, hosts, unquote(user), unquote(database), ""}
    passwords = [found["password"] or "", given.get("password", ""), given.get("sslpassword", "")]
    secrets = {*passwords, *map(unquote, passwords)} - public
    shown = escape_controls(f"postgresql://{user}{'@' if user else ''}{hosts}/{database}")
    return PostgreSQLServer(uri, shown, tuple(sorted(secrets, key=len, reverse=True)))


def _parameters(query: str) -> dict[str, str]:
    given: dict[str, str] = {}
    for item in filter(None, query.split("&")):
        name, equals, value = item.partition("=")
        if not equals or not re.fullmatch(r"[a-z_]+", name):
            raise InputError("the parameters of the PostgreSQL URL must be name=value, as in ?sslmode=require")
        given[name] = value
        if name == "connect_timeout" and not (value.isascii() and value.isdigit() and _is_bounded(value)):
            raise InputError(f"connect_timeout must be from 1 to {MAX_CONNECT_SECONDS} seconds")
    return given


def _is_bounded(seconds: str) -> bool:
    return len(seconds) <= 3 and 0 < int(seconds) <= MAX_CONNECT_SECONDS


def _quote(text: str) -> str:
    line = escape_controls("; ".join(" ".join(part.split()) for part in text.splitlines() if part.strip()))
    return line if len(line) <= _MAX_QUOTED else line[:_MAX_QUOTED] + "…"
