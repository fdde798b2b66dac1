"""The host pool: what all requests of a run have in common, whoever they are for."""

from __future__ import annotations

import asyncio
import faulthandler
import os
import threading
import time
from contextlib import closing

import httpx2
import pytest
import urlset
from support.http_server import Answer, Handler, Site, serve
from urlset import FetchError, Http
from urlset._fetch.documents import DocumentFetcher
from urlset._fetch.page_fetcher import PageFetcher
from urlset._fetch.pool import Pool
from urlset._model.fetched_pages import Request

from fetch.test_page_fetcher import fetch, taken


def requests(site: Site, count: int) -> list[Request]:
    """Requests for different pages of a site."""
    return [Request(f"{site.url}/{number}") for number in range(count)]


def test_a_host_that_answers_429_to_everything_is_not_asked_for_everything(site: Site) -> None:
    for number in range(200):
        site.pages[f"/{number}"] = Answer(b"slow down", 429, headers={"Retry-After": "0"})
    pages = fetch(*requests(site, 200))
    assert {page.refused for page in pages} == {"bot challenge"}
    assert len(site.paths()) < 20
    assert len({page.problem for page in pages if page.status is None}) == 1
    assert "answered status 429 to" in (pages[-1].problem or "")


def test_a_host_that_asks_for_a_pause_is_left_alone_by_all(site: Site) -> None:
    """The first answer asks for a second: nothing arrives within it, and all is answered in the end."""
    times: list[float] = []

    def page(handler: Handler) -> Answer:
        times.append(time.monotonic())
        return Answer(b"later", 503, headers={"Retry-After": "1"}) if len(times) == 1 else Answer(b"tea")

    for number in range(30):
        site.pages[f"/{number}"] = page
    pages = fetch(*requests(site, 30), http=Http(per_host=1))
    assert [page.status for page in pages] == [200] * 30
    assert times[1] - times[0] > 0.9
    assert len(times) == 31


def test_the_rules_of_a_host_are_fetched_once_and_before_all_else(site: Site) -> None:
    site.pages["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /1\n")
    pages = fetch(*requests(site, 20), http=Http(concurrency=8))
    assert [page.status for page in pages if page.refused is None] == [404] * 9
    assert {page.problem for page in pages if page.refused} == {
        f"not fetched, because {site.url}/robots.txt disallows it for urlset (for a site of your own:"
        " obey_robots=False, --ignore-robots)"
    }
    assert [path for path, _ in site.requests].count("/robots.txt") == 1
    assert site.requests[0][0] == "/robots.txt"


def test_whoever_waits_hears_that_the_run_has_ended(site: Site) -> None:
    is_asked, go_on = threading.Event(), threading.Event()

    def page(handler: Handler) -> Answer:
        is_asked.set()
        go_on.wait(10)
        return Answer(b"tea")

    site.pages["/slow.xml"] = page
    fetcher = DocumentFetcher(Http(), [site.url])
    try:
        slow, never = fetcher.pipe(), fetcher.pipe()
        fetcher.begin(f"{site.url}/slow.xml", "given", slow)
        assert is_asked.wait(10)
        fetcher.close()
        fetcher.begin(f"{site.url}/late.xml", "given", never)
        for pipe in (slow, never):
            with pytest.raises(FetchError, match=r"the run has ended|the connection broke"):
                pipe.wait()
    finally:
        go_on.set()


def test_a_document_that_nobody_wants_any_more_is_not_received_to_its_end(site: Site) -> None:
    sent, ended = [], threading.Event()

    def page(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        try:
            for _ in range(1_000):
                handler.wfile.write(bytes(1_000_000))
                sent.append(1)
        except OSError:
            ended.set()

    site.pages["/endless.txt"] = page
    with closing(DocumentFetcher(Http(), [site.url])) as fetcher:
        opened = fetcher.open(f"{site.url}/endless.txt", "given")
        assert opened.body.read()
        opened.body.close()
        assert ended.wait(10)
    assert len(sent) < 100


def test_an_error_of_the_callers_client_reaches_whoever_waits(site: Site) -> None:
    def broken(request: httpx2.Request) -> httpx2.Response:
        raise ZeroDivisionError

    with httpx2.Client(transport=httpx2.MockTransport(broken)) as client:
        with closing(PageFetcher(Http(client=client), [site.url])) as fetcher:
            fetcher.submit(Request(f"{site.url}/"))
            with pytest.raises(ZeroDivisionError):
                list(taken(fetcher))
        documents = DocumentFetcher(Http(client=client, obey_robots=False), [site.url])
        with closing(documents), pytest.raises(ZeroDivisionError):
            documents.open(f"{site.url}/a.xml", "given")


def test_an_error_of_the_thread_itself_reaches_whoever_waits(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Pool) -> float:
        raise ZeroDivisionError

    monkeypatch.setattr(Pool, "_start_requests", broken)
    with closing(PageFetcher(Http(), [site.url])) as fetcher:
        fetcher.submit(Request(f"{site.url}/"))
        with pytest.raises(ZeroDivisionError):
            list(taken(fetcher))
    with pytest.raises(ZeroDivisionError):
        urlset.read(f"{site.url}/a.xml")


def test_hosts_do_not_wait_for_each_other(site: Site) -> None:
    """One that keeps its robots.txt to itself takes no turn from another one."""
    go_on = threading.Event()

    def robots(handler: Handler) -> Answer:
        go_on.wait(10)
        return Answer(status=404)

    with serve("localhost") as other:
        site.pages["/robots.txt"] = robots
        other.pages["/a"] = Answer(b"tea")
        with closing(PageFetcher(Http(), [site.url, other.url])) as fetcher:
            for request in [*requests(site, 50), Request(f"{other.url}/a")]:
                fetcher.submit(request)
            assert [page.body for page in fetcher.results()] == [b"tea"]
            go_on.set()
            assert len(list(taken(fetcher))) == 50


def test_a_cancelled_read_asks_for_nothing_more(site: Site) -> None:
    def busy(handler: Handler) -> Answer:
        time.sleep(0.4)
        return Answer(b"busy", 503)

    for number in range(50):
        site.pages[f"/{number}.xml"] = busy
    site.pages["/sitemap.xml"] = Answer(site.index(*[f"/{number}.xml" for number in range(50)]))

    async def cancelled() -> int:
        reading = asyncio.create_task(urlset.aread(f"{site.url}/sitemap.xml"))
        while len(site.requests) < 4:
            await asyncio.sleep(0.01)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await asyncio.sleep(0.3)  # what was sent before may still arrive
        asked = len(site.requests)
        await asyncio.sleep(1.5)  # a retry would come after a second
        return asked

    before = set(threading.enumerate())
    assert asyncio.run(cancelled()) == len(site.requests)
    ours = [each for each in set(threading.enumerate()) - before if each.name.startswith("urlset")]
    for thread in ours:
        thread.join(15)
    assert not [thread.name for thread in ours if thread.is_alive()]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system that forks")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_process_reads_while_threads_of_its_parent_do(site: Site) -> None:
    for number in range(20):
        site.pages[f"/{number}.xml"] = Answer(site.urlset(f"/{number}", 50))
    site.pages["/sitemap.xml"] = Answer(site.index(*[f"/{number}.xml" for number in range(20)]))
    is_over = threading.Event()
    counts = [len(urlset.read(f"{site.url}/sitemap.xml"))]  # what it needs is imported now

    def read() -> None:
        while not is_over.is_set():
            counts.append(len(urlset.read(f"{site.url}/sitemap.xml")))

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    ends = []
    for _ in range(5):
        child = os.fork()
        if not child:
            faulthandler.dump_traceback_later(60, exit=True)
            os._exit(0 if len(urlset.read(f"{site.url}/sitemap.xml")) == 1_000 else 1)
        ends.append(os.waitpid(child, 0)[1])
    is_over.set()
    for thread in threads:
        thread.join()
    assert ends == [0] * 5
    assert set(counts) == {1_000}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system that forks")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_run_does_not_go_on_in_a_child_process(site: Site) -> None:
    site.pages["/a.xml"] = Answer(site.urlset("/a", 1))
    with closing(DocumentFetcher(Http(), [site.url])) as fetcher:
        fetcher.open(f"{site.url}/a.xml", "given")
        child = os.fork()
        if not child:
            faulthandler.dump_traceback_later(60, exit=True)
            try:
                fetcher.open(f"{site.url}/a.xml", "given")
            except FetchError as error:
                os._exit(0 if "began before this process was forked" in str(error) else 1)
            os._exit(2)
        assert os.waitpid(child, 0)[1] == 0


def test_a_document_that_nobody_wants_is_not_asked_for(site: Site) -> None:
    """It waits for the robots.txt of its host when it is dropped."""
    go_on = threading.Event()

    def robots(handler: Handler) -> Answer:
        go_on.wait(10)
        return Answer(status=404)

    site.pages["/robots.txt"] = robots
    site.pages["/b.xml"] = Answer(site.urlset("/b", 1))
    with closing(DocumentFetcher(Http(), [site.url])) as fetcher:
        fetcher.begin(f"{site.url}/a.xml", "given", fetcher.pipe()).close()
        last = fetcher.pipe()
        fetcher.begin(f"{site.url}/b.xml", "given", last)
        go_on.set()
        last.wait()
    assert site.paths() == ["/b.xml"]


@pytest.mark.parametrize(
    "url", ["http://[::1/a", "http://user:secret@127.0.0.1/", "ftp://127.0.0.1/", "", "http://h:99999/"]
)
def test_a_url_to_which_nothing_is_sent_has_no_rules_and_ends_nothing(site: Site, url: str) -> None:
    site.pages["/robots.txt"] = Answer(b"# tea")
    with closing(PageFetcher(Http(), [site.url])) as fetcher:
        assert fetcher.robots_text(url) is None
        assert fetcher.robots_text(f"{site.url}/a") == b"# tea"
