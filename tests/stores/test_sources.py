"""Object stores as sources: what their URLs mean, where an index there leads, and what is said if that fails."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.http_server import Answer, serve
from support.s3 import SECRET, S3Server, proxy
from urlset import FetchError, InputError
from urlset._stores.reading import PART, Bucket

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
BASE = "https://shop.example"


def sitemap(*paths: str) -> bytes:
    locs = "".join(f"<url><loc>{BASE}{path}</loc></url>" for path in paths)
    return f'<urlset xmlns="{NAMESPACE}">{locs}</urlset>'.encode()


def index(*locs: str) -> bytes:
    listed = "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locs)
    return f'<sitemapindex xmlns="{NAMESPACE}">{listed}</sitemapindex>'.encode()


@pytest.fixture
def put(s3_server: S3Server, bucket: str) -> Callable[..., None]:
    """Return a function that stores objects, in which the code under test has no part."""

    def stored(objects: dict[str, bytes], **headers: str) -> None:
        for key, data in objects.items():
            s3_server.put(bucket, key, data, **headers)

    return stored


SET = {
    "maps/sitemap.xml": index(f"{BASE}/maps/tea.xml.gz", f"{BASE}/maps/blue%20tea.xml"),
    "maps/tea.xml.gz": gzip.compress(sitemap("/tea", "/coffee")),
    "maps/blue tea.xml": sitemap("/blue"),
    "maps/deep/sitemap.xml": sitemap("/deep"),
    "maps/.hidden/sitemap.xml": sitemap("/hidden"),
    "sitemap.xml": sitemap("/other"),
}


# --- what a URL means ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("maps/sitemap.xml", False),
        ("maps/", False),
        ("maps/deep/", False),
        ("", False),
        ("maps/*.xml", True),
        ("maps/[bt]*", True),
        ("maps/**/*.xml", True),
        ("**/sitemap.xml", True),
        ("maps/*/*", True),
    ],
)
def test_a_url_means_what_the_same_path_means_on_disk(
    s3_server: S3Server, bucket: str, put: Callable[..., None], tmp_path: Path, path: str, pattern: bool
) -> None:
    put(SET)
    for key, data in SET.items():
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / key).write_bytes(data)
    on_disk = urlset.read(f"{tmp_path}/{path}" if pattern else tmp_path / path)
    entries = urlset.read(f"s3://{bucket}/{path}", store=s3_server.options)
    assert [entry.loc for entry in entries] == [entry.loc for entry in on_disk]
    names = [str(document.location).removeprefix(f"s3://{bucket}/") for document in entries.documents]
    assert names == [str(Path(str(each.location)).relative_to(tmp_path)) for each in on_disk.documents]
    assert entries.completeness == "complete"


def test_a_bucket_alone_is_its_root(s3_server: S3Server, bucket: str, put: Callable[..., None]) -> None:
    put(SET)
    assert [entry.loc for entry in urlset.read(f"s3://{bucket}", store=s3_server.options)] == [f"{BASE}/other"]


def test_lists_mix_stores_files_and_urls(
    s3_server: S3Server, bucket: str, put: Callable[..., None], tmp_path: Path
) -> None:
    put({"a.xml": sitemap("/a")})
    (tmp_path / "b.xml").write_bytes(sitemap("/b"))
    with serve() as site:
        site.pages["/c.xml"] = Answer(sitemap("/c"))
        sources = [f"s3://{bucket}/a.xml", str(tmp_path / "b.xml"), f"{site.url}/c.xml"]
        entries = urlset.read(sources, store=s3_server.options)
    assert [entry.loc for entry in entries] == [f"{BASE}/a", f"{BASE}/b", f"{BASE}/c"]


@pytest.mark.parametrize(
    ("url", "path", "options"),
    [
        ("az://maps/set/a.xml", "/maps/set/a.xml", {"account_name": "shop", "endpoint": "{site}"}),
        ("abfss://maps@shop.dfs.core.windows.net/set/a.xml", "/maps/set/a.xml", {"endpoint": "{site}"}),
        ("gs://maps/set/a.xml", "/maps/set%2Fa%2Exml", {"base_url": "{site}"}),
    ],
    ids=["az", "abfss", "gs"],
)
def test_azure_and_google_are_asked_as_they_want_it(url: str, path: str, options: dict[str, str]) -> None:
    with serve() as site:
        dated = {"ETag": '"1"', "Last-Modified": "Sun, 01 Feb 2026 12:00:00 GMT", "Content-Encoding": "gzip"}
        site.pages[path] = Answer(gzip.compress(sitemap("/tea")), headers=dated)
        store = {name: value.format(site=site.url) for name, value in options.items()}
        entries = urlset.read(url, store=store | {"allow_http": True, "skip_signature": True})
        assert ([entry.loc for entry in entries], entries.documents[0].location) == ([f"{BASE}/tea"], url)
        assert [asked for asked, _ in site.requests] == [path]


def test_a_prefix_without_usual_names_stands_for_its_sitemaps(
    s3_server: S3Server, bucket: str, put: Callable[..., None]
) -> None:
    put({"set/sitemap-1.xml": sitemap("/1"), "set/sitemap-2.txt": f"{BASE}/2\n".encode(), "set/tea.xml": sitemap("/3")})
    url = f"s3://{bucket}/set/"
    assert [entry.loc for entry in urlset.read(url, store=s3_server.options)] == [f"{BASE}/1", f"{BASE}/2"]
    put({"set/robots.txt": f"Sitemap: {BASE}/set/tea.xml\n".encode()})
    assert [entry.loc for entry in urlset.read(url, store=s3_server.options)] == [f"{BASE}/3"]
    put({"any/tea.xml": sitemap("/3")})
    with pytest.raises(InputError, match=r"any/: no sitemap below this prefix; .* 1 other \.xml or \.txt files"):
        urlset.read(f"s3://{bucket}/any/", store=s3_server.options)
    assert urlset.lint(f"s3://{bucket}/any/", store=s3_server.options).entries == 1


def test_the_header_of_an_object_says_how_it_is_compressed(
    s3_server: S3Server, bucket: str, put: Callable[..., None]
) -> None:
    put({"a.xml": gzip.compress(sitemap("/a"))}, **{"Content-Encoding": "gzip"})
    assert len(urlset.read(f"s3://{bucket}/a.xml", store=s3_server.options)) == 1


def test_a_location_says_where_a_stored_document_is_on_the_web(
    s3_server: S3Server, bucket: str, put: Callable[..., None]
) -> None:
    relative = sitemap("/tea").replace(BASE.encode(), b"")
    put({"maps/a.xml": relative, "maps/b.xml": relative})
    for path, location in (("maps/a.xml", f"{BASE}/a.xml"), ("maps/*.xml", f"{BASE}/")):
        entries = urlset.read(f"s3://{bucket}/{path}", location=location, store=s3_server.options)
        assert {entry.loc for entry in entries} == {f"{BASE}/tea"}
        assert entries.documents[0].location == f"{BASE}/a.xml"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("s3://", "must be followed by a bucket"),
        ("s3://b/a.xml?X-Amz-Signature=0123456789", "without a query"),
        ("s3://user:0123456789@bucket/a.xml", "without a query or a key"),
        ("gs://bucket/a#b.xml", "without a query"),
    ],
)
def test_an_invalid_url_is_refused_and_not_repeated(url: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as raised:
        urlset.scan(url)
    assert "0123456789" not in str(raised.value)


def test_the_extra_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    for verb in (urlset.read, urlset.lint, urlset.stats):
        with pytest.raises(InputError, match=r"pip install 'urlset\[stores\]'"):
            verb("s3://bucket/sitemap.xml")


# --- where it leads --------------------------------------------------------------------------------------------


def test_every_verb_reads_a_store(s3_server: S3Server, bucket: str, put: Callable[..., None], tmp_path: Path) -> None:
    put(SET)
    url, store = f"s3://{bucket}/maps/", s3_server.options
    assert [entry.loc for entry in urlset.scan(url, store=store)] == [
        f"{BASE}/{each}" for each in ("tea", "coffee", "blue")
    ]
    for location in (None, f"{BASE}/maps/"):
        report = urlset.lint(url, location=location, store=store)
        assert (len(report.documents), report.entries, report.failures) == (3, 3, ())
        # The children have the URLs by which the index lists them, so that locs outside of their folder are found.
        assert report.counts == {"LOC013": 3}
    assert urlset.stats(url, store=store).entries == 3
    (tmp_path / "sitemap.xml").write_bytes(sitemap("/tea", "/milk"))
    with urlset.diff(tmp_path, url, store=store) as found:
        assert (found.added, found.removed, found.same) == (2, 1, 1)
    with pytest.raises(InputError, match="a fix changes a file: download it"):
        urlset.fix(f"s3://{bucket}/maps/blue tea.xml")


def test_an_index_leads_nowhere_outside_its_prefix(s3_server: S3Server, bucket: str, put: Callable[..., None]) -> None:
    put({"secret.xml": sitemap("/secret"), "maps/inner/secret.xml": sitemap("/secret")})
    other = s3_server.new_bucket()
    s3_server.put(other, "secret.xml", sitemap("/secret"))
    locs = [
        *(f"{BASE}/secret.xml", "../secret.xml", "..%2Fsecret.xml", f"{BASE}/maps/..%2Fsecret.xml", "inner/secret.xml"),
        *(f"s3://{other}/secret.xml", f"s3://{bucket}/secret.xml", f"{BASE}/..", f"{BASE}/", "file:///etc/passwd"),
    ]
    put({"maps/sitemap.xml": index(*locs)})
    entries = urlset.read(f"s3://{bucket}/maps/sitemap.xml", store=s3_server.options)
    assert len(entries) == 0
    # Five of them are the same name below the prefix, where it is not.
    assert len(entries.failures) == len(locs) - 4
    assert all("not found" in str(failure) or "no object" in str(failure) for failure in entries.failures)


def test_a_site_cannot_lead_to_a_store(s3_server: S3Server, bucket: str, put: Callable[..., None]) -> None:
    put({"a.xml": sitemap("/a")})
    with serve() as site:
        site.pages["/sitemap.xml"] = Answer(index(f"s3://{bucket}/a.xml"))
        site.pages["/robots.txt"] = Answer(f"Sitemap: s3://{bucket}/a.xml\n".encode())
        for path in ("/sitemap.xml", "/robots.txt"):
            with pytest.raises(FetchError, match="is not an http or https URL"):
                urlset.read(site.url + path, store=s3_server.options, strict=True)
            entries = urlset.read(site.url + path, store=s3_server.options)
            assert len(entries) == 0
            [refused] = entries.failures
            assert "is not an http or https URL" in str(refused)


def test_an_index_of_itself_is_found(s3_server: S3Server, bucket: str, put: Callable[..., None]) -> None:
    put({"sitemap.xml": index(f"{BASE}/sitemap.xml")})
    report = urlset.lint(f"s3://{bucket}/", store=s3_server.options)
    assert report.counts == {"IDX002": 1}


# --- what fails ------------------------------------------------------------------------------------------------


def failure(url: str, options: dict[str, Any], *, strict: bool = False) -> str:
    with pytest.raises(FetchError) as raised:
        urlset.read(url, store=options, strict=strict)
    assert SECRET not in f"{raised.value!r}{raised.value.__cause__!r}"
    return str(raised.value)


def test_what_is_missing_is_named(s3_server: S3Server, bucket: str, put: Callable[..., None]) -> None:
    options = s3_server.options
    url = f"s3://{bucket}/maps/sitemap.xml"
    assert failure(url, options) == f"{url}: there is no object of this name; a prefix must end with a slash"
    put({"maps/sitemap.xml": index(f"{BASE}/a.xml", f"{BASE}/b.xml"), "maps/b.xml": sitemap("/b")})
    said = failure(url, options, strict=True)
    assert said.startswith(f"s3://{bucket}/maps/a.xml: there is no object")
    assert said.endswith(f"({url}:1 lists it)")
    entries = urlset.read(url, store=options)
    assert ([entry.loc for entry in entries], len(entries.failures)) == ([f"{BASE}/b"], 1)
    assert entries.completeness == "truncated"
    for where in ("s3://no-such-bucket/a.xml", "s3://no-such-bucket/a/", "s3://no-such-bucket/*.xml"):
        assert "NoSuchBucket" in (said := failure(where, options))
        assert "create it, or correct its name" in said
    with pytest.raises(InputError, match="no object matches"):
        urlset.read(f"s3://{bucket}/maps/*.txt", store=options)


def test_what_credentials_do_not_allow_is_named(s3_server: S3Server, bucket: str, put: Callable[..., None]) -> None:
    put({"a.xml": sitemap("/a")})
    with s3_server.denying():
        for path in ("a.xml", "", "*.xml"):
            said = failure(f"s3://{bucket}/{path}", s3_server.options)
            assert said.endswith("the credentials need permission to get and list objects")
    everybody = {name: value for name, value in s3_server.options.items() if "key" not in name}
    assert len(urlset.read(f"s3://{bucket}/a.xml", store=everybody | {"skip_signature": True})) == 1
    assert len(urlset.read(f"s3://{bucket}/a.xml", store=s3_server.options | {"locking": False})) == 1


@pytest.mark.parametrize("how", ["half", "no answer"])
def test_an_incomplete_answer_is_a_failure(
    s3_server: S3Server, bucket: str, put: Callable[..., None], how: str
) -> None:
    put({"a.xml": sitemap(*(f"/{number}" for number in range(10_000)))})
    with proxy(s3_server, lambda *_: how) as options:
        assert f"s3://{bucket}/a.xml: " in failure(f"s3://{bucket}/a.xml", options | {"max_retries": 0})


# --- large objects ---------------------------------------------------------------------------------------------


def test_a_large_object_is_read_part_by_part(s3_server: S3Server, bucket: str, put: Callable[..., None]) -> None:
    data = b"".join(b"%09d" % number for number in range(2 * PART // 9 + 100))
    put({"large": data, "equal": data[:PART], "more": data[: PART + 1], "empty": b""})
    store = Bucket("s3", bucket, s3_server.options)
    for key, size in (("large", len(data)), ("equal", PART), ("more", PART + 1), ("empty", 0)):
        body = store.open(key)
        parts = list(iter(body.read, b""))
        assert b"".join(parts) == data[:size]
        assert all(len(part) <= PART for part in parts)
        body.close()
        assert body.read() == b""


def test_an_object_that_is_replaced_while_it_is_read_is_not_mixed(
    s3_server: S3Server, bucket: str, put: Callable[..., None]
) -> None:
    put({"a": bytes(2 * PART)})
    body = Bucket("s3", bucket, s3_server.options).open("a")
    assert len(body.read()) == PART
    put({"a": b"x" * (2 * PART)})
    with pytest.raises(FetchError, match="replaced while it was read"):
        body.read()


# --- a part of a set -------------------------------------------------------------------------------------------


def test_a_run_over_a_store_is_filtered_and_goes_on(
    s3_server: S3Server, bucket: str, put: Callable[..., None], tmp_path: Path
) -> None:
    put(SET)
    found = []
    for rows in (2, 1, 0):
        wanted = urlset.Filter(max_entries=1)
        scan = urlset.scan(f"s3://{bucket}/maps/", store=s3_server.options, filter=wanted, resume=tmp_path / "state")
        found += [entry.loc for entry in scan]
        scan.checkpoint()
        assert bool(scan.failures) == (rows == 2)
    assert found == [f"{BASE}/tea", f"{BASE}/coffee", f"{BASE}/blue"]
    scan = urlset.scan(
        f"s3://{bucket}/maps/", store=s3_server.options, filter=urlset.Filter(exclude_sitemaps=["tea.xml*"])
    )
    assert [entry.loc for entry in scan] == [f"{BASE}/blue"]
    assert scan.skipped.sitemaps == {"exclude_sitemaps": 1}
