"""Publishing anew what has changed, after the answer to a request: for sites that set `URLSET["REBUILD"]`.

A change of a model marks the sections that list it as stale, in the default cache of Django. A request for a stale
section is answered from the set that is there, and a thread publishes the section meanwhile.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from functools import lru_cache
from threading import Lock, Thread
from typing import Any
from uuid import uuid4

from django.core.cache import cache
from django.db import connections, transaction
from django.db.models import QuerySet
from django.db.models.signals import post_delete, post_save

from urlset import UrlsetError
from urlset.contrib.django.publishing import publish_set
from urlset.contrib.django.sets import FoundSitemaps, SitemapSet, find
from urlset.contrib.django.settings import load
from urlset.contrib.django.sites import PerSite

__all__ = ["mark_stale"]

LOG = logging.getLogger("urlset.django")
#: One thread of a process publishes at a time, and the lock of the store does the same for all processes.
_busy = Lock()
#: When each set may be published again by this process, in seconds of the monotonic clock.
_not_before: dict[str, float] = {}


def mark_stale(*sections: str) -> None:
    """Have sections published anew, because something has changed that no signal tells of, such as a bulk update.

    Args:
        sections: The sections; all if none is named.

    Raises:
        ImproperlyConfigured: `URLSET` cannot be used.
    """
    _mark(each.name for each in find().sets.values() if not sections or each.label in sections)


def listen() -> None:
    """Mark sections as stale when an object that they list is saved or deleted."""
    post_save.connect(_changed, dispatch_uid="urlset.stale")
    post_delete.connect(_changed, dispatch_uid="urlset.stale")


def rebuild_if_stale(wanted: SitemapSet, *, is_published: bool) -> None:
    """Publish a set in a thread of its own if it is stale, or was never published; nothing if no setting asks for it.

    Args:
        wanted: The set.
        is_published: Whether there is one to answer from meanwhile.
    """
    every = load().rebuild
    if every is None or time.monotonic() < _not_before.get(wanted.name, 0.0):
        return
    mark = cache.get(_mark_key(wanted))
    if (is_published and mark in (None, cache.get(_done_key(wanted)))) or not _busy.acquire(blocking=False):
        return
    _not_before[wanted.name] = time.monotonic() + every
    Thread(target=_rebuild, args=(wanted, mark), name=f"urlset-{wanted.name}", daemon=True).start()


def _rebuild(wanted: SitemapSet, mark: str | None) -> None:
    try:
        publish_set(wanted, load())
        cache.set(_done_key(wanted), mark, timeout=None)  # what has changed since then has another mark
    except UrlsetError as error:
        LOG.warning("%s: %s", wanted.label, error)
    except Exception:
        # The code of the site fails: the next attempt is at its time, and the set that is there stays.
        LOG.exception("%s could not be published", wanted.label)
    finally:
        connections.close_all()
        _busy.release()


def _changed(sender: Any, using: str | None = None, **_: Any) -> None:
    if sender.__module__ == "__fake__":  # a model as a migration knows it
        return
    # What follows calls `items()`, which may fail: that must neither end the transaction nor the request.
    transaction.on_commit(lambda: _mark_sets_of(sender), using=using, robust=True)


def _mark_sets_of(model: Any) -> None:
    names = [name for listed, sets in _sets_by_model(find()).items() if issubclass(model, listed) for name in sets]
    if names:
        _mark(names)


def _mark(names: Iterable[str]) -> None:
    cache.set_many({f"urlset.stale.{name}": uuid4().hex for name in names}, timeout=None)


@lru_cache(maxsize=1)
def _sets_by_model(found: FoundSitemaps) -> dict[Any, list[str]]:
    """Return the names of the sets that list the objects of a model. It calls `items()`, which makes a query lazily."""
    sets: dict[Any, list[str]] = {}
    for each in found.sets.values():
        for sitemap in each.instances():
            items = sitemap.items()
            if isinstance(items, QuerySet):
                sets.setdefault(items.model._meta.concrete_model, []).append(each.name)
            for model in sitemap.further_models() if isinstance(sitemap, PerSite) else ():
                sets.setdefault(model, []).append(each.name)
    return sets


def _mark_key(wanted: SitemapSet) -> str:
    """Return the key of what tells that something has changed, for all sites of a section."""
    return f"urlset.stale.{wanted.name.partition('@')[0]}"


def _done_key(wanted: SitemapSet) -> str:
    """Return the key of the mark that was there when the last publish of a set began."""
    return f"urlset.published.{wanted.name}"
