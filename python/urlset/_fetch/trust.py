"""Which documents need not be requested: those whose lastmod in their index has not moved, as far as that holds.

An index is believed until one of its documents has changed without its lastmod. That is looked for: of the documents
that it lists, one in twenty, at least one, is requested anyway in every run, and those come first whose last request
is the longest ago. So the turn of each comes, and nothing is believed for ever.
"""

from __future__ import annotations

import threading
from typing import Literal

from urlset._fetch.cache import Cache, Cached, IndexClaim

#: The share of documents that are requested although they could be taken from the cache.
SHARE = 0.05

Verdict = Literal["trust", "check"]


class CacheTrust:
    """Decides, during one run, which documents are taken from the cache without a request. Threads may share it."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._lock = threading.Lock()
        #: By index: the documents that are requested anyway, and how many more, because some of these had to be.
        self._checks: dict[str, set[str]] = {}
        self._owed: dict[str, int] = {}

    def verdict(self, cached: Cached | None, listed: IndexClaim | None) -> Verdict | None:
        """Return whether a document is trusted or checked; None if it has to be requested."""
        if listed is None or listed.lastmod is None or cached is None:
            return None
        with self._lock:
            checks = self._checks.get(listed.index)
            if checks is None:
                checks = set(self._cache.not_asked_for_longest(listed.index, SHARE))
                self._checks[listed.index] = checks
            is_chosen = cached.url in checks
            checks.discard(cached.url)
            if not cached.is_settled(listed) or self._cache.is_proven_wrong(listed.index):
                self._owed[listed.index] = self._owed.get(listed.index, 0) + is_chosen
                return None
            if not is_chosen and self._owed.get(listed.index):
                self._owed[listed.index] -= 1
                is_chosen = True
            return "check" if is_chosen else "trust"
