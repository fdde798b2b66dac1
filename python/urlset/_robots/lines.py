"""The lines of a robots.txt: what each means, whose group it belongs to, and what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from urlset._util.text import did_you_mean

#: Bytes of a robots.txt that count. Source: RFC 9309, 2.5.
MAX_BYTES: Final = 500 << 10
#: Lines that become rows, and characters of a line that are kept.
MAX_LINES: Final = 50_000
MAX_CHARS: Final = 2_048

#: The fields that are known, as they are usually written, by their names in small letters.
FIELDS: Final[Mapping[str, str]] = {
    each.lower(): each
    for each in (
        *("User-agent", "Allow", "Disallow", "Crawl-delay", "Request-rate", "Visit-time", "Sitemap", "Host"),
        *("Clean-param", "Noindex", "Content-Signal", "Content-Usage", "License"),
    )
}
#: Fields that belong to no group. Source: RFC 9309, 2.2.4, and Google on Sitemap; Yandex on Host and Clean-param.
_WHOLE_FILE: Final = ("Sitemap", "Host", "Clean-param", "License")
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
        agents: The crawlers of its group, as they are written; empty for what belongs to no group.
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


def parse_lines(data: bytes) -> list[RobotsLine]:
    """Return the lines of a robots.txt, each with its group, up to the size that counts."""
    lines = list(_read(data[:MAX_BYTES].decode("utf-8-sig", "replace")))
    if len(data) > MAX_BYTES and lines:
        last = lines[-1]
        problem = f"what follows is ignored: only the first {MAX_BYTES:,} bytes count"
        lines[-1] = RobotsLine(last.line, last.group, last.agents, last.field, last.value, problem)
    # The crawlers of a group are known once its last User-agent line is read.
    agents: dict[int | None, list[str]] = {}
    for line in lines:
        if line.field == "User-agent" and line.value:
            agents.setdefault(line.group, []).append(line.value)
    return [
        RobotsLine(
            *(each.line, each.group, tuple(agents.get(each.group, ()) if each.group else ())),
            *(each.field, each.value, each.problem),
        )
        for each in lines
    ]


def _read(text: str) -> Iterator[RobotsLine]:
    """Yield the lines, without the crawlers of their groups."""
    group, is_open = 0, False
    # Source: RFC 9309, 2.2: lines end with CR, LF or both. Nothing else ends one.
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text)[:MAX_LINES], 1):
        line = raw.partition("#")[0].strip()[:MAX_CHARS]
        if not line:
            continue
        name, colon, value = (part.strip() for part in line.partition(":"))
        field = FIELDS.get(name.lower(), name)
        if not colon:
            yield RobotsLine(number, group or None, (), name, "", "there is no colon, so the line has no effect")
            continue
        if field == "User-agent":
            group, is_open = (group, True) if is_open else (group + 1, True)
        elif field in FIELDS.values() and field not in _WHOLE_FILE:
            is_open = False
        belongs = None if field in _WHOLE_FILE else group or None
        yield RobotsLine(number, belongs, (), field, value, _problem(field, name, value, has_group=bool(group)))


def _problem(field: str, name: str, value: str, *, has_group: bool) -> str | None:
    """Return what is wrong with a line, or None."""
    if field not in FIELDS.values():
        return f"no crawler is known to read this field{did_you_mean(name, FIELDS.values())}"
    if field not in (*_WHOLE_FILE, "User-agent") and not has_group:
        return "it comes before the first User-agent line, so it applies to nobody"
    check = _CHECKS.get(field)
    return None if check is None else check(value)


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
