"""Which database a URL names: a file of SQLite, or a PostgreSQL server, without its password being shown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from urlset._model.errors import InputError
from urlset._util.text import escape_controls

#: The seconds after which a server of PostgreSQL that does not answer is given up, and the most that a URL may ask for.
CONNECT_SECONDS = 10
MOST_CONNECT_SECONDS = 300
#: Characters of a database's own words that an error quotes.
_MOST_QUOTED = 1_000

_SUPPORTED = "sqlite:///file.db, sqlite:////absolute/file.db and postgresql://user:password@host:port/name"
_POSTGRES = re.compile(
    r"//(?:(?P<user>[^:@/?#]*)(?::(?P<password>[^@/]*))?@)?"
    r"(?P<hosts>[^/?#@]*)(?:/(?P<database>[^?@]*))?(?:\?(?P<query>[^@]*))?"
)
_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.%]+\]|[^:\[\]]*)(?::\d{0,5})?")


@dataclass(frozen=True, slots=True)
class File:
    """A database of SQLite. `shown` may stand in a message."""

    path: Path

    @property
    def shown(self) -> str:
        return escape_controls(str(self.path))

    def quote(self, text: str) -> str:
        """The database's own words in one line."""
        return _quote(text)


@dataclass(frozen=True, slots=True)
class Server:
    """A database of PostgreSQL: the `uri` for its client, and what of it may be `shown`."""

    uri: str = field(repr=False)
    shown: str
    secrets: tuple[str, ...] = field(repr=False)

    def quote(self, text: str) -> str:
        """The database's own words in one line, without the password, should they hold it."""
        for secret in self.secrets:
            # Only as a whole word: masking every "p" of a sentence would tell a password that is "p".
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "***", text)
        return _quote(text)


def parse(url: str) -> File | Server:
    """The database that a URL names. No error shows the URL, in which there may be a password anywhere.

    Raises InputError for a scheme that is not supported, for a file that is not there and for a URL that can be read
    in more than one way.
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
        raise InputError(f"{name}: names another library's driver: write {plain}:")
    raise InputError(
        f"the rows cannot come from {f'a database of {name}:' if name else 'a database URL without a scheme'}; "
        f"known are {_SUPPORTED}; from others, export to CSV, JSON lines or Parquet, or pass an Arrow table"
    )


def _file(rest: str) -> File:
    name = rest
    if rest.startswith("//"):
        if not rest.startswith("///"):
            raise InputError(
                "after sqlite: come three slashes and a path: sqlite:///file.db, sqlite:////absolute/file.db"
            )
        name = rest[3:]
    if name in ("", ":memory:"):
        raise InputError("the URL names no file of SQLite: write sqlite:///file.db")
    if "\0" in name:
        raise InputError("the path of SQLite's file holds U+0000, which none does")
    path = Path(name).absolute()
    if path.is_dir():
        raise InputError(f"{escape_controls(str(path))} is a folder, and no file of SQLite")
    if not path.is_file():
        raise InputError(f"there is no file {escape_controls(str(path))}")
    return File(path)


def _server(rest: str) -> Server:
    """libpq's own reading of a URL quotes what it cannot read, which may be a piece of a password: so it gets none
    that it cannot read, and none in which it is unclear where the password ends."""
    found = _POSTGRES.fullmatch(rest)
    is_clear = rest.isprintable() and " " not in rest and not re.search(r"%(?![0-9A-Fa-f]{2})|%00", rest)
    if found is None or not is_clear or not all(map(_HOST.fullmatch, found["hosts"].split(","))):
        raise InputError(
            "the URL of PostgreSQL cannot be read: it is postgresql://user:password@host:port/name, in which what is "
            "special in a name or a password is percent-encoded: @ is %40, / is %2F, % is %25, a space %20"
        )
    user, hosts, database = found["user"] or "", found["hosts"], found["database"] or ""
    given = _parameters(found["query"] or "")
    uri = f"postgresql:{rest}"
    if "connect_timeout" not in given:
        uri += f"{'&' if found['query'] else '' if found['query'] == '' else '?'}connect_timeout={CONNECT_SECONDS}"
    # Where the password is the name of the user, to mask one would tell the other.
    public = {user, database, hosts, unquote(user), unquote(database), ""}
    passwords = [found["password"] or "", given.get("password", ""), given.get("sslpassword", "")]
    secrets = {*passwords, *map(unquote, passwords)} - public
    shown = escape_controls(f"postgresql://{user}{'@' if user else ''}{hosts}/{database}")
    return Server(uri, shown, tuple(sorted(secrets, key=len, reverse=True)))


def _parameters(query: str) -> dict[str, str]:
    given: dict[str, str] = {}
    for item in filter(None, query.split("&")):
        name, equals, value = item.partition("=")
        if not equals or not re.fullmatch(r"[a-z_]+", name):
            raise InputError("a parameter of the URL of PostgreSQL is not name=value, as in ?sslmode=require")
        given[name] = value
        if name == "connect_timeout" and not (value.isascii() and value.isdigit() and _is_bounded(value)):
            raise InputError(f"connect_timeout is from 1 to {MOST_CONNECT_SECONDS} seconds")
    return given


def _is_bounded(seconds: str) -> bool:
    return len(seconds) <= 3 and 0 < int(seconds) <= MOST_CONNECT_SECONDS


def _quote(text: str) -> str:
    line = escape_controls("; ".join(" ".join(part.split()) for part in text.splitlines() if part.strip()))
    return line if len(line) <= _MOST_QUOTED else line[:_MOST_QUOTED] + "…"
