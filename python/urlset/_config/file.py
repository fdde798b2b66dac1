"""The configuration file: `urlset.toml`, or the tables under `tool.urlset` in a `pyproject.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from urlset._config.lint_settings import LintSettings
from urlset._config.publish_settings import PublishSettings, read_publish_settings
from urlset._config.settings import read_settings
from urlset._config.toml import Table, text_of, values_of

NAME = "urlset.toml"
_SHARED = "pyproject.toml"


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A configuration file and its settings."""

    path: Path
    lint: LintSettings
    publish: PublishSettings


def find(start: Path) -> Path | None:
    """Return the configuration file that applies to `start`: the one in its folder, or in the nearest folder above.

    A `pyproject.toml` counts if it has a table `tool.urlset`; a `urlset.toml` in the same folder comes first.

    Raises:
        InputError: A `pyproject.toml` seems to have the table and cannot be read.
    """
    start = start.absolute()
    folders = [start, *start.parents] if start.is_dir() else start.parents
    for folder in folders:
        own, shared = folder / NAME, folder / _SHARED
        if own.is_file():
            return own
        if shared.is_file() and _has_settings(shared):
            return shared
    return None


def load(path: Path) -> ConfigFile:
    """Return the settings of a file.

    Raises:
        InputError: A key is unknown or its value is invalid; the message names the file and the key.
    """
    values = values_of(path, text_of(path))
    if path.name == _SHARED:
        tool = Table(path, "", values).table("tool")
        top = None if tool is None else tool.table("urlset")
    else:
        top = Table(path, "", values)
    if top is None:
        return ConfigFile(path, LintSettings(), PublishSettings())
    top.check_keys(["lint", "publish"])
    lint, publish = top.table("lint"), top.table("publish")
    return ConfigFile(
        path,
        LintSettings() if lint is None else read_settings(LintSettings, lint),
        PublishSettings() if publish is None else read_publish_settings(publish),
    )


def _has_settings(path: Path) -> bool:
    text = text_of(path, errors="replace")
    # Errors in a file without settings are not reported.
    if "urlset" not in text:
        return False
    tool = values_of(path, text).get("tool")
    return isinstance(tool, dict) and "urlset" in tool
