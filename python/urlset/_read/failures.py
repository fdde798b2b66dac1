"""Failures of one run: whether the first one ends it, or all are kept and named at its end."""

from __future__ import annotations

from urlset._model.errors import FetchError, UrlsetError


class Failures:
    """What could not be read, in the order in which it was met.

    Args:
        strict: Whether the first failure is raised; else they are kept, and the run goes on.
    """

    __slots__ = ("_first", "_strict", "kept")

    def __init__(self, *, strict: bool = False) -> None:
        self._strict = strict
        self._first: UrlsetError | None = None
        self.kept: list[UrlsetError] = []

    def add(self, error: UrlsetError, *, always: bool = False) -> None:
        """Keep a failure, or raise it if the caller is strict or it is `always` raised."""
        if always or self._strict:
            raise error
        self._first = self._first or error
        self.note(error)

    def note(self, error: UrlsetError) -> None:
        """Keep what was not read although nothing is wrong with it. It is never raised."""
        self.kept.append(without_frames(error))

    def check(self, *, is_read: bool) -> None:
        """Raise the first failure if nothing was read: that must not look like a set without pages."""
        if not is_read and self._first is not None:
            raise self._first


def without_frames(error: UrlsetError) -> UrlsetError:
    """Return an error that is kept without where it was raised: those frames hold connections and whole tables."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def unreadable(location: str | None, error: OSError) -> FetchError:
    """Return the failure of a document that the system does not open, or does not read to its end."""
    return FetchError(f"{location}: {error.strerror or error}")
