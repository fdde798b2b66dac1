"""What counts as the content of a page, what a build may change in it, charsets, and the budget of a page."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from urlset._page.facts import PageFacts, page_facts
from urlset._page.ignored import Ignored

HERE = "https://a.example/here/"
HTML = [("content-type", "text/html")]


def page(html: str | bytes, boilerplate: Sequence[str] = ()) -> PageFacts:
    return page_facts(
        html.encode() if isinstance(html, str) else html, HERE, HTML, ignored=Ignored(boilerplate=boilerplate)
    )


def digest(body: str, *boilerplate: str, title: str = "T") -> int | None:
    return page(f"<title>{title}</title><body>{body}", boilerplate).content_hash


# --- what counts --------------------------------------------------------------------------------------------

SAME = [
    ("<p>a b</p><p>c</p>", "<p>a\n\t b\r\n</p>\n\n<p> c</p>"),
    ("<p>a</p>", '<p class="x" id="y" data-build="7" style="color:red">a</p>'),
    ("<p>a</p>", "<p>a</p><!-- built by 7 --><script>7</script><style>p>a{}</style><template>7</template>"),
    ("<p>a</p>", "<nav>7</nav><header>7</header><p>a</p><aside>7</aside><footer>7</footer><noscript>7</noscript>"),
    ("<p>a</p>", '<p>a</p><p hidden>7</p><b aria-hidden="true">7<a href=7>7</a></b><svg><text>7</text></svg>'),
    ("<main>a</main>", "7<main>a</main>7"),
    ("<main>a</main>", "7<article>7</article><main><article>a</article></main>7"),
    ("<main>a</main>", '<div role="main">7</div><main>a</main>'),
    ('<div role="main">a</div>', '7<div role="main">a</div>7'),
    ("<article>a</article>", "7<article>a</article>7"),
    ("<main>a</main>", "<main hidden>a</main>"),
    ("<a href=/x>a</a>", "<a class=y target=_blank rel=nofollow href=/x>a</a>"),
    ("<p>a</p>", '<p>a<a hidden href="7">7</a><img aria-hidden="true" src="7"></p>'),
    ("<p>a</p>", '<script type="application/ld+json">{"dateModified": "2026-01-02"}</script><p>a</p>'),
    (
        '<script type="application/ld+json">{"name": "a"}</script><p>a</p>',
        '<p>a</p><script type="application/ld+json">{ "name" : "a",\n"sdDatePublished": "2026-01-02" }</script>',
    ),
    ("<form>a</form>", '<form action="/7">a<input type="hidden" name="csrf_token" value="7"></form>'),
]
DIFFERENT = [
    ("<p>a</p>", "<p>b</p>"),
    ("<p>a b</p>", "<p>ab</p>"),
    ("<p>a</p>", '<p>a</p><p aria-hidden="false">7</p>'),
    ("<article>a</article><article>b</article>", "<article>a</article><article>7</article>"),
    ("<main>a</main><main>b</main>", "<main>a</main><main>7</main>"),
    ("<main>a</main>", "<main><header>7</header>a</main>"),
    ("<section>a</section>", "<section><header>7</header>a</section>"),
    ("<a href=/x>a</a>", "<a href=/y>a</a>"),
    ("<img src=/x.png>", "<img src=/y.png>"),
    ("<p>3 min read</p>", "<p>4 min read</p>"),
    ("<img src=/x.png alt=x>", "<img src=/x.png alt=y>"),
    ("<p>a</p>", '<p>a</p><meta itemprop="price" content="7">'),
    *(
        (
            f'<p>a</p><script type="application/ld+json">{one}</script>',
            f'<p>a</p><script type="application/ld+json">{other}</script>',
        )
        for one, other in [
            ('{"price": 12}', '{"price": 13}'),
            ('{"price": "12"}', '{"lowPrice": "12"}'),
            ('{"a": ["x", "y"]}', '{"a": ["x", "z"]}'),
            ("{}", '{"datePublished": "2026-01-02"}'),
        ]
    ),
    ("<p>a</p>", "<p>a</p><time>2026-01-02</time>"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_page_chrome_does_not_count(one: str, other: str) -> None:
    assert digest(one) == digest(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_content_counts(one: str, other: str) -> None:
    assert digest(one) != digest(other)


def test_the_title_counts_and_boilerplate_does_not() -> None:
    assert digest("a", title="T 1") != digest("a", title="T 2")
    assert digest("a", "title", title="T 1") == digest("a", "title", title="T 2")
    latest = "<main>a<ul class=latest><li><a href=/{0}>{0}</a><img src={0}.png></ul></main>"
    assert digest(latest.format(1), "ul.latest, .x") == digest(latest.format(2), ".y", "ul.latest")
    assert digest(latest.format(1), "ul.last") != digest(latest.format(2), "ul.last")
    # A selector of the whole content removes nothing.
    assert digest("<main>a</main>", "main") != digest("<main>b</main>", "main")


def test_a_hash_is_the_same_everywhere() -> None:
    # XXH3 of the title, the words, the links, the images and their texts, as the package xxhash computes it of
    # "T\\0a é b \\0/x\\n#y\\n\\0i.png\\n\\0i\\n".
    body = "<main>a \u00e9 <a href=/x>b</a><a href=#y></a><img src=i.png alt=i></main>"
    assert digest(body) == 12_843_266_659_805_558_307


def test_a_page_without_a_body_has_a_hash() -> None:
    found = page("<title>T</title><frameset><frame src=x></frameset>")
    assert found.content_hash is not None


# --- what builds write anew ---------------------------------------------------------------------------------

BUILT = [
    ("Last updated on Jan 5, 2024.", "Last updated on Feb 17, 2026."),
    ("Last updated: 2024-01-05", "Last updated: 2026-12-31"),
    ("Last updated 2024-01-05 10:11:12 UTC", "Last updated 2026-01-05 23:59 +0200"),
    ("Last update: <b>5 January 2024</b>", "Last update: <b>17. Feb. 2026</b>"),
    ("Updated <time>Friday, January 5th, 2024 at 10:00 AM</time> by A", "Updated <time>May 2026</time> by A"),
    ("Last modified: 01/05/2024", "Last modified: 5.1.26"),
    ("Last updated 3 days ago", "Last updated a month ago"),
    ("By Ines, 3 days ago", "By Ines, 4 weeks ago"),
    ("Page generated at 2024-01-05T10:11:12.123Z", "Page generated at 2026-01-05T10:11:12Z"),
    ("© 2024 Ines", "© 2026 Ines"),
    ("&copy; Ines and friends, 2019–2024", "&copy; Ines and friends, 2019 - 2026"),
    ("Copyright (c) 2024 Ines", "Copyright (c) 2026 Ines"),
    ('<img src="/a/app.3f9c2a1b.png">', '<img src="/a/app.a07be41d.png">'),
    ('<img src="rack_hu_9c41d27e0ab35f68.webp">', '<img src="rack_hu_01ff9e6cd1a45b2e.webp">'),
    ('<img src="a-3f9c2a1b.min.jpg">', '<img src="a-a07be41d.min.jpg">'),
    ('<img src="/_astro/a.B7xk2_dQ.png">', '<img src="/_astro/a.Zp0_1kLm.png">'),
    ('<img src="a.png?v=1">', '<img src="a.png?v=2">'),
    ('<a href="paper.3f9c2a1b.pdf">a</a>', '<a href="paper.a07be41d.pdf">a</a>'),
    ('<a href="/login?next=/&csrf_token=1">a</a>', '<a href="/login?next=/&csrf_token=2">a</a>'),
    ('<a href="/x?_wpnonce=1&nonce=3">a</a>', '<a href="/x?_wpnonce=1&nonce=4">a</a>'),
]
NOT_BUILT = [
    ("Founded in 1999", "Founded in 2000"),
    ("Released on 2024-01-05", "Released on 2024-01-06"),
    ("It was updated for Python 2024", "It was updated for Python 2025"),
    ("The ferry leaves at 21:40", "The ferry leaves at 21:45"),
    ('<img src="IMG_1234.jpg">', '<img src="IMG_1235.jpg">'),
    ('<img src="shot-20240105.png">', '<img src="shot-20240106.png">'),
    ('<img src="photo.original.png">', '<img src="photo.modified.png">'),
    ('<a href="https://video.example/watch?v=1">a</a>', '<a href="https://video.example/watch?v=2">a</a>'),
    ('<a href="/commit/3f9c2a1b">a</a>', '<a href="/commit/a07be41d">a</a>'),
]


@pytest.mark.parametrize(("one", "other"), BUILT)
def test_what_each_build_writes_anew_does_not_count(one: str, other: str) -> None:
    assert digest(one) == digest(other)
    assert digest(one) != digest("")


@pytest.mark.parametrize(("one", "other"), NOT_BUILT)
def test_what_only_looks_like_build_output_counts(one: str, other: str) -> None:
    assert digest(one) != digest(other)


# --- images and alternates ----------------------------------------------------------------------------------


def test_images_are_those_of_the_content_each_once() -> None:
    found = page(
        '<title>T</title><base href="/b/"><body><img src="logo.png"><main><img src="1.png#x"><img src=" ./1.png ">'
        '<img src="data:image/gif;base64,R0" data-src="lazy.png"><img data-src="//c.example/2.png"><img>'
        '<img src=""><img src="data:image/gif;base64,R0"><img src="blob:x"><img src="https://[/">'
        '<img src="ä b.png?q=1&amp;r=%41"><aside><img src="aside.png"></aside></main>'
    )
    assert found.images == (
        "https://a.example/b/1.png",
        "https://a.example/b/lazy.png",
        "https://c.example/2.png",
        "https://a.example/b/%C3%A4%20b.png?q=1&r=%41",
    )


def test_alternates_have_both_language_and_url_and_no_pair_twice() -> None:
    links = (
        '<link rel="alternate" hreflang="de" href="/de/"><link rel="ALTERNATE nofollow" hreflang=" de " href="../de/">'
        '<link rel="alternate" hreflang="x-default" href="/de/"><link rel="alternate" hreflang="fr">'
        '<link rel="alternate" type="application/rss+xml" href="/feed.xml"><link rel="next" hreflang="it" href="/it/">'
    )
    assert page(f"<head>{links}").hreflang == (
        ("de", "https://a.example/de/"),
        ("x-default", "https://a.example/de/"),
    )


def test_items_beyond_the_budget_are_counted() -> None:
    links = "".join(f'<link rel="alternate" hreflang="de" href="/{number}">' for number in range(1_003))
    found = page(f"<head>{links}<body>" + "".join(f"<img src={number}.png>" for number in range(1_005)))
    assert len(found.hreflang) == len(found.images) == 1_000
    assert (found.dropped_hreflang, found.dropped_images) == (3, 5)


# --- sitemaps and feeds -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "links"),
    [
        ('<link rel="sitemap" href="map.xml">', [(f"{HERE}map.xml", "link")]),
        ('<LINK REL="SITEMAP" TYPE="application/xml" HREF="/m.xml"/>', [("https://a.example/m.xml", "link")]),
        ('<base href="/b/"><link rel=sitemap href=m.xml>', [("https://a.example/b/m.xml", "link")]),
        (
            '<link rel="alternate" type="application/atom+xml; charset=utf-8" href="/f">',
            [("https://a.example/f", "feed")],
        ),
        ('<link rel="alternate" hreflang="de" href="/de">', []),
        ('<link rel="stylesheet" href="/s.css">', []),
        ('<link rel="sitemap" href="javascript:x">', []),
        ('<link rel="sitemap" href="http://[">', []),
        ('<link rel="sitemap">', []),
        ('<!-- <link rel="sitemap" href="/m.xml"> -->', []),
        ("<link rel=sitemap href=/m>" * 2, [("https://a.example/m", "link")]),
        ("<<<><!-- <link", []),
    ],
)
def test_links_to_sitemaps_and_feeds_count(markup: str, links: list[tuple[str, str]]) -> None:
    assert list(page(markup).documents) == links


# --- charsets -----------------------------------------------------------------------------------------------

CHARSETS = [
    ('<meta charset="utf-8">', "utf-8"),
    ("", "utf-8"),
    ("", "utf-8-sig"),
    ("", "utf-16"),
    ('<meta charset="windows-1251">', "utf-8-sig"),
    ("<meta charset=KOI8-R>", "koi8-r"),
    ("<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset=Windows-1251'>", "cp1251"),
    ('<meta charset="gb2312">', "gb18030"),
    ('<meta charset="shift_jis">', "cp932"),
    ('<meta charset="iso-8859-5">', "iso8859-5"),
    ('<meta charset="no-such">', "utf-8"),
    ('<meta charset="utf-16">', "utf-8"),
    ('<meta charset="utf-7">', "utf-8"),
    ('<meta charset="rot13">', "utf-8"),
]


@pytest.mark.parametrize(("head", "codec"), CHARSETS)
def test_a_page_is_read_in_its_charset(head: str, codec: str) -> None:
    found = page(f"<head>{head}<title>Привет</title>".encode(codec))
    assert (found.title, found.fits_charset) == ("Привет", True)


def test_latin_1_is_read_as_browsers_do() -> None:
    assert page("<meta charset=latin1><title>“é”</title>".encode("cp1252")).title == "“é”"


def test_invalid_bytes_are_replaced_and_reported() -> None:
    found = page(b"<meta charset=gbk><title>\xe9t\xff</title>")
    assert found.title is not None
    assert "�" in found.title
    assert not found.fits_charset
    # A page that does not name its charset, and is not UTF-8, is read as browsers read it.
    found = page(b"<title>\xe9t\xe9</title>")
    assert (found.title, found.fits_charset) == ("été", False)


# --- what a page may cost -----------------------------------------------------------------------------------

LONG = {
    "deep": "<div>" * 50_000,
    "deep and closed": "<div>" * 50_000 + "</div>" * 50_000,
    "deep after ends": "</div>" * 20_000 + "<div><p>" * 20_000,
    "many tags": "<br>" * 200_001,
    "many attributes": "<p " + " ".join(f"a{number}" for number in range(20_000)) + ">",
    "many attributes with values": "<p " + "".join(f"a{number}='>'/b{number}=x " for number in range(9_000)) + ">",
    "flat": "<div><p>x</div>" * 20_000,
    "ends left out": "<ul>" + "<li>x<p>y" * 20_000,
    "an image in a URL": f'<p>x<img src="data:image/png;base64,{"/9j+" * 500_000}">',
    "one long text": "x y " * 500_000,
    "one long script": f"<p>x<script>{'a b c d e ' * 200_000}</script>",
    "open formats": "x<b>" * 50_000,
    "blanks": "x" + " " * 5_000_000,
    "almost dates": "updated " * 500_000,
    "almost years": "© " * 1_000_000,
    "almost hashes": '<img src="' + "-0a0a0a0a" * 100_000 + '">',
    "almost assets": '<img src="' + ".0a0a0a0a" * 100_000 + '">',
    "almost tokens": '<a href="' + "?csrf" * 200_000 + '">x</a>',
}


@pytest.mark.parametrize("html", LONG.values(), ids=LONG)
def test_a_long_page_is_read_in_time(html: str) -> None:
    begun = time.process_time()
    found = page(f"<title>T</title>{html}")
    assert found.title == "T"
    assert time.process_time() - begun < 5
