"""Which URLs belong to the site that is crawled."""

from __future__ import annotations

from urllib.parse import urlsplit

from urlset._fetch.hosts import registrable_domain
from urlset._options.http import Hosts


class Scope:
    """The hosts of a site: that of the first URL, and that which it leads to, or all of its registrable domain.

    Args:
        site: The first URL.
        hosts: As in `Http`; `domain` and `any` stand for the registrable domain.
    """

    def __init__(self, site: str, hosts: Hosts) -> None:
        self._hosts = {_host(site)}
        name = urlsplit(site).hostname or ""
        self._domain = registrable_domain(name) if hosts in ("domain", "any") else None

    def add(self, url: str) -> None:
        """Let the host of a URL belong to the site, too."""
        self._hosts.add(_host(url))

    def __contains__(self, url: str) -> bool:
        """Return whether a URL belongs to the site."""
        host = _host(url)
        if host in self._hosts:
            return True
        if self._domain is None or registrable_domain(urlsplit(url).hostname or "") != self._domain:
            return False
        self._hosts.add(host)
        return True


def _host(url: str) -> str:
    """Return the host and the port of a URL as the URL standard spells it."""
    return url.split("/", 3)[2]
