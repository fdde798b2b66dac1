"""The views `index` and `sitemap`, in place of those of `wagtail.contrib.sitemaps.views`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse

from urlset.contrib.django import views
from urlset.contrib.django.sets import DEFAULT, MARK
from urlset.contrib.wagtail.sitemaps import Sitemap

__all__ = ["index", "sitemap"]

_SITEMAPS: Mapping[str, Any] = {"wagtail": Sitemap}


def index(request: HttpRequest, sitemaps: Mapping[str, Any], **options: Any) -> HttpResponse:
    """Answer with an index of the sitemaps of all sections, for the site of the request.

    Args:
        request: The request.
        sitemaps: The sitemaps by their sections.
        **options: As those of `urlset.contrib.django.views.index`.

    Returns:
        The answer.
    """
    return views.index(request, sitemaps, **options)


def sitemap(request: HttpRequest, sitemaps: Mapping[str, Any] | None = None, **options: Any) -> HttpResponse:
    """Answer with a page of a sitemap, for the site of the request.

    Args:
        request: The request.
        sitemaps: The sitemaps by their sections; all pages of the site if there are none.
        **options: As those of `urlset.contrib.django.views.sitemap`.

    Returns:
        The answer.

    Raises:
        Http404: There is no such section or page.
    """
    return views.sitemap(request, sitemaps or _SITEMAPS, **options)


setattr(index, MARK, "index")
setattr(sitemap, MARK, "sitemap")
setattr(sitemap, DEFAULT, _SITEMAPS)
