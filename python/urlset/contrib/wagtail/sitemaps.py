"""The pages of Wagtail's sites: those of each site in a set of its own, with their translations."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any, Self

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.db.models import Q, QuerySet
from django.utils import translation
from wagtail.contrib.sitemaps import Sitemap as WagtailSitemap

from urlset.contrib.django.sites import PerSite

__all__ = ["Sitemap"]

#: How many pages a query fetches. Each comes with all fields of its model.
_AT_ONCE = 500


class Sitemap(PerSite, WagtailSitemap):
    """The live and public pages of a site, as `Page.get_sitemap_urls` gives them.

    If `WAGTAIL_I18N_ENABLED` is set, the pages of all locales of the site are listed, and the translations of a page
    link to each other, unless `get_sitemap_urls` gives `alternates` itself. Methods `images(page)`, `videos(page)` and
    `news(page)` of a subclass say what Wagtail has no key for.
    """

    def __init__(self, request: Any = None, site: Any = None) -> None:
        super().__init__(request)
        self._site = site

    def get_wagtail_site(self) -> Any:
        """Return the site whose pages are listed."""
        return super().get_wagtail_site() if self._site is None else self._site

    def items(self) -> Any:
        """Return the pages, of all locales of the site."""
        site = self.get_wagtail_site()
        if self._site is None or not _has_locales():
            return super().items()
        from wagtail.models import Page  # noqa: PLC0415  (models can be imported once all apps are there)

        below = Q(path__startswith=site.root_page.path)
        for root in site.root_page.get_translations():
            below |= Q(path__startswith=root.path)
        return Page.objects.filter(below).live().public().order_by("path").defer_streamfields().specific()

    @classmethod
    def further_models(cls) -> list[Any]:
        """Return the models that say where a page is and who may see it."""
        from wagtail.models import Locale, PageViewRestriction, Site  # noqa: PLC0415

        return [Locale, PageViewRestriction, Site]

    @classmethod
    def site_names(cls) -> list[str]:
        """Return the names of all sites of Wagtail."""
        from wagtail.models import Site  # noqa: PLC0415

        return [_name_of(site) for site in Site.objects.order_by("pk")]

    @classmethod
    def site_name_of(cls, request: Any) -> str | None:
        """Return the name of the site that a request is for."""
        from wagtail.models import Site  # noqa: PLC0415

        site = Site.find_for_request(request)
        return None if site is None else _name_of(site)

    @classmethod
    def of_site(cls, name: str) -> Self:
        """Return the sitemap of a site."""
        from wagtail.models import Site  # noqa: PLC0415

        site = next(site for site in Site.objects.select_related("root_page") if _name_of(site) == name)
        return cls(_request_to(site), site)

    @classmethod
    def of_request(cls, request: Any) -> Self:
        """Return the sitemap as Wagtail's own view makes it."""
        return cls(request)

    def origin(self) -> str:
        """Return the URL of the site, without a slash."""
        return str(self.get_wagtail_site().root_url)

    def site_rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of all pages.

        A page that is also below the root of another site may have a URL there, and is then listed there.
        """
        further = [(name, getattr(self, name)) for name in ("images", "videos", "news") if hasattr(self, name)]
        begin, has_locales = f"{self.origin()}/", _has_locales()
        codes = _locales() if has_locales else {}
        with translation.override(settings.LANGUAGE_CODE):
            for page in self._pages():
                for number, info in enumerate(page.get_sitemap_urls(self.request)):
                    loc = str(info["location"] or "")
                    if not loc.startswith(begin):
                        continue
                    row = _row(loc, info) | {name: method(page) for name, method in further}
                    if has_locales and "alternates" not in row:
                        row |= {"group": f"{page.translation_key}:{number}", "lang": codes[page.locale_id]}
                    yield row

    def _pages(self) -> Iterator[Any]:
        """Yield the pages in the order of their keys, some hundred at a time."""
        found = self.items()
        if not isinstance(found, QuerySet):
            yield from found
            return
        ordered, last = found.order_by("pk"), 0
        while chunk := list(ordered.filter(pk__gt=last)[:_AT_ONCE]):
            yield from chunk
            last = chunk[-1].pk


def _row(loc: str, info: dict[str, Any]) -> dict[str, Any]:
    """Return a row of what a page says about one of its URLs."""
    priority, links = info.get("priority"), info.get("alternates")
    row: dict[str, Any] = {
        "loc": loc,
        "lastmod": info.get("lastmod") or None,
        "changefreq": info.get("changefreq") or None,
        "priority": None if priority is None or priority == "" else str(priority),
    }
    if links:
        row["alternates"] = [{"hreflang": each["lang_code"], "href": each["location"]} for each in links]
    return row


def _request_to(site: Any) -> WSGIRequest:
    """Return a request to a site: methods of pages may ask it for the site, and keep on it what they have found out."""
    scheme, _, host = site.root_url.partition("://")
    return WSGIRequest(
        {
            "HTTP_HOST": host,
            "PATH_INFO": "/",
            "REQUEST_METHOD": "GET",
            "SERVER_NAME": site.hostname,
            "SERVER_PORT": str(site.port),
            "wsgi.input": BytesIO(),
            "wsgi.url_scheme": scheme,
        }
    )


def _has_locales() -> bool:
    return bool(getattr(settings, "WAGTAIL_I18N_ENABLED", False))


def _locales() -> dict[int, str]:
    from wagtail.models import Locale  # noqa: PLC0415

    return dict(Locale.objects.values_list("pk", "language_code"))


def _name_of(site: Any) -> str:
    """Return the name of the folder of a site: its host, with a port that is not the usual one."""
    return str(site.hostname) if site.port in (80, 443) else f"{site.hostname}.{site.port}"
