"""The sitemaps of a Wagtail site, served from published sets. Extra: `wagtail`.

It needs the app `urlset.contrib.django`. `Sitemap` takes the place of that of `wagtail.contrib.sitemaps`, and the views
`index` and `sitemap` of `urlset.contrib.wagtail.views` that of `wagtail.contrib.sitemaps.views`.
"""

from urlset.contrib.wagtail.sitemaps import Sitemap

__all__ = ["Sitemap"]
