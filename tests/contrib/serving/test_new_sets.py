"""Both apps that serve a published set, behind real servers: while sets are published, and what is damaged."""

from __future__ import annotations

import logging
import shutil
import threading
from datetime import timedelta
from pathlib import Path

import pytest
import urlset
from support.serve.sets import APPS, OPENED, THEN, Servers, publish, tea

# --- a new set ----------------------------------------------------------------------------------------------


def test_a_new_set_is_served_from_the_next_request_on(serve: Servers, tmp_path: Path) -> None:
    publish(tmp_path)
    client = serve(tmp_path)
    before, old = client.ask("/sitemap.xml"), tea(tmp_path)
    publish(tmp_path, 50, THEN + timedelta(days=1))
    after = client.ask("/sitemap.xml", if_none_match=before.headers["etag"])
    assert after.status == 200
    assert after.body == (tmp_path / "sitemap.xml").read_bytes() != before.body
    # Who has read the index before still finds what it lists.
    assert client.ask(f"/{old}").status == 200
    publish(tmp_path, 60, THEN + timedelta(days=2))
    assert client.ask("/sitemap.xml").status == 200
    assert client.ask(f"/{old}").status == 404


def test_a_name_that_is_new_is_found_before_the_next_check(serve: Servers, tmp_path: Path) -> None:
    publish(tmp_path)
    client = serve(tmp_path, check_every=3600)
    old, index = tea(tmp_path), client.ask("/sitemap.xml").body
    publish(tmp_path, 50, THEN + timedelta(days=1))
    (new,) = {path.name for path in tmp_path.glob("sitemap-tea-*")} - {old}
    assert client.ask("/sitemap.xml").body == index
    assert client.ask(f"/{new}").body == (tmp_path / new).read_bytes()
    assert client.ask("/sitemap.xml").body != index


def test_answers_are_whole_while_sets_are_published(serve: Servers, tmp_path: Path) -> None:
    """Each tag belongs to the same bytes all the time, with names that are replaced in place."""
    layout = urlset.Layout(compression="none", names="stable")
    publish(tmp_path, layout=layout)
    client, is_over = serve(tmp_path), threading.Event()
    seen: dict[str, set[bytes]] = {}
    statuses: set[int] = set()

    def ask() -> None:
        while not is_over.is_set():
            for target in ("/sitemap.xml", "/sitemap-tea-0001.xml"):
                got = client.ask(target)
                statuses.add(got.status)
                if got.status == 200:
                    assert got.body.rstrip().endswith((b"</urlset>", b"-->", b"</sitemapindex>"))
                    seen.setdefault(got.headers["etag"], set()).add(got.body)

    readers = [threading.Thread(target=ask) for _ in range(2)]
    for reader in readers:
        reader.start()
    for day in range(1, 7):
        publish(tmp_path, 40 + day, THEN + timedelta(days=day), layout=layout)
    is_over.set()
    for reader in readers:
        reader.join()
    assert statuses == {200}
    assert len(seen) > 4
    assert {len(bodies) for bodies in seen.values()} == {1}


def test_a_publish_that_was_cut_short_after_its_commit_counts(serve: Servers, tmp_path: Path) -> None:
    publish(tmp_path / "a")
    old = (tmp_path / "a" / ".urlset" / "manifest.parquet").read_bytes()
    publish(tmp_path / "a", 50, THEN + timedelta(days=1))
    state = tmp_path / "a" / ".urlset"
    (state / "manifest.parquet").rename(state / "next.parquet")
    (state / "manifest.parquet").write_bytes(old)
    client = serve(tmp_path / "a")
    assert client.ask("/sitemap.xml").body == (tmp_path / "a" / "sitemap.xml").read_bytes()


# --- what is damaged ----------------------------------------------------------------------------------------


def test_a_folder_that_is_not_there_is_an_error(serve: Servers, tmp_path: Path) -> None:
    with pytest.raises(urlset.InputError, match=r"dest must be a folder that exists, got .*: publish into it first"):
        APPS[serve.kind](tmp_path / "missing")
    with pytest.raises(urlset.InputError, match="check_every must be a number of seconds"):
        APPS[serve.kind](tmp_path, check_every=-1)
    with pytest.raises(urlset.InputError, match="memory must be a number of bytes"):
        APPS[serve.kind](tmp_path, memory=-1)


def test_a_folder_without_a_set_is_served_once_there_is_one(
    serve: Servers, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    client = serve(tmp_path)
    for target in ("/sitemap.xml", "/sitemap-0001.xml"):
        got = client.ask(target)
        assert (got.status, got.headers["retry-after"]) == (503, "60")
    assert client.ask("/other.html").status == client.ask("/robots.txt").status == 404
    publish(tmp_path)
    assert client.ask("/sitemap.xml").status == 200
    lines = [record.getMessage() for record in caplog.records if record.name == "urlset.serve"]
    assert lines == [f"{tmp_path}: its manifest, .urlset/manifest.parquet, is missing or damaged: publish into it"]


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("name", [".urlset/manifest.parquet", "sitemap.xml"])
def test_a_damaged_set_is_not_served(
    serve: Servers, tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    publish(tmp_path, update_robots=True)
    running = serve(tmp_path)
    whole = running.ask("/sitemap.xml")
    damage(tmp_path / name)
    got = serve(tmp_path).ask("/sitemap.xml")
    assert got.status == 503
    assert b"Traceback" not in got.body
    assert str(tmp_path).encode() not in got.body
    assert any(str(tmp_path) in line for line in caplog.messages)
    # What says what crawlers must not read is there all the same, and who knew the set before goes on with it.
    assert serve(tmp_path).ask("/robots.txt").status == 200
    assert running.ask("/sitemap.xml").body == whole.body


def test_a_damaged_document_is_not_served(serve: Servers, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    publish(tmp_path)
    name = tea(tmp_path)
    damage(tmp_path / name)
    client = serve(tmp_path)
    for encoding in ("identity", "gzip"):
        assert client.ask(f"/{name}", accept_encoding=encoding).status == 503
    assert client.ask("/sitemap.xml").status == 200
    (tmp_path / name).unlink()
    assert client.ask(f"/{name}").status == 503
    line = f"{tmp_path}/{name} is missing, or not as it was published: publish again"
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == [line]
    shutil.rmtree(tmp_path / ".urlset")
    assert client.ask("/sitemap.xml").status == 200  # from memory, until it ends


def test_a_damaged_set_is_not_read_for_each_request(serve: Servers, tmp_path: Path) -> None:
    publish(tmp_path)
    damage(tmp_path / ".urlset" / "manifest.parquet")
    client = serve(tmp_path, check_every=3600)
    client.ask("/sitemap.xml")
    with OPENED.watched() as paths:
        for number in range(10):
            assert client.ask(f"/sitemap-{number:04}.xml").status == 503
    assert paths == []
    publish(tmp_path)
    assert client.ask("/sitemap-0001.xml").status == 404
    assert client.ask("/sitemap.xml").status == 200
