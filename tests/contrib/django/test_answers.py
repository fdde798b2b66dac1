"""What the views answer: conditional requests, other methods, and Django's own views where nothing is published."""

from __future__ import annotations

import asyncio
import gzip
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sitemaps import Sitemap
from django.core.asgi import get_asgi_application
from django.core.management import CommandError, call_command
from django.core.wsgi import get_wsgi_application
from django.test import AsyncClient, Client, RequestFactory, modify_settings
from django.urls import path
from support.contrib.django_site.setup import HOST
from support.s3 import S3Server
from support.serve.servers import SERVERS
from urlset.contrib.django import served, views

PRODUCTS = "/ours/sitemap-products.xml"
Change = Callable[..., Path]


class Shelf(Sitemap):
    """Pages that a test puts there and takes away."""

    limit = 2

    def __init__(self, paths: list[str]) -> None:
        self.paths = paths

    def items(self) -> list[str]:
        """Return the paths."""
        return self.paths

    def location(self, item: str) -> str:
        """Return a path."""
        return item


def urls(**sitemaps: Any) -> list[Any]:
    """The URLs of a site with some sections."""
    return [
        path("sitemap.xml", views.index, {"sitemaps": sitemaps}),
        path("<section>.xml", views.sitemap, {"sitemaps": sitemaps}, name="django.contrib.sitemaps.views.sitemap"),
    ]


def publish() -> None:
    """Publish, and have the views look for it at once."""
    call_command("urlset_publish", "--allow", "shrunk", verbosity=0)
    served._places.clear()


def body(answer: Any) -> bytes:
    """The bytes of an answer."""
    return b"".join(answer.streaming_content) if answer.streaming else bytes(answer.content)


@pytest.mark.usefixtures("published")
class TestPublished:
    """The site as it was published."""

    @pytest.mark.parametrize("path", [PRODUCTS, "/ours/sitemap.xml"])
    def test_a_known_document_is_not_sent_again(self, path: str, client: Client) -> None:
        first = client.get(path, secure=True)
        tag = first.headers["ETag"]
        for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
            answer = client.get(path, secure=True, headers={"if-none-match": known})
            assert (answer.status_code, body(answer)) == (304, b"")
            assert answer.headers["ETag"] == tag
        assert client.get(path, secure=True, headers={"if-none-match": '"other"'}).status_code == 200

    def test_compressed_bytes_have_a_tag_of_their_own(self, client: Client) -> None:
        plain = client.get(PRODUCTS, secure=True)
        packed = client.get(PRODUCTS, secure=True, headers={"accept-encoding": "gzip"})
        assert gzip.decompress(body(packed)) == body(plain)
        assert packed.headers["Content-Encoding"] == "gzip"
        assert packed.headers["ETag"] != plain.headers["ETag"]
        assert "Accept-Encoding" in plain.headers["Vary"]

    @pytest.mark.parametrize("path", [PRODUCTS, "/ours/sitemap.xml", "/ours/all.xml"])
    def test_a_sitemap_can_only_be_read(self, path: str, client: Client) -> None:
        assert client.post(path, secure=True).status_code == 405
        head = client.head(path, secure=True)
        assert (head.status_code, body(head)) == (200, b"")

    def test_a_part_is_sent_if_it_is_asked_for(self, client: Client) -> None:
        answer = client.get(PRODUCTS, secure=True, headers={"range": "bytes=0-4"})
        assert (answer.status_code, body(answer)) == (206, b"<?xml")

    def test_what_cannot_be_published_is_answered_by_django(self, client: Client) -> None:
        theirs, ours = (client.get(f"/{name}/refused-own-urls.xml", secure=True) for name in ("theirs", "ours"))
        assert body(ours) == body(theirs)
        assert b"?own" in body(ours)
        theirs, ours = (client.get(f"/{name}/refused.xml", secure=True) for name in ("theirs", "ours"))
        assert body(ours) == body(theirs).replace(b"/theirs/", b"/ours/")

    def test_images_are_listed(self, client: Client) -> None:
        found = body(client.get("/ours/pictures.xml", secure=True)).decode()
        assert "<image:loc>https://cdn.example/tea-0.jpg</image:loc>" in found
        assert f"<image:loc>https://{HOST}/media/tea-0.png</image:loc>" in found

    def test_asgi_answers_too(self) -> None:
        async def ask() -> Any:
            return await AsyncClient(headers={"host": HOST}).get(PRODUCTS, secure=True)

        answer = asyncio.run(ask())
        assert answer.status_code == 200
        assert answer.headers["ETag"]

    @pytest.mark.parametrize("kind", SERVERS)
    def test_a_real_server_answers(self, kind: str) -> None:
        app = get_asgi_application() if kind == "asgi" else get_wsgi_application()
        with SERVERS[kind](app) as server:
            answer = server.ask("/ours/all.xml", Accept_Encoding="gzip")
            assert answer.status == 200
            assert b"<urlset" in gzip.decompress(answer.body)
            assert answer.headers["x-robots-tag"] == "noindex, noodp, noarchive"
            tag = answer.headers["etag"]
            known = server.ask("/ours/all.xml", Accept_Encoding="gzip", If_None_Match=tag)
            assert (known.status, known.body) == (304, b"")


def test_what_is_not_published_yet_is_answered_by_django(
    site: Change, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    site(urls(shelf=Shelf(["/a", "/b", "/c"])))
    views._said.clear()
    for _ in range(2):
        assert b"/a</loc>" in body(client.get("/shelf.xml", secure=True))
        assert body(client.get("/sitemap.xml", secure=True)).count(b"<loc>") == 2
    assert [each.message for each in caplog.records] == [
        "the section 'shelf' is not published yet: run `manage.py urlset_publish`; Django's own view answers"
    ]
    publish()
    assert body(client.get("/shelf.xml", secure=True)).count(b"<loc>") == 2
    assert "ETag" in client.get("/shelf.xml?p=2", secure=True).headers


def test_an_unordered_list_that_changes_is_not_hidden_by_a_date(site: Change, client: Client) -> None:
    """Django answers 304 if one page is removed and another one changed that are both older than the newest."""
    shelf = Shelf(["/a", "/b", "/c"])
    site(urls(shelf=shelf))
    publish()
    time.sleep(2.1)  # a date counts only for bytes that are older than that
    served._places.clear()
    first = client.get("/shelf.xml", secure=True)
    known = {"if-modified-since": first.headers["Last-Modified"]}
    assert client.get("/shelf.xml", secure=True, headers=known).status_code == 304
    shelf.paths[:2] = ["/x"]
    publish()
    answer = client.get("/shelf.xml", secure=True, headers=known)
    assert answer.status_code == 200
    assert b"/x</loc>" in body(answer)
    assert client.get("/shelf.xml?p=2", secure=True).status_code == 404


def test_a_section_that_has_lost_its_pages_stays_until_somebody_looks(
    site: Change, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf = Shelf([f"/{number}" for number in range(8)])
    site(urls(shelf=shelf))
    publish()
    del shelf.paths[4:]
    with pytest.raises(CommandError) as ended:
        call_command("urlset_publish")
    assert ended.value.returncode == 1
    assert "50% fewer" in capsys.readouterr().err
    assert client.get("/shelf.xml?p=4", secure=True).status_code == 200


def test_a_damaged_document_is_answered_by_django(site: Change, client: Client) -> None:
    dest = site(urls(shelf=Shelf(["/a"])))
    publish()
    (dest / "shelf" / "sitemap.xml").write_bytes(b"<urlset/>")
    served._places.clear()
    assert b"/a</loc>" in body(client.get("/shelf.xml", secure=True))


def test_a_large_document_is_sent_in_pieces(site: Change, client: Client) -> None:
    class Large(Shelf):
        limit = 9_000

    site(urls(shelf=Large([f"/{number:0120}" for number in range(12_000)])))
    publish()
    answer = client.get("/shelf.xml", secure=True)
    assert answer.streaming
    data = body(answer)
    assert data.count(b"<loc>") == 9_000

    async def ask() -> bytes:
        found = await AsyncClient(headers={"host": HOST}).get("/shelf.xml", secure=True)
        return b"".join([piece async for piece in found.streaming_content])

    assert asyncio.run(ask()) == data


def test_another_host_is_answered_by_django(site: Change, client: Client) -> None:
    site(urls(shelf=Shelf(["/a"])))
    publish()
    with modify_settings(INSTALLED_APPS={"remove": ["django.contrib.sites"]}):
        assert "ETag" in client.get("/shelf.xml", secure=True).headers
        for host in ("other.example", "shop.example:8443", "SHOP.example"):
            answer = client.get("/shelf.xml", secure=True, headers={"host": host})
            assert f"https://{host.lower()}/a".encode() in body(answer).lower()
            assert ("ETag" in answer.headers) == (host.lower() == HOST)


def test_another_urlconf_is_answered_by_django(site: Change) -> None:
    """One that a middleware has chosen, as for the hosts of an application, may use the same names."""
    site(urls(shelf=Shelf(["/a"])))
    publish()
    request = RequestFactory().get("/shelf.xml", secure=True, headers={"host": HOST})
    assert b"/b</loc>" in views.sitemap(request, {"shelf": Shelf(["/b"])}, section="shelf").render().content


def test_a_dict_without_sections_is_answered_by_django(site: Change, client: Client) -> None:
    site([path("all.xml", views.sitemap, {"sitemaps": {}}), path("index.xml", views.index, {"sitemaps": {}})])
    assert client.get("/all.xml", secure=True).status_code == 200
    assert client.get("/index.xml", secure=True).status_code == 200


def test_a_language_in_the_path_is_answered_by_django(client: Client, site: Change) -> None:
    from django.conf.urls.i18n import i18n_patterns

    site([*i18n_patterns(*urls(shelf=Shelf(["/a"])))])
    publish()
    assert "ETag" in client.get("/en/shelf.xml", secure=True).headers
    assert "ETag" not in client.get("/de/shelf.xml", secure=True).headers


def test_a_set_in_an_object_store(site: Change, client: Client, s3_server: S3Server) -> None:
    shelf = Shelf(["/a", "/b", "/c"])
    site(urls(shelf=shelf), DEST=f"s3://{s3_server.new_bucket()}/sitemaps", STORE=s3_server.options)
    assert b"/a</loc>" in body(client.get("/shelf.xml", secure=True))  # by Django's own view
    publish()
    answer = client.get("/shelf.xml?p=2", secure=True)
    assert b"/c</loc>" in body(answer)
    known = {"if-none-match": answer.headers["ETag"]}
    assert client.get("/shelf.xml?p=2", secure=True, headers=known).status_code == 304
