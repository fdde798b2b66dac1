"""What is published, every rule of the protocol finds nothing in it, whatever kind of set it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import urlset
from support.publish_model import small
from support.published import BASE, DAY, locs
from urlset import Image, News, Section, UrlEntry, Video

VIDEO = Video(thumbnail_loc=BASE + "t.jpg", title="T", description="D", content_loc=BASE + "v.mp4")
NEWS = News(publication_name="N", publication_language="en", publication_date="2024-01-02", title="T")
PAGES: list[Any] = [
    {"loc": f"/{lang}/{page}", "group": str(page), "lang": lang, "lastmod": f"2023-12-{page + 10}"}
    for page in range(5)
    for lang in ("en", "de", "fr")
]
RICH: list[Any] = [
    UrlEntry(BASE + f"p{number}", lastmod=f"2024-01-0{number % 2 + 1}", images=[Image(BASE + "i.jpg")], videos=[VIDEO])
    for number in range(7)
]
ODD = ["/a b", "/thé", "?q=<&>'\"", "/%zz", "//example.com/x", "docs\\y", "/100%"]
KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "one document": (locs(3), {}),
    "an index": (locs(7), {}),
    "plain": (locs(7), {"compression": "none"}),
    "pretty, with a stylesheet": (locs(7), {"pretty": True, "stylesheet": True}),
    "in the order of the rows": (locs(7)[::-1], {"shard_by": "sequence"}),
    "by hash": (locs(9), {"shard_by": "hash:3"}),
    "by date": (RICH, {"shard_by": "date:day"}),
    "sections": ({"a": Section(locs(4, "a")), "b": Section(locs(5, "b"), "path:1")}, {}),
    "translations": (PAGES, {"x_default": "en"}),
    "translations with links of their own": (
        [{**row, "alternates": [{"hreflang": "it", "href": "https://example.it/"}]} for row in PAGES],
        {"x_default": "en"},
    ),
    "images and videos": (RICH, {}),
    "derived documents": ([*RICH, UrlEntry(BASE + "n", news=NEWS)], {"recent": 3, "news": True, "removed": 30}),
    "odd locs": (ODD, {}),
    "times of a database": ([{"loc": "/a", "lastmod": "2024-01-01 10:00:00"}], {"zone": "+01:00"}),
    "without invalid values": (
        [{"loc": loc, "priority": 7, "lastmod": "soon", "changefreq": "x"} for loc in locs(4)],
        {"on_bad_value": "drop"},
    ),
    "stable names": (locs(7), {"names": "stable"}),
    "another spelling of the base": (locs(7), {"base_url": "HTTPS://Example.com:443"}),
    "announced": (locs(7), {"robots": True}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_our_own_lint_finds_nothing(tmp_path: Path, kind: str) -> None:
    rows, options = KINDS[kind]
    options = {"base_url": BASE, "now": DAY[2], "allow": ["shrunk", "one-lastmod"], **options}
    folder = tmp_path / "set"
    with small():
        urlset.publish(rows, folder, **options)
        _check(folder, kind, 2)
        if isinstance(rows, list) and len(rows) > 3:
            # With rows that are gone, and back again.
            urlset.publish(rows[1:], folder, **{**options, "now": DAY[3]})
            _check(folder, kind, 3)
            if options.get("names") != "stable":
                urlset.rollback(folder)
                _check(folder, kind, 2)
    assert urlset.verify(folder).is_intact


def _check(folder: Path, kind: str, day: int) -> None:
    # What is listed as recent is in its own shard besides, which is what that document is for.
    ignored = ["IDX008"] if kind == "derived documents" else []
    report = urlset.lint(folder, location=BASE + "sitemap.xml", profile="protocol", now=DAY[day], ignore=ignored)
    assert [f"{found.code} {found.message}" for found in report] == []
