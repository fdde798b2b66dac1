"""Listed pages that the robots.txt of their host keeps crawlers from, into the table `disallowed`.

What this client may not fetch proves nothing about a page. That a search engine may not fetch it is a finding, whether
this client may or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from urlset._robots.lines import RobotsLine, parse_lines
from urlset._robots.matching import RuleSet, path_of, rule_sets
from urlset._util.duckdb import insert_rows

if TYPE_CHECKING:
    from urlset._fetch.page_fetcher import PageFetcher
    from urlset._runs.file import RunFile

#: Pages that are judged at once.
_BATCH: Final = 10_000
_TABLE: Final = "CREATE OR REPLACE TEMP TABLE disallowed (loc VARCHAR, line VARCHAR, agents VARCHAR)"
_NEXT: Final = "SELECT loc, url FROM page_view WHERE loc > ? ORDER BY loc LIMIT ?"


def find_disallowed(file: RunFile, fetcher: PageFetcher | None, agents: Sequence[str]) -> None:
    """Make the table `disallowed` from the table `page_view`.

    Args:
        file: The file of the run.
        fetcher: Has the robots.txt of each host; without one, the table stays empty.
        agents: The crawlers that are asked about. One that no group names has the rules of `*`.

    Source: RFC 9309, 2.2.1 and 2.2.2.
    """
    file.connection.execute(_TABLE)
    if fetcher is None:
        return
    site, judges = None, list[tuple[str, RuleSet]]()
    lines: dict[int, RobotsLine] = {}
    last = ""
    while batch := file.connection.execute(_NEXT, [last, _BATCH]).fetchall():
        found: list[tuple[str, str, str]] = []
        for loc, url in batch:
            origin = _origin(url)
            if origin is None:
                continue
            if origin != site:
                site = origin
                lines, judges = _rules_of(fetcher, url, agents)
            deciding = {name: rules.deciding(path_of(url)) for name, rules in judges}
            refused = {name: line for name, line in deciding.items() if line is not None}
            if refused:
                line = lines[next(iter(refused.values()))]
                found.append((loc, f"{line.field}: {line.value}", ", ".join(refused)))
        insert_rows(file.connection, "disallowed", found)
        last = batch[-1][0]


def _origin(url: str) -> tuple[str, str] | None:
    """Return the scheme and the host of a URL; None for what has no robots.txt, because a sitemap may list anything."""
    try:
        parts = urlsplit(url)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    except ValueError:  # an invalid host
        return None
    return (parts.scheme, parts.netloc) if is_web else None


def _rules_of(
    fetcher: PageFetcher, url: str, agents: Sequence[str]
) -> tuple[dict[int, RobotsLine], list[tuple[str, RuleSet]]]:
    """Return the lines of the robots.txt of a URL's host by their numbers, and the rules of each crawler."""
    # Once a bound of the run is reached, nothing more is asked for.
    text = None if fetcher.spent() is not None else fetcher.robots_text(url)
    if not text:  # nothing is disallowed, or nothing is known: that the file cannot be read is said of each page
        return {}, []
    lines = parse_lines(text)
    sets = rule_sets(lines)
    rules = ((agent, sets.get(agent.lower(), sets.get("*"))) for agent in agents)
    return {line.line: line for line in lines}, [(agent, each) for agent, each in rules if each is not None]
