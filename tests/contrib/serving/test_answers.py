"""Both apps that serve a published set, behind real servers: what a client is answered."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.serve.servers import Client
from support.serve.sets import BASE, FOREVER, OPENED, THEN, Servers, publish, tea

# --- what is served -----------------------------------------------------------------------------------------


def test_each_file_of_the_set_comes_with_its_type_and_how_long_it_may_be_kept(site: Client, folder: Path) -> None:
    expected = {
        "sitemap.xml": ("application/xml; charset=utf-8", "no-cache"),
        "robots.txt": ("text/plain; charset=utf-8", "no-cache"),
        "sitemap.css": ("text/css; charset=utf-8", "no-cache"),
        tea(folder): ("application/xml; charset=utf-8", FOREVER),
    }
    for name, (kind, control) in expected.items():
        got = site.ask(f"/{name}")
        assert (got.status, got.body) == (200, (folder / name).read_bytes())
        assert (got.headers["content-type"], got.headers["cache-control"]) == (kind, control)
        assert got.headers["content-length"] == str(len(got.body))
        assert "content-encoding" not in got.headers


def test_a_stored_gz_is_sent_as_it_is(serve: Servers, tmp_path: Path) -> None:
    publish(tmp_path, layout=urlset.Layout())
    name = tea(tmp_path)
    assert name.endswith(".xml.gz")
    got = serve(tmp_path).ask(f"/{name}", accept_encoding="gzip")
    assert got.body == (tmp_path / name).read_bytes()
    assert (got.headers["content-type"], got.headers["cache-control"]) == ("application/gzip", FOREVER)
    assert "content-encoding" not in got.headers


def test_stable_names_are_asked_for_each_time(serve: Servers, tmp_path: Path) -> None:
    publish(tmp_path, layout=urlset.Layout(compression="none", names="stable"))
    assert serve(tmp_path).ask("/sitemap-tea-0001.xml").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "/private.html",
        "/.urlset/manifest.parquet",
        "/.urlset/",
        "/.urlset/lock",
        "/%2eurlset/manifest.parquet",
        "/%2Eurlset%2Fmanifest.parquet",
        "/../secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/..%5csecret.txt",
        "/..\\secret.txt",
        "/sitemap.xml/../../secret.txt",
        "/./sitemap.xml",
        "/sitemap.xml/",
        "/sitemap.xml%00",
        "/sitemap.xml%00.gz",
        "/sitemap.xml%20",
        "/sitemap.xml.",
        "/SITEMAP.XML",
        "/sitemap.xml;a=b",
        "/sitemap.xml::$DATA",
        "/sitemap.xml.gz",
        "/sitemap-tea-0001-0123456789abcdef.xml",
        "/%ff%fe",
        "/%f0%9f%8d%b5",
        "/" + "a" * 5000,
        "/sitemap-" + "a" * 5000 + ".xml",
    ],
    ids=lambda target: target[:40],
)
def test_nothing_outside_the_set_is_served(site: Client, target: str) -> None:
    for method in ("GET", "HEAD"):
        got = site.ask(target, method)
        assert got.status in (400, 404), method  # a server may refuse the request itself
        assert b"secret" not in got.body
        assert b"Traceback" not in got.body


def test_a_link_out_of_the_folder_is_not_followed(serve: Servers, tmp_path: Path) -> None:
    public = tmp_path / "public"
    publish(public)
    name = tea(public)
    (tmp_path / "secret.xml").write_bytes((public / name).read_bytes())
    (public / name).unlink()
    (public / name).symlink_to(tmp_path / "secret.xml")
    assert serve(public).ask(f"/{name}").status == 503


def test_other_methods_are_refused(site: Client) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"):
        got = site.ask("/sitemap.xml", method)
        assert (got.status, got.headers["allow"]) == (405, "GET, HEAD")
    assert site.ask("/other", "POST").status == 404


def test_head_has_the_headers_of_get_and_no_body(site: Client, folder: Path) -> None:
    for target in ("/sitemap.xml", f"/{tea(folder)}", "/robots.txt", "/other"):
        for encoding in ("gzip", "identity"):
            asked = {"accept_encoding": encoding, "range": "bytes=0-9"}
            head, get = site.ask(target, "HEAD", **asked), site.ask(target, accept_encoding=encoding)
            assert (head.status, head.body) == (get.status, b"")
            assert {**head.headers, "date": ""} == {**get.headers, "date": ""}


# --- compression --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accepted", "is_gzip"),
    [
        ("gzip", True),
        ("GZIP", True),
        ("x-gzip", True),
        ("gzip, deflate, br", True),
        ("br;q=1, gzip;q=0.5", True),
        ("gzip;q=0.001", True),
        ("*", True),
        ("identity;q=0, *;q=0.1", True),
        ("identity;q=0.5, gzip;q=0.5", True),
        ("", False),
        ("identity", False),
        ("br", False),
        ("gzip;q=0", False),
        ("gzip;q=0.000", False),
        ("gzip; q=0", False),
        ("GZIP;Q=0", False),
        ("gzip;q=0, *", False),
        ("*;q=0", False),
        ("identity;q=1, gzip;q=0.5", False),
        ("gzip;q=2", False),
        ("gzip;q=abc", False),
        ("gzip;q=-1", False),
        ("notgzip", False),
        (",;,;q=1,", False),
    ],
)
def test_gzip_is_sent_to_those_who_accept_it(site: Client, folder: Path, accepted: str, is_gzip: bool) -> None:
    name = tea(folder)
    plain, got = site.ask(f"/{name}"), site.ask(f"/{name}", accept_encoding=accepted)
    assert plain.headers["vary"] == got.headers["vary"] == "Accept-Encoding"
    assert (got.headers.get("content-encoding") == "gzip") is is_gzip
    # A strong tag is for one sequence of bytes.
    assert (got.headers["etag"] == plain.headers["etag"]) is not is_gzip
    assert (gzip.decompress(got.body) if is_gzip else got.body) == plain.body
    assert got.headers["etag"].startswith('"')


def test_a_file_is_compressed_once(site: Client, folder: Path) -> None:
    first, second = (site.ask("/sitemap.xml", accept_encoding="gzip") for _ in range(2))
    assert first.body == second.body
    assert gzip.decompress(first.body) == (folder / "sitemap.xml").read_bytes()


# --- validators ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("accepted", ["identity", "gzip"])
@pytest.mark.parametrize("form", ["{}", "W/{}", '"a", {}', 'W/"b" ,W/{}, "c"', "*", " * ", '"a,b",{}'])
def test_who_has_the_bytes_is_told_so(site: Client, folder: Path, form: str, accepted: str) -> None:
    for target in ("/sitemap.xml", f"/{tea(folder)}", "/robots.txt"):
        known = site.ask(target, accept_encoding=accepted)
        tags = form.format(known.headers["etag"])
        got = site.ask(target, accept_encoding=accepted, if_none_match=tags, if_modified_since="nonsense")
        assert (got.status, got.body) == (304, b"")
        for name in ("etag", "cache-control"):
            assert got.headers[name] == known.headers[name]
        assert got.headers.get("vary") == known.headers.get("vary")
        assert "content-length" not in got.headers or got.headers["content-length"] == "0"


@pytest.mark.parametrize("tags", ["", "abc", '"', "W/", '"x"', "*x", '"*"', "W/*", "{unquoted}", "\xe9", '"' * 2000])
def test_who_has_other_bytes_gets_these(site: Client, tags: str) -> None:
    unquoted = site.ask("/sitemap.xml").headers["etag"].strip('"')
    assert site.ask("/sitemap.xml", if_none_match=tags.replace("{unquoted}", unquoted)).status == 200


def test_the_tag_of_one_form_does_not_stand_for_the_other(site: Client, folder: Path) -> None:
    name = f"/{tea(folder)}"
    plain, packed = (site.ask(name, accept_encoding=each).headers["etag"] for each in ("identity", "gzip"))
    assert site.ask(name, accept_encoding="gzip", if_none_match=plain).status == 200
    assert site.ask(name, accept_encoding="identity", if_none_match=packed).status == 200


def test_no_file_is_opened_for_a_304(serve: Servers, tmp_path: Path) -> None:
    publish(tmp_path)
    client = serve(tmp_path, check_every=3600)
    targets = ("/sitemap.xml", f"/{tea(tmp_path)}")
    client.ask("/sitemap.xml")  # the set is known from now on
    with OPENED.watched() as paths:
        for target in targets:
            assert client.ask(target, if_none_match="*").status == 304
            assert client.ask(target, if_none_match="*", accept_encoding="gzip").status == 304
        assert paths == []
        assert client.ask(targets[1]).status == 200
    assert paths == [str(tmp_path / targets[1][1:])]


def test_a_date_counts_if_it_was_sent_with_the_bytes(site: Client, folder: Path) -> None:
    for target in ("/sitemap.xml", f"/{tea(folder)}"):
        known = site.ask(target).headers
        assert known["last-modified"] == "Sun, 01 Nov 2026 12:00:00 GMT"
        assert site.ask(target, if_modified_since=known["last-modified"]).status == 304
        for other in ("Sun, 01 Nov 2026 12:00:01 GMT", "Fri, 01 Jan 2100 00:00:00 GMT", "nonsense", "", "0"):
            assert site.ask(target, if_modified_since=other).status == 200
        # The tag is the better validator.
        assert site.ask(target, if_none_match='"x"', if_modified_since=known["last-modified"]).status == 200


def test_other_bytes_of_the_same_second_and_size_are_sent(serve: Servers, tmp_path: Path) -> None:
    now = datetime.now(UTC)
    options: dict[str, Any] = {"layout": urlset.Layout(compression="none", names="stable"), "now": now}
    urlset.publish(["/a"], tmp_path, base_url=BASE, **options)
    client = serve(tmp_path)
    before = client.ask("/sitemap.xml")
    urlset.publish(["/b"], tmp_path, base_url=BASE, checks=urlset.Checks(allow=["shrunk"]), **options)
    since = before.headers.get("last-modified", now.strftime("%a, %d %b %Y %H:%M:%S GMT"))
    for asked in ({"if_none_match": before.headers["etag"]}, {"if_modified_since": since}):
        got = client.ask("/sitemap.xml", **asked)
        assert got.status == 200
        assert len(got.body) == len(before.body)
        assert got.body != before.body


def test_a_client_can_insist_on_the_bytes_that_it_knows(site: Client) -> None:
    known = site.ask("/sitemap.xml").headers
    assert site.ask("/sitemap.xml", if_match=known["etag"]).status == 200
    assert site.ask("/sitemap.xml", if_match="*").status == 200
    assert site.ask("/sitemap.xml", if_match='"x"').status == 412
    assert site.ask("/sitemap.xml", if_match=f"W/{known['etag']}").status == 412
    assert site.ask("/sitemap.xml", if_unmodified_since=known["last-modified"]).status == 200
    assert site.ask("/sitemap.xml", if_unmodified_since="Sat, 31 Oct 2026 12:00:00 GMT").status == 412
    assert site.ask("/sitemap.xml", if_unmodified_since="nonsense").status == 200


# --- ranges -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("accepted", ["identity", "gzip"])
@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-99", 0, 100),
        ("bytes=5-5", 5, 6),
        ("bytes=100-", 100, None),
        ("bytes=-7", -7, None),
        ("bytes=0-", 0, None),
        ("bytes=10-99999999", 10, None),
        ("bytes=10-" + "9" * 5000, 10, None),
        ("bytes=-99999999", 0, None),
        ("BYTES=3-4", 3, 5),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_range(site: Client, folder: Path, asked: str, start: int, end: int | None, accepted: str) -> None:
    name = f"/{tea(folder)}"
    whole = site.ask(name, accept_encoding=accepted)
    got = site.ask(name, accept_encoding=accepted, range=asked)
    size = len(whole.body)
    first, past = start % size if start < 0 else start, size if end is None else end
    assert (got.status, got.body) == (206, whole.body[first:past])
    assert got.headers["content-range"] == f"bytes {first}-{past - 1}/{size}"
    assert got.headers["content-length"] == str(past - first)
    assert got.headers["etag"] == whole.headers["etag"]
    assert got.headers.get("content-encoding") == whole.headers.get("content-encoding")


@pytest.mark.parametrize(
    "asked", ["bytes=0-1,5-6", "bytes=-", "bytes=", "bytes=a-b", "bytes=5-2", "bytes 0-9", "items=0-9", "", "bytes=--5"]
)
def test_a_range_that_is_not_one_is_ignored(site: Client, folder: Path, asked: str) -> None:
    got = site.ask(f"/{tea(folder)}", range=asked)
    assert (got.status, got.body) == (200, (folder / tea(folder)).read_bytes())


@pytest.mark.parametrize("asked", ["bytes=99999999-", "bytes=-0", "bytes=" + "9" * 5000 + "-"], ids=len)
def test_a_range_outside_of_the_file(site: Client, folder: Path, asked: str) -> None:
    got = site.ask(f"/{tea(folder)}", range=asked)
    assert (got.status, got.body) == (416, b"")
    assert got.headers["content-range"] == f"bytes */{(folder / tea(folder)).stat().st_size}"


def test_a_part_of_other_bytes_is_answered_with_all(site: Client, folder: Path) -> None:
    name = f"/{tea(folder)}"
    known = site.ask(name).headers
    for same in (known["etag"], known["last-modified"]):
        assert site.ask(name, range="bytes=0-9", if_range=same).status == 206
    packed = site.ask(name, accept_encoding="gzip").headers["etag"]
    for other in ('"x"', f"W/{known['etag']}", packed, "Sun, 01 Nov 2026 12:00:01 GMT", "nonsense", ""):
        assert site.ask(name, range="bytes=0-9", if_range=other).status == 200
    assert site.ask(name, range="bytes=0-9", if_none_match="*").status == 304


def test_a_large_file_is_sent_in_pieces(serve: Servers, tmp_path: Path) -> None:
    rows = [{"loc": f"/{'p' * 60}{number}"} for number in range(20_000)]
    published = urlset.publish(rows, tmp_path, base_url=BASE, layout=urlset.Layout(compression="none"), now=THEN)
    whole = (tmp_path / "sitemap.xml").read_bytes()
    assert published.written == ("sitemap.xml",)
    urlset.publish(
        {"a": urlset.Section(rows), "b": urlset.Section(["/x"])}, tmp_path, base_url=BASE,
        layout=urlset.Layout(compression="none"), now=THEN + timedelta(days=1),
    )  # fmt: skip
    (name,) = (path.name for path in tmp_path.glob("sitemap-a-*"))
    whole = (tmp_path / name).read_bytes()
    assert len(whole) > 1 << 20
    client = serve(tmp_path)
    assert client.ask(f"/{name}").body == whole
    assert client.ask(f"/{name}", "HEAD").headers["content-length"] == str(len(whole))
    assert client.ask(f"/{name}", range="bytes=300000-1400000").body == whole[300_000:1_400_001]
    assert gzip.decompress(client.ask(f"/{name}", accept_encoding="gzip").body) == whole


# --- robots.txt ---------------------------------------------------------------------------------------------


def test_a_robots_txt_is_made_if_asked_for(serve: Servers, tmp_path: Path) -> None:
    publish(tmp_path)
    assert serve(tmp_path).ask("/robots.txt").status == 404
    client = serve(tmp_path, robots=True)
    assert client.ask("/robots.txt").body == b"Sitemap: https://shop.example/sitemap.xml\n"
    (tmp_path / "robots.txt").write_bytes(b"User-agent: *\nDisallow: /cart\n")
    assert client.ask("/robots.txt").body == b"User-agent: *\nDisallow: /cart\n"


# --- where it is served -------------------------------------------------------------------------------------


def test_a_base_url_with_a_path(serve: Servers, tmp_path: Path) -> None:
    publish(tmp_path, base_url=BASE + "maps/")
    client = serve(tmp_path)
    for path in ("/maps/", "/"):  # a proxy may have taken the path off
        assert client.ask(f"{path}sitemap.xml").status == 200
        assert client.ask(f"{path}{tea(tmp_path)}").status == 200
    assert client.ask("/maps/maps/sitemap.xml").status == 404
    assert client.ask("/maps/.urlset/manifest.parquet").status == 404
