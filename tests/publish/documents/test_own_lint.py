"""Every rule finds nothing in what is published, whatever kind of set it is."""

from __future__ import annotations

import inspect
import shutil
from pathlib import Path
from typing import Any, get_args

import pytest
import urlset
from support.publish import BASE, DAY, locs
from support.publish.grouped import VALUES, grouped
from support.publish.model import small
from urlset import Image, News, Section, ShardBy, UrlEntry, Video
from urlset._options.option import options_of
from urlset._publish.values.shards import Kind

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
    "by a column of another name": (
        [{"url": loc, "brand": str(number % 2)} for number, loc in enumerate(locs(7))],
        {"shard_by": "key:brand", "columns": {"loc": "url"}},
    ),
    "by path": ([f"/{number % 2}/{number}" for number in range(9)], {"shard_by": "path:1"}),
    "several indexes": (locs(9), {}),
    "of a part of the site": ([f"/shop/{number}" for number in range(4)], {"scope": BASE + "shop/"}),
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
    "announced": (locs(7), {"update_robots": True}),
}


#: What judges the rows of these tests, and not what publish makes of them.
ABOUT_ROWS = {"MOD011": "no row has a time", "ALT008": "one group loses its page in English"}
#: The parameters of publish that change no document, and those that every kind has.
OTHER_OPTIONS = {
    *("entries", "dest", "base_url", "allow", "now", "memory", "store", "dry_run", "verify"),
    *("on_error", "on_refusal", "on_corrected", "progress"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_our_own_lint_finds_nothing(tmp_path: Path, kind: str) -> None:
    rows, options = KINDS[kind]
    options = {"base_url": BASE, "now": DAY[2], "allow": ["shrunk", "one-lastmod"], **options}
    folder = tmp_path / "set"
    with small(index=2 if kind == "several indexes" else 50_000):
        urlset.publish(rows, folder, **grouped(options))
        _check(folder, kind, 2)
        if isinstance(rows, list) and len(rows) > 3:
            # With rows that are gone, and back again.
            urlset.publish(rows[1:], folder, **grouped({**options, "now": DAY[3]}))
            _check(folder, kind, 3)
            if options.get("names") != "stable":
                urlset.rollback(folder)
                _check(folder, kind, 2)
            # And as it is recovered without its manifest.
            shutil.rmtree(folder / ".urlset")
            urlset.publish(rows, folder, **grouped({**options, "now": DAY[4]}))
            _check(folder, kind, 4)
    assert urlset.verify(folder).is_intact


def test_the_kinds_cover_every_option() -> None:
    used = {name for _, options in KINDS.values() for name in options}
    values = {each.name for value in VALUES.values() for each in options_of(value)}
    known = values | set(inspect.signature(urlset.publish).parameters) - VALUES.keys()
    assert known - OTHER_OPTIONS <= used
    ways = {ShardBy.parse(options["shard_by"]).kind for _, options in KINDS.values() if "shard_by" in options}
    assert ways | {"sticky"} == set(get_args(Kind))


def test_a_set_of_another_program_that_was_taken_over(tmp_path: Path) -> None:
    urlset.write(locs(3), tmp_path / "pages.xml")
    urlset.write(locs(3, "q"), tmp_path / "posts.xml.gz")
    urlset.write([urlset.SitemapEntry(BASE + name) for name in ("pages.xml", "posts.xml.gz")], tmp_path / "sitemap.xml")
    for day, rows in enumerate([[*locs(3), *locs(3, "q")], [*locs(4), *locs(2, "q")]]):
        urlset.publish(rows, tmp_path, base_url=BASE, now=DAY[day])
        _check(tmp_path, "taken over", day)


def _check(folder: Path, kind: str, day: int) -> None:
    # What is listed as recent is in its own shard besides, which is what that document is for.
    ignored = ["IDX008"] if kind == "derived documents" else []
    report = urlset.lint(
        folder,
        location=BASE + "sitemap.xml",
        now=DAY[day],
        rules=urlset.Rules(profile="protocol", select=["ALL"], preview=True, ignore=[*ABOUT_ROWS, *ignored]),
    )
    assert [f"{found.code} {found.message}" for found in report] == []
