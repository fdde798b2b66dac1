"""Posting a small body to one URL, and waiting for the answer."""

from __future__ import annotations

from queue import SimpleQueue
from typing import Final

from urlset._fetch.coding import PLAIN
from urlset._fetch.exchange import Exchange, Fault, ServerAnswer
from urlset._fetch.pool import Pool
from urlset._options.http import Http

#: Bytes of an answer that are received.
_MAX_BYTES: Final = 1024


class Poster:
    """Posts to one URL, by the host pool: with its retries, and at private addresses only as the options allow.

    Args:
        url: The URL.
        options: How it is reached. The headers are sent with every post.
    """

    def __init__(self, url: str, options: Http) -> None:
        self._url = url
        self._pool = Pool(options, [url])

    def post(self, content: bytes, kind: str) -> tuple[ServerAnswer | None, Fault | None]:
        """Post a body of a type, and return the answer, or why there is none."""
        found: SimpleQueue[tuple[ServerAnswer | None, Fault | None]] = SimpleQueue()
        self._pool.submit(
            Exchange(
                self._url,
                lambda _, answer, fault: found.put((answer, fault)),
                "*/*",
                PLAIN,
                _MAX_BYTES,
                method="POST",
                content=content,
                headers=(("Content-Type", kind),),
            )
        )
        return found.get()

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()
