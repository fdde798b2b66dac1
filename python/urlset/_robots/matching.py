"""Which line of a robots.txt decides about a URL. Source: RFC 9309, 2.2.2 and 2.2.3.

Protego answers the same question with yes or no; which line it was is what a table has to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from urlset._robots.lines import RobotsLine

_ESCAPE: Final = re.compile("%([0-9A-Fa-f]{2})")
_UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_NOT_ASCII: Final = re.compile(r"[^!-~]")


def spelled(text: str) -> str:
    """Return a path or a pattern in one spelling: escapes that need not be there undone, those that must be added."""

    def escape(found: re.Match[str]) -> str:
        byte = int(found[1], 16)
        return chr(byte) if byte in _UNRESERVED else found[0].upper()

    quoted = _NOT_ASCII.sub(lambda each: "".join(f"%{byte:02X}" for byte in each[0].encode("utf-8", "replace")), text)
    return _ESCAPE.sub(escape, quoted)


def path_of(url: str) -> str:
    """Return what rules are compared with: the path and the query of a URL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "/"
    return spelled((parts.path or "/") + (f"?{parts.query}" if parts.query else ""))


@dataclass(frozen=True, slots=True)
class _Rule:
    """One Allow or Disallow line. Its pieces stand between the asterisks of its pattern."""

    line: int
    is_allow: bool
    pieces: tuple[str, ...]
    is_anchored: bool
    length: int

    def matches(self, path: str) -> bool:
        """Return whether it matches a path: its pieces one after the other, each as early as it occurs."""
        first, *others = self.pieces
        if not path.startswith(first):
            return False
        at = len(first)
        if not others:
            return at == len(path) if self.is_anchored else True
        for piece in others[:-1]:
            at = path.find(piece, at)
            if at < 0:
                return False
            at += len(piece)
        if self.is_anchored:
            return path.endswith(others[-1]) and len(path) - len(others[-1]) >= at
        return path.find(others[-1], at) >= 0


class RuleSet:
    """The rules for one crawler: those of all groups that name it."""

    def __init__(self, lines: Iterable[RobotsLine]) -> None:
        rules = [_rule(each) for each in lines if each.field in ("Allow", "Disallow") and each.value]
        # The longest that matches decides; of two that are as long, the one that allows.
        self._rules = sorted(rules, key=lambda rule: (-rule.length, not rule.is_allow, rule.line))

    def deciding(self, path: str) -> int | None:
        """Return the number of the line that disallows a path, or None if it is allowed."""
        for rule in self._rules:
            if rule.matches(path):
                return None if rule.is_allow else rule.line
        return None

    @property
    def key(self) -> tuple[int, ...]:
        """What is the same for crawlers with the same rules."""
        return tuple(rule.line for rule in self._rules)


def _rule(line: RobotsLine) -> _Rule:
    pattern = spelled(line.value)
    is_anchored = pattern.endswith("$")
    pieces = re.sub(r"\*+", "*", pattern.removesuffix("$")).split("*")
    return _Rule(line.line, line.field == "Allow", tuple(pieces), is_anchored, len(pattern))


def rule_sets(lines: Sequence[RobotsLine]) -> Mapping[str, RuleSet]:
    """Return the rules of each crawler that is named, by its name in small letters. `*` stands for all others."""
    agents = dict.fromkeys(agent.lower() for line in lines for agent in line.agents)
    return {agent: RuleSet(line for line in lines if agent in map(str.lower, line.agents)) for agent in agents}
