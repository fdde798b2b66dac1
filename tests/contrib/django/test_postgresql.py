"""The sitemaps of a site whose database is PostgreSQL. The tests of this room do the same on SQLite."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from django.contrib.sitemaps import GenericSitemap, Sitemap
from django.core.management import call_command
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from support.contrib.django_site.models import Note, Product
from urlset import read
from urlset.contrib.django import rows, served

from contrib.django.test_answers import body, urls
from contrib.django.test_publishing import locs, publish

if TYPE_CHECKING:  # pytest imports it itself, as a plugin
    from support.postgres import Postgres

pytest_plugins = ["support.postgres"]
pytestmark = pytest.mark.long

Change = Callable[..., Path]
ALIAS = "postgresql"
#: In an order that is that of neither bytes nor code points: PostgreSQL sorts texts as people do.
NAMES = ["B", "a", "A", "b", "ä b", "Ä", "x&y", "日本", "z", "_", "10", "9"]
#: Half an hour before midnight in New York, where it is the time of the site, and the same moment elsewhere.
MOMENT = datetime(2026, 3, 8, 4, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def database(postgres: Postgres) -> Iterator[Any]:
    """A database with the tables and rows of the site, whose texts are sorted by the rules of a language."""
    postgres.run("CREATE DATABASE shop TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C'")
    said = {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": "127.0.0.1",
        "PORT": postgres.port,
        "NAME": "shop",
        "USER": "urlset",
        "PASSWORD": postgres.password,
    }
    databases: Any = connections.databases
    databases[ALIAS] = connections.configure_settings({"default": {}, ALIAS: said})[ALIAS]
    call_command("migrate", database=ALIAS, run_syncdb=True, verbosity=0)
    Note.objects.using(ALIAS).bulk_create(Note(name=name) for name in NAMES)
    Product.objects.using(ALIAS).bulk_create(
        Product(
            slug=f"tea-{number}",
            updated=MOMENT + timedelta(days=number, microseconds=number),
            added=date(2026, 3, 8) + timedelta(days=number),
            rank=number % 3,
        )
        for number in range(10)
    )
    yield connections[ALIAS]
    connections[ALIAS].close()
    del databases[ALIAS]


class Notes(Sitemap):
    """Pages whose keys are texts."""

    def items(self) -> Any:
        """Return a query."""
        return Note.objects.using(ALIAS).all()


class Products(Sitemap):
    """Pages with a time."""

    def items(self) -> Any:
        """Return a query in an order of its own."""
        return Product.objects.using(ALIAS).order_by("-rank")

    def location(self, item: Product) -> str:
        """Return the path of a product."""
        return f"/{item.slug}"

    def lastmod(self, item: Product) -> Any:
        """Return its time."""
        return item.updated


class Days(Products):
    """The same, with a day."""

    def lastmod(self, item: Product) -> Any:
        """Return its day."""
        return item.added


def test_a_query_is_read_by_its_keys(database: Any, site: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_AT_ONCE", 3)
    dest = site(urls(notes=Notes, products=Products))
    with CaptureQueriesContext(database) as queries:
        assert publish() == 0
    asked = [each["sql"] for each in queries if "django_site_" in each["sql"]]
    assert len(asked) == (len(NAMES) // 3 + 1) + (10 // 3 + 1)
    assert not [sql for sql in asked if "OFFSET" in sql]
    assert sorted(map(unquote, locs(dest, "notes"))) == sorted(f"/notes/{name}/" for name in NAMES)
    assert len(locs(dest, "products")) == 10


def test_a_night_without_changes_writes_nothing(
    database: Any, site: Change, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    dest = site(urls(notes=Notes, products=Products))
    assert publish() == 0
    before = {path: path.stat().st_mtime_ns for path in dest.glob("*/*.xml")}
    capsys.readouterr()
    assert publish() == 0
    assert capsys.readouterr().out.count("(0 added, 0 changed, 0 removed)") == 2
    assert {path: path.stat().st_mtime_ns for path in dest.glob("*/*.xml")} == before
    Product.objects.using(ALIAS).filter(slug="tea-1").update(updated=MOMENT + timedelta(days=99))
    try:
        assert publish("products") == 0
        assert "(0 added, 1 changed, 0 removed)" in capsys.readouterr().out
        served._places.clear()
        assert b"2026-06-15T" in body(client.get("/products.xml", secure=True))
    finally:
        Product.objects.using(ALIAS).filter(slug="tea-1").update(updated=MOMENT + timedelta(days=1, microseconds=1))


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu", "America/New_York"])
def test_lastmods_are_the_moments_of_the_rows(database: Any, postgres: Postgres, site: Change, zone: str) -> None:
    """Whatever the zone of the server: Django names its own for each connection."""
    postgres.run(f"ALTER DATABASE shop SET timezone = '{zone}'")
    database.close()  # the next connection has that zone
    dest = site(urls(products=Products, days=Days))
    assert publish() == 0
    found = {(entry.loc or "").rpartition("/")[2]: entry for entry in read(str(dest / "products"))}
    for number in range(10):
        lastmod = found[f"tea-{number}"].lastmod
        assert lastmod is not None
        assert abs(lastmod - (MOMENT + timedelta(days=number))) < timedelta(milliseconds=1)
    days = {(entry.loc or "").rpartition("/")[2]: entry.lastmod_raw for entry in read(str(dest / "days"))}
    assert days["tea-0"] == "2026-03-08"
    assert days["tea-9"] == "2026-03-17"


def test_a_generic_sitemap_lists_what_its_query_has(database: Any, site: Change) -> None:
    class Generic(GenericSitemap):
        def location(self, item: Product) -> str:
            return f"/{item.slug}"

    late = MOMENT.astimezone(timezone(timedelta(hours=-4))) + timedelta(days=5)
    queryset = Product.objects.using(ALIAS).filter(updated__gte=late)
    dest = site(urls(late=Generic({"queryset": queryset, "date_field": "updated"})))
    assert publish() == 0
    assert locs(dest, "late") == [f"/tea-{number}" for number in range(5, 10)]
