"""The sites that the caller named: who gets the caller's headers, and which private hosts may be reached."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from urlset._util.urls import origin


class NamedSites:
    """The sites of the URLs that the caller named.

    Args:
        urls: The URLs. One that cannot be fetched names nothing.

    Example:
        >>> named = NamedSites(["http://shop.example/sitemap.xml"])
        >>> [named.includes(url) for url in ("https://shop.example/", "http://shop.example:8080/")]
        [True, False]
    """

    def __init__(self, urls: Iterable[str]) -> None:
        origins = {found for url in urls if (found := origin(url)) is not None}
        # The same site with encryption, as most sites redirect to it. A port that is written is another server.
        upgraded = {f"https://{parts.netloc}/" for each in origins if (parts := urlsplit(each)).port is None}
        self._origins = frozenset(origins | upgraded)
        #: Their hosts.
        self.hosts = frozenset(host for each in origins if (host := urlsplit(each).hostname))

    def includes(self, url: str) -> bool:
        """Return whether a URL is of one of the sites: of the same scheme, host and port (RFC 6454).

        Secrets go to these alone: on another port of the host listens another server, and without encryption everybody
        on the way reads them.
        """
        return origin(url) in self._origins

    def has_site(self, site: str) -> bool:
        """Return the same for the scheme, host and port of a URL as it is sent."""
        return f"{site}/" in self._origins
