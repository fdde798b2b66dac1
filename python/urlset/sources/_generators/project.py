"""The files and the settings of a site's sources.

Settings are read, never run: those in Python and JavaScript only where a value stands there as plain text.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from urlset._model.errors import InputError
from urlset.sources import front_matter
from urlset.sources._walk import list_files

#: The most bytes of a file of settings that are read.
_MAX_BYTES = 1_000_000
#: Suffixes of texts that generators make pages of.
TEXTS = (".md", ".markdown", ".mdx", ".mdoc", ".rst", ".adoc", ".org", ".html", ".htm", ".ipynb", ".txt")
#: The most characters of a line of settings, which is compared with patterns.
_LONGEST_LINE = 2_000
_DAY = re.compile(r"(\d{4})-(\d\d?)-(\d\d?)")


class Project:
    """A folder with the sources of a site.

    Args:
        folder: The folder.
        output: The folder of the built pages, which are not sources.

    Raises:
        InputError: The folder does not exist, or has too many files.
    """

    def __init__(self, folder: Path, output: Path | None = None) -> None:
        if not folder.is_dir():
            raise InputError(f"{folder} is not a folder")
        self.folder = folder
        self.output = output
        self._fields = lru_cache(maxsize=10_000)(self._read_fields)

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The paths of all files, with forward slashes, without links, hidden files, and what was built."""
        built = None
        if self.output is not None and self.folder.resolve() in self.output.resolve().parents:
            built = self.output.resolve().relative_to(self.folder.resolve()).as_posix() + "/"
        found = (file for file in list_files(self.folder) if built is None or not file.startswith(built))
        return tuple(sorted(file for file in found if not file.rpartition("/")[2].startswith(".")))

    def below(self, folder: str, suffixes: tuple[str, ...] = TEXTS) -> Iterator[tuple[str, PurePosixPath]]:
        """Yield each file below a folder with its path in there, if it has one of the suffixes."""
        prefix = folder.strip("/").removeprefix("./")
        prefix = f"{prefix}/" if prefix not in ("", ".") else ""
        # They are sorted, and a generator asks for many folders: languages, versions, plugins.
        for file in islice(self.files, bisect_left(self.files, prefix), None):
            if not file.startswith(prefix):
                return
            if file.endswith(suffixes):
                yield file, PurePosixPath(file.removeprefix(prefix))

    def has_index(self, folder: str) -> bool:
        """Whether a folder has a source for its own page, as Hugo calls it."""
        return folder in self._indexed

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.files)

    @cached_property
    def _indexed(self) -> frozenset[str]:
        paths = map(PurePosixPath, self.files)
        return frozenset(path.parent.as_posix() for path in paths if path.stem.partition(".")[0] == "_index")

    def text(self, *names: str) -> str:
        """Return the text of the first of these files that exists; empty if there is none, or it cannot be read.

        A name can be a glob.
        """
        for name in names:
            for path in sorted(self.folder.glob(name)):
                if path.is_file():
                    return read_text(path)
        return ""

    def content(self, file: str) -> str:
        """Return the beginning of a source file; empty if there is no such file."""
        return read_text(self.folder / file) if file in self._names else ""

    def fields(self, file: str) -> Mapping[str, Any]:
        """Return the values at the top level of a file's front matter, by name in lower case."""
        return self._fields(file)

    def _read_fields(self, file: str) -> Mapping[str, Any]:
        try:
            values = front_matter.values_of_file(self.folder / file)
        except InputError:  # it is gone, or must not be read: git may still know it
            return {}
        return {name.lower(): value for name, value in values.items()}


def read_text(path: Path) -> str:
    """Return the beginning of a file of settings; empty for a pipe, a folder, and what cannot be read."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(_MAX_BYTES).decode("utf-8-sig", "replace")
    except OSError:
        return ""


def _key(key: str) -> str:
    """Return the pattern of a key at the beginning of a line, or of one in braces."""
    return rf"(?:^|[{{,])[ \t-]*[\"']?{re.escape(key)}[\"']?[ \t]*[:=][ \t]*"


def setting(text: str, key: str) -> str | None:
    """Return the value of the first key of a name, at any depth: `key: value`, `key = "value"`.

    YAML, TOML, Python and JavaScript all write texts, numbers and words like that.

    Example:
        >>> setting("plugins:\\n  - blog:\\n      post_url_format: '{slug}'  # short\\n", "post_url_format")
        '{slug}'
    """
    found = re.search(_key(key) + r"(?:\"([^\"\n]*)\"|'([^'\n]*)'|([^\s\"'#,{\[}\]]+))", text, re.M)
    return None if found is None else next(each for each in found.groups() if each is not None)


def words(text: str, key: str) -> list[str]:
    """Return the texts of a list: of TOML, Python or JavaScript in brackets, or of YAML on lines of their own.

    Example:
        >>> words("locales: ['en', 'de'],", "locales"), words("docs:\\n  - en\\n  - de\\nx: 1", "docs")
        (['en', 'de'], ['en', 'de'])
    """
    found = re.search(_key(key) + r"(\[[^\]]*\]|(?:\n[ \t]*-[^\n]*)+)", text, re.M)
    if found is None:
        return []
    listed = found[1].strip("[]").replace("\n", ",") if found[1].startswith("[") else found[1].replace("\n", ",")
    items = (item.strip().removeprefix("- ").strip(" \t\"'`") for item in listed.split(","))
    return [item for item in items if item]


def toml(text: str) -> Mapping[str, Any]:
    """Return the values of TOML, those of a table of names in lower case; nothing if it is invalid."""
    try:
        return {name.lower(): value for name, value in tomllib.loads(text).items()}
    except (ValueError, RecursionError):
        return {}


def outline(text: str) -> dict[str, Any]:
    """Return the mappings of YAML as dicts, and its plain values as texts. Lists and all else are left out.

    Example:
        >>> outline("permalink: pretty\\ncollections:\\n  teas:\\n    output: true  # yes\\n")
        {'permalink': 'pretty', 'collections': {'teas': {'output': 'true'}}}
    """
    top: dict[str, Any] = {}
    open_at: list[tuple[int, dict[str, Any]]] = [(-1, top)]
    for line in text.split("\n"):
        if len(line) > _LONGEST_LINE:
            continue
        found = re.fullmatch(
            r"([ ]*)([\w.-]+):(?:[ \t]+(?:\"([^\"]*)\"|'([^']*)'|([^\s#][^#]*?)))?[ \t]*(?:#.*)?", line.rstrip("\r")
        )
        if found is None:
            continue
        depth, key = len(found[1]), found[2]
        while open_at[-1][0] >= depth:
            open_at.pop()
        value = next((each for each in found.groups()[2:] if each is not None), None)
        if value is not None:
            open_at[-1][1][key] = value
        elif len(open_at) < 10:
            inner: dict[str, Any] = {}
            open_at[-1][1][key] = inner
            open_at.append((depth, inner))
    return top


def json_values(text: str) -> Mapping[str, Any]:
    """Return the object of a JSON text; nothing if the text is anything else."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def json_list(text: str) -> list[Any]:
    """Return the items of a JSON list; nothing if the text is anything else."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return values if isinstance(values, list) else []


def constants(text: str) -> Mapping[str, Any]:
    """Return the variables of a Python program whose values are literals. Nothing is run."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found = {}
    for each in body:
        if isinstance(each, ast.Assign) and len(each.targets) == 1 and isinstance(each.targets[0], ast.Name):
            try:
                found[each.targets[0].id] = ast.literal_eval(each.value)
            except (ValueError, TypeError, RecursionError, MemoryError):
                continue
    return found


def named(value: object) -> str:
    """Return a value of front matter as a text; empty if it is not a single value."""
    return value.strip() if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""


def listed(value: object) -> list[str]:
    """Return the items of a list in front matter, or the words of a text, as Jekyll and Pelican take both."""
    if isinstance(value, list):
        return [named(item) for item in value if named(item)]
    text = named(value)
    if text.startswith("["):
        return [item.strip(" \t\"'") for item in text.strip("[]").split(",") if item.strip(" \t\"'")]
    if text.startswith("- "):
        return [item.strip(" \t\"'") for item in re.split(r"(?:^|\s)-\s+", text) if item.strip(" \t\"'")]
    return text.split()


def day_of(value: object) -> tuple[str, str, str] | None:
    """Return the year, month and day of a date, as two digits; None if the value is not a date."""
    found = _DAY.match(value if isinstance(value, str) else str(value) if value is not None else "")
    return (found[1], found[2].zfill(2), found[3].zfill(2)) if found else None


def stem(path: PurePosixPath) -> str:
    """Return a path without the suffix of its name."""
    return path.with_suffix("").as_posix()


def folder_of(path: PurePosixPath) -> str:
    """Return the folder of a path with a slash, or nothing."""
    parent = path.parent.as_posix()
    return "" if parent == "." else f"{parent}/"
