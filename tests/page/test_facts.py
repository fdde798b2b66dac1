"""What a page says: from its markup, and from the headers that came with it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from urlset._page.facts import Link, page_facts
from urlset._page.walls import wall

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
    assert wall(headers, body) == whose
