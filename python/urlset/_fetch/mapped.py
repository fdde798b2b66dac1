"""Sites that are reached elsewhere, such as a preview build of a site whose sitemap lists the URLs of production.

Only what is dialled changes. A URL keeps its own name in every result, in robots.txt, in the policy about hosts and in
redirects; so nothing above the transport knows of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from urlset._fetch.exchange import ServerAnswer
from urlset._util.urls import origin


class MappedSites:
    """Which sites are reached elsewhere.

    Args:
        sites: Where each of them is, as origins.

    Example:
        >>> mapped = MappedSites({"https://shop.example": "http://127.0.0.1:8000"})
        >>> mapped.dialled("https://shop.example/tea?a=1"), mapped.dialled("https://other.example/")
        ('http://127.0.0.1:8000/tea?a=1', None)
    """

    def __init__(self, sites: Mapping[str, str]) -> None:
        self._elsewhere = {origin(own) or "": origin(other) or "" for own, other in sites.items()}
        self._own = {other: own for own, other in self._elsewhere.items()}

    def dialled(self, url: str) -> str | None:
        """Return the URL to request in place of another one; None if it is that itself."""
        return _moved(url, self._elsewhere)

    def named(self, url: str, answer: ServerAnswer) -> ServerAnswer:
        """Return an answer as the site itself gives it: a redirect to where the site is reached leads to the site."""
        location = answer.header("location")
        if location is None or (own := _moved(location, self._own)) is None:
            return answer
        # Two sites may be reached at one place.
        home = origin(url) or ""
        if self._elsewhere.get(home) == origin(location):
            own = _moved(location, {origin(location) or "": home}) or own
        return answer._replace(
            headers=tuple((name, own if name == "location" else value) for name, value in answer.headers)
        )


def _moved(url: str, homes: Mapping[str, str]) -> str | None:
    home = homes.get(origin(url) or "")
    if home is None:
        return None
    parts = urlsplit(url)
    rest = url[len(parts.scheme) + len("://") + len(parts.netloc) :]
    return home.removesuffix("/") + (rest if rest.startswith("/") else f"/{rest}")
