"""Submits from an object store, on a real S3 server: the submission log is in the bucket, as it is in a folder."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
import urlset
from support.indexnow.server import Answer, Server
from support.s3 import S3Server, s3_server
from urlset import FetchError, InputError, PublishError
from urlset._indexnow import client
from urlset._indexnow.api import Submission
from urlset._stores.open import open_store
from urlset._stores.store import Store

from indexnow.conftest import Submit

__all__ = ["s3_server"]

DAY = [datetime(2024, 1, day, 12, tzinfo=UTC) for day in range(1, 5)]


class Bucket:
    """A prefix in an object store, to publish to and to submit from."""

    def __init__(self, server: S3Server, site: str, submit: Submit) -> None:
        self.dest, self.options, self._site, self._tell = (
            f"s3://{server.new_bucket()}/set",
            server.options,
            site,
            submit,
        )

    def publish(self, day: int, *paths: str, **lastmods: str) -> None:
        rows = [*({"loc": path} for path in paths), *({"loc": loc, "lastmod": at} for loc, at in lastmods.items())]
        urlset.publish(
            rows,
            self.dest,
            base_url=self._site,
            now=DAY[day - 1],
            checks=urlset.Checks(allow=["shrunk"]),
            store=self.options,
        )

    def submit(self, **options: Any) -> Submission:
        return self._tell(dest=self.dest, store=self.options, **options)

    @property
    def store(self) -> Store:
        return open_store(self.dest, **self.options)

    @property
    def state(self) -> list[str]:
        return [name.removeprefix(".urlset/") for name in self.store.list(".urlset/")]


@pytest.fixture
def bucket(s3_server: S3Server, server: Server, submit: Submit) -> Bucket:
    return Bucket(s3_server, server.base_url, submit)


def test_changes_of_a_publish_are_submitted_once(bucket: Bucket, server: Server) -> None:
    bucket.publish(1, "a", "b", c="2024-01-01")
    bucket.publish(2, "a", "d", c="2024-01-02")
    planned = bucket.submit(dry_run=True)
    assert (planned.pending, planned.baseline, server.locs) == (3, "previous", [])
    assert "indexnow.parquet" not in bucket.state
    submission = bucket.submit()
    assert (submission.added, submission.changed, submission.removed, submission.sent) == (1, 1, 1, 3)
    assert server.locs == [server.base_url + path for path in "bcd"]
    assert "indexnow.parquet" in bucket.state
    assert bucket.submit().pending == 0
    bucket.publish(3, "a", "d", "e", c="2024-01-02")
    assert (bucket.submit().baseline, server.locs[3:]) == ("log", [server.base_url + "e"])
    assert not [name for name in bucket.state if "journal" in name or "lock" in name]


def test_a_refusal_leaves_the_rest_to_the_next_submit(bucket: Bucket, server: Server) -> None:
    bucket.publish(1, "a")
    bucket.publish(2, *"abcdef")
    server.answers.extend([Answer(200), Answer(422)])
    with pytest.raises(FetchError, match="2 of 5 changes submitted and recorded"):
        bucket.submit(batch=2)
    del server.posts[:]
    assert bucket.submit(batch=2).sent == 3
    assert server.locs == [server.base_url + path for path in "def"]


@pytest.mark.parametrize("killed_at", [2, 3])
def test_a_killed_submit_is_continued(
    bucket: Bucket, server: Server, monkeypatch: pytest.MonkeyPatch, killed_at: int
) -> None:
    bucket.publish(1, "a")
    bucket.publish(2, *"abcdef")
    posted = 0
    post: Callable[..., bool] = client.IndexNowClient.post

    def killed(client: client.IndexNowClient, locs: list[str]) -> bool:
        nonlocal posted
        posted += 1
        if posted == killed_at:
            raise SystemExit
        return post(client, locs)

    with monkeypatch.context() as patched:
        patched.setattr(client.IndexNowClient, "post", killed)
        with pytest.raises(SystemExit):
            bucket.submit(batch=2)
    # Each submitted batch is in the bucket.
    assert len([name for name in bucket.state if "journal" in name]) == killed_at - 1
    assert bucket.submit(batch=2).sent == 5 - 2 * (killed_at - 1)
    assert server.locs == [server.base_url + path for path in "bcdef"]
    assert not [name for name in bucket.state if "journal" in name]


def test_two_submits_at_once_are_refused(bucket: Bucket) -> None:
    bucket.publish(1, "a")
    with bucket.store.lock(), pytest.raises(PublishError, match="another publish"):
        bucket.submit()


def test_a_store_without_a_published_set_is_refused(bucket: Bucket) -> None:
    with pytest.raises(InputError, match=r"s3://.* has no published set, .* publish first"):
        bucket.submit()
