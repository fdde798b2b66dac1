"""The settings of `lint`: the table `lint` of the configuration file, and options of `urlset lint`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from urlset._config.kinds import BOOLEAN, COPIES, IGNORES, NUMBER, PATH, SELECTORS, STRING
from urlset._config.setting import setting
from urlset._lint.options import FOLD
from urlset._model.diagnostics import Severity
from urlset._rules.profiles import PROFILES
from urlset._rules.selection import check_selectors
from urlset._util.arguments import check_zone

#: The formats of `urlset.output`, which is above this room: a test holds the two equal.
FORMATS = ("concise", "full", "github", "gitlab", "json", "jsonl", "junit", "sarif", "statistics")

RULES = "Rules"
FIXES = "Fixes"


def _select(selectors: Sequence[str]) -> None:
    check_selectors(selectors, "select")


def _ignore(selectors: Sequence[str]) -> None:
    check_selectors(selectors, "ignore")


@dataclass(frozen=True, slots=True, kw_only=True)
class LintSettings:
    """The table `lint`. An absent setting is None."""

    format: str | None = setting(
        STRING,
        "Output format of the findings.",
        example='"full"',
        default="full",
        choices=FORMATS,
        option="--format,-f",
    )
    location: str | None = setting(
        STRING,
        "Public URL of the document, or of its folder if it ends with /.",
        example='"https://example.com/"',
        metavar="URL",
    )
    fold: int | None = setting(
        NUMBER,
        "Findings to list per rule and document.",
        example="50",
        default=str(FOLD),
        metavar="N",
    )
    exit_zero: bool | None = setting(
        BOOLEAN,
        "Exit with 0 even if there are findings.",
        example="true",
        option="--exit-zero",
    )
    fail_on: str | None = setting(
        STRING,
        "Least severe findings that make the exit code 1.",
        example='"error"',
        default="warning",
        choices=get_args(Severity),
    )
    profile: str | None = setting(
        STRING,
        "Search engine whose rules apply, or the protocol.",
        example='"google"',
        default="protocol",
        choices=PROFILES,
        panel=RULES,
    )
    select: tuple[str, ...] | None = setting(
        SELECTORS,
        "Rules to enable, by code, code prefix or name.",
        example='["LOC", "MOD001"]',
        default="all rules of the profile",
        check=_select,
        metavar="CODES",
        panel=RULES,
    )
    ignore: tuple[str, ...] | None = setting(
        SELECTORS,
        "Rules to disable, by code, code prefix or name.",
        example='["LOC013"]',
        check=_ignore,
        metavar="CODES",
        panel=RULES,
    )
    per_file_ignores: Mapping[str, tuple[str, ...]] | None = setting(
        IGNORES,
        "Rules to disable in documents whose path matches a glob.",
        example='{ "legacy/*.xml" = ["MOD", "PRI002"] }',
        metavar="GLOB:CODES",
        panel=RULES,
    )
    root: Path | None = setting(
        PATH,
        "Folder that the globs of per-file-ignores are relative to.",
        example='"public"',
        default="the folder of the configuration file",
        option="",
        panel=RULES,
    )
    preview: bool | None = setting(
        BOOLEAN,
        "Enable preview rules.",
        example="true",
        option="--preview",
        panel=RULES,
    )
    robots: Mapping[str, Path] | None = setting(
        COPIES,
        "Local copy of the robots.txt of a site.",
        example='{ "https://example.com/robots.txt" = "public/robots.txt" }',
        metavar="URL=FILE",
        panel=RULES,
    )
    zone: str | None = setting(
        STRING,
        "Time zone of times without one: Z, or an offset such as +01:00.",
        example='"+01:00"',
        check=check_zone,
        metavar="ZONE",
        panel=RULES,
    )
    unsafe_fixes: bool | None = setting(
        BOOLEAN,
        "Include fixes that may change the meaning of a document.",
        example="true",
        option="--unsafe-fixes",
        panel=FIXES,
    )
