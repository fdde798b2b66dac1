"""What the robots.txt of a host allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from urllib.parse import urlsplit

from protego import Protego

#: Bytes of a robots.txt that count. Source: RFC 9309, 2.5.
MAX_BYTES = 500 << 10
#: The longest pause between two requests that a robots.txt can ask for, in seconds.
LONGEST_DELAY = 30.0


@dataclass(frozen=True, slots=True)
class RobotsText:
    """The answer to a request for a robots.txt: its status and first bytes, or the problem if there was no answer."""

    status: int | None
    body: bytes = b""
    problem: str | None = None


class Robots:
    """The rules of each site, fetched when they are first asked for.

    Args:
        agent: The User-Agent that asks; its first word counts.
        fetch: Fetches the robots.txt at a URL.
    """

    def __init__(self, agent: str, fetch: Callable[[str], RobotsText]) -> None:
        self._agent = agent.split("/", maxsplit=1)[0].split(" ", maxsplit=1)[0]
        self._fetch = fetch
        self._lock = Lock()
        self._sites: dict[str, _Rules] = {}

    def problem(self, url: str) -> str | None:
        """Return why a URL must not be fetched, as the rest of a sentence, or None if it may.

        Source: RFC 9309, 2.3.1: a robots.txt that is not there allows everything, one that cannot be reached nothing.
        2.2.2: it may always be fetched itself.
        """
        if urlsplit(url).path == "/robots.txt":
            return None
        rules = self._rules(url)
        if rules.parsed is None:
            return rules.problem
        if rules.parsed.can_fetch(url, self._agent):
            return None
        return (
            f"{rules.url} disallows it for {self._agent} (for a site of your own: obey_robots=False, --ignore-robots)"
        )

    def text(self, url: str) -> bytes | None:
        """Return the robots.txt of a site, as far as it counts; empty if the site has none, None if not readable."""
        return self._rules(url).text

    def delay(self, url: str) -> float:
        """Return the seconds that a site wants between two requests."""
        parsed = self._rules(url).parsed
        delay = None if parsed is None else parsed.crawl_delay(self._agent)
        return 0.0 if delay is None else min(max(float(delay), 0.0), LONGEST_DELAY)

    def _rules(self, url: str) -> _Rules:
        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.netloc}"
        with self._lock:
            rules = self._sites.setdefault(site, _Rules(f"{site}/robots.txt"))
        with rules.lock:
            if not rules.is_fetched:
                rules.take(self._fetch(rules.url))
        return rules


class _Rules:
    """The rules of one site. `parsed` and `text` are None if nothing may be fetched, and `problem` says why."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.lock = Lock()
        self.is_fetched = False
        self.parsed: Protego | None = None
        self.text: bytes | None = None
        self.problem: str | None = None

    def take(self, text: RobotsText) -> None:
        """Take the answer of the server."""
        self.is_fetched = True
        if text.status is None or text.status >= 500 or text.status == 429:
            answer = text.problem or f"status {text.status}"
            self.problem = f"its {self.url} cannot be read ({answer})"
        else:
            self.text = text.body[:MAX_BYTES] if text.status == 200 else b""
            self.parsed = Protego.parse(self.text.decode("utf-8", errors="replace"))
