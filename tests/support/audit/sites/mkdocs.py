"""A site of MkDocs with its theme Material, in three languages: where one is missing, the page has the English text."""

from __future__ import annotations

import sys
from pathlib import Path

from support.audit.sites.content import LANGUAGES, articles
from support.audit.sites.site import Built, run, write

CONFIGURATION = """
site_name: Tea
site_url: {url}/
theme:
  name: material
  font: false
plugins:
  - search
  - i18n:
      docs_structure: suffix
      fallback_to_default: true
      languages:
        - {{locale: en, name: English, default: true, build: true}}
        - {{locale: de, name: Deutsch, build: true}}
        - {{locale: fr, name: Français, build: true}}
"""


def build(folder: Path, url: str) -> Built:
    """Build it."""
    write(folder / "mkdocs.yml", CONFIGURATION.format(url=url))
    for language in LANGUAGES:
        ending = "md" if language == "en" else f"{language}.md"
        pages = articles(language)
        for page in pages:
            write(folder / f"docs/{page.slug}.{ending}", page.markdown())
        listed = "\n".join(f"- [{page.title}]({page.slug}.md)" for page in pages)
        write(folder / f"docs/index.{ending}", f"# {'Tea' if language == 'en' else language}\n\n{listed}\n")
    run([sys.executable, "-m", "mkdocs", "build", "--quiet"], folder)
    return Built(folder / "site")
