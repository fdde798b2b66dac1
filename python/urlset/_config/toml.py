"""TOML files of people: every value of the type that is asked for, or a message with the file and the key."""

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
    """The text of a file. Raises InputError where it cannot be read, or is not UTF-8."""
    try:
        # Some editors put a byte order mark before everything.
        return path.read_text("utf-8-sig", errors)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8, at byte {error.start}") from error


def values_of(path: Path, text: str) -> dict[str, Any]:
    """The values of a text. Raises InputError with the place of what is no TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).rpartition(" (at ")
        found = re.match(r"line (\d+), column (\d+)", place)
        # Where it gives no line it is the end of the document.
        line, column = found.groups() if found else (text.count("\n") + 1, len(text) - text.rfind("\n"))
        raise InputError(f"{path}:{line}:{column}: {message}") from error
    except (ValueError, RecursionError) as error:
        # A number of thousands of digits, tables inside each other by the hundred.
        raise InputError(f"{path}: {error}") from error


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the file: its values by key, each of the type that is asked for, or None where there is none."""

    file: Path
    name: str
    values: Mapping[str, Any]

    @property
    def folder(self) -> Path:
        """Where paths begin."""
        return self.file.absolute().parent

    def error(self, key: str, message: str) -> InputError:
        """What is wrong with a key."""
        return InputError(f"{self.file}: {self._full(key)}: {message}")

    @contextmanager
    def at(self, key: str) -> Iterator[None]:
        """Puts the file and the key before the message of an InputError."""
        try:
            yield
        except InputError as error:
            raise self.error(key, str(error)) from error

    def check_keys(self, known: Iterable[str]) -> None:
        """Raises InputError for a key that is none of these."""
        known = list(known)
        for key in self.values:
            if key not in known:
                raise self.error(quoted_key(key), f"unknown key{did_you_mean(key, known, or_all=True)}")

    def table(self, key: str) -> Table | None:
        """A table inside."""
        value = self._get(key, dict, "a table")
        return None if value is None else Table(self.file, self._full(key), value)

    def tables(self, key: str) -> tuple[Table, ...] | None:
        """A list of tables, as `[[key]]` makes it; they are called by their place, from 1 on."""
        value = self._get(key, list, f"tables, each begun by [[{self._full(key)}]]")
        if value is None:
            return None
        for item in value:
            if not isinstance(item, dict):
                raise self._wrong(key, item, f"tables, each begun by [[{self._full(key)}]]", "in it ")
        return tuple(Table(self.file, f"{self._full(key)}[{place}]", item) for place, item in enumerate(value, 1))

    def text(self, key: str) -> str | None:
        """A text."""
        value: str | None = self._get(key, str, "a text")
        return value

    def choice(self, key: str, known: Iterable[str]) -> str | None:
        """A text that is one of these."""
        value, known = self.text(key), list(known)
        if value is not None and value not in known:
            raise self.error(key, f"{value!r} is not known{did_you_mean(value, known, or_all=True)}")
        return value

    def switch(self, key: str) -> bool | None:
        """True or false."""
        value: bool | None = self._get(key, bool, "true or false")
        return value

    def count(self, key: str) -> int | None:
        """A whole number from 1 on."""
        value: int | None = self._get(key, int, "a whole number from 1 on")
        if value is not None and value < 1:
            raise self._wrong(key, value, "a whole number from 1 on")
        return value

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of texts."""
        value = self._get(key, list, "a list of texts")
        if value is None:
            return None
        for item in value:
            if not isinstance(item, str):
                raise self._wrong(key, item, "a list of texts", "in it ")
        return tuple(value)

    def path(self, key: str) -> Path | None:
        """A path, which is relative to the file."""
        value = self.text(key)
        return None if value is None else self.folder / value

    def globs(self, key: str) -> tuple[str, ...] | None:
        """A list of globs, which are relative to the file."""
        values = self.texts(key)
        return None if values is None else tuple(str(Path(glob.escape(str(self.folder)), value)) for value in values)

    def lists(self, key: str) -> Mapping[str, tuple[str, ...]] | None:
        """Lists of texts by key."""
        inner = self.table(key)
        if inner is None:
            return None
        return {name: texts for name in inner.values if (texts := inner.texts(name)) is not None}

    def paths(self, key: str) -> Mapping[str, Path] | None:
        """Paths by key."""
        inner = self.table(key)
        if inner is None:
            return None
        return {name: path for name in inner.values if (path := inner.path(name)) is not None}

    def named(self, key: str) -> Mapping[str, str] | None:
        """Texts by key."""
        inner = self.table(key)
        if inner is None:
            return None
        return {name: text for name in inner.values if (text := inner.text(name)) is not None}

    def scalars(self, key: str) -> Mapping[str, str | int | bool] | None:
        """Texts, numbers and switches by key."""
        inner = self.table(key)
        if inner is None:
            return None
        for name, value in inner.values.items():
            if not isinstance(value, str | int | bool):
                raise inner._wrong(name, value, "a text, a number, true or false")
        return dict(inner.values)

    def _full(self, key: str) -> str:
        return f"{self.name}.{key}" if self.name else key

    def _get(self, key: str, kind: type, expected: str) -> Any:
        value = self.values.get(key)
        # A bool is an int in Python, and not in TOML.
        if value is None or (isinstance(value, kind) and (kind is bool or not isinstance(value, bool))):
            return value
        raise self._wrong(key, value, expected)

    def _wrong(self, key: str, value: object, expected: str, where: str = "") -> InputError:
        return self.error(quoted_key(key), f"expected {expected}, found {where}{_shown(value)}")


def quoted_key(key: str) -> str:
    """A key as TOML has it: in quotes, unless it is a plain word."""
    return key if re.fullmatch(r"[\w-]+", key, re.ASCII) else f'"{key}"'


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    return f'the text "{value}"' if isinstance(value, str) else str(value)
