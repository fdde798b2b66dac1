"""What a lint goes by: the rules of a profile, and what the caller knows that no document says."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from urlset._model.core_types import CoreLintSettings
from urlset._model.instants import micros_of
from urlset._model.limits import PROTOCOL, Budget, Limits
from urlset._options.rules import Rules
from urlset._rules.profiles import Profile, profile
from urlset._rules.selection import EnabledRules, per_file, select_rules
from urlset._util.arguments import moment_of
from urlset._util.zones import zone_offsets

#: How many findings of one rule are kept for one document, unless the caller says otherwise.
FOLD = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class LintOptions:
    """The enabled rules, and what they go by. `robots` has the bytes of each site's robots.txt by its URL."""

    profile: Profile
    rules: EnabledRules
    ignores: Mapping[str, Sequence[str]]
    root: Path | None
    now: datetime
    zone: str | None
    robots: Mapping[str, bytes]
    budget: Budget | None

    def rules_for(self, location: str | None) -> EnabledRules:
        """Return the rules that are enabled for the document at `location`."""
        ignored = per_file(self.ignores, location, root=self.root) if self.ignores else ()
        return self.rules.without(ignored) if ignored else self.rules

    def for_core(self, rules: EnabledRules, location: str | None, proven_hosts: Sequence[str] = ()) -> CoreLintSettings:
        """Return the options as the core takes them, for a document at `location`: its URL, or else its path."""
        settings = self.profile.settings
        return CoreLintSettings(
            selection=rules.core,
            location=location,
            now=micros_of(self.now),
            zone=zone_offsets(self.zone),
            loc_chars=settings.loc_chars,
            loc_bytes=settings.loc_bytes,
            tag_bytes=settings.tag_bytes,
            feeds=settings.feeds,
            indexes=settings.indexes,
            extensions=settings.extensions,
            foreign_children=settings.foreign_children,
            proven_hosts=proven_hosts,
        )

    @property
    def limits(self) -> Limits:
        """The limits of the consumer."""
        return _limits(self.profile.settings.document_bytes)


@lru_cache(maxsize=16)
def _limits(size: int) -> Limits:
    return Limits(entries=PROTOCOL.entries, bytes=size)


def resolve_options(rules: Rules | None, *, now: datetime | None, budget: Budget | None = None) -> LintOptions:
    """Return what the rules of a lint or a fix come to.

    Raises:
        InputError: An argument is invalid.
        FileNotFoundError: There is no robots.txt at a path of `Rules.robots`.
    """
    rules = rules or Rules()
    chosen = profile(rules.profile)
    return LintOptions(
        profile=chosen,
        rules=select_rules(chosen, select=rules.select, ignore=rules.ignore, preview=rules.preview),
        ignores=dict(rules.per_file_ignores or {}),
        root=None if rules.root is None else Path(rules.root),
        now=moment_of(now),
        zone=rules.zone,
        robots={where: _bytes_of(what) for where, what in (rules.robots or {}).items()},
        budget=budget,
    )


def _bytes_of(source: str | os.PathLike[str] | bytes) -> bytes:
    return source if isinstance(source, bytes) else Path(source).read_bytes()
