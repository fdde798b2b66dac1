"""The source file of each page that a generator has built: Hugo, Jekyll, MkDocs, Sphinx and others."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from urlset._util.arguments import check_choice
from urlset.sources._generators import named
from urlset.sources._generators.claims import Claims
from urlset.sources._generators.known import GENERATORS, GeneratorName, project_of, recognized
from urlset.sources._generators.project import Project

__all__ = ["GeneratorName", "Sources", "project_of", "sources"]


class Sources:
    """The source file of each built page, by the rules of the generator.

    Attributes:
        generator: The generator; None if none was recognized, and pages are called like their sources.
        folder: The folder of the project, to which the paths of sources are relative.
    """

    def __init__(self, generator: GeneratorName | None, project: Project) -> None:
        self.generator = generator
        self.folder = project.folder
        self._claims = Claims(named.claims(project) if generator is None else GENERATORS[generator].claims(project))

    def of_page(self, page: str) -> tuple[str, ...]:
        """Return the source of a page: one path; none if it has no source; several if it may be made of either.

        Args:
            page: The path of the page in the folder of built pages, with slashes.

        Returns:
            The paths, with slashes and sorted.
        """
        return self._claims.source_of(page)

    def __iter__(self) -> Iterator[str]:
        """Iterate the sources that are said to make pages, each once."""
        return iter(dict.fromkeys(self._claims.sources()))


def sources(
    folder: str | os.PathLike[str],
    *,
    generator: GeneratorName | None = None,
    output: str | os.PathLike[str] | None = None,
) -> Sources:
    """Return the sources of the pages that a generator makes of a folder.

    Which source makes a page is said by the generator's naming rules, its settings, and the front matter of the source.
    Nothing is run: a setting counts if it stands in its file as plain text. A page may have no source of its own, such
    as a list of tags.

    Args:
        folder: The folder of the project, in which the generator is run; if there are no settings of a generator in it,
            the folder of sources that are called like their pages.
        generator: The generator. By default, the one whose settings are in the folder.
        output: The folder of built pages, if it is inside. It is ignored.

    Returns:
        The sources.

    Raises:
        InputError: The folder does not exist or has more than a million files, or the generator is unknown.

    Example:
        >>> from pathlib import Path
        >>> from urlset.sources import generators
        >>> Path("content/posts").mkdir(parents=True)
        >>> _ = Path("hugo.toml").write_text('baseURL = "https://shop.example/"')
        >>> _ = Path("content/posts/tea.md").write_text("---\\nslug: green-tea\\n---\\n")
        >>> found = generators.sources(".")
        >>> found.generator, found.of_page("posts/green-tea/index.html")
        ('hugo', ('content/posts/tea.md',))
    """
    path = Path(folder)
    if generator is not None:
        check_choice("generator", generator, get_args(GeneratorName))
    project = Project(path, None if output is None else Path(output))
    return Sources(generator or recognized(path), project)
