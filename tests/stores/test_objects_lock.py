"""The lock of an object store: its owner, its expiry, and that a publish without it writes nothing."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from support.s3 import S3Server, proxy
from support.stores import NEVER, NOON, Clock, headers_of
from urlset import PublishError
from urlset._stores import object_urls
from urlset._stores.objects import LEASE, ObjectStore
from urlset._stores.store import LOCK, Store


def lock_of(server: S3Server, bucket: str) -> dict[str, Any] | None:
    status, _, content = server.ask("GET", f"/{bucket}/set/{LOCK}")
    return json.loads(content) if status == 200 else None


def abandoned(store: Store) -> object:
    """Take the lock for a publish that does nothing more; it is held as long as the result is referenced."""
    lock = store.lock()
    lock.__enter__()
    return lock


def test_a_lock_names_its_owner(
    s3_server: S3Server, bucket: str, open_it: Callable[..., ObjectStore], clock: Clock
) -> None:
    with open_it().lock():
        lock = lock_of(s3_server, bucket)
        assert lock is not None
        assert (lock["host"], len(lock["owner"])) == (socket.gethostname(), 32)
        assert (lock["since"], lock["until"]) == (NOON.isoformat(), (NOON + LEASE).isoformat())
        assert headers_of(s3_server, f"/{bucket}/set/{LOCK}")["cache-control"] == NEVER
        other = open_it()
        with (
            pytest.raises(PublishError, match=rf"process {lock['pid']} on .* expires at 2024-01-01T") as raised,
            other.lock(),
        ):
            raise AssertionError("two at once")
        assert lock["owner"] not in str(raised.value)
    assert lock_of(s3_server, bucket) is None


def test_an_expired_lock_is_taken_over(
    s3_server: S3Server, bucket: str, open_it: Callable[..., ObjectStore], clock: Clock
) -> None:
    killed = abandoned(open_it())
    clock.pass_by(minutes=15, microseconds=-1)
    with pytest.raises(PublishError, match="another publish"), open_it().lock():
        raise AssertionError("too early")
    clock.pass_by(microseconds=1)
    with open_it().lock():
        lock = lock_of(s3_server, bucket)
        assert lock is not None
        assert lock["since"] == clock.now.isoformat()
    del killed
    assert lock_of(s3_server, bucket) is None


def test_only_one_of_two_takes_over_a_lock(
    s3_server: S3Server, bucket: str, open_it: Callable[..., ObjectStore], clock: Clock
) -> None:
    killed = abandoned(open_it())
    clock.pass_by(hours=1)
    first = open_it().lock()
    methods: list[str] = []

    def meanwhile(method: str, path: str) -> str:
        # The second publish has read the old lock, and the first one takes it over before the second can.
        methods.append(method)
        if methods == ["PUT", "GET", "PUT"]:
            first.__enter__()
        return "pass"

    with (
        proxy(s3_server, meanwhile) as options,
        pytest.raises(PublishError, match="another"),
        open_it(**options).lock(),
    ):
        raise AssertionError("two at once")
    first.__exit__(None, None, None)
    del killed
    assert lock_of(s3_server, bucket) is None


def test_a_lock_in_use_is_renewed(
    s3_server: S3Server, bucket: str, open_it: Callable[..., ObjectStore], clock: Clock, tmp_path: Path
) -> None:
    store = open_it()
    (tmp_path / "file").write_bytes(b"")
    writes: list[Callable[[], None]] = [
        *(lambda: store.put("sitemap.xml", b""), lambda: store.put_file("a", tmp_path / "file")),
        lambda: store.delete(["a"]),
    ]
    with store.lock():
        until = NOON + LEASE
        for write in writes:
            clock.pass_by(minutes=4, seconds=59)
            write()
            lock = lock_of(s3_server, bucket)
            assert lock is not None
            assert lock["until"] == until.isoformat()
            clock.pass_by(seconds=1)
            write()
            lock = lock_of(s3_server, bucket)
            assert lock is not None
            until = clock.now + LEASE
            assert (lock["since"], lock["until"]) == (NOON.isoformat(), until.isoformat())
        clock.pass_by(hours=5)  # no other publish took it
        store.put("sitemap.xml", b"late")
    assert lock_of(s3_server, bucket) is None


def test_a_publish_that_lost_its_lock_writes_nothing_more(
    s3_server: S3Server, bucket: str, open_it: Callable[..., ObjectStore], clock: Clock, tmp_path: Path
) -> None:
    slow, fast = open_it(), open_it()
    (tmp_path / "file").write_bytes(b"slow")
    fast.put("sitemap.xml", b"old")
    writes: list[Callable[[], None]] = [
        *(lambda: slow.put("sitemap.xml", b"slow"), lambda: slow.put_file("sitemap.xml", tmp_path / "file")),
        *(lambda: slow.delete(["sitemap.xml"]), lambda: slow.put("sitemap.xml", b"slow")),
    ]
    with pytest.raises(PublishError, match="took over"), slow.lock():  # noqa: PT012
        clock.pass_by(minutes=16)
        with fast.lock():
            fast.put("sitemap.xml", b"fast")
            for write in writes:
                with pytest.raises(PublishError, match=r"is gone: .* another publish took over"):
                    write()
            assert slow.read("sitemap.xml", 9) == b"fast"
            lock = lock_of(s3_server, bucket)
        assert lock_of(s3_server, bucket) is None
        assert lock is not None
    assert fast.read("sitemap.xml", 9) == b"fast"
    with pytest.raises(PublishError, match="took over"), slow.lock():
        s3_server.ask("DELETE", f"/{bucket}/set/{LOCK}")  # by hand
    with slow.lock():
        slow.put("sitemap.xml", b"slow")


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", "5", "null", '{"owner": "a"}', "[" * 4000, '"' + "a" * 3000 + '"'),
        '{"owner": "a", "host": "b", "pid": 1e999, "since": "2024-01-01T00:00:00Z", "until": "2024-01-01T00:00:00Z"}',
        '{"owner": "a", "host": "b", "pid": 1, "since": "0001-01-01", "until": 5}',
    ],
)
def test_an_unreadable_lock_is_left_alone(
    s3_server: S3Server, bucket: str, open_it: Callable[..., ObjectStore], content: str
) -> None:
    s3_server.ask(
        "PUT", f"/{bucket}/set/{LOCK}", content or " ", Authorization="AWS4-HMAC-SHA256 Credential=a/b/c/s3/d"
    )
    with pytest.raises(PublishError, match="cannot be read: remove it if no publish is running"), open_it().lock():
        raise AssertionError("locked")
    assert s3_server.ask("GET", f"/{bucket}/set/{LOCK}")[0] == 200


@pytest.mark.parametrize("kind", ["create", "take", "renew"])
def test_a_lost_response_does_not_lose_the_lock(
    s3_server: S3Server, bucket: str, open_it: Callable[..., ObjectStore], clock: Clock, kind: str
) -> None:
    killed = abandoned(open_it()) if kind == "take" else None
    clock.pass_by(hours=1)
    lost: list[str] = []
    drop = {"create": 1, "take": 2, "renew": 3}[kind]

    def spoil(method: str, path: str) -> str:
        if method == "PUT" and path.endswith(LOCK):
            lost.append(path)
            if len(lost) == drop:
                return "no answer"
        return "pass"

    with proxy(s3_server, spoil) as options:
        store = open_it(**options)
        with store.lock():
            clock.pass_by(minutes=6)
            store.put("sitemap.xml", b"1")
            clock.pass_by(minutes=6)
            store.put("sitemap.xml", b"2")
    assert lock_of(s3_server, bucket) is None
    assert len(lost) > drop
    del killed


def test_a_store_that_ignores_conditions_cannot_be_locked(
    s3_server: S3Server, bucket: str, open_it: Callable[..., ObjectStore]
) -> None:
    with proxy(s3_server, lambda *_: "no conditions") as options:
        with (
            pytest.raises(PublishError, match=r"ignores conditional writes .* locking=False"),
            open_it(**options).lock(),
        ):
            raise AssertionError("locked")
        assert lock_of(s3_server, bucket) is None
        with open_it(**options, locking=False).lock(), open_it(**options, locking=False).lock():
            assert lock_of(s3_server, bucket) is None


def test_a_store_without_conditional_writes_is_reported_with_a_remedy(
    s3_server: S3Server, open_it: Callable[..., ObjectStore]
) -> None:
    with proxy(s3_server, lambda method, _: "501" if method == "PUT" else "pass") as options:
        store = open_it(**{**options, "max_retries": 0})
        with pytest.raises(PublishError, match=r"501 Not Implemented .* pass locking=False"), store.lock():
            raise AssertionError("locked")


def test_a_request_times_out_before_its_lock_can_expire() -> None:
    # A lock is renewed when a third of its time has passed; a request may begin right before that.
    longest = timedelta(minutes=5) + object_urls._RETRY_TIMEOUT
    assert object_urls._TIMEOUTS["timeout"] == "5 minutes"
    assert LEASE / 3 + longest < LEASE
