"""The configuration file: `urlset.toml`, or the tables under `tool.urlset` in a `pyproject.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from urlset._config.lint_settings import LintSettings
from urlset._config.location import SHARED
from urlset._config.publish_settings import PublishSettings, read_publish_settings
from urlset._config.settings import read_settings
from urlset._config.toml import Table, text_of, values_of


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A configuration file and its settings."""

    path: Path
    lint: LintSettings
    publish: PublishSettings


def load(path: Path) -> ConfigFile:
    """Return the settings of a file.

    Raises:
        InputError: A key is unknown or its value is invalid; the message names the file and the key.
    """
    values = values_of(path, text_of(path))
    if path.name == SHARED:
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
