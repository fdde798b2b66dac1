"""Which rules apply, and what they go by: what lint, fix and audit have in common."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from urlset._options import kinds
from urlset._options.option import Option, documented
from urlset._options.shared import Zone
from urlset._rules.profiles import PROFILES, profile
from urlset._rules.selection import check_selectors, per_file
from urlset._util.zones import check_zone

RULES = "Rules"
FIXES = "Fixes"


def _select(selectors: Sequence[str]) -> None:
    check_selectors(selectors, "select")


def _ignore(selectors: Sequence[str]) -> None:
    check_selectors(selectors, "ignore")


@documented
@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Which rules apply, and what they go by.

    Raises:
        InputError: A value is not one of these.

    Example:
        >>> import urlset
        >>> sitemap = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/tea</loc></url></urlset>'
        >>> urlset.lint(sitemap, rules=urlset.Rules(profile="google", select=["LOC"])).counts
        {'LOC002': 1}
    """

    profile: Annotated[
        str,
        Option(
            "Search engine whose rules apply, or the protocol.",
            more="One of protocol, google, bing, yandex, baidu, naver or seznam.",
            example='"google"',
            choices=PROFILES,
            panel=RULES,
        ),
    ] = "protocol"
    select: Annotated[
        Sequence[str] | None,
        Option(
            "Rules to enable, by code, code prefix or name.",
            more="They count instead of those of the profile.",
            kind=kinds.SELECTORS,
            example='["LOC", "MOD001"]',
            default="all rules of the profile",
            check=_select,
            metavar="CODES",
            panel=RULES,
        ),
    ] = None
    ignore: Annotated[
        Sequence[str],
        Option(
            "Rules to disable, by code, code prefix or name.",
            kind=kinds.SELECTORS,
            example='["LOC013"]',
            check=_ignore,
            metavar="CODES",
            panel=RULES,
        ),
    ] = ()
    per_file_ignores: Annotated[
        Mapping[str, Sequence[str]] | None,
        Option(
            "Rules to disable in documents whose path matches a glob.",
            kind=kinds.IGNORES,
            example='{ "legacy/*.xml" = ["MOD", "PRI002"] }',
            metavar="GLOB:CODES",
            panel=RULES,
        ),
    ] = None
    root: Annotated[
        str | os.PathLike[str] | None,
        Option(
            "Folder that the globs of per-file-ignores are relative to.",
            more="The working folder if None.",
            example='"public"',
            default="the folder of the configuration file",
            flags="",
            panel=RULES,
        ),
    ] = None
    preview: Annotated[bool, Option("Enable preview rules.", example="true", panel=RULES)] = False
    zone: Zone = None
    robots: Annotated[
        Mapping[str, str | os.PathLike[str] | bytes] | None,
        Option(
            "Local copy of the robots.txt of a site.",
            more="Paths or bytes, by URL or host. They can allow pages of their host in sitemaps of another, or"
            " disallow what a sitemap lists. Those of the hosts of documents that are fetched need not be given.",
            kind=kinds.COPIES,
            example='{ "https://example.com/robots.txt" = "public/robots.txt" }',
            metavar="URL=FILE",
            panel=RULES,
        ),
    ] = None

    def __post_init__(self) -> None:
        profile(self.profile)
        if self.select is not None:
            _select(self.select)
        _ignore(self.ignore)
        if self.per_file_ignores:
            per_file(self.per_file_ignores, None)
        if self.zone is not None:
            check_zone(self.zone)
