"""Reading TOML: each value has the expected type, or the error names the file and the key."""

from __future__ import annotations

import glob
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from urlset._model.errors import InputError
from urlset._util.text import did_you_mean


def text_of(path: Path, errors: str = "strict") -> str:
    """Return the text of a file.

    Raises:
        InputError: The file cannot be read, or it is not UTF-8.
    """
    try:
        # Some editors begin a file with a byte order mark.
        return path.read_text("utf-8-sig", errors)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from error


def values_of(path: Path, text: str) -> dict[str, Any]:
    """Return the values of a text.

    Raises:
        InputError: The text is not valid TOML; the message has the line and the column.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, position = str(error).rpartition(" (at ")
        found = re.match(r"line (\d+), column (\d+)", position)
        # Without a position, the error is at the end of the document.
        line, column = found.groups() if found else (text.count("\n") + 1, len(text) - text.rfind("\n"))
        raise InputError(f"{path}:{line}:{column}: {message}") from error
    except (ValueError, RecursionError) as error:
        # A number with thousands of digits, or hundreds of nested tables.
        raise InputError(f"{path}: {error}") from error


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the file. Each method returns the value of a key, which has its type, or None if the key is absent."""

    file: Path
    name: str
    values: Mapping[str, Any]

    @property
    def folder(self) -> Path:
        """The folder that paths are relative to."""
        return self.file.absolute().parent

    def error(self, key: str, message: str) -> InputError:
        """Return an error about a key."""
        return InputError(f"{self.file}: {self._full(key)}: {message}")

    @contextmanager
    def at(self, key: str) -> Iterator[None]:
        """Put the file and the key in front of the message of an InputError.

        A message about an argument, such as `shard_by must be …`, gets the key in place of the argument's name.
        """
        try:
            yield
        except InputError as error:
            name = key.replace("-", "_")
            if (message := str(error)).startswith(f"{name} must "):
                raise InputError(f"{self.file}: {self._full(key)}{message.removeprefix(name)}") from error
            raise self.error(key, message) from error

    def check_keys(self, known: Iterable[str]) -> None:
        """Raise InputError for a key that is not one of `known`."""
        known = list(known)
        for key in self.values:
            if key not in known:
                raise self.error(quoted_key(key), f"unknown key{did_you_mean(key, known, or_all=True)}")

    def table(self, key: str) -> Table | None:
        """Return a nested table."""
        value = self._get(key, dict, "a table")
        return None if value is None else Table(self.file, self._full(key), value)

    def tables(self, key: str) -> tuple[Table, ...] | None:
        """Return an array of tables, `[[key]]`; their names have their number, from 1."""
        value = self._get(key, list, f"an array of tables, [[{self._full(key)}]]")
        if value is None:
            return None
        for item in value:
            if not isinstance(item, dict):
                raise self._wrong(key, item, f"an array of tables, [[{self._full(key)}]]", in_list=True)
        return tuple(Table(self.file, f"{self._full(key)}[{number}]", item) for number, item in enumerate(value, 1))

    def text(self, key: str) -> str | None:
        """Return a string."""
        value: str | None = self._get(key, str, "a string")
        return value

    def boolean(self, key: str) -> bool | None:
        """Return true or false."""
        value: bool | None = self._get(key, bool, "true or false")
        return value

    def count(self, key: str) -> int | None:
        """Return a positive integer."""
        value: int | None = self._get(key, int, "a positive integer")
        if value is not None and value < 1:
            raise self._wrong(key, value, "a positive integer")
        return value

    def texts(self, key: str) -> tuple[str, ...] | None:
        """Return a list of strings."""
        value = self._get(key, list, "a list of strings")
        if value is None:
            return None
        for item in value:
            if not isinstance(item, str):
                raise self._wrong(key, item, "a list of strings", in_list=True)
        return tuple(value)

    def path(self, key: str) -> Path | None:
        """Return a path, which is relative to the file."""
        value = self.text(key)
        return None if value is None else self.folder / value

    def globs(self, key: str) -> tuple[str, ...] | None:
        """Return a list of globs, which are relative to the file."""
        values = self.texts(key)
        return None if values is None else tuple(str(Path(glob.escape(str(self.folder)), value)) for value in values)

    def lists(self, key: str) -> Mapping[str, tuple[str, ...]] | None:
        """Return lists of strings by key."""
        inner = self.table(key)
        if inner is None:
            return None
        return {name: texts for name in inner.values if (texts := inner.texts(name)) is not None}

    def paths(self, key: str) -> Mapping[str, Path] | None:
        """Return paths by key."""
        inner = self.table(key)
        if inner is None:
            return None
        return {name: path for name in inner.values if (path := inner.path(name)) is not None}

    def strings(self, key: str) -> Mapping[str, str] | None:
        """Return strings by key."""
        inner = self.table(key)
        if inner is None:
            return None
        return {name: text for name in inner.values if (text := inner.text(name)) is not None}

    def scalars(self, key: str) -> Mapping[str, str | int | bool] | None:
        """Return strings, integers and booleans by key."""
        inner = self.table(key)
        if inner is None:
            return None
        for name, value in inner.values.items():
            if not isinstance(value, str | int | bool):
                raise inner._wrong(name, value, "a string, an integer or a boolean")
        return dict(inner.values)

    def _full(self, key: str) -> str:
        return f"{self.name}.{key}" if self.name else key

    def _get(self, key: str, kind: type, expected: str) -> Any:
        value = self.values.get(key)
        # A bool is an int in Python, but not in TOML.
        if value is None or (isinstance(value, kind) and (kind is bool or not isinstance(value, bool))):
            return value
        raise self._wrong(key, value, expected)

    def _wrong(self, key: str, value: object, expected: str, *, in_list: bool = False) -> InputError:
        found = f"{_shown(value)} in it" if in_list else _shown(value)
        return self.error(quoted_key(key), f"expected {expected}, found {found}")


def quoted_key(key: str) -> str:
    """Return a key as TOML writes it: in quotes, unless it is a bare word."""
    return key if re.fullmatch(r"[\w-]+", key, re.ASCII) else f'"{key}"'


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    return f'the string "{value}"' if isinstance(value, str) else str(value)
