"""The lines of a robots.txt, and what is wrong with each. What they mean, and whose they are, the core says."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlsplit

from urlset import _core
from urlset._util.text import did_you_mean

#: Lines that become rows, and crawlers of a group that each of its lines names.
MAX_LINES: Final = 50_000
MAX_AGENTS: Final = 100
#: Why a User-agent line joins those before it. Source: RFC 9309, 2.2.4.
ONLY_RULES: Final = "only Allow and Disallow end User-agent lines, though Bing and Yandex take other records for an end"

#: The fields that are known, and those that belong to no group.
FIELDS: Final = [name for name, _ in _core.robots_fields()]
_WHOLE_FILE: Final = frozenset(name for name, is_of_file in _core.robots_fields() if is_of_file)
#: Source: Cloudflare, Content Signals Policy (contentsignals.org).
_SIGNALS: Final = ("search", "ai-input", "ai-train")
#: Source: IETF AIPREF, draft-ietf-aipref-vocab: categories of use, and `y` or `n`.
_USAGES: Final = ("bots", "search", "train-ai", "ai-output", "foundation-model-production")
_PAIR: Final = re.compile(r"([A-Za-z][\w-]*)\s*=\s*([^\s,;]+)")
_AGENT: Final = re.compile(r"[A-Za-z_-]+")


@dataclass(frozen=True, slots=True)
class RobotsLine:
    """One line of a robots.txt, without those that are empty or only comments.

    Attributes:
        line: Number of the line, from 1 up.
        group: Number of its group, from 1 up; None for what belongs to no group, such as a Sitemap line.
        agents: The first 100 crawlers of its group, as they are written; empty for what belongs to no group. All of
            them are the values of its User-agent lines.
        field: What it states, such as `"Disallow"`; as written if it is unknown.
        value: The value, without the comment.
        problem: What is wrong with it, or None.
        listed: How many pages of the sitemaps that were checked it disallows, for one of its crawlers at least; None
            if they were not checked, or it is not a rule that disallows.
        example: One of these pages, or None.
    """

    line: int
    group: int | None
    agents: tuple[str, ...]
    field: str
    value: str
    problem: str | None = None
    listed: int | None = None
    example: str | None = None

    def pairs(self) -> dict[str, str]:
        """Return the preferences of a Content-Signal or a Content-Usage, such as `{"ai-train": "no"}`."""
        return {name.lower(): value.lower() for name, value in _PAIR.findall(self.value)}


def lines_of(robots: _core.Robots) -> list[RobotsLine]:
    """Return the lines of a robots.txt that state something."""
    rows = robots.rows(MAX_LINES)
    named: defaultdict[int | None, list[str]] = defaultdict(list)
    for _, group, field, _, value, *_ in rows:
        if field == "User-agent" and value and len(named[group]) < MAX_AGENTS:
            named[group].append(value)
    # Lines of one group share what they say of it.
    agents = {group: tuple(each) for group, each in named.items()}
    lines = [
        RobotsLine(
            line, group, agents.get(group, ()), field or key, value, _problem(field, value) if is_plain else None
        )
        for line, group, field, key, value, is_plain, *_ in rows
    ]
    for at, row in enumerate(rows):
        if not row[5]:
            lines[at] = replace(lines[at], problem=_oddity(*row))
    if robots.is_utf_16 and rows:
        lines[0] = replace(lines[0], problem="the file is UTF-16: crawlers read UTF-8, and find no rules in it")
    if len(robots) > MAX_LINES:
        problem = f"only the first {MAX_LINES:,} of {len(robots):,} lines are shown; all of them count"
        lines[-1] = replace(lines[-1], problem=problem)
    elif robots.is_cut and rows:
        problem = f"what follows is ignored: only the first {robots.MAX_BYTES:,} bytes count"
        lines[-1] = replace(lines[-1], problem=problem)
    return lines


def _problem(field: str | None, value: str) -> str | None:
    """Return what is wrong with the value of a field, or None."""
    check = _CHECKS.get(field or "")
    return check and check(value)


def _oddity(
    _line: int,
    group: int | None,
    field: str | None,
    key: str,
    value: str,
    _is_plain: bool,
    has_colon: bool,
    is_cut: bool,
    joins: int | None,
) -> str | None:
    """Return what is wrong with a line that is not plain."""
    if field is None:
        unknown = f"no crawler is known to read this field{did_you_mean(key, FIELDS)}"
        return unknown if has_colon else "there is no colon, so the line has no effect"
    if is_cut:
        return "the line is longer than crawlers read: the rest is cut off"
    if field not in _WHOLE_FILE and group is None:
        return "it comes before the first User-agent line, so it applies to nobody"
    return _problem(field, value) or _lenience(field, key, has_colon=has_colon, joins=joins)


def _lenience(field: str, key: str, *, has_colon: bool, joins: int | None) -> str | None:
    """Return where crawlers read a line differently, or None. Source: google/robotstxt, ParsedRobotsKey."""
    if key.lower() != field.lower():
        return f"Google reads this as {field}, and other crawlers may not: write {field}"
    if not has_colon:
        return "there is no colon: Google reads the line all the same, and other crawlers may not"
    return None if joins is None else f"it joins the group of line {joins}: {ONLY_RULES}"


def _of_agent(value: str) -> str | None:
    """Source: RFC 9309, 2.2.1: letters, `_` and `-`, or `*` alone. Versions and digits do occur and match as well."""
    if not value:
        return "it names no crawler"
    if value != "*" and "*" in value:
        return "a * counts only alone; most crawlers compare this name as it is"
    return None if value == "*" or _AGENT.match(value) else "a crawler is named by letters, - and _"


def _of_path(value: str) -> str | None:
    """Source: RFC 9309, 2.2.2: a path begins with a slash; an empty one matches nothing."""
    if not value or value.startswith(("/", "*", "$")):
        return None
    return "a path begins with / or *, so it matches nothing"


def _of_url(value: str) -> str | None:
    try:
        parts = urlsplit(value)
    except ValueError:
        parts = urlsplit("")
    return None if parts.scheme in ("http", "https") and parts.netloc else "it must be an absolute http or https URL"


def _of_delay(value: str) -> str | None:
    if not re.fullmatch(r"\d+(\.\d+)?|\.\d+", value):
        return "it must be a number of seconds, such as 10"
    return "Google ignores Crawl-delay, and other crawlers cap it" if float(value) > 30 else None


def _of_signal(value: str) -> str | None:
    pairs = _PAIR.findall(value)
    if not pairs:
        return "it states no preference: write search=yes, ai-input=yes or ai-train=no"
    for name, answer in pairs:
        if name.lower() not in _SIGNALS:
            return f"unknown signal {name!r}{did_you_mean(name, _SIGNALS, or_all=True)}"
        if answer.lower() not in ("yes", "no"):
            return f"{name} must be yes or no, got {answer!r}"
    return None


def _of_usage(value: str) -> str | None:
    pairs = _PAIR.findall(value)
    if not pairs:
        return "it states no preference: write train-ai=n, or a path and a preference"
    for name, answer in pairs:
        if name.lower() not in _USAGES:
            return f"unknown category {name!r}{did_you_mean(name, _USAGES, or_all=True)}"
        if answer.lower() not in ("y", "n"):
            return f"{name} must be y or n, got {answer!r}"
    return None


def _of_noindex(_: str) -> str:
    return "Google stopped reading Noindex lines in 2019: use a robots meta element or X-Robots-Tag"


_CHECKS: Final[Mapping[str, Callable[[str], str | None]]] = {
    "User-agent": _of_agent,
    "Allow": _of_path,
    "Disallow": _of_path,
    "Sitemap": _of_url,
    "License": _of_url,
    "Crawl-delay": _of_delay,
    "Content-Signal": _of_signal,
    "Content-Usage": _of_usage,
    "Noindex": _of_noindex,
}
