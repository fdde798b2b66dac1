"""What the robots.txt of a host allows."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from urllib.parse import urlsplit

from urlset import _core

#: The longest pause between two requests that a robots.txt can ask for, in seconds.
LONGEST_DELAY = 30.0
#: Bytes that the files of all sites may take together, and what one takes beside its text. The site that was not asked
#: about for longest is forgotten, and its file fetched again if it is asked about once more.
_MAX_HELD, _OVERHEAD = 32 << 20, 1 << 10


@dataclass(frozen=True, slots=True)
class RobotsText:
    """The answer to a request for a robots.txt: its status and first bytes, or the problem if there was no answer."""

    status: int | None
    body: bytes = b""
    problem: str | None = None


class Robots:
    """The rules of each site, fetched when they are first requested.

    Args:
        agent: The User-Agent that asks; its first word counts.
        fetch: Fetches the robots.txt at a URL.
    """

    def __init__(self, agent: str, fetch: Callable[[str], RobotsText]) -> None:
        self._agent = agent.split("/", maxsplit=1)[0].split(" ", maxsplit=1)[0]
        self._fetch = fetch
        self._lock = Lock()
        self._sites: OrderedDict[str, _Rules] = OrderedDict()
        self._held = 0

    def problem(self, url: str) -> str | None:
        """Return why a URL must not be fetched, as the rest of a sentence, or None if it may.

        Source: RFC 9309, 2.3.1: a robots.txt that is not there allows everything, one that cannot be reached nothing.
        2.2.2: it may always be fetched itself.
        """
        if urlsplit(url).path == "/robots.txt":
            return None
        rules = self._rules(url)
        if rules.crawler is None:
            return rules.problem
        if rules.crawler.disallowing(url) is None:
            return None
        return (
            f"{rules.url} disallows it for {self._agent} (for a site of your own: obey_robots=False, --ignore-robots)"
        )

    def text(self, url: str) -> bytes | None:
        """Return the robots.txt of a site, as far as it counts; empty if the site has none, None if not readable."""
        return self._rules(url).text

    def delay(self, url: str) -> float:
        """Return the seconds that a site wants between two requests."""
        crawler = self._rules(url).crawler
        return min((crawler and crawler.delay) or 0.0, LONGEST_DELAY)

    def _rules(self, url: str) -> _Rules:
        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.netloc}"
        with self._lock:
            rules = self._sites.setdefault(site, _Rules(f"{site}/robots.txt"))
            self._sites.move_to_end(site)
        with rules.lock:
            if not rules.is_fetched:
                rules.take(self._fetch(rules.url), self._agent)
                self._hold(rules.size)
        return rules

    def _hold(self, size: int) -> None:
        """Make room for the rules of a site that was just fetched."""
        with self._lock:
            self._held += size
            for site in list(self._sites):
                if self._held <= _MAX_HELD or len(self._sites) == 1:
                    return
                if self._sites[site].is_fetched:
                    self._held -= self._sites.pop(site).size


class _Rules:
    """The rules of one site. `crawler` and `text` are None if nothing may be fetched, and `problem` says why."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.lock = Lock()
        self.is_fetched = False
        self.crawler: _core.RobotsCrawler | None = None
        self.text: bytes | None = None
        self.problem: str | None = None

    @property
    def size(self) -> int:
        """How many bytes it takes, about."""
        return len(self.text or b"") + _OVERHEAD

    def take(self, text: RobotsText, agent: str) -> None:
        """Take the answer of the server."""
        if text.status is None or text.status >= 500 or text.status == 429:
            answer = text.problem or f"status {text.status}"
            self.problem = f"its {self.url} cannot be read ({answer})"
        else:
            self.text = text.body[: _core.Robots.MAX_BYTES] if text.status == 200 else b""
            self.crawler = _core.Robots(self.text).crawler(agent)
        self.is_fetched = True
