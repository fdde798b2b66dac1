"""The host pool: every request of a run, of whatever verb, goes through one of these.

One thread owns the queues, the hosts, the timers and the requests on their way; all others leave what they want in an
inbox and wake it. So a request has one history: the rules of its host, its turn, its answer, and what that leads to.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from itertools import count
from queue import SimpleQueue

from urlset._fetch.agent import agent_of
from urlset._fetch.answers import REDIRECTS, is_own, redirected, retry_after, sent_url
from urlset._fetch.exchange import Exchange, Fault, ServerAnswer
from urlset._fetch.named import NamedSites
from urlset._fetch.robots import Robots, RobotsRequests, site_of
from urlset._fetch.schedule import HostSchedule
from urlset._fetch.transport import HttpTransport
from urlset._fetch.troubles import MAX_PAUSE, Troubles
from urlset._model.errors import FetchError
from urlset._options.http import Http

#: Statuses after which the same request may succeed: too many requests, and errors of the server that pass.
RETRIED = (408, 425, 429, 500, 502, 503, 504)
#: The longest that the thread waits for something to happen, in seconds.
_LONGEST_WAIT = 60.0
#: The longest that `close` waits for it.
_PATIENCE = 10.0


class Pool:
    """Sends the requests of a run, as many at once as the options and each host allow.

    Args:
        options: How documents are fetched.
        named: The URLs that the caller named.
        is_full: Whether nothing more is to be requested for now: `wake` it once that has changed.
        longest_pause: The longest pause that a host gets, in seconds.
    """

    def __init__(
        self,
        options: Http,
        named: Iterable[str],
        *,
        is_full: Callable[[], bool] = lambda: False,
        longest_pause: float = MAX_PAUSE,
    ) -> None:
        self.options = options
        self._agent = agent_of(options)
        self._named = NamedSites(named)
        self._is_full = is_full
        self._transport = HttpTransport(options, self._named)
        self._schedule: HostSchedule[Exchange] = HostSchedule()
        self._troubles = Troubles(longest_pause)
        self._rules = Robots(self._agent)
        self._robots = RobotsRequests(self._rules, self._send, options.timeout)
        self._numbers = count(1)
        self._requests: dict[int, Exchange] = {}
        self._inbox: deque[Callable[[], object]] = deque()
        self._lock = threading.RLock()  # a garbage collection may call `close` anywhere
        self._thread: threading.Thread | None = None
        self._process = os.getpid()
        self._is_closed = False
        self._ending = threading.Lock()
        #: Why nothing is requested any more.
        self._ended: Fault | None = None
        self._begin = time.monotonic()
        #: Bytes of bodies that were received.
        self.received = 0

    def submit(self, exchange: Exchange) -> None:
        """Send a request, as soon as it is its turn. Any thread may call it."""
        self._call(lambda: self._admit(exchange))

    def cancel(self, exchange: Exchange) -> None:
        """Receive no more of an exchange whose body is passed on. Nobody hears of it any more."""
        self._call(lambda: self._drop(exchange))

    def wake(self) -> None:
        """Look again at what can be requested."""
        self._transport.wake()

    def robots_text(self, url: str) -> bytes | None:
        """Return the robots.txt of a URL's host, empty if the host has none; None if it cannot be read.

        It waits for it, so it is not for the thread of the pool.
        """
        try:
            sent = sent_url(url)
        except FetchError:  # nothing is sent to it, so there is nothing to read
            return None
        found: SimpleQueue[bytes | None] = SimpleQueue()
        self._call(lambda: self._robots.ask(sent, lambda: found.put(self._rules.text(sent))))
        return found.get()

    def uses_client(self, url: str) -> bool:
        """Return whether a URL is fetched by the caller's own client, with secrets of its own."""
        return self.options.client is not None and self._named.includes(url)

    def spent(self) -> str | None:
        """Return which bound of the whole run is reached, as the beginning of a sentence; None if none is."""
        if self.received >= self.options.max_bytes:
            return f"the run has received {self.options.max_bytes:,} bytes (max_bytes)"
        if time.monotonic() - self._begin >= self.options.max_seconds:
            return f"the run has taken {self.options.max_seconds:,.0f} seconds (max_seconds)"
        return None

    def close(self) -> None:
        """End all connections, and what is on its way."""
        with self._lock:
            self._is_closed = True
            thread = self._thread
        if thread is None or os.getpid() != self._process:
            return
        # It closes the transport, which nobody else uses. A garbage collection may close a run on any thread, also on
        # this one or on one that the transport waits for.
        self._transport.wake()
        if thread is not threading.current_thread():
            thread.join(_PATIENCE)

    # --- the thread ----------------------------------------------------------------------------------------------

    def _call(self, action: Callable[[], object]) -> None:
        """Have the thread do something."""
        if os.getpid() != self._process:
            # The thread stays behind in the process that has begun the run.
            self._ended = Fault("the run began before this process was forked")
            action()
            return
        with self._lock:
            is_first = not self._inbox  # if not, the thread comes by anyway
            self._inbox.append(action)
            if self._thread is None and not self._is_closed:
                self._thread = threading.Thread(target=self._run, daemon=True, name="urlset host pool")
                self._thread.start()
            is_late = self._is_closed
        if is_first:
            self._transport.wake()
        if is_late:
            self._end_all(Fault("the run has ended", "connection"))

    def _run(self) -> None:
        fault = Fault("the run has ended", "connection")
        try:
            while not self._is_closed:
                while self._inbox:
                    self._inbox.popleft()()
                for event in self._transport.take(self._start_requests()):
                    exchange = self._requests.get(event.number)
                    if exchange is None:  # nobody wants it any more
                        continue
                    if event.kind == "head":
                        self._take_head(exchange, event.answer)
                    else:
                        del self._requests[event.number]
                        self._take_end(exchange, event.answer, event.fault)
        except BaseException as error:  # one of our own: everybody who waits gets it
            fault = Fault(f"an error of urlset: {error!r}", error=error)
        with self._lock:
            self._is_closed = True
        self._end_all(fault)
        self._transport.close()

    def _start_requests(self) -> float:
        """Send requests while there is room for them, and return the seconds after which to look again."""
        while len(self._requests) < self.options.concurrency:
            if self._is_full():
                return 1.0
            turn = self._schedule.take()
            if isinstance(turn, float):
                return min(turn, _LONGEST_WAIT)
            self._begin_request(turn[1])
        return _LONGEST_WAIT

    def _end_all(self, fault: Fault) -> None:
        """Tell everybody who waits that nothing comes any more."""
        with self._ending:
            self._ended = self._ended or fault
            self._robots.give_up(fault.problem)
            while self._inbox:
                self._inbox.popleft()()
            for exchange in [*self._requests.values(), *self._schedule.drain()]:
                exchange.end(exchange, None, fault)
            self._requests.clear()

    # --- a request -----------------------------------------------------------------------------------------------

    def _admit(self, exchange: Exchange) -> None:
        if self._ended is not None:
            exchange.end(exchange, None, self._ended)
            return
        try:
            exchange.now = sent_url(exchange.url)
        except FetchError as error:
            exchange.end(exchange, None, Fault(str(error), names_url=True))
            return
        self._line_up(exchange)

    def _line_up(self, exchange: Exchange, *, is_first: bool = False) -> None:
        """Let an exchange wait for its turn at the host of the URL that it has come to."""
        exchange.host = site_of(exchange.now).partition("://")[2]
        self._schedule.put(exchange.host, exchange, is_first=is_first)

    def _begin_request(self, exchange: Exchange) -> None:
        """Send a request whose turn it is, unless there is an obstacle."""
        assert exchange.host is not None
        if exchange.is_dropped:
            self._schedule.done(exchange.host)
            return
        if self.options.obey_robots and not self._robots.is_known(exchange.now):
            # It keeps its turn: no other request to this host is sent before its rules are known.
            self._robots.ask(exchange.now, lambda: self._begin_request(exchange))
            return
        fault = self._ended or self._obstacle(exchange)
        if fault is not None:
            self._end(exchange, None, fault)
            return
        most = 1 if self._troubles.has(exchange.host) else self.options.per_host
        self._schedule.open(exchange.host, most, self._delay(exchange.now))
        further = exchange.prepare(exchange)
        if further is None:
            self._schedule.done(exchange.host)
        else:
            self._send(exchange, dict(further))

    def _delay(self, url: str) -> float:
        """Return the seconds that a site wants between two requests, 0 if its rules had to make room for others."""
        is_asked = self.options.obey_robots and self._robots.is_known(url)
        return self._rules.delay(url) if is_asked else 0.0

    def _obstacle(self, exchange: Exchange) -> Fault | None:
        assert exchange.host is not None
        problem = self._rules.problem(exchange.now) if self.options.obey_robots else None
        if problem is not None:
            return Fault(f"not fetched, because {problem}", "robots")
        return self._troubles.fault(exchange.host)

    def _send(self, exchange: Exchange, further: dict[str, str], seconds: float | None = None) -> None:
        """Send the request that an exchange has come to."""
        now = time.monotonic()
        exchange.began = exchange.began or now
        exchange.seconds = now - exchange.began
        exchange.attempts += 1
        exchange.requests += 1
        exchange.number = next(self._numbers)
        self._requests[exchange.number] = exchange
        headers = {"User-Agent": self._agent, "Accept": exchange.accept, "Accept-Encoding": exchange.codings}
        if self._named.has_site(site_of(exchange.now)):
            # A secret is for the sites that the caller named, and not for those that they redirect to.
            headers |= dict(self.options.headers)
        if not exchange.hops:
            headers |= dict(exchange.headers)
        left = (seconds or self.options.seconds) - exchange.seconds
        if exchange.each is not None:
            left = min(left, exchange.each)
        self._transport.start(exchange, headers | further, max(left, 0.001))

    def _stop(self, exchange: Exchange) -> None:
        """Receive no more of an answer."""
        self._transport.cancel(exchange.number)
        del self._requests[exchange.number]

    def _drop(self, exchange: Exchange) -> None:
        exchange.is_dropped = True
        if exchange.number in self._requests:
            self._stop(exchange)
            if exchange.host is not None:
                self._schedule.done(exchange.host)

    # --- what an answer leads to ---------------------------------------------------------------------------------

    def _take_head(self, exchange: Exchange, answer: ServerAnswer) -> None:
        """Take the headers of an answer whose body is to be passed on."""
        if self._leads_on(exchange, answer, stop=True):
            return
        assert exchange.begin is not None
        into = exchange.begin(exchange, answer)
        if not isinstance(into, str):
            exchange.is_poured = True
            self._transport.pour(exchange.number, into)
            return
        self._stop(exchange)
        if into == "again":
            exchange.attempts -= 1
            self._schedule.put(exchange.host or "", exchange, is_first=True)
        self._schedule.done(exchange.host or "")

    def _take_end(self, exchange: Exchange, answer: ServerAnswer, fault: Fault | None) -> None:
        """Take the end of a request: of a body that was passed on, of one that was collected, or a failure."""
        self.received += answer.received
        if exchange.is_poured:
            self._end(exchange, answer, fault)
        elif fault is not None:
            if not (fault.is_passing and self._again(exchange, _backoff(exchange))):
                self._end(exchange, None, fault)
        elif not self._leads_on(exchange, answer):
            self._end(exchange, answer, None)

    def _leads_on(self, exchange: Exchange, answer: ServerAnswer, *, stop: bool = False) -> bool:
        """Return whether another request follows an answer, or none can; then the answer is dealt with."""
        if exchange.host is not None:
            self._troubles.see(exchange.host, answer.status)
        is_retried = answer.status in RETRIED
        is_redirect = answer.status in REDIRECTS and answer.header("location") is not None
        is_redirect = is_redirect and exchange.method != "POST"  # what is posted is for this URL alone
        if not (is_retried or is_redirect):
            return False
        number = exchange.number
        leads = self._retry(exchange, answer) if is_retried else self._redirect(exchange, answer)
        if leads and stop and number in self._requests:
            self._transport.cancel(number)
            del self._requests[number]
        return leads

    def _retry(self, exchange: Exchange, answer: ServerAnswer) -> bool:
        """Ask again later. A server that wants a pause, for whatever URL, is left alone until then."""
        if exchange.host is None:  # a robots.txt: that it cannot be read is an answer
            return False
        asked, longest = retry_after(answer), self._troubles.longest
        if answer.status not in (429, 503):
            pause = _backoff(exchange) if asked is None else asked
            return pause <= longest and self._again(exchange, pause)
        pause = self._troubles.pause(exchange.host, asked)
        self._schedule.open(exchange.host, 1, self._delay(exchange.now))
        self._schedule.hold(exchange.host, time.monotonic() + min(pause, longest))
        is_last = pause > longest or self._troubles.is_lasting(exchange.host)
        if is_last or not self._again(exchange, pause):
            self._troubles.refused(exchange.host, answer.status)
            return False
        return True

    def _again(self, exchange: Exchange, pause: float) -> bool:
        """Let an exchange ask again after a pause; return False if it has asked often enough."""
        at = time.monotonic() + min(pause, self._troubles.longest)
        is_out_of_time = at - (exchange.began or at) > self.options.seconds
        if exchange.host is None or exchange.attempts > self.options.retries or is_out_of_time:
            return False
        self._schedule.put_later(exchange.host, exchange, at)
        self._schedule.done(exchange.host)
        return True

    def _redirect(self, exchange: Exchange, answer: ServerAnswer) -> bool:
        """Let an exchange request what a redirect leads to."""
        target = answer.header("location")
        assert target is not None
        fault = None
        if len(exchange.hops) >= self.options.redirects:
            fault = Fault(_without_end(exchange, answer, target, self.options.redirects), is_redirect=True)
        else:
            try:
                after = redirected(exchange.now, target)
            except FetchError as error:
                fault = Fault(str(error), names_url=True)
        if fault is not None:
            self._end(exchange, answer, fault)
            return True
        exchange.hops.append((exchange.now, answer.status))
        exchange.now, exchange.attempts = after, 0
        if exchange.host is None:
            self._robots.follow(exchange)
            return True
        self._schedule.done(exchange.host)
        self._line_up(exchange, is_first=True)
        return True

    def _end(self, exchange: Exchange, answer: ServerAnswer | None, fault: Fault | None) -> None:
        """Give up the turn of an exchange, and tell who it is for."""
        if exchange.host is not None:
            self._schedule.done(exchange.host)
        exchange.end(exchange, answer, fault)


def _without_end(exchange: Exchange, answer: ServerAnswer, target: str, most: int) -> str:
    """Return what is wrong with redirects that go on, as the rest of a sentence."""
    if not is_own(exchange.now, target):
        return f"more than {most} redirects"
    if answer.header("set-cookie") is None:
        return "it redirects to itself"
    return "it redirects to itself and sets a cookie: it answers only clients that send cookies back"


def _backoff(exchange: Exchange) -> float:
    """Return the seconds before the next attempt, if the server asks for none: 1, 2, 4 and so on."""
    return min(2.0 ** (exchange.attempts - 1), MAX_PAUSE)
