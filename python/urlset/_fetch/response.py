"""The body of a response: a binary file whose bytes are still on their way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from urlset._fetch.cache import MAX_EACH
from urlset._fetch.transport import Response, Transport, problem_of
from urlset._model.errors import FetchError


class Body:
    """The body of a response, read by one thread at a time.

    Args:
        url: Its URL.
        response: The response.
        transport: Where it came from.
        seconds: How long reading it may take, without the time in which nobody reads it.
        keep: Takes the whole body once it has been received, if it is not too large; or None.
        done: Called once with the bytes and the seconds that it took, and the error that ended it, if one did.
    """

    def __init__(
        self,
        url: str,
        response: Response,
        transport: Transport,
        seconds: float,
        keep: Callable[[bytes], object] | None,
        done: Callable[[int, float, str | None], object],
    ) -> None:
        self.url = url
        self._response = response
        self._transport = transport
        self._left = seconds
        self._took = 0.0
        self._bytes = 0
        self._keep = keep
        self._kept: list[bytes] = []
        self._done: Callable[[int, float, str | None], object] | None = done
        self._chunks: Iterator[bytes] = iter(response.iter_stream())

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes, as many as are there; none at the end. `size` only has to be other than 0.

        Raises:
            FetchError: The connection broke, or the document took too long.
        """
        del size
        if self._done is None:
            return b""
        begin = time.monotonic()
        try:
            with self._transport.deadline(begin + self._left):
                chunk = next(self._chunks, b"")
        except Exception as error:
            problem = problem_of(error)
            if problem is None:
                raise
            self._end(problem)
            raise FetchError(f"{self.url}: {problem}, after {self._bytes:,} bytes of the document") from error
        finally:
            took = time.monotonic() - begin
            self._left -= took
            self._took += took
        self._bytes += len(chunk)
        if self._keep is not None and self._bytes <= MAX_EACH:
            self._kept.append(chunk)
        else:
            self._kept.clear()
        if not chunk:
            if self._keep is not None and self._bytes <= MAX_EACH:
                self._keep(b"".join(self._kept))
            self._end(None)
        return chunk

    def close(self) -> None:
        """Take no more of it. A connection whose answer is not read to its end is closed."""
        self._end(None)

    def _end(self, problem: str | None) -> None:
        done, self._done = self._done, None
        if done is None:
            return
        with suppress(Exception):  # the connection may be broken already
            self._response.close()
        done(self._bytes, self._took, problem)
