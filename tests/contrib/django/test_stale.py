"""Sections that are published anew after a request, because something has changed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sitemaps import Sitemap
from django.core.cache import cache
from django.core.checks import run_checks
from django.db import transaction
from django.db.models.signals import post_delete, post_save
from django.test import Client
from support.contrib.django_site.models import Note
from urlset.contrib.django import served, stale
from urlset.contrib.django.stale import listen, mark_stale

from contrib.django.test_answers import Shelf, body, publish, urls

Change = Callable[..., Path]


class Notes(Sitemap):
    """All notes of this test."""

    def items(self) -> Any:
        """Return a query."""
        return Note.objects.filter(name__startswith="test").order_by("name")


@pytest.fixture(autouse=True)
def listening() -> Iterator[None]:
    """Signals, and no marks."""
    cache.clear()
    stale._not_before.clear()
    listen()
    yield
    for signal in (post_save, post_delete):
        signal.disconnect(dispatch_uid="urlset.stale")
    Note.objects.filter(name__startswith="test").delete()


def ask(client: Client, path: str) -> bytes:
    """The answer to a request, once what it has begun is done."""
    answer = body(client.get(path, secure=True))
    for thread in threading.enumerate():
        if thread.name.startswith("urlset-"):
            thread.join(30)
    served._places.clear()
    return answer


def test_a_change_is_published_after_the_next_request(site: Change, client: Client) -> None:
    Note.objects.create(name="test-1")
    site(urls(notes=Notes), REBUILD=0)
    ask(client, "/notes.xml")  # Django's own view answers, and the first set is published
    assert "ETag" in client.get("/notes.xml", secure=True).headers
    Note.objects.create(name="test-2")
    assert b"test-2" not in ask(client, "/notes.xml")
    assert b"test-2" in ask(client, "/notes.xml")
    assert cache.get("urlset.stale.notes") == cache.get("urlset.published.notes")


def test_items_that_fail_do_not_keep_an_object_from_being_saved(site: Change) -> None:
    class Failing(Sitemap):
        def items(self) -> Any:
            raise ZeroDivisionError

    site(urls(failing=Failing), REBUILD=0)
    Note.objects.create(name="test-1")
    assert Note.objects.filter(name="test-1").exists()


def test_a_change_that_is_undone_marks_nothing(site: Change, client: Client) -> None:
    site(urls(notes=Notes), REBUILD=0)
    with transaction.atomic():
        Note.objects.create(name="test-1")
        transaction.set_rollback(True)
    assert cache.get("urlset.stale.notes") is None


def test_nothing_is_published_unless_it_is_asked_for(site: Change, client: Client) -> None:
    dest = site(urls(shelf=Shelf(["/a"])))
    mark_stale()
    ask(client, "/shelf.xml")
    assert not dest.exists()


def test_a_section_is_not_published_all_the_time(site: Change, client: Client) -> None:
    shelf = Shelf(["/a"])
    site(urls(shelf=shelf, other=Shelf(["/other"])), REBUILD=3600)
    publish()
    shelf.paths.append("/b")
    mark_stale("shelf")
    assert cache.get("urlset.stale.other") is None
    ask(client, "/shelf.xml")
    assert b"/b</loc>" in ask(client, "/shelf.xml")
    shelf.paths.append("/c")
    mark_stale("shelf")
    ask(client, "/shelf.xml")
    assert client.get("/shelf.xml?p=2", secure=True).status_code == 404


def test_code_that_fails_leaves_the_set_that_is_there(
    site: Change, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    class Failing(Shelf):
        def items(self) -> list[str]:
            if not self.paths:
                raise ZeroDivisionError
            return self.paths

    shelf = Failing(["/a"])
    site(urls(shelf=shelf), REBUILD=0)
    publish()
    shelf.paths.clear()
    mark_stale()
    began = time.monotonic()
    for _ in range(2):
        assert b"/a</loc>" in ask(client, "/shelf.xml")
    assert time.monotonic() - began < 30
    assert "shelf could not be published" in caplog.text


def test_a_setting_that_is_no_number_is_said(site: Change) -> None:
    site([], REBUILD=True)
    assert [each.id for each in run_checks(tags=["urlset"])] == ["urlset.E001"]
