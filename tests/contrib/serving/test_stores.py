"""Sets that are served from an object store, a real one on loopback: few requests, and none that fails a visitor."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import urlset
from support.s3 import S3Server, proxy, s3_server
from support.serve.servers import SERVERS, Client
from urlset.contrib import asgi, wsgi

__all__ = ["s3_server"]

APPS = {"asgi": asgi.SitemapApp, "wsgi": wsgi.SitemapApp}
BASE = "https://shop.example/"


class Bucket:
    """A bucket with a set, asked through a proxy that counts, and fails when it is told to."""

    def __init__(self, server: S3Server, kind: str, stack: ExitStack) -> None:
        self.dest = f"s3://{server.new_bucket()}/set"
        self.server = server
        self.asked: list[str] = []
        self.is_down = False
        self.names: list[str] = []
        self._kind = kind
        self._stack = stack
        self._options = stack.enter_context(proxy(server, self._spoil))

    def _spoil(self, method: str, path: str) -> str:
        self.asked.append(f"{method} {path.partition('?')[0].rpartition('/')[2]}")
        return "no answer" if self.is_down else "pass"

    def publish(self, pages: int = 40, **layout: Any) -> None:
        sections = {"tea": urlset.Section([f"/{number}" for number in range(pages)]), "cups": urlset.Section(["/cup"])}
        options = self.server.options
        published = urlset.publish(sections, self.dest, base_url=BASE, store=options, layout=urlset.Layout(**layout))
        self.names = ["sitemap.xml", *sorted(shard.name for shard in published.shards)]

    def serve(self, **options: Any) -> Client:
        app = APPS[self._kind](self.dest, store={**self._options, "max_retries": 0}, **options)
        return self._stack.enter_context(SERVERS[self._kind](app))


@pytest.fixture(params=APPS)
def bucket(request: pytest.FixtureRequest, s3_server: S3Server) -> Iterator[Bucket]:
    with ExitStack() as stack:
        yield Bucket(s3_server, request.param, stack)


def test_each_document_is_asked_for_once(bucket: Bucket) -> None:
    bucket.publish(compression="none")
    client = bucket.serve()
    index, *names = bucket.names
    assert (index, len(names)) == ("sitemap.xml", 2)
    for name in (index, *names):
        first = client.ask(f"/{name}")
        assert (first.status, b"<loc>" in first.body) == (200, True)
        bucket.asked.clear()
        assert client.ask(f"/{name}").body == first.body
        packed = client.ask(f"/{name}", accept_encoding="gzip")
        is_packed = packed.headers.get("content-encoding") == "gzip"
        assert (gzip.decompress(packed.body) if is_packed else packed.body) == first.body
        assert client.ask(f"/{name}", if_none_match=first.headers["etag"]).status == 304
        assert client.ask(f"/{name}", range="bytes=5-9").body == first.body[5:10]
        assert bucket.asked == []


def test_no_document_is_asked_for_to_say_that_it_is_known(bucket: Bucket) -> None:
    bucket.publish()
    client = bucket.serve()
    name = bucket.names[1]
    assert client.ask("/sitemap.xml").status == 200
    bucket.asked.clear()
    assert client.ask(f"/{name}", if_none_match="*").status == 304
    assert bucket.asked == []


def test_what_is_published_later_is_served(bucket: Bucket) -> None:
    client = bucket.serve(check_every=0)
    assert client.ask("/sitemap.xml").status == 503
    bucket.publish()
    before = client.ask("/sitemap.xml")
    assert before.status == 200
    bucket.publish(50)
    assert client.ask("/sitemap.xml").body != before.body
    for name in bucket.names:
        assert client.ask(f"/{name}").status == 200


def test_an_old_set_is_better_than_none(bucket: Bucket, caplog: pytest.LogCaptureFixture) -> None:
    bucket.publish()
    client = bucket.serve(check_every=0)
    _, known, other = bucket.names
    before = [client.ask(f"/{name}") for name in ("sitemap.xml", known)]
    bucket.is_down = True
    assert [client.ask(f"/{name}").body for name in ("sitemap.xml", known)] == [got.body for got in before]
    assert client.ask(f"/{other}").status == 503  # nobody has asked for it before
    assert caplog.messages
    assert all(bucket.server.options["secret_access_key"] not in line for line in caplog.messages)
    bucket.is_down = False
    assert client.ask(f"/{other}").status == 200


def test_names_that_strangers_make_up_cost_a_look_a_second(bucket: Bucket) -> None:
    bucket.publish()
    client = bucket.serve()
    client.ask("/sitemap.xml")
    bucket.asked.clear()
    for number in range(30):
        assert client.ask(f"/sitemap-tea-{number:04}-0123456789abcdef.xml.gz").status == 404
        assert client.ask(f"/other/{number}").status == 404
    assert len(bucket.asked) <= 3 * 5
    assert all(asked.startswith("HEAD ") for asked in bucket.asked)


def test_memory_is_bounded(bucket: Bucket) -> None:
    bucket.publish()
    client = bucket.serve(memory=0)
    name = bucket.names[1]
    for _ in range(2):
        bucket.asked.clear()
        assert client.ask(f"/{name}").status == 200
        assert f"GET {name}" in bucket.asked
