"""The lines of a robots.txt, and what is wrong with each. What they mean, and whose they are, the core says."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Final

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
        return {name.lower(): value.lower() for name, value in _core.robots_pairs(self.value)}


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
        RobotsLine(line, group, agents.get(group, ()), field or key, value, problem if is_plain else None)
        for line, group, field, key, value, is_plain, _, _, _, problem in rows
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


def _oddity(
    _line: int,
    group: int | None,
    field: str | None,
    key: str,
    _value: str,
    _is_plain: bool,
    has_colon: bool,
    is_cut: bool,
    joins: int | None,
    problem: str | None,
) -> str | None:
    """Return what is wrong with a line that is not plain."""
    if field is None:
        unknown = f"no crawler is known to read this field{did_you_mean(key, FIELDS)}"
        return unknown if has_colon else "there is no colon, so the line has no effect"
    if is_cut:
        return "the line is longer than crawlers read: the rest is cut off"
    if field not in _WHOLE_FILE and group is None:
        return "it comes before the first User-agent line, so it applies to nobody"
    return problem or _lenience(field, key, has_colon=has_colon, joins=joins)


def _lenience(field: str, key: str, *, has_colon: bool, joins: int | None) -> str | None:
    """Return where crawlers read a line differently, or None. Source: google/robotstxt, ParsedRobotsKey."""
    if key.lower() != field.lower():
        return f"Google reads this as {field}, and other crawlers may not: write {field}"
    if not has_colon:
        return "there is no colon: Google reads the line all the same, and other crawlers may not"
    return None if joins is None else f"it joins the group of line {joins}: {ONLY_RULES}"
