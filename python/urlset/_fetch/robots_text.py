"""Fetching a robots.txt, and who asks for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from importlib.metadata import version

from urlset import _core
from urlset._fetch.answers import REDIRECTS, first_bytes, header, redirected
from urlset._fetch.robots import RobotsText
from urlset._fetch.transport import Transport, problem_of
from urlset._model.errors import FetchError
from urlset._options.http import Http


def agent_of(options: Http) -> str:
    """Return what the client calls itself."""
    return options.user_agent or f"urlset/{version('urlset')} (+https://pypi.org/project/urlset/)"


def fetch_robots(
    transport: Transport, options: Http, url: str, headers: Callable[[str], Mapping[str, str]]
) -> RobotsText:
    """Fetch a robots.txt: at most its first 500 KiB, and no retries. `headers` returns those for a URL."""
    now = url
    try:
        with transport.deadline(time.monotonic() + options.timeout):
            for _ in range(options.redirects + 1):
                response = transport.request(now, headers(now))
                try:
                    target = header(response, b"location")
                    if response.status not in REDIRECTS or target is None:
                        return RobotsText(response.status, first_bytes(response.iter_stream(), _core.Robots.MAX_BYTES))
                finally:
                    response.close()
                now = redirected(now, target)
    except FetchError as error:
        return RobotsText(None, problem=str(error))
    except Exception as error:
        if problem_of(error) is None:
            raise
        return RobotsText(None, problem=problem_of(error))
    # Source: RFC 9309, 2.3.1.2: after five redirects a robots.txt may count as not there.
    return RobotsText(404)
