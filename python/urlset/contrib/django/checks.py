"""What `manage.py check` says about the sitemaps of a site."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.core.cache.backends.dummy import DummyCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004  (the names of Django)
from django.core.exceptions import ImproperlyConfigured

from urlset import InputError
from urlset.contrib.django.cache import cache_of
from urlset.contrib.django.sets import find
from urlset.contrib.django.settings import DjangoSettings, load
from urlset.contrib.django.sites import is_per_site


def check_settings(**_: Any) -> list[CheckMessage]:
    """Return what is wrong with `URLSET`."""
    try:
        said = load()
    except ImproperlyConfigured as error:
        return [Error(str(error), id="urlset.E001")]
    if said.base_url is None and not apps.is_installed("django.contrib.sites") and _needs_url():
        hint = "Set it to the URL of the site, such as 'https://shop.example/'."
        return [Error("URLSET['BASE_URL'] is missing, without django.contrib.sites", hint=hint, id="urlset.E002")]
    return _check_cache(said)


def _check_cache(said: DjangoSettings) -> list[CheckMessage]:
    """Return what is wrong with the cache that has the sets."""
    if not said.is_cache:
        return []
    try:
        backend = cache_of(said.dest)
    except InputError as error:
        return [Error(f"URLSET['DEST']: {error}", id="urlset.E004")]
    if isinstance(backend, LocMemCache | DummyCache):
        hint = "Name one that all processes share, such as a table of the database, Redis or Memcached."
        problem = "URLSET['DEST'] is a cache of each process alone, so what a command publishes is not served"
        return [Warning(problem, hint=hint, id="urlset.W006")]
    return []


def _needs_url() -> bool:
    """Return whether there is a sitemap that does not know its own site."""
    try:
        return not all(is_per_site(one) for each in find().sets.values() for one in each.sitemaps)
    except ImportError:
        return False  # the other check says so


def check_sitemaps(**_: Any) -> list[CheckMessage]:
    """Return which sitemaps are not published, so that Django's own views answer."""
    try:
        found = find()
    except ImproperlyConfigured:
        return []  # the other check says so
    except ImportError as error:
        return [Error(f"URLSET['SITEMAPS']: {error}", id="urlset.E003")]
    messages: list[CheckMessage] = [Warning(each.message, hint=each.hint, id=each.code) for each in found.problems]
    if not found.sets and not messages:
        hint = "Import index and sitemap from urlset.contrib.django.views in urls.py."
        messages.append(Warning("no sitemap is published: the URLconf has none", hint=hint, id="urlset.W005"))
    return messages
