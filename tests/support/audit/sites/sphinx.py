"""A site of Sphinx in three languages, one below each folder, with a sitemap for each by sphinx-sitemap.

Where a page is missing in a language, there is the English one. The home page only leads to the English folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

from support.audit.sites.content import LANGUAGES, Article, articles
from support.audit.sites.site import Built, run, write

CONFIGURATION = """
project = "Tea"
language = "{language}"
extensions = ["sphinx_sitemap"]
html_theme = "alabaster"
html_baseurl = "{url}/{language}/"
site_url = "{url}/"
sitemap_locales = ["en", "de", "fr"]
sitemap_url_scheme = "{{lang}}{{link}}"
sitemap_show_lastmod = False
"""


def source(page: Article) -> str:
    """Return a page as reStructuredText."""
    links = " ".join(f":doc:`{slug}`" for slug in page.links)
    return "\n\n".join((f"{page.title}\n{'=' * 40}", *page.paragraphs, links)) + "\n"


def build(folder: Path, url: str) -> Built:
    """Build it."""
    root = folder / "site"
    for language in LANGUAGES:
        below = folder / language
        write(below / "conf.py", CONFIGURATION.format(language=language, url=url))
        pages = {page.slug: page for page in articles("en")} | {page.slug: page for page in articles(language)}
        for page in pages.values():
            write(below / f"{page.slug}.rst", source(page))
        tree = "\n".join(f"   {slug}" for slug in pages)
        write(below / "index.rst", f"Tea\n===\n\n.. toctree::\n\n{tree}\n")
        run([sys.executable, "-m", "sphinx", "--quiet", "--builder", "html", below, root / language], folder)
    write(root / "index.html", '<title>Tea</title><meta http-equiv="refresh" content="0; url=en/index.html">')
    sitemaps = "\n".join(f"Sitemap: {url}/{language}/sitemap.xml" for language in LANGUAGES)
    write(root / "robots.txt", f"User-agent: *\nAllow: /\n\n{sitemaps}\n")
    return Built(root)
