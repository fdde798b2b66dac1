"""Profiles: whose rules count. `profiles.toml` is the only source of their differences and of the reasons."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from urlset._model.diagnostics import Severity
from urlset._model.errors import InputError
from urlset._rules.catalogue import rules
from urlset._util.text import did_you_mean

OFF: Final = "off"
#: The names of the profiles. The others are described by their differences from the first.
PROFILES: tuple[str, ...] = ("protocol", "google", "bing", "yandex", "baidu", "naver", "seznam")

Value = int | bool | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class ConsumerSettings:
    """What a consumer accepts. A bound of None does not exist.

    Attributes:
        loc_chars: Most characters of a loc.
        loc_bytes: Most bytes of a loc.
        tag_bytes: Most bytes of any other tag of an entry.
        document_bytes: Most bytes of a document before compression.
        feeds: Whether it reads RSS and Atom feeds.
        indexes: Whether it reads sitemap indexes.
        extensions: Whether it reads images, videos, news and alternates.
        foreign_children: Whether elements of other namespaces may be children of the root.
        agents: The names of its crawlers in a robots.txt.
    """

    loc_chars: int
    loc_bytes: int | None
    tag_bytes: int | None
    document_bytes: int
    feeds: bool
    indexes: bool
    extensions: bool
    foreign_children: bool
    agents: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """A consumer of sitemaps. `severities` has the rules that are enabled for it, by code. Each has one object."""

    name: str
    severities: Mapping[str, Severity]
    settings: ConsumerSettings


@dataclass(frozen=True, slots=True)
class Difference:
    """Rules that are off in some profiles, or have another severity there than on their pages."""

    codes: tuple[str, ...]
    profiles: tuple[str, ...]
    severity: Severity | Literal["off"]
    why: str
    source: str
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """The value of a setting in some profiles. Another source contradicts it if `is_disputed`."""

    name: str
    profiles: tuple[str, ...]
    why: str
    source: str
    link: str | None = None
    value: Value = None
    is_disputed: bool = False


def profile(name: str) -> Profile:
    """Return the profile of that name. Raises InputError if there is none of that name."""
    if name not in PROFILES:
        raise InputError(f"no profile is called {name!r}{did_you_mean(name, PROFILES, or_all=True)}")
    return _profile(name)


@cache
def _profile(name: str) -> Profile:
    changed = {code: each.severity for each in differences() if name in each.profiles for code in each.codes}
    severities = {rule.code: changed.get(rule.code, rule.severity) for rule in rules()}
    enabled = {code: severity for code, severity in severities.items() if severity != OFF}
    # Those of the protocol first, so that the profile's own replace them.
    chosen = {
        choice.name: choice.value for who in (PROFILES[0], name) for choice in choices() if who in choice.profiles
    }
    values: dict[str, Any] = {field.name: chosen[field.name] for field in fields(ConsumerSettings)}
    return Profile(name, MappingProxyType(enabled), ConsumerSettings(**values))


@cache
def differences() -> tuple[Difference, ...]:
    """Return the differences of rules, in the order of the file."""
    return tuple(Difference(**_frozen(table)) for table in _stated()["difference"])


@cache
def choices() -> tuple[Choice, ...]:
    """Return the values of settings, in the order of the file."""
    return tuple(Choice(**_frozen(table)) for table in _stated()["setting"])


@cache
def unread() -> Mapping[str, str]:
    """Return the sources that are cited but could not be read, each with what is known of it instead."""
    return MappingProxyType({table["source"]: table["note"] for table in _stated()["unread"]})


@cache
def _stated() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(Path(__file__).with_name("profiles.toml").read_text("utf-8"))


def _frozen(table: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
