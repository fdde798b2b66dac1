"""The page of the package on PyPI: README.md, with links that lead to the site, and without what is for a clone."""

from __future__ import annotations

import re

from tree import FOLDERS, ROOT, places

_SITE = re.compile(r"^site_url: (\S+/)$", re.MULTILINE)
_LINK = re.compile(r"\]\((?![a-z]+:)(?P<target>[^)\s#]+)(?P<part>#[^)\s]+)?\)")
#: The cards are a list without the element that the site draws them in.
_CARDS = re.compile(r"^</?div[^>]*>\n\n?", re.MULTILINE)
#: From the word about the clone to the end of its two commands.
_CLONE = re.compile(r"^urlset is not on PyPI yet\..*?^```\n", re.MULTILINE | re.DOTALL)


def pypi_page() -> str:
    """Return the page, in Markdown that PyPI shows.

    Raises:
        LookupError: README.md links to a file that the site does not have, or does not say how to use a clone.
    """
    site = _SITE.search((ROOT / "mkdocs.yml").read_text("utf-8"))
    if site is None:
        raise LookupError("mkdocs.yml must have a site_url that ends in a slash")
    placed = places()

    def absolute(link: re.Match[str]) -> str:
        place = placed.get(link["target"]) or FOLDERS.get(link["target"])
        if place is None:
            raise LookupError(f"README.md: the site has no {link['target']}")
        page = re.sub(r"(^|/)index\.md$", r"\1", place)
        return f"]({site[1]}{re.sub(r'[.]md$', '/', page)}{link['part'] or ''})"

    text, replaced = _CLONE.subn("```sh\npip install urlset\n```\n", (ROOT / "README.md").read_text("utf-8"))
    if replaced != 1:
        raise LookupError("README.md must have one paragraph and one block for a clone")
    return _LINK.sub(absolute, _CARDS.sub("", text))
