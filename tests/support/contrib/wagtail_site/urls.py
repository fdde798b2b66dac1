"""Where the site has what."""

from __future__ import annotations

from django.conf.urls.i18n import i18n_patterns
from django.urls import include, path
from urlset.contrib.wagtail import Sitemap
from urlset.contrib.wagtail import views as ours
from wagtail import urls as wagtail_urls
from wagtail.contrib.sitemaps import views as theirs


class WithImages(Sitemap):
    """A sitemap with an image of each page."""

    def images(self, page: object) -> list[str]:
        """Return one."""
        return [f"/media/{getattr(page, 'slug', '')}.jpg"]


SECTIONS = {"pages": Sitemap, "images": WithImages}
urlpatterns = [
    path("theirs.xml", theirs.sitemap),
    path("ours.xml", ours.sitemap),
    path("index.xml", ours.index, {"sitemaps": SECTIONS}),
    path("section-<section>.xml", ours.sitemap, {"sitemaps": SECTIONS}, name="django.contrib.sitemaps.views.sitemap"),
    *i18n_patterns(path("", include(wagtail_urls)), prefix_default_language=False),
]
