"""What results show of themselves in a notebook: pictures and tables of what strangers wrote, without their markup."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import pytest
import urlset
from lxml import etree, html
from support.http_server import Answer, serve
from urlset._model.notebook import bars

HTTP = urlset.Http(retries=0, timeout=10)
EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>&amp;\"'"
TAGS = {
    *("div", "p", "strong", "table", "caption", "thead", "tbody", "tr", "th", "td"),
    *("svg", "g", "title", "text", "rect"),
}


class Shown(Protocol):
    """Something that shows itself in a notebook."""

    def _repr_html_(self) -> str: ...


def parsed(shown: Shown) -> Any:
    """Parse what is shown: it has our tags alone, and no attribute that acts or loads."""
    tree = html.fragment_fromstring(shown._repr_html_())
    assert {each.tag for each in tree.iter()} <= TAGS
    names = {name for each in tree.iter() for name in each.attrib}
    assert not [name for name in names if name.startswith("on") or name in ("href", "src")]
    for picture in tree.iter("svg"):
        assert picture.get("aria-label")
    return tree


def counts(tree: Any, title: str) -> dict[str, int]:
    """The counts of a picture, by what each bar says when it is pointed at."""
    [picture] = [each for each in tree.iter("svg") if each.get("aria-label") == title]
    said = (each.text.rpartition(": ") for each in picture.iter("title"))
    return {name: int(count.replace(",", "")) for name, _, count in said}


def test_each_result_shows_what_it_counts(tmp_path: Path) -> None:
    base = "https://shop.example/"
    evil = f"{base}tea?{EVIL}".replace(" ", "%20")
    rows: list[dict[str, Any]] = [{"loc": evil, "lastmod": "2026-01-02"}, {"loc": "/a"}, {"loc": "/b/c"}]
    plan = urlset.publish(rows, tmp_path / "site", base_url=base).plan
    assert counts(parsed(plan), "entries") == {"added": 3, "changed": 0, "removed": 0, "moved": 0, "same": 0}
    planned = urlset.publish(rows[:1], tmp_path / "site", base_url=base, dry_run=True).plan
    assert counts(parsed(planned), "entries")["removed"] == 2
    assert {each.text for each in parsed(planned).iter("caption")} >= {"guards"}
    found = urlset.stats(tmp_path / "site")
    assert counts(parsed(found), "sections") == found.sections
    with urlset.diff(tmp_path / "site", tmp_path / "site") as same:
        assert counts(parsed(same), "entries") == {"added": 0, "removed": 0, "changed": 0, "same": 3}


def test_a_site_shows_what_was_found_there() -> None:
    with serve() as site:
        site.pages["/robots.txt"] = Answer(f"Sitemap: {site.url}/{EVIL.replace(' ', '%20')}.xml\n".encode())
        site.pages["/sitemap.xml"] = Answer(site.urlset("/gone", 3))
        found = urlset.discover(site.url, http=HTTP)
        assert counts(parsed(found), "entries") == {each.url: each.entries for each in found if each.problem is None}
        assert sum("script" in each.text_content() for each in parsed(found).iter("td")) == 1
        with urlset.audit(f"{site.url}/sitemap.xml", http=HTTP) as audit:
            tree = parsed(audit)
        assert counts(tree, "pages, by rule") == audit.counts == {"LIVE001": 3}
        assert [each.text for each in tree.iter("caption")] == ["the first findings"]


def test_a_picture_is_svg_with_one_bar_for_each_count() -> None:
    many = {f"/{EVIL}{number}/": number for number in range(30)}
    tree = etree.fromstring(bars("sections", many))
    names = [each.text for each in tree.iter("{*}title")]
    assert len(names) == 13
    assert names[-1] == f"18 others: {sum(range(12, 30))}"
    widths = [float(each.get("width", "")) for each in tree.iter("{*}rect")]
    assert widths[0] == 0
    assert widths == sorted(widths)
    assert bars("sections", {}) == ""
    [empty] = etree.fromstring(bars("all", {"none": 0})).iter("{*}rect")
    assert float(empty.get("width", "")) == 0


@pytest.mark.parametrize("count", [1, 1_000_000])
def test_the_smallest_count_is_seen(count: int) -> None:
    tree = etree.fromstring(bars("pages", {"many": count, "one": 1}))
    assert all(float(each.get("width", "")) >= 1.5 for each in tree.iter("{*}rect"))
