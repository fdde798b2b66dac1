"""`urlset publish`: into an object store, with its options and headers."""

from __future__ import annotations

from typing import Any

import pytest
import urlset
from support.cli import Cli, unwrapped
from support.cli.readback import BASE, TO, Put
from support.s3 import KEY, SECRET, S3Server, s3_server

__all__ = ["s3_server"]


def test_a_set_is_published_in_an_object_store(cli: Cli, put: Put, s3_server: S3Server) -> None:
    bucket = s3_server.new_bucket()
    put("rows.csv", "loc\n/a\n/b\n")
    where = ("--dest", f"s3://{bucket}/maps", "--store", f"endpoint={s3_server.options['endpoint']}")
    options = ("--store", "region=us-east-1", "--store", "allow_http=true")
    keys: dict[str, Any] = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
    header = ("--object-headers", "*.xml:Cache-Control=max-age=60")
    base = ("--base-url", BASE + "maps/")
    ended = cli("publish", "rows.csv", *where, *options, *header, *base, **keys)
    assert (ended.code, ended.err) == (0, "")
    assert "Published 2 entries in 1 shard: https://example.com/maps/sitemap.xml" in ended.out
    status, headers, content = s3_server.ask("GET", f"/{bucket}/maps/sitemap.xml")
    assert (status, headers["cache-control"]) == (200, "max-age=60")
    assert [entry.loc for entry in urlset.parse(content)] == [BASE + "a", BASE + "b"]
    ended = cli(
        "read", f"s3://{bucket}/maps/", "--format", "csv", "--columns", "loc,document", *options, *where[2:], **keys
    )
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[1:] == [f"{BASE}{name},s3://{bucket}/maps/sitemap.xml" for name in ("a", "b")]
    for verb in ("lint", "stats"):
        assert cli(verb, f"s3://{bucket}/maps/sitemap.xml", *options, *where[2:], **keys).code == 0
    assert cli("diff", f"s3://{bucket}/maps/*.xml", f"s3://{bucket}/maps/", *options, *where[2:], **keys).code == 0
    ended = cli("lint", f"s3://{bucket}/maps/", "--fix", *options, *where[2:], **keys)
    assert (ended.code, "cannot be fixed: download it" in unwrapped(ended.err)) == (2, True)
    put("rows.csv", "loc\n/a\n/b\n/c\n")
    assert cli("publish", "rows.csv", *where, *options, *base, **keys).code == 0
    ended = cli("publish", "--rollback", *where, *options, **keys)
    assert (ended.code, ended.err) == (0, "")
    assert s3_server.ask("GET", f"/{bucket}/maps/sitemap.xml")[2] == content


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--store", "region"], "'region' is not NAME=VALUE"),
        (["--store", "Region=x"], "'Region' is not a store option"),
        (["--object-headers", "*.xml"], "'*.xml' is not GLOB:NAME=VALUE"),
        (["--object-headers", "*.xml:Cache-Control"], "'Cache-Control' is not NAME=VALUE"),
    ],
)
def test_an_invalid_option_of_a_store_is_reported(cli: Cli, put: Put, option: list[str], said: str) -> None:
    put("rows.csv", "loc\n/a\n")
    ended = cli("publish", "rows.csv", *TO, *option)
    assert ended.code == 2
    assert said in unwrapped(ended.err)
