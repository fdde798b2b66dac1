"""Pages named as their sources are: the rule of most generators, and the one for a folder of an unknown generator."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.sources._generators.claims import RULE, Claim
from urlset.sources._generators.project import Project, folder_of, stem

#: Suffixes of source files. The first file that exists counts.
SUFFIXES = (".md", ".markdown", ".mdx", ".rst", ".adoc", ".org", ".ipynb", ".njk", ".astro", ".html", ".htm")
#: Names of the source that becomes the index page of a folder.
INDEXES = ("index", "_index", "README")


def static_pages(project: Project, folder: str, at: str = "") -> Iterator[Claim]:
    """Yield the pages that stand in a folder as they are, and are copied."""
    return claims(project, folder, at, (".html", ".htm"))


def claims(project: Project, folder: str = "", at: str = "", suffixes: tuple[str, ...] = SUFFIXES) -> Iterator[Claim]:
    """Yield the pages of sources: blog/tea/index.html is made of blog/tea.md, blog/tea/index.md or blog/tea/_index.md.

    Args:
        project: The project.
        folder: The folder of the sources.
        at: The path at which their pages are, with a slash at its end.
        suffixes: Suffixes of sources. Of several sources of a page, the one whose suffix comes first counts.
    """
    for file, path in project.below(folder, suffixes):
        rank = RULE + suffixes.index(path.suffix)
        yield Claim(at + stem(path), file, rank)
        if path.stem in INDEXES:
            yield Claim(at + folder_of(path), file, rank + len(suffixes) * (1 + INDEXES.index(path.stem)))
