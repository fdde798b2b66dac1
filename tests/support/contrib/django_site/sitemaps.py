"""Sitemaps of every shape that Django's documentation shows, and some more."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from django.contrib.sitemaps import GenericSitemap, Sitemap
from django.urls import reverse
from urlset import Image

from support.contrib.django_site.models import MIDNIGHT, Note, Product

REPEATED = datetime(2026, 11, 1, 1, 30, tzinfo=UTC)
LATE = datetime(2026, 7, 4, 23, 59, 59, 999999, tzinfo=UTC)


class Products(Sitemap):
    """A query with methods for everything."""

    def items(self) -> Any:
        """Return a query."""
        return Product.objects.filter(is_hidden=False)

    def lastmod(self, item: Product) -> datetime | None:
        """Return an instant."""
        updated: datetime | None = item.updated
        return updated

    def changefreq(self, item: Product) -> str | None:
        """Return one for some."""
        return "daily" if item.rank else None

    def priority(self, item: Product) -> float | None:
        """Return one for some."""
        return item.rank / 4 if item.rank > 1 else None


class Pages(Sitemap):
    """Names of URLs in a list, with attributes in place of methods."""

    priority = 0.5
    changefreq = "monthly"
    protocol = "http"
    lastmod = date(2026, 2, 28)

    def items(self) -> list[str]:
        """Return names."""
        return ["home", "about"]

    def location(self, item: str) -> str:
        """Return a path."""
        return str(reverse(item))


class Paged(Products):
    """Pages of seven."""

    limit = 7


class Translated(Sitemap):
    """Every page in every language, without links."""

    i18n = True

    def items(self) -> Any:
        """Return a query."""
        return Product.objects.order_by("slug")

    def lastmod(self, item: Product) -> date:
        """Return a day."""
        added: date = item.added
        return added


class Alternates(Translated):
    """With links."""

    alternates = True
    limit = 10


class Default(Alternates):
    """With links and a default, in two languages."""

    languages = ("en", "de")
    x_default = True


class ByItem(Default):
    """With languages that differ by item."""

    def get_languages_for_item(self, item: Product) -> list[str]:
        """Return the default language for some."""
        return ["en", "pt-br"] if item.rank else ["de", "pt-br"]


class Notes(Sitemap):
    """Keys that are texts, and paths that have to be encoded."""

    def items(self) -> Any:
        """Return a query."""
        return Note.objects.order_by("name")


class Lastmods(Sitemap):
    """A lastmod of each kind that Django takes in one section."""

    def items(self) -> list[Any]:
        """Return lastmods."""
        return []

    def location(self, item: Any) -> str:
        """Return a path."""
        return f"/of/{abs(hash(str(item)))}"

    def lastmod(self, item: Any) -> Any:
        """Return it."""
        return item


class Naive(Lastmods):
    """Times without a zone, one of them in the hour that the clocks repeat."""

    def items(self) -> list[Any]:
        """Return lastmods."""
        return [each.replace(tzinfo=None) for each in (MIDNIGHT, REPEATED, LATE)]


class Aware(Lastmods):
    """Times with zones."""

    def items(self) -> list[Any]:
        """Return lastmods."""
        east, west = timezone(timedelta(hours=5, minutes=45)), timezone(timedelta(hours=-9))
        return [datetime(2026, 5, 5, 1, tzinfo=east), datetime(2026, 5, 5, 23, tzinfo=west), MIDNIGHT]


class Days(Lastmods):
    """Days, and nothing."""

    def items(self) -> list[Any]:
        """Return lastmods."""
        return [date(2026, 5, 5), date(1999, 12, 31)]


class SomeLastmods(Lastmods):
    """Pages without a lastmod among others. Django compares none of them after the first one."""

    def items(self) -> list[Any]:
        """Return lastmods."""
        return [None, date(2026, 5, 5), datetime(2026, 5, 5, tzinfo=UTC)]


class Odd(Sitemap):
    """Values that are written differently and mean the same."""

    def items(self) -> list[Any]:
        """Return priorities."""
        return [1, 1.0, "0.3", Decimal("0.25"), 0, None, ""]

    def location(self, item: Any) -> str:
        """Return a path."""
        return f"/odd/{item!r}?a=1&b=%20"

    def priority(self, item: Any) -> Any:
        """Return it."""
        return item

    def changefreq(self, item: Any) -> str:
        """Return none for some."""
        return "" if item else "never"


class Cut(Sitemap):
    """A query that cannot be read by its keys."""

    def items(self) -> Any:
        """Return the first ones."""
        return Product.objects.order_by("-slug")[:5]


class Values(Sitemap):
    """A query that returns no objects."""

    def items(self) -> Any:
        """Return slugs."""
        return Product.objects.values_list("slug", flat=True)

    def location(self, item: str) -> str:
        """Return a path."""
        return f"/values/{item}"


class OwnDomain(Notes):
    """A host that does not depend on the request."""

    def get_domain(self, site: Any = None) -> str:
        """Return a host."""
        return "Notes.example:8443"


class Pictures(Products):
    """With images, which Django's views cannot list."""

    def images(self, item: Product) -> list[Image | str]:
        """Return two images."""
        return [Image(f"https://cdn.example/{item.slug}.jpg"), f"/media/{item.slug}.png"]


class Configured(Sitemap):
    """An instance with what its constructor was given."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    def items(self) -> list[int]:
        """Return numbers."""
        return list(range(12))

    def location(self, item: int) -> str:
        """Return a path."""
        return f"{self.prefix}{item}/"


GENERIC = {"queryset": Product.objects.all(), "date_field": "updated"}
SITEMAPS: dict[str, Any] = {
    "products": Products,
    "pages": Pages,
    "paged": Paged,
    "translated": Translated,
    "alternates": Alternates,
    "default": Default,
    "by-item": ByItem,
    "notes": Notes,
    "naive": Naive,
    "aware": Aware,
    "days": Days,
    "some-lastmods": SomeLastmods,
    "odd": Odd,
    "cut": Cut,
    "values": Values,
    "own domain": OwnDomain,
    "instance": Configured("/blog/"),
    "generic": GenericSitemap(GENERIC, priority=0.6, changefreq="weekly"),
    "generic-undated": GenericSitemap({"queryset": Product.objects.all()}, protocol="http"),
    "made": lambda: Configured("/made/"),
}
COMBINED: dict[str, Any] = {"news": Notes, "blog": Configured("/blog/"), "products": Products}


class OwnUrls(Notes):
    """A class whose pages are not those of its items."""

    def get_urls(self, page: Any = 1, site: Any = None, protocol: Any = None) -> Any:
        """Return the pages of Django with a query."""
        found = super().get_urls(page, site, protocol)
        for each in found:
            each["location"] += "?own"
        return found
