"""Where the elements of a page end, by lexbor, which makes the tree that a browser makes."""

from __future__ import annotations

import random
import re

import pytest
from selectolax.lexbor import LexborHTMLParser
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
]


def drawn(chance: random.Random) -> str:
    """Return a page of pieces in any order, with a numbered word behind each."""
    body = "".join(f"{chance.choice(PIECES)} w{number}w " for number in range(chance.randrange(2, 30)))
    # What is never closed is content, so that a forgotten end does not hide a page. Here all ends with the main part.
    return f"<!doctype html><title>t</title><body><main>{body}{'</table>' * 30}</main>"


def content_by_lexbor(html: str) -> set[str]:
    """Return the words of the content."""
    tree = LexborHTMLParser(html)
    main = tree.css_first("main")
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


@pytest.mark.parametrize("seed", range(200))
def test_the_content_is_what_a_tree_says(seed: int) -> None:
    html = drawn(random.Random(seed))
    wanted = content_by_lexbor(html)
    if wanted:  # else the whole page counts
        assert content_of(html) == wanted, html
