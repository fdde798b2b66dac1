"""A feed of pages in the Atom Syndication Format."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from urlset._feeds.pages import ListedPage
from urlset._feeds.texts import Texts

_NAMESPACE: Final = "http://www.w3.org/2005/Atom"
_ESCAPES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_SPECIAL: Final = re.compile('[&<>"]')


def document(
    pages: Sequence[ListedPage],
    texts: Texts,
    *,
    url: str,
    home: str | None,
    title: str,
    subtitle: str | None,
    author: str,
) -> bytes:
    """Return a feed.

    Args:
        pages: Its entries, of which the first is the latest. All have a lastmod.
        texts: Makes the texts of pages fit for it.
        url: Its URL, which identifies it.
        home: The page that it is a feed of, if there is one.
        title: Its title.
        subtitle: A sentence about it.
        author: Whose pages they are. A feed has to name somebody. Source: RFC 4287, 4.1.1.
    """
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<feed xmlns="{_NAMESPACE}">',
        f"  <id>{_escaped(url)}</id>",
        f"  <title>{_escaped(title)}</title>",
        *([f"  <subtitle>{_escaped(subtitle)}</subtitle>"] if subtitle else []),
        f"  <updated>{pages[0].moment}</updated>",
        f"  <author><name>{_escaped(author)}</name></author>",
        f'  <link rel="self" type="application/atom+xml" href="{_escaped(url)}"/>',
        *([f'  <link rel="alternate" href="{_escaped(home)}"/>'] if home else []),
    ]
    for page in pages:
        lines += _entry(page, texts)
    return "\n".join([*lines, "</feed>", ""]).encode()


def _entry(page: ListedPage, texts: Texts) -> list[str]:
    """Return the lines of an entry.

    The first link is the page, which readers take. Its type is not known, and the type of the other one differs, so an
    entry has no two alternates of one type. Source: RFC 4287, 4.1.2.
    """
    description, markdown = texts.description(page), texts.markdown(page)
    return [
        "  <entry>",
        f"    <id>{_escaped(page.loc)}</id>",
        f"    <title>{_escaped(texts.title(page))}</title>",
        f"    <updated>{page.moment}</updated>",
        f'    <link rel="alternate" href="{_escaped(page.loc)}"/>',
        *([f'    <link rel="alternate" type="text/markdown" href="{_escaped(markdown)}"/>'] if markdown else []),
        *([f"    <summary>{_escaped(description)}</summary>"] if description else []),
        "  </entry>",
    ]


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: _ESCAPES[found[0]], text)
