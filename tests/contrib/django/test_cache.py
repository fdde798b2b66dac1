"""Sets in one of Django's caches: published, served, damaged by what the cache lets go of, and never empty."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache
from django.core.checks import run_checks
from django.core.management import call_command
from django.test import Client, override_settings
from urlset import LimitError, PublishError
from urlset._stores.open import open_store
from urlset._stores.store import Store
from urlset.contrib.django import cache, served, stale
from urlset.contrib.django.stale import mark_stale

from contrib.django.test_answers import Shelf, body, urls
from contrib.django.test_publishing import publish
from contrib.django.test_stale import ask

Change = Callable[..., Path]
BACKENDS = {
    "locmem": "django.core.cache.backends.locmem.LocMemCache",
    "db": "django.core.cache.backends.db.DatabaseCache",
    "filebased": "django.core.cache.backends.filebased.FileBasedCache",
}
DEST = "cache://sitemaps"


class Pages(Shelf):
    """Pages of one document."""

    limit = 1_000


class Small(LocMemCache):
    """Drops large values without a word, as memcached does."""

    def set(self, key: str, value: Any, *arguments: Any, **options: Any) -> None:
        """Keep a value, if it is small."""
        if not isinstance(value, bytes) or len(value) <= 1_000:
            super().set(key, value, *arguments, **options)


def caches_of(backend: str, location: str) -> Any:
    """Settings with the cache of the sets."""
    own = {"BACKEND": backend, "LOCATION": location, "OPTIONS": {"MAX_ENTRIES": 10_000}}
    return override_settings(CACHES={"default": {"BACKEND": BACKENDS["locmem"]}, "sitemaps": own})


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """No set of another test."""
    yield
    served._places.clear()
    stale._not_before.clear()


@pytest.fixture(params=list(BACKENDS))
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A cache of each kind that Django itself has and that keeps something."""
    location = str(tmp_path / "cache") if request.param == "filebased" else f"sitemaps_{request.param}"
    with caches_of(BACKENDS[request.param], location):
        if request.param == "db":
            call_command("createcachetable", verbosity=0)
        yield request.param
        caches["sitemaps"].clear()


@pytest.fixture
def store(backend: str) -> Store:
    """A set in that cache."""
    return open_store(f"{DEST}/shelf")


def test_files_are_kept_as_in_any_other_store(store: Store, tmp_path: Path) -> None:
    assert (store.read("a.xml", 9), store.size("a.xml"), store.stamp("a.xml"), store.list("")) == (None, None, None, [])
    large = random.Random(0).randbytes(cache.PART * 2 + 1)
    store.put("b/large.xml", large)
    store.put("a.xml", b"")
    assert (store.read("a.xml", 0), store.read("b/large.xml", len(large))) == (b"", large)
    with pytest.raises(LimitError, match=r"cache://sitemaps/shelf/b/large\.xml"):
        store.read("b/large.xml", len(large) - 1)
    assert store.list("") == ["a.xml", "b/large.xml"]
    assert store.list("b") == ["b/large.xml"]
    assert not store.fetch("c.xml", tmp_path / "c")
    stamp = store.stamp("a.xml")
    (tmp_path / "file").write_bytes(b"other")
    store.put_file("a.xml", tmp_path / "file")
    assert store.stamp("a.xml") != stamp
    store.rename("a.xml", "c.xml")
    store.rename("missing.xml", "d.xml")
    assert store.fetch("c.xml", tmp_path / "c")
    assert (tmp_path / "c").read_bytes() == b"other"
    store.delete(["b/large.xml", "missing.xml"])
    assert store.list("") == ["c.xml"]
    with pytest.raises(PublishError, match="relative"):
        store.put("../a.xml", b"")


def test_one_publish_has_the_lock(store: Store) -> None:
    other = open_store(f"{DEST}/shelf")
    with store.lock():
        with pytest.raises(PublishError, match="another publish into cache://sitemaps/shelf is running"), other.lock():
            pass
        caches["sitemaps"].clear()
        with pytest.raises(PublishError, match="the lock of this publish"):
            store.put("a.xml", b"")
    with other.lock():
        other.put("a.xml", b"")


def test_a_set_is_published_into_a_cache_and_served_from_it(
    backend: str, site: Change, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf = Pages([f"/{number}" for number in range(20)])
    site(urls(shelf=shelf), DEST=DEST)
    assert publish() == 0
    first = client.get("/shelf.xml", secure=True)
    assert b"/19</loc>" in body(first)
    assert client.get("/shelf.xml", secure=True, headers={"if-none-match": first["ETag"]}).status_code == 304
    shelf.paths.append("/new")
    assert publish() == 0
    served._places.clear()
    assert b"/new</loc>" in body(client.get("/shelf.xml", secure=True))
    del shelf.paths[3:]
    assert publish() == 1  # the guard knows the last set
    assert "shrunk" in capsys.readouterr().err
    call_command("urlset_lint")
    assert capsys.readouterr().out.endswith("shelf: 0 findings\n")
    call_command("urlset_submit", "--dry-run", key="0123456789abcdef")


def lose(store: Store, *names: str) -> None:
    """Have the cache let go of files, behind the back of the store."""
    for name in names:
        caches["sitemaps"].delete(store._key_of(name))  # type: ignore[attr-defined]


@pytest.mark.parametrize("lost", ["pages", "manifest", "parts", "all"])
def test_what_the_cache_lets_go_of_is_never_served_as_empty(
    backend: str, lost: str, site: Change, client: Client
) -> None:
    site(urls(shelf=Pages([f"/{number}" for number in range(5)])), DEST=DEST)
    assert publish() == 0
    store = open_store(f"{DEST}/shelf")
    before = body(client.get("/shelf.xml", secure=True))
    names = store.list("")
    if lost == "all":
        caches["sitemaps"].clear()
    elif lost == "parts":
        for name in names:
            caches["sitemaps"].delete_many(store._head(name).parts)  # type: ignore[attr-defined]
    else:
        lose(store, *(name for name in names if (name == "sitemap.xml") == (lost == "pages")))
    for _ in range(2):
        answer = client.get("/shelf.xml", secure=True)
        assert answer.status_code == 200
        assert body(answer).count(b"<loc>") == 5
        served._places.clear()  # a process that knows nothing yet
    assert publish() == 0
    assert body(client.get("/shelf.xml", secure=True)) == before
    assert "ETag" in client.get("/shelf.xml", secure=True).headers


def test_a_set_that_lost_a_document_is_published_after_a_request(backend: str, site: Change, client: Client) -> None:
    site(urls(shelf=Shelf(["/a"])), DEST=DEST, REBUILD=0)
    assert publish() == 0
    mark_stale()
    ask(client, "/shelf.xml")
    lose(open_store(f"{DEST}/shelf"), "sitemap.xml")
    assert "ETag" not in client.get("/shelf.xml", secure=True).headers
    ask(client, "/shelf.xml")
    assert "ETag" in client.get("/shelf.xml", secure=True).headers


def test_a_value_that_the_cache_does_not_take_ends_the_publish(
    site: Change, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    with caches_of(f"{__name__}.Small", "small"):
        site(urls(shelf=Pages([f"/{number}" for number in range(200)])), DEST=DEST)
        assert publish() == 2
        said = capsys.readouterr().err
        assert "cache://sitemaps/shelf: the cache did not keep" in said
        assert body(client.get("/shelf.xml", secure=True)).count(b"<loc>") == 200


def test_a_cache_that_is_wrong_for_it_is_said(site: Change) -> None:
    site([], DEST="cache://nothing")
    said = {each.id: each.msg for each in run_checks(tags=["urlset"])}
    assert said["urlset.E004"] == "URLSET['DEST']: cache://nothing must name a key of CACHES, got 'nothing'"
    site([], DEST="cache://default")
    assert "urlset.W006" in [each.id for each in run_checks(tags=["urlset"])]
    site(urls(shelf=Shelf(["/a"])), DEST="cache://default", STORE={"region": "x"})
    assert publish() == 2


def test_what_is_too_large_for_a_cache_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with caches_of(BACKENDS["locmem"], "bounds"):
        store = open_store(f"{DEST}/bounds")
        monkeypatch.setattr(cache, "_MAX_BYTES", 10)
        monkeypatch.setattr(cache, "_MAX_FILES", 1)
        with pytest.raises(PublishError, match="has 11 bytes; in a cache, a file may have 10"):
            store.put("a.xml", bytes(11))
        store.put("a.xml", b"")
        with pytest.raises(PublishError, match="in a cache, a set may have 1 files"):
            store.put("b.xml", b"")
