"""An object store that fails, denies, disconnects or stays silent: what is reported, and how soon."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from support.s3 import KEY, SECRET, S3Server, options_of, proxy
from urlset import PublishError
from urlset._stores.objects import ObjectStore
from urlset._stores.open import open_store
from urlset._stores.store import Store


def everything_of(store: Store, tmp_path: Path) -> Iterator[Callable[[], object]]:
    """Return all operations, on names of a set."""
    (tmp_path / "file").write_bytes(b"1")
    yield lambda: store.read("sitemap.xml", 10)
    yield lambda: store.size("sitemap.xml")
    yield lambda: store.fetch("sitemap.xml", tmp_path / "fetched")
    yield lambda: store.put("sitemap.xml", b"1")
    yield lambda: store.put_file("sitemap.xml", tmp_path / "file")
    yield lambda: store.delete(["sitemap.xml", "a"])
    yield lambda: store.list("sitemap")
    yield lambda: store.lock().__enter__()


def assert_reported(error: PublishError, store: Store, message: str) -> None:
    assert str(error).startswith(store.location)
    assert message in str(error)
    assert SECRET not in f"{error!r}{error.__cause__!r}{store!r}"
    assert len(str(error)) < 500


def test_a_missing_bucket_is_not_taken_for_an_empty_one(s3_server: S3Server, tmp_path: Path) -> None:
    store = open_store("s3://no-such-bucket/set", **s3_server.options)
    for operation in everything_of(store, tmp_path):
        with pytest.raises(PublishError, match="create it, or correct its name") as raised:
            operation()
        assert_reported(raised.value, store, "NoSuchBucket")


def test_an_unknown_key_is_reported(s3_server: S3Server, open_it: Callable[..., ObjectStore], tmp_path: Path) -> None:
    store = open_it()
    with s3_server.denying():
        for operation in everything_of(store, tmp_path):
            with pytest.raises(PublishError, match="need permission to get, put, delete and list") as raised:
                operation()
            assert_reported(raised.value, store, "403" if "403" in str(raised.value) else "InvalidAccessKeyId")


def test_a_missing_permission_is_reported(
    s3_server: S3Server, open_it: Callable[..., ObjectStore], tmp_path: Path
) -> None:
    boto3: Any = import_module("boto3")

    access = {"region_name": "us-east-1", "aws_access_key_id": KEY, "aws_secret_access_key": SECRET}
    iam = boto3.client("iam", endpoint_url=s3_server.options["endpoint"], **access)
    iam.create_user(UserName="reader")
    rights = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]}
    iam.put_user_policy(UserName="reader", PolicyName="read", PolicyDocument=json.dumps(rights))
    key = iam.create_access_key(UserName="reader")["AccessKey"]
    open_it().put("sitemap.xml", b"old")
    store = open_it(access_key_id=key["AccessKeyId"], secret_access_key=key["SecretAccessKey"])
    with s3_server.denying():
        assert store.read("sitemap.xml", 9) == b"old"
        for operation in list(everything_of(store, tmp_path))[3:]:
            with pytest.raises(PublishError, match=r"AccessDenied.*need permission to get, put, delete and list"):
                operation()
    assert store.read("sitemap.xml", 9) == b"old"


def test_a_server_that_goes_away_is_reported(tmp_path: Path) -> None:
    with S3Server.running() as server:
        store = open_store(f"s3://{server.new_bucket()}/set", **server.options | {"max_retries": 0})
        store.put("sitemap.xml", b"1")
        with pytest.raises(PublishError, match="Connection refused"), store.lock():  # noqa: PT012
            store.put("sitemap-0001.xml", b"1")
            server.stop()
            store.put("sitemap.xml", b"2")
        for operation in everything_of(store, tmp_path):
            with pytest.raises(PublishError) as raised:
                operation()
            assert_reported(raised.value, store, f"Connection refused (from 127.0.0.1:{server.port})")
    assert not (tmp_path / "fetched").exists()


@pytest.mark.parametrize("how", ["half", "no answer"])
def test_an_incomplete_response_is_not_taken_for_content(
    s3_server: S3Server, open_it: Callable[..., ObjectStore], tmp_path: Path, how: str
) -> None:
    open_it().put("sitemap.xml", bytes(3_000_000))
    with proxy(s3_server, lambda *_: how) as options:
        store = open_it(**options)
        with pytest.raises(PublishError, match=r"sitemap\.xml: "):
            store.read("sitemap.xml", 5_000_000)
        with pytest.raises(PublishError, match=r"sitemap\.xml: "):
            store.fetch("sitemap.xml", tmp_path / "fetched")
    assert not (tmp_path / "fetched").exists()


@contextmanager
def silent() -> Iterator[int]:
    """Open a port that accepts connections and never responds."""
    with socket.create_server(("127.0.0.1", 0), backlog=50) as listening:
        kept: list[socket.socket] = []

        def let_in() -> None:
            while True:
                try:
                    kept.append(listening.accept()[0])
                except OSError:
                    return

        threading.Thread(target=let_in, daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)
        for connection in kept:
            connection.close()


def test_a_silent_server_times_out(tmp_path: Path) -> None:
    with silent() as port:
        options = options_of(port) | {"timeout": "100 ms", "max_retries": 1}
        store = open_store("s3://bucket/set", **options)
        for operation in everything_of(store, tmp_path):
            begun = time.monotonic()
            with pytest.raises(PublishError) as raised:
                operation()
            assert time.monotonic() - begun < 5
            assert_reported(raised.value, store, "TimedOut")
