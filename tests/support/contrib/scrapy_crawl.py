"""Run by tests as a program of its own, because the reactor of Scrapy runs once in a process.

    python -m support.contrib.scrapy_crawl < CRAWLS

CRAWLS is a list in JSON. Each crawl has the attributes of its spider as `spider`, a filter as `filter`, and settings of
Scrapy as `settings`. Prints what came of each, in JSON: the items, the statistics, and the warnings.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from scrapy import signals
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response
from urlset import Filter
from urlset._model.entries import Entry
from urlset.contrib.scrapy import SitemapSpider


class Spider(SitemapSpider):
    """Makes an item of each page, from what its sitemap says of it."""

    name = "test"
    unwanted = ""

    def sitemap_filter(self, entries: Iterable[Entry]) -> Iterable[Entry]:
        """Leave out what the test names."""
        return (entry for entry in entries if not self.unwanted or self.unwanted not in (entry.loc or ""))

    def parse(self, response: Response) -> Iterator[dict[str, Any]]:
        """Take down what is known of a page."""
        entry = response.meta["sitemap_entry"]
        yield {
            "url": response.url,
            "lastmod": str(entry.lastmod),
            "priority": entry.priority,
            "images": [image.loc for image in entry.images],
            "alternates": [(each.hreflang, each.href) for each in entry.alternates],
            "sitemap": response.meta["sitemap_url"],
            "via": response.meta["sitemap_via"],
            "alternate": getattr(response.meta.get("sitemap_alternate"), "hreflang", None),
            "callback": "parse",
        }

    def parse_blog(self, response: Response) -> Iterator[dict[str, Any]]:
        """Do the same for posts."""
        for item in self.parse(response):
            yield {**item, "callback": "parse_blog"}


class Warnings(logging.Handler):
    """Keeps the messages of spiders."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one."""
        self.messages.append(record.getMessage())


class Crawl:
    """One crawl of a process, and what comes of it."""

    def __init__(self, process: CrawlerProcess, number: int, asked: dict[str, Any]) -> None:
        name = f"crawl {number}"
        attributes = {**asked["spider"], "name": name}
        if asked["filter"] is not None:
            attributes["sitemap_choice"] = Filter(**asked["filter"])
        kind = type("Configured", (Spider,), {**attributes, "custom_settings": asked["settings"]})
        self._items: list[Any] = []
        self._warnings = Warnings()
        logging.getLogger(name).addHandler(self._warnings)
        self._crawler = process.create_crawler(kind)
        self._crawler.signals.connect(self._keep, signals.item_scraped)
        process.crawl(self._crawler)

    def _keep(self, item: object) -> None:
        self._items.append(item)

    def outcome(self) -> dict[str, Any]:
        """Return what came of it."""
        assert self._crawler.stats is not None
        stats = {name: str(value) for name, value in self._crawler.stats.get_stats().items()}
        return {"items": self._items, "stats": stats, "warnings": self._warnings.messages}


if __name__ == "__main__":
    process = CrawlerProcess({"TELNETCONSOLE_ENABLED": False, "LOG_LEVEL": "WARNING"})
    crawls = [Crawl(process, number, asked) for number, asked in enumerate(json.load(sys.stdin))]
    process.start()
    print(json.dumps([crawl.outcome() for crawl in crawls]))
