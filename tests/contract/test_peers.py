"""The page that says what other readers make of the vectors: that it is about these vectors, and how it judges."""

from __future__ import annotations

import re
import runpy
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "peers.md"
with patch.object(sys, "path", [str(ROOT / "vectors"), *sys.path]):  # as Python does for a script
    PEERS = runpy.run_path(str(ROOT / "vectors" / "peers.py"))
READERS = runpy.run_path(str(ROOT / "vectors" / "peer_readers.py"))
MARKS = [PEERS[name] for name in ("EXACT", "SAID", "LOST", "WRONG")]
STALE = "run `python benches/run.py --peers` and `python vectors/peers.py`"


def rows(section: str) -> list[list[str]]:
    """The cells of the tables of a section, without their heads."""
    lines = [line for line in section.splitlines() if line.startswith("| ") and not line.startswith("| ---")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] not in {"vector", "reader"}]


def sections() -> dict[str, str]:
    """The page's parts by their headings."""
    _, *parts = re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    return dict(part.split("\n", 1) for part in parts)


def marked() -> dict[str, list[str]]:
    """Each vector's marks, by its name, in the order of the page."""
    tables = {name: text for name, text in sections().items() if name not in {"Summary", "How they were asked"}}
    found = {}
    for authority, text in tables.items():
        for link, *marks in rows(text):
            name = link[1 : link.index("]")]
            assert name.startswith(f"{authority}/")
            assert link == f"[{name}](../vectors/{name}.json)"
            assert name not in found
            found[name] = marks
    return found


def test_the_page_lists_the_vectors_that_there_are() -> None:
    assert list(marked()) == [vector.name for vector in PEERS["load"]()], STALE


def test_every_reader_has_a_mark_everywhere() -> None:
    summary = rows(sections()["Summary"])
    assert [label for label, *_ in summary] == [peer.label for peer in PEERS["ALL"]], STALE
    for column, (_, _, *counts) in enumerate(summary):
        count = Counter(marks[column] for marks in marked().values())
        assert [str(count.pop(mark, 0)) for mark in MARKS] == counts
        assert not count


def test_we_read_them_all_and_say_so() -> None:
    own = [peer.label for peer in PEERS["ALL"]].index("urlset")
    assert {name for name, marks in marked().items() if marks[own] != PEERS["EXACT"]} == set(), STALE


def test_the_peers_are_the_ones_that_are_pinned() -> None:
    pins = (ROOT / "benches" / "requirements-peers.txt").read_text("utf-8")
    pinned = dict(re.findall(r"^([\w.-]+)==([\w.]+)", pins, re.MULTILINE))
    packages = {peer.label: peer.package for peer in PEERS["ALL"]}
    for label, version, *_ in rows(sections()["Summary"]):
        assert label == "urlset" or version == pinned[packages[label]], STALE


def judge(expected: tuple[str, ...], locs: list[str], said: str = "") -> str:
    """What is made of an answer to a vector with these locs."""
    vector = PEERS["Vector"]("a/b", Path("b.xml"), None, "urlset", expected)
    mark: str = PEERS["judge"](vector, PEERS["Answer"](locs, said))
    return mark


@pytest.mark.parametrize(
    ("locs", "said", "expected"),
    [
        (["/1", "/2", "/3"], "", "✓"),
        (["/1", "/2", "/3"], "a warning", "✓"),
        (["http://a.example/1", "http://a.example/2", "http://a.example/3"], "", "✓"),
        (["/1", "/3"], "", "−"),
        (["http://a.example/2"], "", "−"),
        (["/1", "/3"], "an exception", "!"),
        ([], "", "−"),
        ([], "an exception", "!"),
        (["/1", "/2", "/3", "/4"], "", "✗"),
        (["/1", "/2", "/3", "/3"], "", "✗"),
        (["/2", "/1"], "", "✗"),
        (["/1", "http://a.example/2"], "", "✗"),
        (["/1", "/2x"], "an exception", "✗"),
    ],
)
def test_an_answer_is_judged_by_its_locs(locs: list[str], said: str, expected: str) -> None:
    assert judge(("/1", "/2", "/3"), locs, said) == expected


def test_nothing_is_the_right_answer_where_there_is_nothing() -> None:
    assert judge((), [], "an exception") == "✓"
    assert judge((), []) == "✓"
    assert judge((), ["/1"]) == "✗"


def test_an_exception_keeps_what_was_found_before() -> None:
    def ask(data: bytes, url: str, location: str | None) -> Any:
        yield "1"
        yield None
        yield ""
        raise ValueError(data, url, location)

    found = READERS["answer"](ask, b"x", "http://a.example/", None)
    assert found.locs == ["1"]
    assert found.said.startswith("ValueError: ")


def test_a_peer_gets_a_url_with_the_suffix_of_the_file() -> None:
    vector = PEERS["Vector"]
    urls = [
        PEERS["url_of"](vector("a/b", Path(name), location, kind, ()))
        for name, location, kind in [
            ("b.xml", None, "urlset"),
            ("b.xml.gz", None, None),
            ("b.bin", None, "urlset"),
            ("b.txt", None, "text"),
            ("b.txt", None, "robots"),
            ("b.xml", "https://b.example/c/d.xml", "urlset"),
        ]
    ]
    base = "http://a.example"
    names = ["sitemap.xml", "sitemap.xml.gz", "sitemap.xml", "sitemap.txt", "robots.txt"]
    assert urls == [*(f"{base}/{name}" for name in names), "https://b.example/c/d.xml"]
