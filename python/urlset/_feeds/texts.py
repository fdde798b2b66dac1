"""The texts of a page, fit to stand in a list: one line, bounded, and free of control characters."""

from __future__ import annotations

import re
from typing import Final

from urlset import _core
from urlset._feeds.pages import ListedPage

#: The most characters of a title and of a description.
MAX_TITLE: Final = 300
MAX_DESCRIPTION: Final = 1_000
#: The most characters of a URL.
_MAX_URL: Final = 2_048
#: Characters that XML does not allow, other controls, and marks that turn the direction of what comes after them.
_NO_TEXT: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)


class Texts:
    """Makes the texts of pages fit, and counts what they lack.

    Attributes:
        untitled: Pages without a title.
        shortened: Titles and descriptions that were too long.
        bad_markdown: Values for the Markdown twin that are no http(s) URL.
    """

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url
        self.untitled = 0
        self.shortened = 0
        self.bad_markdown = 0

    def title(self, page: ListedPage) -> str:
        """Return the title of a page. Without one it is its URL, because a list shows something to click."""
        title = self._shortened(page.title, MAX_TITLE)
        self.untitled += not title
        return title or page.loc

    def description(self, page: ListedPage) -> str:
        """Return the description of a page; an empty text without one."""
        return self._shortened(page.description, MAX_DESCRIPTION)

    def markdown(self, page: ListedPage) -> str | None:
        """Return the absolute URL of the Markdown twin of a page; None without one, or if it is not an http(s) URL."""
        if page.markdown is None or not page.markdown.strip():
            return None
        url = _core.joined_url(self._base_url, page.markdown) if len(page.markdown) <= _MAX_URL else None
        self.bad_markdown += url is None
        return url

    def _shortened(self, text: str | None, most: int) -> str:
        line = one_line(text or "")
        if len(line) <= most:
            return line
        self.shortened += 1
        return line[: most - 1].rstrip() + "…"


def one_line(text: str) -> str:
    """Return a text as one line, without control characters.

    Example:
        >>> one_line(" Green\\n  tea\\x00 ")
        'Green tea'
    """
    return " ".join(_NO_TEXT.sub(" ", text).split())
