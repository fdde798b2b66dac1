"""Where a server may lead a run: to no private address and no other scheme, and secrets to no other site."""

from __future__ import annotations

import pytest
import urlset
from support.http_server import Answer, Site, serve
from urlset import Hosts, Http

from fetch.test_hostile import failure


@pytest.mark.parametrize(
    "target",
    [
        "file:///etc/passwd",
        "ftp://127.0.0.1/a",
        "gopher://127.0.0.1/a",
        "data:text/xml,x",
        "http://user:secret@127.0.0.1/a",
        "http://[",
        "http:///x",
    ],
)
def test_a_redirect_leads_only_to_http_without_a_user(site: Site, target: str) -> None:
    site.pages["/a.xml"] = Answer(status=302, headers={"Location": target})
    said = failure(f"{site.url}/a.xml")
    assert said.startswith(f"{site.url}/a.xml: ") or "not a valid URL" in said
    assert "secret" not in said


def test_a_url_with_a_password_is_refused_and_not_repeated(site: Site) -> None:
    host = site.url.removeprefix("http://")
    for read in (urlset.read, urlset.lint, urlset.stats, urlset.discover):
        with pytest.raises(urlset.InputError, match=r"user name|absolute") as raised:
            read(f"http://user:secret@{host}/a.xml")
        assert "secret" not in str(raised.value)
    site.pages["/sitemap.xml"] = Answer(site.index(f"http://user:secret@{host}/a.xml"))
    assert "secret" not in failure(f"{site.url}/sitemap.xml")
    assert site.paths() == ["/sitemap.xml"]


@pytest.mark.parametrize("url", ["http://127.0.0.1:99999/a", "http://exa mple.com/", "http://", "https://[::1/a.xml"])
def test_a_url_that_is_invalid_is_the_callers_fault(url: str) -> None:
    with pytest.raises(urlset.InputError, match="valid URL"):
        urlset.scan(url)


def test_a_redirect_to_a_private_address_that_nobody_named_is_refused(site: Site) -> None:
    with serve("127.0.0.2") as other:
        other.pages["/a.xml"] = Answer(other.urlset("/a", 1))
        site.pages["/a.xml"] = Answer(status=302, headers={"Location": f"{other.url}/a.xml"})
        assert "a private address" in failure(f"{site.url}/a.xml", Http(obey_robots=False))
        assert other.requests == []
        assert len(urlset.read(f"{site.url}/a.xml", http=Http(private_addresses="always"))) == 1


def test_an_index_cannot_lead_to_a_private_address_that_nobody_named(site: Site) -> None:
    with serve("127.0.0.2") as other:
        site.pages["/sitemap.xml"] = Answer(site.index(f"{other.url}/a.xml"))
        for http in (Http(hosts="any"), Http(hosts="any", obey_robots=False)):
            assert "a private address" in failure(f"{site.url}/sitemap.xml", http)
        assert other.requests == []


def test_a_service_can_refuse_private_addresses_that_its_users_name(site: Site) -> None:
    site.pages["/a.xml"] = Answer(site.urlset("/a", 1))
    said = failure(f"{site.url}/a.xml", Http(private_addresses="never", obey_robots=False))
    assert "a private address, which this run may not reach: 127.0.0.1" in said
    assert site.requests == []


@pytest.mark.parametrize("name", ["localhost", "127.1", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]"])
def test_no_spelling_of_a_private_address_helps(name: str) -> None:
    said = failure(f"http://{name}:9/a.xml", Http(private_addresses="never", obey_robots=False, retries=0))
    assert "a private address" in said


@pytest.mark.parametrize(("hosts", "leads"), [("host", False), ("domain", False), ("verified", False), ("any", True)])
def test_a_redirect_leads_no_further_than_its_index_may(site: Site, hosts: Hosts, leads: bool) -> None:
    with serve("127.0.0.2") as other:
        other.pages["/b.xml"] = Answer(other.urlset("/b", 1))
        site.pages["/a.xml"] = Answer(status=302, headers={"Location": f"{other.url}/b.xml"})
        site.pages["/sitemap.xml"] = Answer(site.index("/a.xml", "/c.xml"))
        site.pages["/c.xml"] = Answer(site.urlset("/c", 1))
        http = Http(hosts=hosts, private_addresses="always")
        found = urlset.scan(f"{site.url}/sitemap.xml", http=http)
        assert len(list(found)) == (2 if leads else 1)
        assert [str(failed) for failed in found.failures] == (
            []
            if leads
            else [
                f"{site.url}/a.xml: it redirects to {other.url}/b.xml, on a host that the index may not lead to"
                f" (hosts={hosts!r}, --hosts {hosts})"
            ]
        )
        assert bool(other.paths()) is leads


def test_a_location_that_the_caller_names_may_redirect_anywhere(site: Site) -> None:
    with serve("127.0.0.2") as other:
        other.pages["/b.xml"] = Answer(other.urlset("/b", 1))
        site.pages["/a.xml"] = Answer(status=302, headers={"Location": f"{other.url}/b.xml"})
        assert len(urlset.read(f"{site.url}/a.xml", http=Http(hosts="host", private_addresses="always"))) == 1


def test_headers_go_only_to_hosts_that_the_caller_named(site: Site) -> None:
    with serve("127.0.0.2") as other:
        other.pages["/a.xml"] = Answer(other.urlset("/a", 1))
        site.pages["/a.xml"] = Answer(status=302, headers={"Location": f"{other.url}/a.xml"})
        http = Http(headers={"Authorization": "Bearer secret"}, private_addresses="always", user_agent="examplebot/1.0")
        urlset.read(f"{site.url}/a.xml", http=http)
        assert all(headers["authorization"] == "Bearer secret" for _, headers in site.requests)
        assert all("authorization" not in headers for _, headers in other.requests)
        assert {headers["user-agent"] for _, headers in [*site.requests, *other.requests]} == {"examplebot/1.0"}
    assert "secret" not in repr(http)


def test_headers_go_to_no_other_port_of_a_host_that_the_caller_named(site: Site) -> None:
    site.pages["/robots.txt"] = Answer(status=302, headers={"Location": "/elsewhere"})
    http = Http(headers={"Authorization": "Bearer secret"})
    with serve() as other:
        other.pages |= {"/a.xml": Answer(other.urlset("/a", 1)), "/b.xml": Answer(other.urlset("/b", 1))}
        site.pages["/a.xml"] = Answer(status=302, headers={"Location": f"{other.url}/a.xml"})
        site.pages["/sitemap.xml"] = Answer(site.index("/a.xml", f"{other.url}/b.xml"))
        site.pages["/elsewhere"] = Answer(status=302, headers={"Location": f"{other.url}/robots.txt"})
        assert len(urlset.read(f"{site.url}/sitemap.xml", http=http)) == 2
        assert {headers.get("authorization") for _, headers in site.requests} == {"Bearer secret"}
        assert {path for path, _ in other.requests} == {"/a.xml", "/b.xml", "/robots.txt"}
        assert all("authorization" not in headers for _, headers in other.requests)


@pytest.mark.parametrize(
    "target",
    [
        "/café.txt",
        "/a b.txt",
        "http://127.0.0.1:99999/",
        "http://[",
        "ftp://127.0.0.1/",
        "http://user:secret@127.0.0.1/robots.txt",
        "http://2130706433:9/robots.txt",
        "http://exa mple/",
        "//",
        "http://\xff\xfe/",
        "\x01",
    ],
)
def test_no_redirect_of_a_robots_txt_ends_a_run(site: Site, target: str) -> None:
    site.pages["/robots.txt"] = Answer(status=302, headers={"Location": target})
    site.pages["/café.txt"] = site.pages["/a%20b.txt"] = site.pages["/caf%C3%A9.txt"] = Answer(b"")
    with serve() as other:
        other.pages["/sitemap.xml"] = Answer(other.urlset("/a", 1))
        http = Http(retries=0, timeout=2)
        found = urlset.read([f"{site.url}/sitemap.xml", f"{other.url}/sitemap.xml"], http=http)
        assert len(found) == 1
    # Of this site itself there may be nothing to read, which a clear error says.
    said = []
    for verb in (urlset.discover, urlset.lint, urlset.crawl, urlset.robots):
        try:
            verb(site.url, http=http)
        except urlset.UrlsetError as error:
            said.append(str(error))
    assert "secret" not in "".join(said)


def test_a_redirect_to_itself_is_called_one(site: Site) -> None:
    site.pages["/a.xml"] = Answer(status=302, headers={"Location": "/a.xml"})
    assert failure(f"{site.url}/a.xml").endswith("a.xml: it redirects to itself")
    site.pages["/a.xml"] = Answer(status=302, headers={"Location": "/a.xml", "Set-Cookie": "seen=1"})
    assert failure(f"{site.url}/a.xml").endswith(
        "it redirects to itself and sets a cookie: it answers only clients that send cookies back"
    )
    site.pages["/a.xml"] = Answer(status=302, headers={"Location": "http://[", "Set-Cookie": "seen=1"})
    assert "itself" not in failure(f"{site.url}/a.xml")


def test_a_loop_of_redirects_ends(site: Site) -> None:
    site.pages["/a.xml"] = Answer(status=301, headers={"Location": "/b.xml"})
    site.pages["/b.xml"] = Answer(status=301, headers={"Location": "/a.xml"})
    assert failure(f"{site.url}/a.xml").endswith("more than 5 redirects")
    assert len(site.paths()) == 6
