"""Sphinx: documents by their path, in the builders html and dirhtml."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.sources._generators import named
from urlset.sources._generators.claims import Claim
from urlset.sources._generators.project import Project, constants

CONFIGS = ("conf.py", "docs/conf.py", "doc/conf.py", "source/conf.py", "docs/source/conf.py", "doc/source/conf.py")
_LOCALES = ("locale", "locales", "translations")
_SUFFIXES = (".rst", ".md", ".txt", ".ipynb")


def is_it(text: str) -> bool:
    """Whether a conf.py is that of Sphinx. Nikola has one too."""
    return re.search(r"^(?:project|extensions|html_theme|master_doc|root_doc)\s*=", text, re.M) is not None


def claims(project: Project) -> Iterator[Claim]:
    """Yield the pages of the documents."""
    config = next((name for name in CONFIGS if (project.folder / name).is_file()), CONFIGS[0])
    settings = constants(project.text(config))
    suffixes = settings.get("source_suffix")
    known: tuple[str, ...] = _SUFFIXES
    if isinstance(suffixes, str | list | dict):
        stated = [suffixes] if isinstance(suffixes, str) else [each for each in suffixes if isinstance(each, str)]
        known = tuple(dict.fromkeys([*stated, *_SUFFIXES]))
    folder = config.rpartition("/")[0]
    # `sphinx-build -D language=de … out/de`, with translations in locale/de.
    languages = {path.parts[0] for name in _LOCALES for _, path in project.below(f"{folder}/{name}", (".po",))}
    languages |= {str(settings.get("language") or "en")} if languages else set()
    for at in ("", *(f"{language}/" for language in sorted(languages))):
        yield from named.claims(project, folder, at, known)
