"""What the robots.txt of a host allows."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Lock
from urllib.parse import urlsplit

from urlset import _core
from urlset._fetch.coding import PLAIN
from urlset._fetch.exchange import Exchange, Fault, ServerAnswer

#: The longest pause between two requests that a robots.txt can ask for, in seconds.
LONGEST_DELAY = 30.0
#: Bytes that the files of all sites may take together, and what one takes beside its text. The site that was not asked
#: about for longest is forgotten, and its file fetched again if it is asked about once more.
_MAX_HELD, _OVERHEAD = 32 << 20, 1 << 10
#: What is received of one, and the types that are asked for.
_MAX_BYTES = _core.Robots.MAX_BYTES
_ACCEPT = "text/plain, */*;q=0.8"


@dataclass(frozen=True, slots=True)
class RobotsText:
    """The answer to a request for a robots.txt: its status and first bytes, or the problem if there was no answer."""

    status: int | None
    body: bytes = b""
    problem: str | None = None


class Robots:
    """The rules of each site, as far as they are known. Threads may share it.

    Args:
        agent: The User-Agent that asks; its first word counts.
    """

    def __init__(self, agent: str) -> None:
        self._agent = agent.split("/", maxsplit=1)[0].split(" ", maxsplit=1)[0]
        self._lock = Lock()
        self._sites: OrderedDict[str, _Rules] = OrderedDict()
        self._held = 0

    def is_known(self, site: str) -> bool:
        """Return whether the rules of a site are known."""
        with self._lock:
            return site in self._sites

    def take(self, site: str, text: RobotsText) -> None:
        """Take the answer of a site."""
        rules = _Rules(f"{site}/robots.txt", text, self._agent)
        with self._lock:
            self._sites[site] = rules
            self._held += rules.size
            while self._held > _MAX_HELD and len(self._sites) > 1:
                self._held -= self._sites.popitem(last=False)[1].size

    def problem(self, url: str) -> str | None:
        """Return why a URL must not be fetched, as the rest of a sentence, or None if it may.

        Source: RFC 9309, 2.3.1: a robots.txt that is not there allows everything, one that cannot be reached nothing.
        2.2.2: it may always be fetched itself.
        """
        if is_robots(url):
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
        if is_robots(url):
            return 0.0
        crawler = self._rules(url).crawler
        return min((crawler and crawler.delay) or 0.0, LONGEST_DELAY)

    def _rules(self, url: str) -> _Rules:
        site = site_of(url)
        with self._lock:
            rules = self._sites[site]
            self._sites.move_to_end(site)
        return rules


class RobotsRequests:
    """Fetches the robots.txt of each site once: the first request to a host, for which all others wait.

    Args:
        robots: Keeps the rules.
        send: Sends the request of an exchange: with further headers, within some seconds.
        seconds: How long a robots.txt may take, with its redirects.
    """

    def __init__(
        self, robots: Robots, send: Callable[[Exchange, dict[str, str], float], object], seconds: float
    ) -> None:
        self._robots = robots
        self._send = send
        self._seconds = seconds
        self._waiting: dict[str, list[Callable[[], object]]] = {}
        self._given_up: RobotsText | None = None

    def is_known(self, url: str) -> bool:
        """Return whether the rules for a URL are known, or it needs none."""
        return is_robots(url) or self._robots.is_known(site_of(url))

    def ask(self, url: str, take: Callable[[], object]) -> None:
        """Call `take` once the rules for a URL are known. They are fetched if nobody has asked for them before."""
        site = site_of(url)
        if self._given_up is not None and not self._robots.is_known(site):
            self._robots.take(site, self._given_up)
        if self._robots.is_known(site):
            take()
            return
        waiting = self._waiting.setdefault(site, [])
        waiting.append(take)
        if len(waiting) == 1:
            address = f"{site}/robots.txt"
            self.follow(Exchange(address, partial(self._end, site), _ACCEPT, PLAIN, _MAX_BYTES, now=address))

    def follow(self, exchange: Exchange) -> None:
        """Send the request that the exchange of a robots.txt has come to."""
        self._send(exchange, {}, self._seconds)

    def give_up(self, problem: str) -> None:
        """Let everybody go on who waits, or asks from now on: nothing is fetched any more."""
        self._given_up = RobotsText(None, problem=problem)
        for site in list(self._waiting):
            self._take(site, self._given_up)

    def _end(self, site: str, exchange: Exchange, answer: ServerAnswer | None, fault: Fault | None) -> None:
        """Take the answer of a site.

        Source: RFC 9309, 2.3.1.2: after five redirects a robots.txt may count as not there.
        """
        del exchange
        if fault is not None and fault.error is not None:
            raise fault.error  # an error of urlset says nothing about the site: it ends the run
        if fault is not None and fault.is_redirect:
            self._take(site, RobotsText(404))
        elif answer is None or fault is not None:
            self._take(site, RobotsText(None, problem=None if fault is None else fault.problem))
        else:
            self._take(site, RobotsText(answer.status, answer.body))

    def _take(self, site: str, text: RobotsText) -> None:
        """Let those go on who wait for the rules of a site."""
        self._robots.take(site, text)
        for go_on in self._waiting.pop(site):
            go_on()


def site_of(url: str) -> str:
    """Return the scheme, host and port of a URL as it is sent. Source: RFC 9309, 2.3: each has rules of its own.

    Such a URL always has a path, which begins with the third slash.
    """
    return url[: url.index("/", len("https://"))]


def is_robots(url: str) -> bool:
    """Return whether a URL is that of a robots.txt."""
    return "/robots.txt" in url and urlsplit(url).path == "/robots.txt"


class _Rules:
    """The rules of one site. `crawler` and `text` are None if nothing may be fetched, and `problem` says why."""

    def __init__(self, url: str, answer: RobotsText, agent: str) -> None:
        self.url = url
        self.crawler: _core.RobotsCrawler | None = None
        self.text: bytes | None = None
        self.problem: str | None = None
        if answer.status is None or answer.status >= 500 or answer.status == 429:
            self.problem = f"its {url} cannot be read ({answer.problem or f'status {answer.status}'})"
        else:
            self.text = answer.body[: _core.Robots.MAX_BYTES] if answer.status == 200 else b""
            self.crawler = _core.Robots(self.text).crawler(agent)

    @property
    def size(self) -> int:
        """How many bytes it takes, about."""
        return len(self.text or b"") + _OVERHEAD
