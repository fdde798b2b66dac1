"""Where the configuration file is. Most runs have none, and import nothing of what a file can say."""

from __future__ import annotations

from pathlib import Path

from urlset._config.toml import text_of, values_of

NAME = "urlset.toml"
SHARED = "pyproject.toml"


def find(start: Path) -> Path | None:
    """Return the configuration file that applies to `start`: the one in its folder, or in the nearest folder above.

    A `pyproject.toml` counts if it has a table `tool.urlset`; a `urlset.toml` in the same folder comes first.

    Raises:
        InputError: A `pyproject.toml` seems to have the table and cannot be read.
    """
    start = start.absolute()
    folders = [start, *start.parents] if start.is_dir() else start.parents
    for folder in folders:
        own, shared = folder / NAME, folder / SHARED
        if own.is_file():
            return own
        if shared.is_file() and _has_settings(shared):
            return shared
    return None


def _has_settings(path: Path) -> bool:
    text = text_of(path, errors="replace")
    # Errors in a file without settings are not reported.
    if "urlset" not in text:
        return False
    tool = values_of(path, text).get("tool")
    return isinstance(tool, dict) and "urlset" in tool
