"""A folder with any kind of entry: links, pipes, and files that are too deep, too large or unreadable."""

from __future__ import annotations

import os
import sys
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from support.html_site import BASE, Skips, site
from urlset.sources.html import PageBudget, pages


def test_no_link_leads_out_of_the_folder(tmp_path: Path) -> None:
    outside = site(tmp_path / "outside", "secret.html")
    inside = site(tmp_path / "inside", "a.html", "real/b.html")
    site(tmp_path / "inside-2", "c.html")
    (inside / "file.html").symlink_to(outside / "secret.html")
    (inside / "folder").symlink_to(outside)
    (inside / "sibling").symlink_to("../inside-2")
    (inside / "up").symlink_to("..")
    (inside / "other.html").symlink_to("real/b.html")
    (inside / "latest").symlink_to("real")
    skips = Skips()
    found = pages(inside, base_url=BASE, on_skip=skips)
    assert [row["file"] for row in found] == ["a.html", "latest/b.html", "other.html", "real/b.html"]
    assert skips.reasons == dict.fromkeys(("file.html", "folder/", "sibling/", "up/"), "outside")
    assert found.skipped == {"outside": 4}
    assert (found.pages, found.taken) == (5, 4)
    # The folder itself may be a link.
    (tmp_path / "link").symlink_to(inside)
    assert len(list(pages(tmp_path / "link", base_url=BASE))) == 4


def test_circular_links_end(tmp_path: Path) -> None:
    site(tmp_path, "a/x.html", "b/y.html")
    (tmp_path / "a" / "self").symlink_to(".")
    (tmp_path / "a" / "up").symlink_to("..")
    (tmp_path / "a" / "b").symlink_to("../b")
    (tmp_path / "b" / "a").symlink_to("../a")
    (tmp_path / "ring.html").symlink_to("ring.html")
    (tmp_path / "gone.html").symlink_to("nothing.html")
    skips = Skips()
    found = [row["file"] for row in pages(tmp_path, base_url=BASE, on_skip=skips)]
    assert found == ["a/b/y.html", "a/x.html", "b/a/x.html", "b/y.html"]
    assert {file for file, reason in skips.reasons.items() if reason == "link"} == {
        *("a/b/a/", "a/self/", "a/up/"),
        *("b/a/b/", "b/a/self/", "b/a/up/"),
    }
    assert {file for file, reason in skips.reasons.items() if reason == "unreadable"} == {"gone.html", "ring.html"}


def test_links_do_not_multiply(tmp_path: Path) -> None:
    for number in range(30):
        folder = site(tmp_path, f"{number}/x.html") / str(number)
        for name in ("l", "r"):
            (folder / name).symlink_to(f"../{number + 1}")
    (tmp_path / "30").mkdir()
    assert len(list(pages(tmp_path, base_url=BASE))) == 30 + 2 * 29


def test_a_folder_that_is_too_deep_is_reported(tmp_path: Path) -> None:
    site(tmp_path, "a/b/x.html", "a/b/c/y.html")
    skips = Skips()
    found = pages(tmp_path, base_url=BASE, on_skip=skips, budget=PageBudget(depth=2))
    assert [row["file"] for row in found] == ["a/b/x.html"]
    assert skips.reasons == {"a/b/c/": "deep"}
    assert (found.pages, found.skipped) == (1, {"deep": 1})


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.html")
    (tmp_path / "folder.html").mkdir()
    skips = Skips()
    assert list(pages(tmp_path, base_url=BASE, on_skip=skips)) == []
    assert skips.details == {"pipe.html": "it is not a regular file"}


def test_a_file_over_the_budget_is_not_read(tmp_path: Path) -> None:
    path = site(tmp_path, "a.html") / "a.html"
    with path.open("ab") as file:
        file.write(b'<script type="application/ld+json">{"dateModified":"2024-01-01","x":"')
        file.truncate(100_000_000)
    found = pages(tmp_path, base_url=BASE)
    tracemalloc.start()
    try:
        assert list(found) == []
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert found.skipped == {"unreadable": 1}


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no such rights")
def test_an_unreadable_file_is_reported() -> None:
    skips = Skips()
    with TemporaryDirectory() as name:  # whose parents anybody may enter
        folder = site(Path(name), "a.html", "b/c.html", "d.html")
        found = pages(folder, base_url=BASE, on_skip=skips)
        folder.chmod(0o755)
        for path in (folder / "a.html", folder / "b"):
            path.chmod(0)
        is_root = os.geteuid() == 0
        try:
            if is_root:
                os.seteuid(65534)
            assert [row["file"] for row in found] == ["d.html"]
        finally:
            if is_root:
                os.seteuid(0)
            (folder / "b").chmod(0o755)
    assert skips.details == {
        "a.html": "it cannot be read: Permission denied",
        "b/": "the folder cannot be listed: Permission denied",
    }
    assert (found.pages, found.skipped) == (2, {"unreadable": 2})
