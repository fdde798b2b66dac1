"""The generators: how each is recognized, and its rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from urlset.sources._generators import (
    astro,
    docusaurus,
    eleventy,
    hugo,
    jekyll,
    mkdocs,
    next,  # noqa: A004  (the generator)
    nuxt,
    pelican,
    sphinx,
)
from urlset.sources._generators.claims import Claim
from urlset.sources._generators.project import Project, read_text

GeneratorName = Literal[
    "astro", "docusaurus", "eleventy", "hugo", "jekyll", "mkdocs", "next", "nuxt", "pelican", "sphinx", "zensical"
]
#: The most folders above the built pages in which a generator is looked for.
_MAX_ABOVE = 4


@dataclass(frozen=True, slots=True)
class Generator:
    """A generator of static sites.

    Attributes:
        name: Its name.
        configs: Globs of its files of settings.
        claims: Yields the pages that the sources of a project say they make.
        is_it: Whether the text of such a file is its own.
    """

    name: GeneratorName
    configs: tuple[str, ...]
    claims: Callable[[Project], Iterator[Claim]]
    is_it: Callable[[str], bool] = bool


#: Those with a file of settings of their own before those whose file may be another program's.
GENERATORS = {
    each.name: each
    for each in (
        Generator("docusaurus", docusaurus.CONFIGS, docusaurus.claims),
        Generator("astro", astro.CONFIGS, astro.claims),
        Generator("next", next.CONFIGS, next.claims, lambda _: True),
        Generator("nuxt", nuxt.CONFIGS, nuxt.claims, lambda _: True),
        Generator("eleventy", eleventy.CONFIGS, eleventy.claims, lambda _: True),
        Generator("zensical", ("zensical.toml",), mkdocs.claims),
        Generator("mkdocs", ("mkdocs.y*ml",), mkdocs.claims),
        Generator("pelican", pelican.CONFIGS, pelican.claims),
        Generator("hugo", hugo.CONFIGS, hugo.claims, hugo.is_it),
        Generator("jekyll", jekyll.CONFIGS, jekyll.claims, jekyll.is_it),
        Generator("sphinx", sphinx.CONFIGS, sphinx.claims, sphinx.is_it),
    )
}


def recognized(folder: Path) -> GeneratorName | None:
    """Return the generator whose settings are in a folder; None if there is none."""
    for generator in GENERATORS.values():
        for glob in generator.configs:
            for path in sorted(folder.glob(glob)):
                if path.is_file() and generator.is_it(read_text(path)):
                    return generator.name
    return None


def project_of(output: Path) -> Path | None:
    """Return the nearest folder with the settings of a generator, from that of built pages up; None if there is none.

    The search ends at the top of a repository.
    """
    folder = output.resolve()
    for each in [folder, *folder.parents][: 1 + _MAX_ABOVE]:
        if recognized(each) is not None:
            return each
        if (each / ".git").exists():
            break
    return None
