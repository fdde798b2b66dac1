"""What a site answers that publishes after requests, while editors work."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from django.core.cache import cache
from django.core.management import call_command
from urlset.contrib.django import served
from urlset.contrib.django.sets import find
from wagtail.models import Page, PageViewRestriction, Site

from support.contrib.wagtail_site.models import Article

SECONDS = 60
Ask = Callable[[], dict[str, Any]]


def is_stale() -> bool:
    """Return whether an editor has changed something since the last publish began."""
    [name] = {each.name for each in find().sets.values() if each.name.startswith("all")}
    return bool(cache.get(f"urlset.stale.{name}") != cache.get(f"urlset.published.{name}@shop.example"))


def wait() -> None:
    """Wait until what requests have begun is done, and forget what the views know."""
    for thread in threading.enumerate():
        if thread.name.startswith("urlset-"):
            thread.join(SECONDS)
    served._places.clear()


def changed(ask: Ask, change: Callable[[], object]) -> dict[str, Any]:
    """Make a change and return what is answered: before anything is published, and by the request after that."""
    change()
    marked = is_stale()
    first = ask()
    wait()
    second = ask()
    wait()
    return {"marked": marked, "first": first["text"], "second": second["text"], "is_stale": is_stale()}


def while_a_publish_runs(ask: Ask) -> dict[str, Any]:
    """Return what visitors are answered, and how fast, while a publish waits for a page that never ends."""
    may_go_on = threading.Event()
    usual = Article.get_sitemap_urls

    def slow(self: Any, request: Any = None) -> Any:
        if threading.current_thread() is not threading.main_thread():
            may_go_on.wait(SECONDS)
        return usual(self, request)

    Article.get_sitemap_urls = slow
    try:
        Page.objects.get(slug="tea-0").specific.save_revision().publish()
        began = time.perf_counter()
        answers = [ask() for _ in range(5)]
        seconds = time.perf_counter() - began
        at_work = [each.name for each in threading.enumerate() if each.name.startswith("urlset-")]
    finally:
        may_go_on.set()
        Article.get_sitemap_urls = usual
    wait()
    return {"seconds": seconds, "statuses": [each["status"] for each in answers], "at_work": at_work}


def rebuilt(ask: Ask) -> dict[str, Any]:
    """Return what is answered around each change of an editor."""
    call_command("urlset_publish", stdout=sys.stderr)
    home = Site.objects.get(is_default_site=True).root_page

    def rename() -> None:
        page = Page.objects.get(slug="tea-1").specific
        page.slug = "oolong"
        page.save_revision().publish()

    def delete() -> None:
        Page.objects.get(slug="new").specific.delete()

    def restrict() -> None:
        PageViewRestriction.objects.create(page=Page.objects.get(slug="tea-3"), password="x")

    def move() -> None:
        Page.objects.get(slug="tea-4").specific.move(Page.objects.get(slug="oolong"), pos="last-child")

    changes: dict[str, Callable[[], object]] = {
        "add": lambda: home.specific.add_child(instance=Article(title="New", slug="new")),
        "rename": rename,
        "unpublish": Page.objects.get(slug="tea-2").specific.unpublish,
        "restrict": restrict,
        "move": move,
        "delete": delete,
    }
    ask()
    wait()
    found: dict[str, Any] = {name: changed(ask, change) for name, change in changes.items()}
    return found | {"slow": while_a_publish_runs(ask)}
