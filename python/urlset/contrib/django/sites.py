"""Sitemaps that have a set for each of several sites, as those of a content management system do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self


class PerSite:
    """What a class of sitemaps says about its sites, beside what Django asks of it."""

    @classmethod
    def further_models(cls) -> list[Any]:
        """Return models whose changes matter too, beside that of the query of `items()`."""
        return []

    @classmethod
    def site_names(cls) -> list[str]:
        """Return the names of all sites, which can be names of folders."""
        raise NotImplementedError

    @classmethod
    def site_name_of(cls, request: Any) -> str | None:
        """Return the name of the site that a request is for; None if there is none."""
        raise NotImplementedError

    @classmethod
    def of_site(cls, name: str) -> Self:
        """Return the sitemap of a site."""
        raise NotImplementedError

    @classmethod
    def of_request(cls, request: Any) -> Self:
        """Return the sitemap as Django's own view takes it."""
        raise NotImplementedError

    def origin(self) -> str:
        """Return what stands before the paths of its site, such as `https://shop.example`."""
        raise NotImplementedError

    def site_rows(self) -> Iterator[dict[str, Any]]:
        """Yield its rows."""
        raise NotImplementedError


def is_per_site(sitemap: Any) -> bool:
    """Return whether it is a class of sitemaps that has several sites."""
    return isinstance(sitemap, type) and issubclass(sitemap, PerSite)
