"""The content of one page: checked by hand on pages of six generators, and by lxml on each of their texts and links."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from lxml import html as lxml_html
from urlset._page.facts import PageFacts
from urlset.sources._locs import Locs
from urlset.sources._page import PageBudget, SkippedPage, listed_loc, read_page

DATA = Path(__file__).parent / "data"
#: Where each page lives, by its generator.
LOCS = {
    "hugo": "https://garden.example/posts/drying-chillies/",
    "jekyll": "https://notes.example/2024/11/05/monorepo.html",
    "astro": "https://queue.example/guides/limits/",
    "eleventy": "https://faehre.example/blog/fahrplan/",
    "mkdocs": "https://tool.example/2.1/reference/cli/",
    "sphinx": "https://ledger.example/en/stable/guide/locking.html",
}
HERE = "https://a.example/here/"
every_generator = pytest.mark.parametrize("generator", LOCS)


def locs(loc: str) -> Locs:
    return Locs(loc.rpartition("/")[0] + "/", "slash", "keep")


def page(html: str | bytes, loc: str = HERE, **budget: int) -> PageFacts:
    data = html.encode() if isinstance(html, str) else html
    return read_page(data, loc, locs(loc), PageBudget(**budget))


def of(head: str = "", body: str = "", *, title: str = "T") -> PageFacts:
    return page(f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>")


def skipped(found: PageFacts, loc: str = HERE) -> str | None:
    try:
        listed_loc(found, loc, locs(loc))
    except SkippedPage as reason:
        return reason.reason
    return None


def digest(html: str | bytes, loc: str) -> int | None:
    return page(html, loc).content_hash


def built(generator: str) -> str:
    return (DATA / f"{generator}.html").read_text()


# --- pages of generators ------------------------------------------------------------------------------------

LASTMODS = {
    "hugo": "2025-10-02T19:05:41+01:00",
    "jekyll": "2024-12-01T09:15:00+00:00",
    "astro": None,
    "eleventy": "2025-11-20",
    "mkdocs": None,
    "sphinx": None,
}
ALTERNATES = {
    "hugo": [
        ("en", "https://garden.example/posts/drying-chillies/"),
        ("pt", "https://garden.example/pt/posts/secar-malaguetas/"),
    ],
    "astro": [
        ("en", "https://queue.example/guides/limits/"),
        ("ja", "https://queue.example/ja/guides/limits/"),
    ],
}
IMAGES = {
    "hugo": ["https://garden.example/posts/drying-chillies/rack_hu_9c41d27e0ab35f68.webp"],
    "jekyll": ["https://notes.example/assets/graph.png"],
    "astro": ["https://queue.example/_astro/sizes.Cd3gT1x2_Z1Ab3.webp"],
    "eleventy": ["https://faehre.example/img/Kq8Zr1xTmn-960.jpeg"],
    "sphinx": ["https://ledger.example/en/stable/_images/states.png"],
}
#: One word in the content of each page, and another one for it.
WORDS = {
    "hugo": ("eleven", "twelve"),
    "jekyll": ("forty", "fifty"),
    "astro": ("256", "128"),
    "eleventy": ("21:40", "21:45"),
    "mkdocs": ("nothing", "something"),
    "sphinx": ("first", "last"),
}
#: What the next build writes in the place of dates, years, hashes and nonces.
ANOTHER_BUILD = {
    "2026-01-02": "2027-03-04",
    "10:11": "23:59",
    "Jan 02, 2026": "Mar 04, 2027",
    "2026": "2027",
    "3f9c2a1b": "a07be41d",
    "9c41d27e0ab35f68": "01ff9e6cd1a45b2e",
    "bm9uY2Ux": "c2Vjb25k",
    "B7xk2_dQ": "Zp0_1kLm",
    "Cd3gT1x2_Z1Ab3": "Qw7eR2t9_Z9Yx8",
    "1735812671": "1799999999",
}


@every_generator
def test_the_content_of_generated_pages_is_as_written_by_hand(generator: str) -> None:
    found = page(built(generator), LOCS[generator])
    assert skipped(found, LOCS[generator]) is None
    assert found.fits_charset
    assert found.lastmod == LASTMODS[generator]
    assert (found.bad_dates, found.bad_json) == (0, 0)
    assert list(found.hreflang) == ALTERNATES.get(generator, [])
    assert list(found.images) == IMAGES.get(generator, [])


@every_generator
def test_another_build_on_another_day_has_the_same_hash(generator: str) -> None:
    before = built(generator)
    after = before
    for old, new in ANOTHER_BUILD.items():
        after = after.replace(old, new)
    assert after != before
    assert digest(after, LOCS[generator]) == digest(before, LOCS[generator])


@every_generator
def test_one_other_word_in_the_content_has_another_hash(generator: str) -> None:
    before, (old, new) = built(generator), WORDS[generator]
    assert before.count(old) == 1
    assert digest(before.replace(old, new), LOCS[generator]) != digest(before, LOCS[generator])


# --- the same by lxml: every text and every link is changed in turn ---------------------------------------------

COUNTED = {("a", "href"), ("img", "src"), ("img", "alt")}
DROPPED = {"script", "style", "noscript", "template", "svg", "nav", "footer", "aside"}


def content_by_lxml(tree: Any) -> Any:
    for path in ("//main", "//*[@role='main']", "//article"):
        if len(found := tree.xpath(path)) == 1:
            return found[0]
    return tree.find("body")


def counts_by_lxml(element: Any, root: Any) -> bool:
    above = [element, *element.iterancestors()]
    inside = above[: above.index(root)] if root in above else None
    return inside is not None and not any(
        each.tag in DROPPED or "hidden" in each.attrib or each.get("aria-hidden") == "true" for each in inside
    )


def changes(generator: str) -> Iterator[tuple[str, bytes, bool]]:
    """Change each text, href and src of a page; yield it, the changed page, and whether the content changed."""
    tree: Any = lxml_html.document_fromstring(built(generator).encode())
    root = content_by_lxml(tree)

    def written() -> bytes:
        text: bytes = lxml_html.tostring(tree, encoding="utf-8", doctype="<!doctype html>")
        return text

    yield "nothing", written(), False
    for element in tree.iter():
        is_comment = element.tag is etree.Comment
        for part, owner in (("text", element), ("tail", element.getparent())):
            text = getattr(element, part)
            if not text or not text.strip() or owner is None:
                continue
            is_title = part == "text" and element.tag == "title" and owner.getparent().tag == "head"
            setattr(element, part, f"{text} zebra")
            is_data = part == "text" and element.tag == "script" and element.get("type") == "application/ld+json"
            is_seen = not (is_comment and part == "text") and counts_by_lxml(owner, root)
            counts = is_title or is_data or is_seen
            yield f"{part} {text!r}", written(), counts
            setattr(element, part, text)
        for name, value in [] if is_comment else element.items():
            element.set(name, f"{value}zebra")
            counts = (element.tag, name) in COUNTED and counts_by_lxml(element, root)
            if name not in ("hidden", "aria-hidden", "role", "charset"):
                yield f"{element.tag}.{name} {value!r}", written(), counts
            element.set(name, value)


@every_generator
def test_only_texts_and_attributes_of_the_content_count(generator: str) -> None:
    cases = list(changes(generator))
    before = digest(cases[0][1], LOCS[generator])
    wrong = [what for what, html, counts in cases if (digest(html, LOCS[generator]) != before) is not counts]
    assert wrong == []
    assert len(cases) > 60
    assert 10 < sum(counts for _, _, counts in cases) < len(cases) - 10


@every_generator
def test_lxml_reads_the_same_head(generator: str) -> None:
    tree: Any = lxml_html.document_fromstring(built(generator).encode(), base_url=LOCS[generator])
    found = page(built(generator), LOCS[generator])
    tree.make_links_absolute()
    assert found.title == tree.findtext("head/title").strip()
    hreflangs = tree.xpath("//head/link[@rel='alternate'][@hreflang]")
    assert list(found.hreflang) == [(each.get("hreflang"), each.get("href")) for each in hreflangs]
    canonicals = tree.xpath("//head/link[@rel='canonical']/@href")
    assert canonicals in ([], [LOCS[generator]])


# --- pages that are left out --------------------------------------------------------------------------------

LEFT_OUT = [
    ('<meta name="robots" content="noindex">', "noindex"),
    ('<META NAME="ROBOTS" CONTENT="Follow , NoIndex">', "noindex"),
    ("<meta name=robots content=none>", "noindex"),
    ('<meta name="Googlebot" content="noindex">', "noindex"),
    ('<meta name="robots" content="index, follow, max-image-preview: none, max-snippet:-1">', None),
    ('<meta name="robots" content="noindexing">', None),
    ('<meta name="bingbot" content="noindex">', None),
    ('<meta name="robots">', None),
    ('<noscript><meta name="robots" content="noindex"></noscript>', None),
    ('<!-- <meta name="robots" content="noindex"> -->', None),
    ('<link rel="canonical" href="https://a.example/there/">', "canonical"),
    ('<link rel="nofollow CANONICAL" href="/there/">', "canonical"),
    ('<link rel="canonical" href="http://a.example/here/">', None),
    ('<link rel="canonical" href="https://www.a.example/here/">', None),
    ('<link rel="canonical" href="?page=2">', "canonical"),
    ('<base href="/there/"><link rel="canonical" href="x.html">', "canonical"),
    ('<link rel="canonical" href="https://a.example/here/">', None),
    ('<link rel="canonical" href="HTTPS://A.EXAMPLE:443/here/index.html#top">', None),
    ('<link rel="canonical" href="https://a.example/%68ere/">', None),
    ('<link rel="canonical" href="  ../here/\n">', None),
    ('<base href="/"><link rel="canonical" href="here/">', None),
    ('<link rel="canonical" href="">', None),
    ('<link rel="canonical" href="https://[/">', None),
    ('<link rel="canonical" href="mailto:x@a.example">', None),
    ('<link rel="canonical" href="/there/"><link rel="canonical" href="/elsewhere/">', None),
    ('<link rel="canonical" href="/there/"><link rel="canonical" href="/there/">', "canonical"),
    ('<link rel="canonical" hreflang="de" href="/there/">', None),
    ('<link rel="canonical" media="print" href="/there/">', None),
    ('<link rel="canonical" type="application/rss+xml" href="/there/">', None),
    ('<link rel="canonical" lang="de" href="/there/">', None),
    ('<meta http-equiv="refresh" content="0; url=/there/">', "redirect"),
    ('<meta http-equiv="Refresh" content="5;URL=\'https://b.example/\'">', "redirect"),
    ('<meta http-equiv="refresh" content="0.5 , /there/">', "redirect"),
    ('<meta http-equiv="refresh" content="300">', None),
    ('<meta http-equiv="refresh" content="300; url=/here/">', None),
    ('<meta http-equiv="refresh" content="url=/there/">', None),
    ('<meta http-equiv="refresh" content="300"><meta http-equiv="refresh" content="0; url=/there/">', None),
    ('<noscript><meta http-equiv="refresh" content="0; url=/noscript/"></noscript>', None),
    ('<meta name="robots" content="noindex"><meta http-equiv="refresh" content="0; url=/there/">', "redirect"),
]


@pytest.mark.parametrize(("head", "reason"), LEFT_OUT)
def test_a_head_decides_whether_its_page_is_skipped(head: str, reason: str | None) -> None:
    assert skipped(of(head)) == reason


def test_instructions_count_in_the_body_and_links_do_not() -> None:
    assert skipped(of(body='<meta name="robots" content="noindex">')) == "noindex"
    assert skipped(of(body='<link rel="canonical" href="/there/">')) is None
    assert of(body='<link rel="alternate" hreflang="de" href="/de/">').hreflang == ()


def test_a_page_without_a_title_is_skipped() -> None:
    assert skipped(page("<p>x")) == "untitled"
    assert skipped(of(title=" \n ")) == "untitled"
    assert skipped(page("<p>x<svg><title>Menu</title></svg>")) == "untitled"
    assert skipped(page("<head><div></div><title>After a stray element</title>")) is None


def test_the_detail_about_a_skipped_page_is_short() -> None:
    with pytest.raises(SkippedPage) as caught:
        listed_loc(of(f'<link rel="canonical" href="/{"x" * 1_000}">'), HERE, locs(HERE))
    assert len(caught.value.detail) == 201


# --- dates --------------------------------------------------------------------------------------------------


def ld(*values: object) -> str:
    return "".join(f'<script type="application/ld+json">{json.dumps(value)}</script>' for value in values)


BEST_FIRST = [
    '<meta property="article:modified_time" content="2024-01-09">',
    '<meta property="og:updated_time" content="2024-01-08">',
    '<meta name="Last-Modified" content="2024-01-07">',
    '<meta name="dcterms.modified" content="2024-01-06">',
    '<meta name="DC.date.modified" content="2024-01-05">',
    '<time itemprop="x dateModified" datetime="2024-01-04">4 January</time>',
    ld({"dateModified": "2024-01-03"}),
    '<meta property="article:published_time" content="2024-01-02">',
    '<meta itemprop="datePublished" content="2024-01-01">',
    ld({"datePublished": "2023-12-31"}),
]


def test_the_dates_of_a_page_have_an_order() -> None:
    for first in range(len(BEST_FIRST)):
        found = of("".join(reversed(BEST_FIRST[first:])))
        assert (found.lastmod, found.bad_dates) == (of(BEST_FIRST[first]).lastmod, 0)
    assert of().lastmod is None


@pytest.mark.parametrize(
    "text", ["May 1, 2024", "2024-05-01T10:00:00+0000", "2024-05-01 10:00", "0001-01-01T00:00:00Z", "1970-01-01", "x"]
)
def test_an_invalid_date_is_counted_and_the_next_best_is_used(text: str) -> None:
    bad = f'<meta property="article:modified_time" content="{text}">'
    found = of(bad + BEST_FIRST[2])
    assert (found.lastmod, found.bad_dates) == ("2024-01-07", 1)
    found = of(bad + BEST_FIRST[7])
    assert (found.lastmod, found.bad_dates) == ("2024-01-02", 1)
    assert (of(bad).lastmod, of('<meta property="article:modified_time" content=" ">').bad_dates) == (None, 0)


ARTICLE = {"@type": "NewsArticle", "dateModified": "2024-01-01"}
OTHER = {"@type": "Product", "dateModified": "2024-03-03"}
ENTITIES = [
    ([OTHER, ARTICLE, {"@id": f"{HERE}#it", "dateModified": "2022-02-02"}], "2022-02-02"),
    ([OTHER, ARTICLE, {"url": "/here/index.html", "dateModified": "2022-02-02"}], "2022-02-02"),
    ([ARTICLE, {"mainEntityOfPage": {"@id": HERE}, "dateModified": "2022-02-02"}], "2022-02-02"),
    ([ARTICLE, {"mainEntityOfPage": [1, {"url": HERE}], "dateModified": "2022-02-02"}], "2022-02-02"),
    ([OTHER, {"@type": ["Thing", "schema:WebPage"], "dateModified": "2022-02-02"}, ARTICLE], "2022-02-02"),
    ([OTHER, {"@type": "https://schema.org/BlogPosting", "dateModified": "2022-02-02"}], "2022-02-02"),
    ([{"dateModified": "2021-01-01"}, OTHER, {"dateModified": "2020-01-01"}], "2024-03-03"),
    ([{"@graph": [{"x": [[{"@type": "WebPage", "dateModified": "2022-02-02"}]]}]}], "2022-02-02"),
    ([[{"dateModified": {"@type": "Date", "@value": "2022-02-02"}}]], "2022-02-02"),
    ([{"dateModified": ["2022-02-02"]}], "2022-02-02"),
    ([{"dateModified": None}, {"dateModified": 5}, {"datePublished": "2022-02-02"}], "2022-02-02"),
    ([{"@id": HERE, "dateModified": "soon"}, ARTICLE], "2024-01-01"),
]


@pytest.mark.parametrize(("entities", "date"), ENTITIES)
def test_json_ld_gives_the_date_of_the_entity_of_the_page(entities: list[object], date: str) -> None:
    assert of(ld(*entities)).lastmod == date
    assert of(body=ld(entities)).lastmod == date


def test_json_ld_that_cannot_be_read_is_counted_and_costs_little() -> None:
    deep = '{"dateModified":' + "[" * 400_000
    long = json.dumps({"dateModified": "2024-01-01", "x": "x" * 4_000_000})
    numbers = '{"dateModified": ' + "1" * 9_000 + "}"
    for bad in (deep, long, numbers, '{"dateModified": "2024-01-01"', '{"dateModified": "2024-01-01"};'):
        script = f'<script type="application/ld+json">{bad}</script>'
        found = of(script + ld({"dateModified": "2022-02-02"}))
        assert (found.lastmod, found.bad_json) == ("2022-02-02", 1)
        assert of(f"<script type='application/ld+json'>{bad}</script>" + BEST_FIRST[0]).lastmod == "2024-01-09"
    found = page("<title>T</title>" + ld({"dateModified": "2022-02-02"}), json=20)
    assert (found.lastmod, found.bad_json) == (None, 1)
