"""Where the elements of a page end, by lexbor, which makes the tree that a browser makes, and by Chromium."""

from __future__ import annotations

import json
import random
import re

import pytest
from selectolax.lexbor import LexborHTMLParser
from support.chromium import Chromium
from urlset._page.facts import page_facts
from urlset._page.ignored import Ignored

URL = "https://a.example/"
HTML = [("content-type", "text/html")]
#: Elements whose text is ignored.
NO_CONTENT = "nav,footer,aside,[hidden],[aria-hidden=true],script,style,template,svg,title,.ad"
#: Tags that pages leave out or forget, and texts, each with another word.
PIECES = [
    *("<p>", "<p hidden>", "</p>", "<div>", "<div hidden>", "<div class='x ad'>", "</div>"),
    *("<span>", "<span hidden>", "</span>", "<h2>", "<h3 hidden>", "</h2>", "<br hidden>", "<hr>"),
    *("<ul>", "<li>", "<li hidden>", "</li>", "</ul>", "<dl>", "<dt>", "<dd hidden>", "</dl>"),
    *("<nav>", "</nav>", "<aside>", "</aside>", "<footer>", "</footer>", "<section>", "</section>"),
    *("<blockquote>", "</blockquote>", "<pre>", "</pre>"),
    *("<!-- x -->", "<script>x</script>", "<svg><path/></svg>"),
    *("<table><tr><td>", "<table><tr><td hidden>", "<table><tbody hidden><tr><td>", "</table>"),
    *("<form>", "<form hidden>", "</form>", "</form>"),
]
#: The same for the end of a page: what is hidden needs no end tag.
OPEN = [piece for piece in PIECES if not re.match("<(nav|aside|footer)|<(div|span|h3|form|tbody).*(hidden|ad)", piece)]
OPEN = [piece for piece in OPEN if "<tbody" not in piece]


def drawn(chance: random.Random) -> str:
    """Return a page of pieces in any order, with a numbered word behind each."""
    body = "".join(f"{chance.choice(PIECES)} w{number}w " for number in range(chance.randrange(2, 30)))
    # What is never closed is content, so that a forgotten end does not hide a page. Here all ends with the main part.
    return f"<!doctype html><title>t</title><body><main>{body}{'</table>' * 30}</main>"


def drawn_open(chance: random.Random) -> str:
    """Return a page that ends while elements are open."""
    body = "".join(f"{chance.choice(OPEN)} w{number}w " for number in range(chance.randrange(2, 20)))
    return f"<!doctype html><title>t</title><body>{body}"


PAGES = [
    *(drawn(random.Random(seed)) for seed in range(200)),
    *(drawn_open(random.Random(seed)) for seed in range(200)),
]


def content_by_lexbor(html: str) -> set[str]:
    """Return the words of the content."""
    tree = LexborHTMLParser(html)
    main = tree.css_first("main") or tree.body
    assert main is not None
    for node in main.css(NO_CONTENT):
        node.decompose()
    return set(re.findall(r"w\d+w", main.text(separator=" ")))


def content_of(html: str) -> set[str]:
    """Return the words without which a page has another content."""

    def digest(text: str) -> int | None:
        return page_facts(text.encode(), URL, HTML, ignored=Ignored(boilerplate=[".ad"])).content_hash

    whole = digest(html)
    return {word for word in re.findall(r"w\d+w", html) if digest(html.replace(word, "other")) != whole}


@pytest.mark.parametrize("number", range(len(PAGES)))
def test_the_content_is_what_a_tree_says(number: int) -> None:
    html = PAGES[number]
    wanted = content_by_lexbor(html)
    if wanted:  # else the whole page counts
        assert content_of(html) == wanted, html


def test_lexbor_makes_the_trees_of_a_browser() -> None:
    script = f"""{json.dumps(PAGES)}.map(html => {{
        const tree = new DOMParser().parseFromString(html, "text/html")
        tree.querySelectorAll({json.dumps(NO_CONTENT)}).forEach(node => node.remove())
        return (tree.querySelector("main") || tree.body).textContent.match(/w\\d+w/g) || []
    }})"""
    with Chromium.start() as chromium, chromium.page() as page:
        assert [set(words) for words in page.evaluate(script)] == [content_by_lexbor(html) for html in PAGES]


#: Pages as MkDocs and its themes build them: menus, breadcrumbs, a table of contents, the page, and a footer. What is
#: the page's own says so.
BUILT = {
    "material": """<div class=md-search role=dialog><form class=md-search__form><input name=query></form></div>
        <nav class=md-tabs><ul><li><a href=/>w1w</a></li></ul></nav>
        <main class=md-main><div class=md-main__inner><div class="md-sidebar md-sidebar--primary"><nav class=md-nav>
        <label>w2w</label><ul><li class=md-nav__item><a href=/a>w3w</a><li class=md-nav__item>
        <a href=/b>w4w</a></ul></nav>
        </div><div class="md-sidebar md-sidebar--secondary"><nav aria-label="Table of contents">
        <ul><li>w5w</ul></nav></div>
        <div class=md-content><article class=md-content__inner><h1>w6own</h1><p>w7own<p>w8own</article></div>
        </div></main>
        <footer class=md-footer><nav><a href=/next>w9w</a></nav><p>w10w</footer>""",
    "mkdocs": """<div class="navbar fixed-top"><nav><ul class=nav><li>w1w<li>w2w</ul></nav></div>
        <div class=container><div class=row><div class=col-md-3><div class="bs-sidebar" role=complementary>
        <ul class=nav><li>w3w</li></ul></div></div><div class=col-md-9 role=main><h1>w4own</h1><ul><li>w5own<li>w6own
        </ul>
        </div></div></div><footer class=col-md-12><hr><p>w7w</p></footer>
        <div class="modal" role=dialog><form><p>w8w</form></div>""",
    "readthedocs": """<nav class=wy-nav-side><div role=search><form action=/search.html><input></form></div>
        <ul><li><a href=/>w1w</a><ul><li>w2w</ul></ul></nav><section class=wy-nav-content-wrap><nav>w3w</nav>
        <div class=rst-content><div role=navigation aria-label=breadcrumbs><ul><li>w4w</ul><hr></div>
        <div role=main class=document><div class=section itemprop=articleBody><h1>w5own</h1><dl><dt>w6own<dd>w7own
        </dl></div></div><footer><p>w8w</footer></div></section>""",
    "one form": """<form action=/page.aspx><div class=all><nav>w1w</nav><div hidden>w2w</form>w3w</div>
        <article>w4own<aside>w5w</aside></article></div>""",
}


@pytest.mark.parametrize("theme", BUILT)
def test_the_main_part_of_a_built_page_is_found(theme: str) -> None:
    html = f"<!doctype html><html lang=en><head><title>t</title></head><body>{BUILT[theme]}</body></html>"
    words = re.findall(r"w\d+(?:own|w)", html)

    def digest(text: str) -> int | None:
        return page_facts(text.encode(), URL, HTML).content_hash

    counted = {word for word in words if digest(html.replace(word, "other")) != digest(html)}
    assert counted == {word for word in words if word.endswith("own")}
    assert counted
