"""Other ways to a server: through a proxy, by HTTP/2, with the caller's own client, and from an event loop."""

from __future__ import annotations

import asyncio
import base64
import gzip
import threading
import time
from contextlib import aclosing
from pathlib import Path

import httpx2
import pytest
import urlset
from support.fetch.proxy import proxy
from support.fetch.tls import Authority
from support.http_server import Answer, Handler, Site, serve
from support.nginx import nginx
from support.reading import urlset_of
from urlset import FetchError, Http, InputError

# --- proxies --------------------------------------------------------------------------------------------------


def test_everything_goes_through_a_proxy(site: Site) -> None:
    site.pages |= {f"/{name}.xml": Answer(site.urlset(f"/{name}", 3)) for name in "ab"}
    site.pages["/sitemap.xml"] = Answer(site.index("/a.xml", "/b.xml"))
    with proxy() as server:
        http = Http(proxy=server.url.replace("//", "//user:p%40ss@"), concurrency=1)
        assert len(urlset.read(f"{site.url}/sitemap.xml", http=http)) == 6
    secret = f"Basic {base64.b64encode(b'user:p@ss').decode()}"
    paths = ("/robots.txt", "/sitemap.xml", "/a.xml", "/b.xml")
    assert sorted(server.asked) == sorted((f"{site.url}{path}", secret) for path in paths)
    assert not any("proxy-authorization" in headers for _, headers in site.requests)
    assert "p@ss" not in repr(http)
    assert "p%40ss" not in repr(http)


def test_https_goes_through_a_tunnel(tmp_path: Path) -> None:
    authority = Authority.make(tmp_path)
    with serve(context=authority.context()) as site, proxy() as server:
        site.pages["/a.xml"] = Answer(site.urlset("/a", 3))
        assert len(urlset.read(f"{site.url}/a.xml", http=Http(proxy=server.url, ca_file=authority.file))) == 3
        assert server.asked[0] == (f"tunnel to {site.url.partition('//')[2]}", None)


def test_a_document_leads_to_no_private_address_behind_a_proxy(site: Site) -> None:
    site.pages["/a.xml"] = Answer(status=302, headers={"Location": "http://169.254.169.254/latest/"})
    with proxy() as server, pytest.raises(FetchError, match="a private address"):
        urlset.read(f"{site.url}/a.xml", http=Http(proxy=server.url, obey_robots=False))
    assert [url for url, _ in server.asked] == [f"{site.url}/a.xml"]


@pytest.mark.parametrize("text", ["proxy:3128", "socks5://a.example", "http://", "http://a.example:x", "", 5])
def test_what_is_no_proxy_is_refused_and_not_shown(text: str) -> None:
    with pytest.raises(InputError, match="must be the URL of an http or https proxy"):
        Http(proxy=text)


def test_a_proxy_cannot_keep_private_addresses_away() -> None:
    with pytest.raises(InputError, match=r"decides by itself"):
        Http(proxy="http://a.example:3128", private_addresses="never")


def test_the_environment_names_proxies(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    authority = Authority.make(tmp_path)
    site.pages["/a.xml"] = Answer(site.urlset("/a", 3))
    with serve(context=authority.context()) as secure, proxy() as plain, proxy() as tunnels:
        secure.pages["/a.xml"] = Answer(secure.urlset("/a", 3))
        monkeypatch.setenv("http_proxy", plain.url.partition("//")[2])  # without a scheme, as curl allows
        monkeypatch.setenv("HTTPS_PROXY", tunnels.url)
        http = Http(ca_file=authority.file, obey_robots=False)
        for url in (site.url, secure.url):
            assert len(urlset.read(f"{url}/a.xml", http=http)) == 3
        assert [url for url, _ in plain.asked] == [f"{site.url}/a.xml"]
        assert [url for url, _ in tunnels.asked] == [f"tunnel to {secure.url.partition('//')[2]}"]
        urlset.read(f"{site.url}/a.xml", http=Http(obey_robots=False, proxy="direct"))
        monkeypatch.setenv("NO_PROXY", "e.com,127.0.0.0/8")
        urlset.read(f"{site.url}/a.xml", http=http)
        urlset.read(f"{site.url}/a.xml", http=Http(obey_robots=False, proxy=tunnels.url))
        assert (len(plain.asked), len(tunnels.asked)) == (1, 1)
    assert len(site.requests) == 4


def test_a_proxy_of_the_environment_that_is_none_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://user:secret@a.example:1")
    with pytest.raises(InputError, match="the proxy that the environment names") as raised:
        urlset.read("http://127.0.0.1:9/a.xml")
    assert "secret" not in str(raised.value)
    monkeypatch.setenv("ALL_PROXY", "http://a.example:1")
    with pytest.raises(InputError, match=r"decides by itself what it reaches: set Http.proxy='direct'"):
        urlset.read("http://127.0.0.1:9/a.xml", http=Http(private_addresses="never"))


# --- HTTP/2 ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("http2", "protocol"), [(True, "HTTP/2.0"), (False, "HTTP/1.1")])
def test_documents_of_a_host_share_a_connection_of_http2(tmp_path: Path, http2: bool, protocol: str) -> None:
    root, work, authority = tmp_path / "root", tmp_path / "work", Authority.make(tmp_path)
    root.mkdir()
    work.mkdir()
    with nginx(root, work, authority.pem()) as url:
        locs = [f"{url}/{number}.xml" for number in range(12)]
        for number, loc in enumerate(locs):
            (root / f"{number}.xml").write_bytes(urlset_of(*(f"{loc}/{entry}" for entry in range(2_000))))
        index = "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locs)
        (root / "sitemap.xml").write_text(
            f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{index}</sitemapindex>'
        )
        entries = urlset.read(f"{url}/sitemap.xml", http=Http(http2=http2, ca_file=authority.file))
        assert [entry.loc for entry in entries] == [f"{loc}/{entry}" for loc in locs for entry in range(2_000)]
        lines = (work / "access.log").read_text().splitlines()
    assert len(lines) == 14  # with the robots.txt
    assert {line.split('"')[1].split()[2] for line in lines} == {protocol}
    connections = {line.rsplit(maxsplit=1)[1] for line in lines}
    assert len(connections) == 1 if http2 else len(connections) <= 4


# --- the caller's own client --------------------------------------------------------------------------------------


def test_a_client_of_the_caller_asks_the_hosts_that_the_caller_names(site: Site) -> None:
    with serve("127.0.0.2") as other:
        site.pages["/robots.txt"] = Answer(f"Sitemap: {site.url}/a.xml\nSitemap: {other.url}/b.xml\n".encode())
        site.pages["/a.xml"] = Answer(site.urlset("/a", 2), headers={"Set-Cookie": "seen=1"})
        other.pages["/b.xml"] = Answer(other.urlset("/b", 2))
        with httpx2.Client(auth=("user", "secret"), cookies={"session": "5"}, headers={"X-Own": "1"}) as client:
            http = Http(client=client, private_addresses="always", concurrency=1)
            assert len(urlset.read(f"{site.url}/robots.txt", http=http)) == 4
            assert client.cookies["seen"] == "1"
        for path, headers in site.requests:
            assert headers["authorization"].startswith("Basic "), path
            assert "session=5" in headers["cookie"]
            assert headers["x-own"] == "1"
            assert headers["user-agent"].startswith("urlset/")
        assert other.requests
        for _, headers in other.requests:
            assert not headers.keys() & {"authorization", "cookie", "x-own"}


def test_what_a_client_receives_is_decompressed_by_us_and_its_redirects_are_judged(site: Site) -> None:
    body = gzip.compress(site.urlset("/a", 5), mtime=0)
    site.pages["/a.xml"] = Answer(body, headers={"Content-Encoding": "gzip"})
    site.pages["/moved.xml"] = Answer(status=301, headers={"Location": "/a.xml"})
    site.pages["/away.xml"] = Answer(status=302, headers={"Location": "http://127.0.0.2:9/secret"})
    with httpx2.Client(follow_redirects=True) as client:
        scan = urlset.scan(f"{site.url}/moved.xml", http=Http(client=client))
        assert len(list(scan)) == 5
        assert scan.fetches[0].redirects == 1
        assert scan.fetches[0].bytes == len(body)
        with pytest.raises(FetchError, match="a private address"):
            urlset.read(f"{site.url}/away.xml", http=Http(client=client))
        with pytest.raises(FetchError, match="a private address"):
            urlset.read(f"{site.url}/a.xml", http=Http(client=client, private_addresses="never", obey_robots=False))


def test_the_errors_of_a_client_are_those_of_fetching(site: Site) -> None:
    def cut(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n<urlset")

    site.pages["/cut.xml"] = cut
    site.pages["/slow.xml"] = lambda handler: time.sleep(3)
    with httpx2.Client() as client:
        for path, problem in (("/cut.xml", "not valid HTTP"), ("/slow.xml", "did not answer in time")):
            with pytest.raises(FetchError, match=problem):
                urlset.read(
                    f"{site.url}{path}",
                    http=Http(client=client, timeout=0.2, retries=0, obey_robots=False),
                    strict=True,
                )
    with httpx2.Client() as client, pytest.raises(FetchError, match="no connection"):
        urlset.read("http://127.0.0.1:9/a.xml", http=Http(client=client, retries=0, obey_robots=False))


# --- an event loop ----------------------------------------------------------------------------------------------


def test_an_event_loop_reads_several_sites_at_once(site: Site) -> None:
    meeting = threading.Barrier(3, timeout=10)

    def meet(handler: Handler) -> Answer:
        meeting.wait()  # breaks unless all three are asked for at the same time
        return Answer(site.urlset(handler.path, 2))

    site.pages |= {f"/{name}.xml": meet for name in "abc"}

    async def read() -> list[list[str | None]]:
        locations = [f"{site.url}/{name}.xml" for name in "abc"]
        return [[entry.loc for entry in found] for found in await asyncio.gather(*map(urlset.aread, locations))]

    assert asyncio.run(read()) == [[f"{site.url}/{name}.xml/{entry}" for entry in range(2)] for name in "abc"]


def test_entries_arrive_one_by_one_in_an_event_loop(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(urlset_of(*(f"https://a.example/{entry}" for entry in range(40_000))))

    async def read() -> list[str | None]:
        return [entry.loc async for entry in urlset.scan(path)]

    assert asyncio.run(read()) == [f"https://a.example/{entry}" for entry in range(40_000)]


def test_what_is_cancelled_ends_its_connections(site: Site) -> None:
    over = threading.Event()

    def endless(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n<urlset>")
        try:
            while True:
                handler.wfile.write(b" " * 1_000)
                time.sleep(0.005)
        except OSError:
            over.set()

    site.pages["/endless.xml"] = endless

    async def read() -> None:
        async with asyncio.timeout(0.3):
            await urlset.aread(f"{site.url}/endless.xml")

    begin = time.monotonic()
    with pytest.raises(TimeoutError):
        asyncio.run(read())
    assert over.wait(10)
    assert time.monotonic() - begin < 10


def test_a_loop_that_is_left_early_is_over(tmp_path: Path) -> None:
    paths = []
    for number in range(8):
        paths.append(tmp_path / f"{number}.xml")
        paths[-1].write_bytes(urlset_of(*(f"https://a.example/{entry}" for entry in range(40_000))))

    async def first() -> str | None:
        async with aclosing(aiter(urlset.scan(paths))) as entries:
            async for entry in entries:
                return entry.loc
        return None

    assert asyncio.run(first()) == "https://a.example/0"
