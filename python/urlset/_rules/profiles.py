"""Profiles: whose rules count. `profiles.toml` is the one source of what differs, with its reasons."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final, Literal

from urlset._model.diagnostics import Severity
from urlset._model.errors import InputError
from urlset._rules.catalogue import rules
from urlset._util.text import did_you_mean

OFF: Final = "off"
#: By what they are called; the first is what the others are compared with.
PROFILES: tuple[str, ...] = ("protocol", "google", "bing", "yandex", "baidu", "naver", "seznam")

Value = int | bool | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class ConsumerSettings:
    """What rules go by: bounds, of which None is none, and what a consumer takes.

    `loc_chars` and `loc_bytes` bound a loc, `tag_bytes` the other tags of an entry, `document_bytes` a document before
    compression. `foreign_children` are elements of other namespaces right under the root. `agents` are the names that a
    robots.txt has for the consumer's robot.
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


@dataclass(frozen=True, slots=True)
class Profile:
    """A consumer. `severities` has the rules that it is asked about, by code; one that is off is not there."""

    name: str
    severities: Mapping[str, Severity]
    settings: ConsumerSettings


@dataclass(frozen=True, slots=True)
class Difference:
    """Rules that are off in some profiles, or have another severity there than their pages say."""

    codes: tuple[str, ...]
    profiles: tuple[str, ...]
    severity: Severity | Literal["off"]
    why: str
    source: str
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """The value of a setting in some profiles."""

    name: str
    profiles: tuple[str, ...]
    why: str
    source: str
    link: str | None = None
    value: Value = None


def profile(name: str) -> Profile:
    """The profile of that name. Raises InputError where there is none."""
    if name not in PROFILES:
        raise InputError(f"no profile is called {name!r}{did_you_mean(name, PROFILES, or_all=True)}")
    return _profile(name)


@cache
def _profile(name: str) -> Profile:
    changed = {code: each.severity for each in differences() if name in each.profiles for code in each.codes}
    severities = {rule.code: changed.get(rule.code, rule.severity) for rule in rules()}
    enabled = {code: severity for code, severity in severities.items() if severity != OFF}
    # The protocol's first, so that the profile's own stand over them.
    chosen = {
        choice.name: choice.value for who in (PROFILES[0], name) for choice in choices() if who in choice.profiles
    }
    values: dict[str, Any] = {field.name: chosen[field.name] for field in fields(ConsumerSettings)}
    return Profile(name, MappingProxyType(enabled), ConsumerSettings(**values))


@cache
def differences() -> tuple[Difference, ...]:
    """What differs about rules, in the order of the file."""
    return tuple(Difference(**_frozen(table)) for table in _stated()["difference"])


@cache
def choices() -> tuple[Choice, ...]:
    """What is stated about settings, in the order of the file."""
    return tuple(Choice(**_frozen(table)) for table in _stated()["setting"])


@cache
def _stated() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(files(__package__).joinpath("profiles.toml").read_text("utf-8"))


def _frozen(table: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
