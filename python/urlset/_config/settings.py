"""What a configuration file says: `urlset.toml`, or the tables of `tool.urlset` in a `pyproject.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from urlset._config.toml import Table, quoted_key, text_of, values_of
from urlset._rules.profiles import profile
from urlset._rules.selection import check_selectors, per_file
from urlset._util.arguments import check_zone
from urlset._util.text import did_you_mean

if TYPE_CHECKING:
    from urlset._config.publish_settings import PublishSettings

#: How findings can be shown: one renderer a format.
FORMATS = ("concise", "full", "github", "gitlab", "json", "jsonl", "junit", "sarif", "statistics")

_NAMES = ("urlset.toml", "pyproject.toml")


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
    publish: PublishSettings


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
    # Publishing asks the rules of what it has made, and these ask here what a zone is.
    from urlset._config.publish_settings import PublishSettings, publish_settings  # noqa: PLC0415

    values = values_of(path, text_of(path))
    if path.name == _NAMES[1]:
        tool = Table(path, "", values).table("tool")
        top = None if tool is None else tool.table("urlset")
    else:
        top = Table(path, "", values)
    if top is None:
        return Settings(path, LintSettings(), PublishSettings())
    top.check_keys(["lint", "publish"])
    lint, publish = top.table("lint"), top.table("publish")
    return Settings(
        path,
        LintSettings() if lint is None else _lint(lint),
        PublishSettings() if publish is None else publish_settings(publish),
    )


def _lint(table: Table) -> LintSettings:
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
        with table.at(f"per-file-ignores.{quoted_key(glob)}"):
            per_file({glob: selectors}, None)
    if found.format is not None and found.format not in FORMATS:
        hint = did_you_mean(found.format, FORMATS, or_all=True)
        raise table.error("format", f"no format is called {found.format!r}{hint}")
    return found


def _has_our_table(path: Path) -> bool:
    text = text_of(path, errors="replace")
    # Most have not, and what others have written wrongly is not for us to tell.
    if "urlset" not in text:
        return False
    tool = values_of(path, text).get("tool")
    return isinstance(tool, dict) and "urlset" in tool
