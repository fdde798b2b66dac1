"""The llms.txt of a site: a Markdown file in which links to pages stand under headings.

Source: llmstxt.org, format. Its readers are parsers of Markdown and, more often, regular expressions such as the one of
the package llms-txt, `- [title](url): description`. What is written means the same to both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from urlset._feeds.pages import ListedPage
from urlset._feeds.texts import Texts

#: The heading of pages without a section: a list stands under one. Source: llmstxt.org, format.
_HEADING: Final = "Pages"
#: What would begin markup in a line. Brackets and what HTML is made of become entities, because a regular expression
#: ends a title at a bracket even after a backslash. Source: CommonMark 0.31, 2.4 and 2.5.
_INLINE: Final = re.compile(r"[\[\]<&\\`*~]|(?<![^\W_])_|_(?![^\W_])")
_ENTITIES: Final = {"[": "&#91;", "]": "&#93;", "<": "&lt;", "&": "&amp;"}
#: What would begin a block at the begin of a line. Source: CommonMark 0.31, 4 and 5.
_BLOCK: Final = re.compile(r"(\d{1,9})?([#>+\-=|.):])")
#: Hashes that would close a heading. Source: CommonMark 0.31, 4.2.
_CLOSING: Final = re.compile(r"(?<= )#(?=#*\Z)")
#: What would end the target of a link, and what would be an entity in it.
_TARGET: Final = re.compile(r"[()<>\\\s]")
_MAY_BE_ENTITY: Final = re.compile(r"&#?[0-9A-Za-z]+;")


def document(pages: Sequence[ListedPage], texts: Texts, *, title: str, summary: str | None) -> bytes:
    """Return an llms.txt.

    Args:
        pages: Its pages, those of a section together.
        texts: Makes the texts of pages fit for it.
        title: Its title.
        summary: What the site is, in a sentence.
    """
    blocks = [f"# {_heading(title)}"]
    if summary:
        blocks.append(f"> {_begun(_inline(summary))}")
    for section, listed in groupby(pages, key=lambda page: page.section):
        items = [_item(page, texts) for page in listed]
        blocks += [f"## {_heading(section or _HEADING)}", "\n".join(items)]
    return ("\n\n".join(blocks) + "\n").encode()


def _item(page: ListedPage, texts: Texts) -> str:
    """Return the line of a page. An item has one link, which leads to the Markdown twin where there is one."""
    description = texts.description(page)
    target = texts.markdown(page) or page.loc
    return f"- [{_inline(texts.title(page))}]({_target(target)}){f': {_inline(description)}' if description else ''}"


def _inline(text: str) -> str:
    return _INLINE.sub(lambda found: _ENTITIES.get(found[0]) or f"\\{found[0]}", text)


def _heading(text: str) -> str:
    return _CLOSING.sub(r"\\#", _inline(text))


def _begun(line: str) -> str:
    """Return a line that begins a paragraph and nothing else."""
    return _BLOCK.sub(r"\1\\\2", line, count=1) if _BLOCK.match(line) else line


def _target(url: str) -> str:
    """Return a URL as the target of a link. Servers read a character and its escape alike."""
    url = _MAY_BE_ENTITY.sub(lambda found: found[0][:-1] + "%3B", url)
    return _TARGET.sub(_escape, url)


def _escape(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())
