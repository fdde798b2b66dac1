"""Next: pages by the routes in `app` and `pages`, and content for routes with a name in brackets.

Source: nextjs.org, "Layouts and pages", "Route groups" and "Dynamic routes".
"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.sources._generators.claims import Claim
from urlset.sources._generators.named import static_pages
from urlset.sources._generators.project import Project
from urlset.sources._generators.routes import Route
from urlset.sources._generators.routes import claims as of_routes

CONFIGS = ("next.config.*",)
_PAGES = (".js", ".jsx", ".ts", ".tsx", ".md", ".mdx")


def claims(project: Project) -> Iterator[Claim]:
    """Yield the pages of the site."""
    yield from of_routes(project, _routes(project))
    yield from static_pages(project, "public")


def _routes(project: Project) -> Iterator[Route]:
    for folder in ("app", "src/app"):
        for file, path in project.below(folder, _PAGES):
            # A group in parentheses and a slot are no part of the path; an underscore makes a folder private.
            if path.stem == "page" and not any(part.startswith("_") for part in path.parts):
                yield Route(tuple(part for part in path.parent.parts if not part.startswith(("(", "@"))), file)
            elif path.stem == "route":
                yield Route(path.parent.parts, file)
            elif path.as_posix().rpartition(".")[0] == "not-found":
                yield from (Route((name,), file) for name in ("404", "_not-found"))
    for folder in ("pages", "src/pages"):
        for file, path in project.below(folder, _PAGES):
            if path.parts[0] != "api" and not path.stem.startswith("_"):
                parts = path.parent.parts if path.stem == "index" else (*path.parent.parts, path.stem)
                yield Route(parts, file)
