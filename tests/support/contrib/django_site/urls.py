"""Where the site has what."""

from __future__ import annotations

from typing import Any

from django.conf.urls.i18n import i18n_patterns
from django.contrib.sitemaps import views as theirs
from django.http import HttpResponse
from django.urls import path
from django.views.decorators.cache import cache_control
from urlset.contrib.django import views as ours

from support.contrib.django_site.sitemaps import COMBINED, SITEMAPS, OwnUrls, Pictures

REFUSED = {"own-urls": OwnUrls}
WITH_PICTURES = {"pictures": Pictures}


def page(request: Any, **_: Any) -> HttpResponse:
    """Answer with nothing."""
    return HttpResponse("")


def of(views: Any, where: str) -> list[Any]:
    """Return the URLs of the sitemaps by the views of a module."""
    name = f"{where}-section"
    section = f"{where}/sitemap-<section>.xml"
    return [
        path(f"{where}/sitemap.xml", views.index, {"sitemaps": SITEMAPS, "sitemap_url_name": name}),
        path(section, cache_control(public=True)(views.sitemap), {"sitemaps": SITEMAPS}, name=name),
        path(f"{where}/all.xml", views.sitemap, {"sitemaps": COMBINED}),
        path(f"{where}/refused-<section>.xml", views.sitemap, {"sitemaps": REFUSED}, name=f"{where}-refused"),
        path(f"{where}/refused.xml", views.index, {"sitemaps": REFUSED, "sitemap_url_name": f"{where}-refused"}),
        path(f"{where}/pictures.xml", views.sitemap, {"sitemaps": WITH_PICTURES, "section": "pictures"}),
    ]


urlpatterns = [
    *of(theirs, "theirs"),
    *of(ours, "ours"),
    path("", page, name="home"),
    path("about/", page, name="about"),
    *i18n_patterns(path("product/<slug>/", page, name="product")),
]
