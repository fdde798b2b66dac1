"""Nuxt: pages by their path in `pages`, and content for pages with a name in brackets.

Source: nuxt.com, "Pages", and content.nuxt.com, for numbers that sort files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.sources._generators.claims import FALLBACK, STATED, Claim
from urlset.sources._generators.named import static_pages
from urlset.sources._generators.project import Project, named, setting
from urlset.sources._generators.routes import CONTENT, Route, content_names
from urlset.sources._generators.routes import claims as of_routes

CONFIGS = ("nuxt.config.*",)
_PAGES = (".vue", ".js", ".jsx", ".ts", ".tsx")
#: The path that a page gives itself.
_PATH = re.compile(r"definePageMeta\(\s*\{[^}]{0,2000}?\bpath:\s*[\"'`](/[^\"'`:]*)[\"'`]")
_GROUP = re.compile(r"\(.*\)")


def claims(project: Project) -> Iterator[Claim]:
    """Yield the pages of the site."""
    yield from of_routes(project, _routes(project))
    # Nuxt Content knows the path of each file; the page that shows it has often no more than `[...slug]` for a path.
    for file, path in project.below("content", CONTENT):
        stated = named(project.fields(file).get("path"))
        yield Claim(stated or "/".join(content_names(path)).replace("&", "and"), file, STATED if stated else FALLBACK)
    yield from static_pages(project, "public")


def _routes(project: Project) -> Iterator[Route]:
    source = (setting(project.text(*CONFIGS), "srcDir") or "").removeprefix("./").strip("/")
    for folder in dict.fromkeys(("pages", "app/pages", f"{source}/pages".lstrip("/"))):
        for file, path in project.below(folder, _PAGES):
            if stated := _PATH.search(project.content(file)):
                yield Route(tuple(stated[1].strip("/").split("/")), file)
                continue
            names = [part for part in path.parent.parts if not _GROUP.fullmatch(part)]
            yield Route(tuple(names if path.stem == "index" else [*names, path.stem]), file)
