"""The file of a watch's state: whose it is, and who may use it."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
import urlset
from support.http_server import Answer, Handler, Site
from support.watch.watched import BASE
from urlset import Http

from watch.test_watch import run


def test_a_state_belongs_to_one_source(tmp_path: Path, state: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(f"{BASE}\n")
    run(tmp_path / "a.txt", state)
    with pytest.raises(urlset.InputError, match=r"is the state of a watch of .*a\.txt: name another file for .*b\.txt"):
        run(tmp_path / "b.txt", state)
    with pytest.raises(urlset.InputError, match="state must be a file that a run has written"):
        urlset.watch(state=tmp_path / "none.sqlite")
    with pytest.raises(urlset.InputError, match="since must be the number of a run"):
        urlset.watch(state=state, since=-1)
    with pytest.raises(urlset.InputError, match="source must be a path or a URL"):
        urlset.watch(b"https://shop.example/\n", state=state)
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        connection.execute("CREATE TABLE pages (url TEXT)")
    with pytest.raises(urlset.InputError, match="is a database of something else"):
        run(tmp_path / "a.txt", tmp_path / "shop.sqlite")


def test_two_looks_at_once_are_refused(site: Site, state: Path) -> None:
    waits, goes = threading.Event(), threading.Event()

    def page(handler: Handler) -> Answer:
        waits.set()
        goes.wait(30)
        return Answer(site.urlset("/a", 1))

    site.pages["/a.xml"] = page
    first = threading.Thread(target=run, args=(f"{site.url}/a.xml", state))
    first.start()
    assert waits.wait(30)
    with pytest.raises(urlset.InputError, match=r"another run with the state .* is under way"):
        run(f"{site.url}/a.xml", state)
    goes.set()
    first.join()
    assert run(f"{site.url}/a.xml", state) == []


def test_another_run_can_use_the_cache_of_a_watch(site: Site, state: Path) -> None:
    site.pages["/a.xml"] = Answer(site.urlset("/a", 2), headers={"ETag": '"1"'})
    run(f"{site.url}/a.xml", state)
    urlset.read(f"{site.url}/a.xml", http=Http(cache=state))
    assert [headers.get("if-none-match") for path, headers in site.requests if path == "/a.xml"] == [None, '"1"']
