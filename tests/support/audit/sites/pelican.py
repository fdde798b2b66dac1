"""A blog of Pelican with its own theme: tags, categories, pages of older articles, feeds, a draft, and translations."""

from __future__ import annotations

import sys
from pathlib import Path

from support.audit.sites.content import LANGUAGES, Article, articles, sentences
from support.audit.sites.site import Built, run, write

CONFIGURATION = """
SITENAME = "Tea"
SITEURL = "{url}"
AUTHOR = "A Gardener"
TIMEZONE = "Europe/Berlin"
DEFAULT_LANG = "en"
DEFAULT_PAGINATION = 5
FEED_ALL_ATOM = "feeds/all.atom.xml"
CATEGORY_FEED_ATOM = None
RELATIVE_URLS = False
PLUGINS = ["pelican.plugins.sitemap"]
SITEMAP = {{"format": "xml"}}
"""


def article(page: Article) -> str:
    """Return an article with its metadata."""
    return (
        f"Title: {page.title}\nDate: {page.changed} 08:00\nCategory: {'Garden' if 'a' in page.slug else 'House'}\n"
        f"Tags: {page.slug.split('-')[-1]}, leaves\nSlug: {page.slug}\nLang: {page.language}\n\n"
        + "\n\n".join(page.paragraphs)
        + "\n"
    )


def build(folder: Path, url: str) -> Built:
    """Build it."""
    write(folder / "pelicanconf.py", CONFIGURATION.format(url=url))
    for language in LANGUAGES:
        for page in articles(language):
            write(folder / f"content/{page.slug}-{language}.md", article(page))
    write(folder / "content/pages/about.md", f"Title: About\n\n{sentences('about', 'en', 8)}\n")
    write(
        folder / "content/draft.md",
        f"Title: Draft\nDate: 2026-05-01\nCategory: House\nStatus: draft\n\n{sentences('draft', 'en', 8)}\n",
    )
    write(
        folder / "content/hidden.md",
        f"Title: Hidden\nDate: 2026-05-01\nCategory: House\nStatus: hidden\n\n{sentences('hidden', 'en', 8)}\n",
    )
    run([sys.executable, "-m", "pelican", "content", "--settings", "pelicanconf.py", "--fatal", "errors"], folder)
    return Built(folder / "output")
