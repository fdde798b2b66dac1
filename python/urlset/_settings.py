"""What a configuration file says: `urlset.toml`, or the tables of `tool.urlset` in a `pyproject.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from urlset._errors import InputError
from urlset.rules._profiles import did_you_mean, profile
from urlset.rules._selection import check_selectors, per_file

#: How findings can be shown: one renderer a format.
FORMATS: tuple[str, ...] = tuple(sorted(path.stem for path in Path(__file__).with_name("output").glob("[!_]*.py")))

_NAMES = ("urlset.toml", "pyproject.toml")
_ZONE = re.compile(r"Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00)", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class LintSettings:
    """The table `lint`. None is what it does not say; paths that it gives are relative to the file's folder."""

    profile: str | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    per_file_ignores: Mapping[str, tuple[str, ...]] | None = None
    preview: bool | None = None
    zone: str | None = None
    location: str | None = None
    robots: Mapping[str, Path] | None = None
    exit_zero: bool | None = None
    format: str | None = None
    unsafe_fixes: bool | None = None
    fold: int | None = None
    root: Path | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """A file and what it says."""

    path: Path
    lint: LintSettings


def check_zone(zone: str) -> None:
    """Raises InputError for what is no zone: `Z`, or an offset such as `+01:00`, up to 14:00 either way."""
    if not isinstance(zone, str) or not _ZONE.fullmatch(zone):
        raise InputError(f"{zone!r} is no zone; it is 'Z', or an offset up to 14:00 such as '+01:00'")


def find(start: Path) -> Path | None:
    """The file that holds for `start`: of its own folder, or of the nearest one above that has any.

    A `pyproject.toml` counts if it has a table `tool.urlset`, and `urlset.toml` comes before it. Raises InputError for
    one that seems to have the table and cannot be read.
    """
    start = start.absolute()
    folders = [start, *start.parents] if start.is_dir() else start.parents
    for folder in folders:
        own, shared = (folder / name for name in _NAMES)
        if own.is_file():
            return own
        if shared.is_file() and _has_our_table(shared):
            return shared
    return None


def load(path: Path) -> Settings:
    """What a file says. Raises InputError for what it cannot mean, with the file and the key."""
    parsed = _parse(path, _text(path))
    if path.name == _NAMES[1]:
        tool = _Table(path, "", parsed).table("tool")
        top = None if tool is None else tool.table("urlset")
    else:
        top = _Table(path, "", parsed)
    if top is None:
        return Settings(path, LintSettings())
    top.check_keys(["lint"])
    lint = top.table("lint")
    return Settings(path, LintSettings() if lint is None else _lint(lint))


def _lint(table: _Table) -> LintSettings:
    # The keys are the fields, spelt as in all such files.
    table.check_keys([name.replace("_", "-") for name in LintSettings.__slots__])
    found = LintSettings(
        profile=table.text("profile"),
        select=table.texts("select"),
        ignore=table.texts("ignore"),
        per_file_ignores=table.lists("per-file-ignores"),
        preview=table.switch("preview"),
        zone=table.text("zone"),
        location=table.text("location"),
        robots=table.paths("robots"),
        exit_zero=table.switch("exit-zero"),
        format=table.text("format"),
        unsafe_fixes=table.switch("unsafe-fixes"),
        fold=table.count("fold"),
        root=table.path("root"),
    )
    if found.profile is not None:
        with table.at("profile"):
            profile(found.profile)
    if found.zone is not None:
        with table.at("zone"):
            check_zone(found.zone)
    for key, selectors in (("select", found.select), ("ignore", found.ignore)):
        with table.at(key):
            check_selectors(selectors or (), key)
    for glob, selectors in (found.per_file_ignores or {}).items():
        with table.at(f"per-file-ignores.{_key(glob)}"):
            per_file({glob: selectors}, None)
    if found.format is not None and found.format not in FORMATS:
        hint = did_you_mean(found.format, FORMATS, or_all=True)
        raise table.error("format", f"no format is called {found.format!r}{hint}")
    return found


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of the file: its values by key, each of the type that is asked for, or None where there is none."""

    file: Path
    name: str
    values: Mapping[str, Any]

    def error(self, key: str, message: str) -> InputError:
        return InputError(f"{self.file}: {self._full(key)}: {message}")

    @contextmanager
    def at(self, key: str) -> Iterator[None]:
        """Puts the file and the key before the message of an InputError."""
        try:
            yield
        except InputError as error:
            raise self.error(key, str(error)) from error

    def check_keys(self, known: Iterable[str]) -> None:
        known = list(known)
        for key in self.values:
            if key not in known:
                raise self.error(_key(key), f"unknown key{did_you_mean(key, known, or_all=True)}")

    def table(self, key: str) -> _Table | None:
        value = self._get(key, dict, "a table")
        return None if value is None else _Table(self.file, self._full(key), value)

    def text(self, key: str) -> str | None:
        value: str | None = self._get(key, str, "a text")
        return value

    def switch(self, key: str) -> bool | None:
        value: bool | None = self._get(key, bool, "true or false")
        return value

    def count(self, key: str) -> int | None:
        value: int | None = self._get(key, int, "a whole number from 1 on")
        if value is not None and value < 1:
            raise self._wrong(key, value, "a whole number from 1 on")
        return value

    def texts(self, key: str) -> tuple[str, ...] | None:
        value = self._get(key, list, "a list of texts")
        if value is None:
            return None
        for item in value:
            if not isinstance(item, str):
                raise self._wrong(key, item, "a list of texts", "in it ")
        return tuple(value)

    def path(self, key: str) -> Path | None:
        value = self.text(key)
        return None if value is None else self.file.absolute().parent / value

    def lists(self, key: str) -> Mapping[str, tuple[str, ...]] | None:
        inner = self.table(key)
        if inner is None:
            return None
        return {name: texts for name in inner.values if (texts := inner.texts(name)) is not None}

    def paths(self, key: str) -> Mapping[str, Path] | None:
        inner = self.table(key)
        if inner is None:
            return None
        return {name: path for name in inner.values if (path := inner.path(name)) is not None}

    def _full(self, key: str) -> str:
        return f"{self.name}.{key}" if self.name else key

    def _get(self, key: str, kind: type, expected: str) -> Any:
        value = self.values.get(key)
        # A bool is an int in Python, and not in TOML.
        if value is None or (isinstance(value, kind) and (kind is bool or not isinstance(value, bool))):
            return value
        raise self._wrong(key, value, expected)

    def _wrong(self, key: str, value: object, expected: str, where: str = "") -> InputError:
        return self.error(_key(key), f"expected {expected}, found {where}{_shown(value)}")


def _key(key: str) -> str:
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


def _has_our_table(path: Path) -> bool:
    text = _text(path, errors="replace")
    # Most have not, and what others have written wrongly is not for us to tell.
    if "urlset" not in text:
        return False
    tool = _parse(path, text).get("tool")
    return isinstance(tool, dict) and "urlset" in tool


def _text(path: Path, errors: str = "strict") -> str:
    try:
        # Some editors put a byte order mark before everything.
        return path.read_text("utf-8-sig", errors)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8, at byte {error.start}") from error


def _parse(path: Path, text: str) -> dict[str, Any]:
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
