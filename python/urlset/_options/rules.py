"""Which rules apply: what lint and audit have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from urlset._options import kinds
from urlset._options.option import Option
from urlset._rules.profiles import PROFILES
from urlset._rules.selection import check_selectors

RULES = "Rules"
FIXES = "Fixes"


def _select(selectors: Sequence[str]) -> None:
    check_selectors(selectors, "select")


def _ignore(selectors: Sequence[str]) -> None:
    check_selectors(selectors, "ignore")


Profile = Annotated[
    str,
    Option(
        "Search engine whose rules apply, or the protocol.",
        example='"google"',
        choices=PROFILES,
        panel=RULES,
    ),
]
Select = Annotated[
    Sequence[str] | None,
    Option(
        "Rules to enable, by code, code prefix or name.",
        kind=kinds.SELECTORS,
        example='["LOC", "MOD001"]',
        default="all rules of the profile",
        check=_select,
        metavar="CODES",
        panel=RULES,
    ),
]
Ignore = Annotated[
    Sequence[str],
    Option(
        "Rules to disable, by code, code prefix or name.",
        kind=kinds.SELECTORS,
        example='["LOC013"]',
        check=_ignore,
        metavar="CODES",
        panel=RULES,
    ),
]
