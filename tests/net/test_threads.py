"""Threads, wake-ups, forks, closing: nothing is lost, nothing hangs, nothing stays."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from support.http_server import Answer, Handler, serve
from support.net.exchanges import SECONDS, exchanges
from support.net.raw import listening, received
from urlset._core import Transport
from urlset._model.core_types import TransportSettings


def test_no_wake_up_is_lost() -> None:
    # Each round waits for the other thread: one wake-up that is lost costs a minute.
    with exchanges() as net:
        rounds, seen = 3_000, threading.Semaphore(0)

        def wake() -> None:
            for _ in range(rounds):
                net.transport.wake()
                seen.acquire()

        thread = threading.Thread(target=wake, daemon=True)
        thread.start()
        begin = time.monotonic()
        for _ in range(rounds):
            assert net.transport.take(SECONDS) == []
            seen.release()
        thread.join()
        assert time.monotonic() - begin < SECONDS


def test_a_wake_up_before_the_wait_counts() -> None:
    with exchanges() as net:
        net.transport.wake()
        net.transport.wake()
        begin = time.monotonic()
        assert net.transport.take(SECONDS) == []
        assert time.monotonic() - begin < SECONDS / 2
        assert net.transport.take(0.01) == []


def test_exchanges_may_be_started_by_many_threads() -> None:
    with exchanges() as net, serve() as site:
        site.pages["/"] = Answer(b"x")

        def start(first: int) -> None:
            for number in range(first, first + 25):
                net.transport.start(number, "GET", f"{site.url}/", [], None, SECONDS, True, 9)

        threads = [threading.Thread(target=start, args=(first,)) for first in range(1_000, 1_200, 25)]
        for thread in threads:
            thread.start()
        done: set[int] = set()
        while len(done) < 200:
            done |= {event.number for event in net.transport.take(SECONDS) if event.status == 200}
        assert done == set(range(1_000, 1_200))


def test_closing_ends_everything_and_may_be_repeated() -> None:
    gone = threading.Event()

    def mute(connection: object) -> None:
        received(connection)  # type: ignore[arg-type]
        gone.set() if received(connection) == b"" else None  # type: ignore[arg-type]

    def files() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    with listening(mute) as url:
        gc.collect()
        before = files()
        transport = Transport(TransportSettings())
        transport.start(1, "GET", f"{url}/", [], None, SECONDS, True, 9)
        waiting = threading.Thread(target=transport.take, args=(SECONDS,))
        waiting.start()
        time.sleep(0.2)
        transport.close()
        waiting.join(SECONDS / 2)
        assert not waiting.is_alive()
        assert gone.wait(SECONDS)
        transport.close()
        transport.wake()
        transport.cancel(1)
        assert transport.take(SECONDS) == []
        with pytest.raises(OSError, match="closed"):
            transport.start(2, "GET", f"{url}/", [], None, SECONDS, True, 9)
        end = time.monotonic() + SECONDS
        while files() > before and time.monotonic() < end:
            time.sleep(0.02)  # the server's own end
        assert files() <= before


def threads() -> int:
    """Return how many threads of transports there are."""
    found = 0
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # it has ended meanwhile
            found += (task / "comm").read_text().startswith("urlset-net")
    return found


def settled(number: int) -> bool:
    """Return whether there are so many in the end: a thread has its name, and leaves the list, a moment later."""
    end = time.monotonic() + SECONDS
    while threads() != number and time.monotonic() < end:
        time.sleep(0.01)
    return threads() == number


def test_a_transport_that_nobody_has_any_more_ends() -> None:
    gc.collect()
    before = threads()
    transport = Transport(TransportSettings())
    transport.wake()
    assert settled(before + 1)
    del transport
    gc.collect()
    assert settled(before)


def test_a_child_after_a_fork_starts_anew() -> None:
    ports: list[int] = []

    def page(handler: Handler) -> Answer:
        ports.append(handler.client_address[1])
        return Answer(b"x")

    with exchanges() as net, serve() as site:
        site.pages["/"] = page
        assert net.get(f"{site.url}/").status == 200
        child = os.fork()
        if child == 0:
            try:
                ok = net.get(f"{site.url}/").status == 200 and net.get(f"{site.url}/").status == 200
                net.transport.close()
                os._exit(0 if ok else 1)
            finally:
                os._exit(2)
        end = time.monotonic() + SECONDS
        while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < end:
            time.sleep(0.02)
        if ended == (0, 0):
            os.kill(child, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(ended[1]) == 0
        assert net.get(f"{site.url}/").status == 200
        assert (len(ports), len(set(ports))) == (4, 2)  # the parent's connection is still the parent's


def test_ctrl_c_ends_a_wait() -> None:
    script = (
        "from urlset._core import Transport\n"
        "from urlset._model.core_types import TransportSettings\n"
        "transport = Transport(TransportSettings())\n"
        "print('waits', flush=True)\n"
        "transport.take(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as waiting:
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == b"waits\n"
        time.sleep(0.2)
        waiting.send_signal(signal.SIGINT)
        assert b"KeyboardInterrupt" in waiting.communicate(timeout=SECONDS)[1]
