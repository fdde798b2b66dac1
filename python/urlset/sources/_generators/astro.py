"""Astro: pages by their path in src/pages, and content for templates with a name in brackets.

Starlight's documents are at the root of the site. Source: docs.astro.build, "Routing" and "Content collections".
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from urlset.sources._generators.claims import FALLBACK, RULE, STATED, Claim
from urlset.sources._generators.named import static_pages
from urlset.sources._generators.project import Project, named, setting
from urlset.sources._generators.routes import CONTENT, Route, content_names
from urlset.sources._generators.routes import claims as of_routes

CONFIGS = ("astro.config.*",)
_PAGES = (".astro", ".md", ".mdx", ".markdown", ".html", ".html.js", ".html.ts")
_DOCS = "content/docs"


def claims(project: Project) -> Iterator[Claim]:
    """Yield the pages of the site."""
    source = (setting(project.text(*CONFIGS), "srcDir") or "src").removeprefix("./").strip("/")
    yield from of_routes(project, _routes(project, f"{source}/pages"))
    yield from static_pages(project, "public")
    # Starlight, which brings the template for these.
    for file, path in project.below(f"{source}/{_DOCS}", CONTENT):
        slug = named(project.fields(file).get("slug"))
        yield Claim(slug or "/".join(content_names(path)), file, STATED if slug else FALLBACK)
        if path.stem == "index":
            yield Claim("" if path.parent == PurePosixPath() else path.parent.as_posix(), file, RULE)


def _routes(project: Project, folder: str) -> Iterator[Route]:
    for file, path in project.below(folder, _PAGES):
        if not any(part.startswith("_") for part in path.parts):
            name = path.name.partition(".html.")[0] if ".html." in path.name else path.stem
            parts = path.parent.parts if name == "index" else (*path.parent.parts, name)
            yield Route(parts, file)
