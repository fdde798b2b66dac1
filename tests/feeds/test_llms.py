"""`urlset.llms`: an llms.txt, read by a strict parser of its format and by a parser of Markdown."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.properties import times
from urlset import InputError
from urlset._feeds import markdown
from urlset._feeds.pages import ListedPage
from urlset._feeds.texts import Texts, one_line

markdown_of: Any = import_module("markdown_it").MarkdownIt("commonmark")

BASE = "https://tea.example/"
ROWS = [
    {"loc": "/", "title": "Home", "description": "Where tea begins"},
    {"loc": "/green", "title": "Green [organic] & *black*", "markdown": "/green.md", "lastmod": "2026-01-02"},
    {"loc": "/a_(b)", "description": "x <script>alert(1)</script>\n# not a heading\n- [no](item)"},
]
#: An item, as the format is read by regular expressions. Source: llmstxt.org, the parser of the package llms-txt.
ITEM = re.compile(r"-\s*\[(?P<title>[^\]]+)\]\((?P<url>[^\)]+)\)(?::\s*(?P<description>.*))?")


def parsed(text: str) -> dict[str, Any]:
    """Read an llms.txt strictly: a title, a summary, and sections of items, with nothing else in between."""
    blocks = text.removesuffix("\n").split("\n\n")
    found: dict[str, Any] = {"title": blocks.pop(0).removeprefix("# "), "summary": None, "sections": {}}
    if blocks[0].startswith("> "):
        found["summary"] = blocks.pop(0).removeprefix("> ")
    assert len(blocks) % 2 == 0
    for heading, items in zip(blocks[::2], blocks[1::2], strict=True):
        assert heading.startswith("## ")
        matches = [ITEM.fullmatch(line) for line in items.split("\n")]
        assert all(matches)
        found["sections"][heading.removeprefix("## ")] = [match.groupdict() for match in matches if match]
    return found


def rendered(text: str) -> list[tuple[str, str]]:
    """Return the texts of an llms.txt as Markdown shows them, each with its element, or the target of its link."""
    found: list[tuple[str, str]] = []
    tokens = markdown_of.parse(text)
    for before, token in pairwise(tokens):
        if token.type != "inline":
            continue
        assert {each.type for each in token.children} <= {"text", "text_special", "link_open", "link_close"}
        links = [each.attrGet("href") for each in token.children if each.type == "link_open"]
        assert len(links) <= 1
        kind = links[0] if links else before.tag
        found.append((kind, "".join(each.content for each in token.children)))
    return found


def written(folder: Path, rows: Any = ROWS, **options: Any) -> urlset.PageList:
    return urlset.llms(rows, folder, **{"title": "Tea", **options})


def test_it_has_a_link_for_each_page_in_the_order_of_the_rows(tmp_path: Path) -> None:
    urlset.publish(ROWS, tmp_path, base_url=BASE)
    result = written(tmp_path, description="- A shop > for tea")
    assert (result.url, result.entries, result.untitled, result.undated) == (BASE + "llms.txt", 3, 1, 0)
    text = (tmp_path / "llms.txt").read_text("utf-8")
    assert parsed(text) == {
        "title": "Tea",
        "summary": "\\- A shop > for tea",
        "sections": {
            "Pages": [
                {"title": "Home", "url": BASE, "description": "Where tea begins"},
                {
                    "title": "Green &#91;organic&#93; &amp; \\*black\\*",
                    "url": BASE + "green.md",
                    "description": None,
                },
                {
                    "title": BASE + "a\\_(b)",
                    "url": BASE + "a_%28b%29",
                    "description": "x &lt;script>alert(1)&lt;/script> # not a heading - &#91;no&#93;(item)",
                },
            ]
        },
    }
    assert rendered(text) == [
        ("h1", "Tea"),
        ("p", "- A shop > for tea"),
        ("h2", "Pages"),
        (BASE, "Home: Where tea begins"),
        (BASE + "green.md", "Green [organic] & *black*"),
        (BASE + "a_%28b%29", BASE + "a_(b): x <script>alert(1)</script> # not a heading - [no](item)"),
    ]


def test_sections_are_headings_and_what_is_not_published_is_left_out(tmp_path: Path) -> None:
    sections = {"Teas": urlset.Section([{"loc": "/green", "title": "Green"}]), "Cups #": urlset.Section(["/cups"])}
    urlset.publish({f"s{n}": each for n, each in enumerate(sections.values())}, tmp_path, base_url=BASE)
    sections["Cups #"] = urlset.Section(["/cups", "/gone"])
    result = written(tmp_path, sections, limit=5)
    assert (result.entries, result.unpublished, result.beyond) == (2, 1, 0)
    text = (tmp_path / "llms.txt").read_text("utf-8")
    assert list(parsed(text)["sections"]) == ["Teas", "Cups \\#"]
    assert [kind for kind, _ in rendered(text)] == ["h1", "h2", BASE + "green", "h2", BASE + "cups"]
    assert ("h2", "Cups #") in rendered(text)
    assert written(tmp_path, sections, limit=1).beyond == 1
    assert list(parsed((tmp_path / "llms.txt").read_text("utf-8"))["sections"]) == ["Teas"]


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    urlset.publish(ROWS, tmp_path, base_url=BASE)
    assert [written(tmp_path).is_written for _ in range(2)] == [True, False]
    with pytest.raises(InputError, match="limit must be a whole number from 1 to 10,000"):
        written(tmp_path, limit=10_001)


TEXT = st.text(st.sampled_from("ab1.-+#>*_`~[]()<>&;!|\\=: \n\t") | st.characters(), max_size=30)


@given(st.lists(st.tuples(TEXT, TEXT, st.none() | TEXT), min_size=1, max_size=3), TEXT, TEXT, TEXT)
@times(200)
def test_any_texts_are_read_as_they_were_meant(
    texts: list[tuple[str, str, str | None]], title: str, summary: str, section: str
) -> None:
    title, summary, section = (one_line(each) or "x" for each in (title, summary, section))
    pages = [ListedPage(section, BASE + "a?b=(1)&copy;=2", None, *each) for each in texts]
    text = markdown.document(pages, Texts(BASE), title=title, summary=summary).decode()
    [items] = parsed(text)["sections"].values()
    shown = rendered(text)
    assert shown[:3] == [("h1", title), ("p", summary), ("h2", section)]
    for (target, line), item, page in zip(shown[3:], items, pages, strict=True):
        again = Texts(BASE)
        description = again.description(page)
        assert line == again.title(page) + (f": {description}" if description else "")
        assert not re.search(r"[\s()<>]", item["url"])
        assert unquote(target) == unquote(again.markdown(page) or page.loc)
