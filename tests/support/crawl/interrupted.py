"""Run by tests as a program of its own, which is killed in the middle of a crawl.

    python -m support.crawl.interrupted URL STATE

Prints the number of pages after each write.
"""

from __future__ import annotations

import sys

import urlset
from urlset._crawl import crawler

if __name__ == "__main__":
    crawler._BATCH = 20  # type: ignore[misc]  # many writes, so that one of them is cut off
    written = crawler.Crawler.flush

    def flush(self: crawler.Crawler) -> None:
        """Write, and say so."""
        written(self)
        print(self.asked, flush=True)

    crawler.Crawler.flush = flush  # type: ignore[method-assign]
    urlset.crawl(sys.argv[1], state=sys.argv[2])
