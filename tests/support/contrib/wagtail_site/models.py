"""The pages of the site."""

from __future__ import annotations

from typing import Any

from wagtail.models import Page


class Article(Page):
    """A page."""


class Events(Page):
    """A page with two URLs."""

    def get_sitemap_urls(self, request: Any = None) -> list[dict[str, Any]]:
        """Return that of the page, and that of past events."""
        [usual] = super().get_sitemap_urls(request)
        return [usual, {"location": f"{self.get_full_url(request)}past/", "changefreq": "weekly", "priority": 0.3}]


class Hidden(Page):
    """A page that is not to be listed."""

    def get_sitemap_urls(self, request: Any = None) -> list[dict[str, Any]]:
        """Return nothing."""
        return []
