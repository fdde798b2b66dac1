"""What a page says: from its markup, and from the headers that came with it."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin

import pytest
from support.page.other_parser import extract
from urlset import _core
from urlset._page.challenges import challenge
from urlset._page.facts import Link, page_facts
from urlset._page.headers import directives

URL = "https://shop.example/tea/"
HTML = ("content-type", "text/html; charset=utf-8")


def page(head: str = "", body: str = "<p>tea</p>") -> bytes:
    """Return a page."""
    return f"<!doctype html><html lang=en><head><title>Tea</title>{head}</head><body>{body}</body></html>".encode()


def test_links_are_absolute_once_each_and_without_fragments() -> None:
    body = (
        "<a href=green#top rel='nofollow ugc'>g</a><a href=/tea/green>g</a><a href='//cdn.example/x' rel=NoFollow>"
        "<a href=mailto:a@b>mail</a><a href='javascript:x()'>js</a><a href='#top'>top</a><map><area href='/map'></map>"
    )
    assert page_facts(page(body=body), URL, [HTML]).links == (
        Link("https://shop.example/tea/green", False),
        Link("https://cdn.example/x", True),
        Link("https://shop.example/tea/", False),
        Link("https://shop.example/map", False),
    )


def test_the_base_of_a_page_counts() -> None:
    facts = page_facts(page("<base href=/other/>", "<a href=green>green</a><img src=a.png>"), URL, [HTML])
    assert (facts.base, facts.links[0].url) == ("https://shop.example/other/", "https://shop.example/other/green")
    assert facts.images == ("https://shop.example/other/a.png",)


@pytest.mark.parametrize(
    ("head", "headers", "robots", "is_noindex", "is_nofollow"),
    [
        ("<meta name=robots content='NOINDEX, follow'>", [], ("robots: noindex", "robots: follow"), True, False),
        ("<meta name=robots content=none>", [], ("robots: none",), True, True),
        ("<meta name=Googlebot content=noindex>", [], ("googlebot: noindex",), True, False),
        ("<meta name=bingbot content=noindex>", [], ("bingbot: noindex",), False, False),
        ("<meta name=robots content='max-image-preview:none'>", [], ("robots: max-image-preview:none",), False, False),
        ("", [("x-robots-tag", "noindex")], ("robots: noindex",), True, False),
        (
            "",
            [("x-robots-tag", "otherbot: noindex, nofollow")],
            ("otherbot: noindex", "otherbot: nofollow"),
            False,
            False,
        ),
        ("", [("x-robots-tag", "googlebot: nofollow")], ("googlebot: nofollow",), False, True),
        (
            "",
            [("x-robots-tag", "unavailable_after: 25 Jun 2010 15:00:00 PST")],
            ("robots: unavailable_after: 25 jun 2010 15:00:00 pst",),
            False,
            False,
        ),
        ("<meta name=description content=noindex>", [], (), False, False),
    ],
)
def test_instructions_for_robots(
    head: str, headers: list[tuple[str, str]], robots: tuple[str, ...], is_noindex: bool, is_nofollow: bool
) -> None:
    facts = page_facts(page(head), URL, [HTML, *headers])
    assert (facts.robots, facts.is_noindex, facts.is_nofollow) == (robots, is_noindex, is_nofollow)


def test_metadata_in_the_page_and_in_its_headers() -> None:
    head = "<link rel=canonical href=/tea/><link rel='alternate' hreflang=de href=/tee/>"
    head += "<meta http-equiv=refresh content='3;url=/x'>"
    link = ("link", '</other>; rel="canonical", </the>; rel=alternate; hreflang="fr"')
    facts = page_facts(page(head), URL, [HTML, link])
    assert (facts.canonicals, facts.header_canonicals) == ((URL,), ("https://shop.example/other",))
    assert facts.hreflang == (("de", "https://shop.example/tee/"), ("fr", "https://shop.example/the"))
    assert (facts.refresh, facts.title, facts.language) == ("https://shop.example/x", "Tea", "en")


def test_the_dates_that_a_page_states() -> None:
    head = (
        "<meta property='article:modified_time' content='2026-01-02T03:04:05Z'>"
        "<meta property='article:published_time' content='2025-01-02'>"
        '<script type="application/ld+json">{"@type": "Article", "dateModified": "2026-01-03"}</script>'
    )
    facts = page_facts(page(head), URL, [HTML, ("last-modified", "Thu, 01 Jan 2026 00:00:00 GMT")])
    assert facts.last_modified == datetime(2026, 1, 1, tzinfo=UTC)
    assert facts.modified == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert facts.json_modified == datetime(2026, 1, 3, tzinfo=UTC)
    assert facts.published == datetime(2025, 1, 2, tzinfo=UTC)


def test_what_is_no_page_has_no_content() -> None:
    facts = page_facts(b"%PDF-1.7 <a href=x>", URL, [("content-type", "application/pdf")])
    assert (facts.is_html, facts.links, facts.title, facts.words, facts.content_hash) == (False, (), None, None, None)
    assert facts.body_hash is not None


@pytest.mark.parametrize(
    ("headers", "body", "whose"),
    [
        ([("cf-mitigated", "challenge")], b"", "Cloudflare"),
        ([], b"<script>window._cf_chl_opt={}</script><script src=/cdn-cgi/challenge-platform/x>", "Cloudflare"),
        ([("x-amzn-waf-action", "captcha")], b"", "AWS WAF"),
        ([], b"<a href=/cdn-cgi/l/email-protection>", None),
        ([("server", "cloudflare")], b"<script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js>", None),
    ],
)
def test_challenge_pages_are_known_by_two_signs(headers: list[tuple[str, str]], body: bytes, whose: str | None) -> None:
    assert challenge(headers, body) == whose


@pytest.mark.parametrize("seed", range(300))
def test_another_parser_reads_the_same(seed: int) -> None:
    body = random_page(random.Random(seed))
    facts, other = page_facts(body, URL, [HTML]), extract(body)
    base = urljoin(URL, other.base) if other.base else URL
    assert facts.title == other.title
    assert facts.language == other.language
    assert [link.url for link in facts.links] == spelled(base, [href for href, _ in other.links])
    follow = spelled(base, [href for href, is_nofollow in other.links if not is_nofollow])
    assert [link.url for link in facts.links if not link.is_nofollow] == [
        link.url for link in facts.links if link.url in follow
    ]
    assert list(facts.canonicals) == spelled(base, other.canonicals)
    assert [each for _, each in facts.hreflang] == spelled(base, [href for _, href in dict.fromkeys(other.hreflang)])
    assert list(facts.images) == spelled(base, other.images)
    assert facts.robots == tuple(
        dict.fromkeys(f"{bot}: {each}" for bot, content in other.robots for each in directives(content))
    )
    assert facts.words == other.words
    assert (facts.modified is not None) == bool(other.dates)


def spelled(base: str, written: list[str]) -> list[str]:
    """Return URLs as they are spelled, each once."""
    urls = (_core.standard_url(urljoin(base, each.strip())) for each in written)
    return list(dict.fromkeys(url.partition("#")[0] for url in urls if url is not None))


def random_page(chance: random.Random) -> bytes:
    """Return a page with much of what pages have, in any order, and some of what they should not have."""
    url = ["/a", "b?x=1&amp;y=2", "//c.example/é", "../up", "#top", "https://d.example:443/x", "mailto:x@y.example", ""]
    head = [
        "<title> Tea &amp;\n coffee </title>",
        lambda: f"<base href='{chance.choice(['/base/', 'https://e.example/'])}'>",
        lambda: f"<link rel=canonical href='{chance.choice(url)}'>",
        lambda: f"<link rel='alternate stylesheet' hreflang=de href='{chance.choice(url)}'>",
        lambda: f"<LINK HREF={chance.choice(url[:4])} REL=Canonical>",
        "<meta name=robots content='noindex, FOLLOW'>",
        "<meta NAME=GoogleBot content=none>",
        "<meta name=viewport content=width>",
        "<meta property='article:modified_time' content='2026-01-02T03:04:05Z'>",
        "<script>var a = '<a href=no>' + \"<title>no</title>\";</script>",
        "<style>a > b { content: '<a href=no>' }</style>",
        "<!-- <a href=no> -- > -->",
    ]
    body = [
        lambda: f"<a href='{chance.choice(url)}' rel='{chance.choice(['', 'nofollow', 'UGC NoFollow'])}'>green tea</a>",
        lambda: f"<A HREF={chance.choice(url[:4])}>tea",
        lambda: f"<img alt='' src='{chance.choice(url[:4])}'>",
        "<p>green <b>tea</b>s &lt;a href=no&gt;</p>",
        "<svg><title>no</title><a href=no></a></svg>",
        "<textarea><a href=no></textarea>",
        "<div class='a\"b' data-x='>'>text</div>",
        "<ul><li>one<li>two</ul>",
        "<script type=module>if (a<b) document.write('<a href=no>')</script>",
        " <![CDATA[ x ]]> ",  # a comment, which ends no word
        "a < b & c ",
    ]

    def some(pieces: list[Any], most: int) -> str:
        chosen = [chance.choice(pieces) for _ in range(chance.randrange(most))]
        return "".join(piece if isinstance(piece, str) else piece() for piece in chosen)

    return f"<!DOCTYPE html><html lang=de><head>{some(head, 9)}</head><body>{some(body, 20)}</body></html>".encode()
