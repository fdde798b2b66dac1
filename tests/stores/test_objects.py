"""Object stores: what is served, and which store a URL and its options open."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support.s3 import KEY, SECRET, S3Server
from support.stores import FOR_GOOD, FOR_NOW, NEVER, headers_of
from urlset import InputError, PublishError
from urlset._stores.objects import ObjectStore
from urlset._stores.open import open_store

# --- what is served -----------------------------------------------------------------------------------------

SERVED = {
    "sitemap.xml": ("application/xml; charset=utf-8", FOR_NOW),
    "sitemap-0001-0123456789abcdef.xml": ("application/xml; charset=utf-8", FOR_GOOD),
    "sitemap-news-0001-0123456789abcdef.xml.gz": ("application/gzip", FOR_GOOD),
    "maps/sitemap-0123456789abcdef.xml": ("application/xml; charset=utf-8", FOR_GOOD),
    "sitemap-0001.xml.gz": ("application/gzip", FOR_NOW),
    "sitemap-0001-0123456789ABCDEF.xml": ("application/xml; charset=utf-8", FOR_NOW),
    "robots.txt": ("text/plain; charset=utf-8", FOR_NOW),
    "sitemap.css": ("text/css; charset=utf-8", FOR_NOW),
    "sitemap.xsl": ("application/xslt+xml; charset=utf-8", FOR_NOW),
    ".urlset/manifest.parquet": ("application/vnd.apache.parquet", NEVER),
    ".urlset/sitemap-0001-0123456789abcdef.xml": ("application/xml; charset=utf-8", NEVER),
    "unknown": ("application/octet-stream", FOR_NOW),
}


@pytest.mark.parametrize("name", SERVED)
@pytest.mark.parametrize("is_large", [False, True])
def test_a_file_is_served_with_its_headers(
    s3_server: S3Server, bucket: str, open_it: Callable[..., ObjectStore], tmp_path: Path, name: str, is_large: bool
) -> None:
    data = b"\x1f\x8b not unpacked by anybody"
    if is_large:
        data = bytes(9 * 1024 * 1024)
        (tmp_path / "file").write_bytes(data)
        open_it().put_file(name, tmp_path / "file")
    else:
        open_it().put(name, data)
    headers = headers_of(s3_server, f"/{bucket}/set/{name}")
    assert (headers["content-type"], headers["cache-control"]) == SERVED[name]
    assert "content-encoding" not in headers
    assert headers["content-length"] == str(len(data))
    assert s3_server.ask("GET", f"/{bucket}/set/{name}")[2] == data


def test_headers_can_be_overridden(s3_server: S3Server, bucket: str, open_it: Callable[..., ObjectStore]) -> None:
    headers = {
        "*": {"cache-control": "no-cache", "Content-Language": "de"},
        "*.xml": {"CONTENT-TYPE": "text/xml"},
        ".urlset/*": {"Cache-Control": "private"},
    }
    store = open_it(object_headers=headers)
    for name in ("sitemap.xml", "robots.txt", ".urlset/manifest.parquet"):
        store.put(name, b"")
    found = {name: headers_of(s3_server, f"/{bucket}/set/{name}") for name in store.list("")}
    assert found["sitemap.xml"]["content-type"] == "text/xml"
    assert found["sitemap.xml"]["cache-control"] == found["robots.txt"]["cache-control"] == "no-cache"
    assert found["sitemap.xml"]["content-language"] == "de"
    assert found["robots.txt"]["content-type"] == "text/plain; charset=utf-8"
    state = found[".urlset/manifest.parquet"]
    assert (state["cache-control"], state.get("content-language")) == ("private", None)


@pytest.mark.parametrize("headers", [{"X-Robots-Tag": "noindex"}, {"Cache-Control": "a\r\nb: c"}, {"Cache-Control": 5}])
def test_an_unsupported_header_is_refused(headers: Any) -> None:
    with pytest.raises(InputError, match="must be text and among Content-Type"):
        open_store("s3://bucket", object_headers={"*": headers})


@pytest.mark.parametrize("count", [12, pytest.param(1001, marks=pytest.mark.long)])  # a request deletes 1,000
def test_any_number_of_files_is_listed_and_deleted(open_it: Callable[..., ObjectStore], count: int) -> None:
    store = open_it()
    names = [f"sitemap-{number:04}.xml" for number in range(count)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda name: store.put(name, b""), [*names, "robots.txt"]))
    assert store.list("sitemap") == names
    store.delete([*names, "sitemap-9999.xml"])
    assert store.list("") == ["robots.txt"]


# --- which store it is --------------------------------------------------------------------------------------

PLACES = {
    "s3://bucket": 'S3Store(bucket="bucket")',
    "s3://bucket/": 'S3Store(bucket="bucket")',
    "S3://My.bucket-1_2/a b/ü%20/": 'S3Store(bucket="My.bucket-1_2", prefix="a b/ü%20")',
    "gs://bucket/a/b": 'GCSStore(bucket="bucket", prefix="a/b")',
    "az://$web/a": 'AzureStore(container_name="$web", account_name="account1", prefix="a")',
    "abfss://files/a": 'AzureStore(container_name="files", account_name="account1", prefix="a")',
    "abfss://files@account2.dfs.core.windows.net/a": (
        'AzureStore(container_name="files", account_name="account2", prefix="a")'
    ),
    "abfs://files@account2.blob.core.windows.net": 'AzureStore(container_name="files", account_name="account2")',
}


@pytest.mark.parametrize("url", PLACES)
def test_a_url_opens_its_store(url: str) -> None:
    options: dict[str, Any] = {"account_name": "account1", "account_key": "c2VjcmV0"} if url.startswith("a") else {}
    store = open_store(url, **options)
    assert isinstance(store, ObjectStore)
    assert repr(store._store) == PLACES[url]
    assert store.location == url.replace("S3:", "s3:").removesuffix("/")
    assert repr(store) == f"ObjectStore({store.location!r})"


@pytest.mark.parametrize(
    "url",
    [
        *("s3://", "s3:///a", "s3://../a", "s3://b?versionId=1", "s3://bucket/a#b", "s3://bucket:80/a", "s3://a b/c"),
        *(f"s3://{KEY}:{SECRET}@bucket/a", f"s3://bucket/a?key={SECRET}", f"az://files@{SECRET}/a", "s3://bu%2fcket"),
        *(f"abfss://files@{SECRET}.example.com/a", f"abfss://a:{SECRET}@account.dfs.core.windows.net"),
        *(
            "s3://bucket/../a",
            "s3://bucket/a//b",
            "s3://bucket//a",
            "s3://bucket/a\\b",
            "s3://bucket/a\nb",
            "gs://x/./a",
        ),
        *("s3://bucket--use1-az4--x-s3/a", "ftp://bucket/a", "https://bucket.s3.amazonaws.com/a", "memory:///a"),
    ],
)
def test_a_url_without_a_store_is_refused(url: str) -> None:
    with pytest.raises(InputError) as raised:
        open_store(url)
    assert SECRET not in str(raised.value)
    assert KEY not in str(raised.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"regoin": "eu"}, "regoin"),
        ({"bucket": "other-bucket"}, "bucket"),
        ({"region": None}, "the option region must be a string, .*, got NoneType"),
        ({"client_options": {"timeout": "1 s"}}, "client_options must be .*, got dict"),
        ({"timeout": "soon"}, "Duration"),
        ({"max_retries": "many"}, "many|…"),
        ({"endpoint": f"http://user:{SECRET}@localhost"}, "endpoint must be an absolute http.s. URL without a user"),
        *(
            ({"endpoint": url}, "endpoint must be an absolute http")
            for url in ("ftp://a", "localhost:9000", "http://a b", "http://[")
        ),
        ({"aws_endpoint_url": "http://"}, "aws_endpoint_url must be an absolute http"),
        ({"checksum_algorithm": SECRET}, "is not a valid checksum algorithm"),
    ],
)
def test_an_invalid_option_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        open_store("s3://bucket/set", **options)
    assert SECRET not in str(raised.value)


def test_secrets_are_not_shown(s3_server: S3Server, bucket: str) -> None:
    with pytest.raises(InputError, match="Account must be specified"):
        open_store("az://files")
    with pytest.raises(InputError, match="az://files: ") as raised:
        open_store("az://files", account_name="account", account_key=f"not base64 {SECRET}")
    assert SECRET not in str(raised.value)
    with pytest.raises(InputError, match="gs://bucket: ") as raised:
        open_store("gs://bucket", service_account_key=json.dumps({"private_key": SECRET}))
    assert SECRET not in str(raised.value)
    signed: dict[str, Any] = {
        "sas_key": f"sv=2024-01-01&sig={SECRET}",
        "endpoint": "http://127.0.0.1:9",
        "allow_http": True,
    }
    store = open_store("az://files", account_name="account", max_retries=0, **signed)
    with pytest.raises(PublishError, match="Connection refused") as failed:
        store.size("sitemap.xml")
    assert SECRET not in str(failed.value)
    assert failed.value.__suppress_context__


def test_an_http_endpoint_must_be_allowed(s3_server: S3Server, bucket: str) -> None:
    store = open_store(f"s3://{bucket}", **{**s3_server.options, "allow_http": False})
    with pytest.raises(PublishError, match="pass allow_http=True if that is intended"):
        store.size("sitemap.xml")


def test_options_can_be_strings(s3_server: S3Server, bucket: str) -> None:
    store = open_store(f"s3://{bucket}", **{**s3_server.options, "allow_http": "true", "max_retries": "0"})
    assert store.size("sitemap.xml") is None


def test_credentials_come_from_the_environment(
    s3_server: S3Server, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("endpoint", "region", "access_key_id", "secret_access_key"):
        monkeypatch.setenv(f"AWS_{name.upper()}", s3_server.options[name])
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    open_store(f"s3://{bucket}").put("sitemap.xml", b"1")
    assert s3_server.ask("GET", f"/{bucket}/sitemap.xml")[2] == b"1"


def test_a_missing_extra_is_reported() -> None:
    program = """
import sys
sys.modules["obstore"] = None
from urlset._stores.open import open_store
try:
    open_store("s3://bucket/set")
except ValueError as error:
    print(error)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout == "s3://bucket/set needs the extra: pip install 'urlset[stores]'\n"


def test_a_folder_needs_no_object_store(tmp_path: Path) -> None:
    program = """
import sys
from urlset._stores.open import open_store
open_store(sys.argv[1]).put("sitemap.xml", b"1")
assert not {"obstore", "urlset._stores.objects", "urlset._stores.object_urls"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)
