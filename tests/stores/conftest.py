"""What the tests of stores share: an S3 server, and a bucket for each test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.s3 import S3Server, s3_server
from support.stores import Clock
from urlset._stores.objects import ObjectStore
from urlset._stores.open import open_store

__all__ = ["s3_server"]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def bucket(s3_server: S3Server) -> str:
    return s3_server.new_bucket()


@pytest.fixture
def open_it(s3_server: S3Server, bucket: str, clock: Clock) -> Callable[..., ObjectStore]:
    """Return a function that opens `set/` in the bucket, with further options."""

    def opened(**options: Any) -> ObjectStore:
        store = open_store(f"s3://{bucket}/set", **{"clock": clock, **s3_server.options, **options})
        assert isinstance(store, ObjectStore)
        return store

    return opened
