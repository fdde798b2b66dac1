"""Pages that a template makes of many sources: `pages/blog/[slug].vue` of each file of content.

Next, Nuxt and Astro name a template by the path of its pages, with a name in brackets for the part that differs. Which
content it reads is said in code. So a page belongs to the one file of content whose path ends as the page does: the
page blog/tea of `blog/[slug]` to content/posts/tea.md, or to content/blog/tea.md, which counts before the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from urlset.sources._generators.claims import FALLBACK, LAST, RULE, STATED, Claim
from urlset.sources._generators.project import Project, named

#: Suffixes of content.
CONTENT = (".md", ".mdx", ".markdown", ".mdoc")
#: The most templates that are compared with the content, and names that a file has in one.
_MAX_ROUTES, _MAX_DEPTH = 50, 8
_DYNAMIC = re.compile(r"\[\[?(\.\.\.)?([^\]]+)\]\]?")
#: A number before a name that only sorts it: Nuxt takes away the first kind, the code of many sites the second.
_NUMBER, _LOOSE_NUMBER = re.compile(r"\d+\.(?=.)"), re.compile(r"\d+[-_](?=.)")


@dataclass(frozen=True, slots=True)
class Route:
    """A template: the names in the path of its pages, and its file."""

    parts: tuple[str, ...]
    file: str

    @property
    def is_dynamic(self) -> bool:
        """Whether it makes several pages."""
        return any(_DYNAMIC.search(part) for part in self.parts)


def claims(project: Project, routes: Iterable[Route], content: str = "") -> Iterator[Claim]:
    """Yield the pages of templates: of each that makes one page, and of content for those that make many.

    Args:
        project: The project.
        routes: The templates.
        content: The folder of the content; the whole project if empty.
    """
    dynamic = []
    for route in routes:
        if route.is_dynamic:
            dynamic.append(route)
        else:
            yield Claim("/".join(route.parts), route.file, RULE)
    for file, path in project.below(content, CONTENT):
        names, is_index = content_names(path), path.stem.lower() in ("index", "readme")
        slug = named(project.fields(file).get("slug")).strip("/")
        for route in dynamic[:_MAX_ROUTES]:
            if slug:
                yield from _pages(route, (*names[:-1], *slug.split("/")), slug.count("/") + 1, file, STATED)
            yield from _pages(route, names, 1, file, FALLBACK)
            if is_index:
                yield from _first_page(route, names, file)
            elif names[-1] != (bare := _LOOSE_NUMBER.sub("", names[-1])):
                yield from _pages(route, (*names[:-1], bare), 1, file, LAST)


def content_names(path: PurePosixPath) -> tuple[str, ...]:
    """Return the names in the path of a file of content, without numbers that only sort it, and an index."""
    names = [_NUMBER.sub("", name) for name in path.parent.parts]
    stem = _NUMBER.sub("", path.stem)
    return tuple(names if stem.lower() in ("index", "readme") and names else [*names, stem])[-_MAX_DEPTH:]


def _pages(route: Route, names: tuple[str, ...], least: int, file: str, rank: int) -> Iterator[Claim]:
    """Yield the pages that a template may make of a file: for each number of its last names that fits the brackets."""
    last = route.parts[-1]
    fixed, marks = route.parts[:-1], _DYNAMIC.fullmatch(last)
    if marks is None:
        return
    before = tuple(part for part in fixed if not _DYNAMIC.fullmatch(part))
    for taken in range(least, len(names) + 1 if marks[1] else least + 1):
        tail, folders = names[-taken:], names[:-taken]
        # A part in brackets before the last one is a name on the way to the file, such as a language.
        for head in _heads(fixed, folders):
            is_alike = not before or before[-1].lower() in (name.lower().strip("_") for name in folders)
            yield Claim("/".join((*head, *tail)), file, rank if is_alike or rank == STATED else LAST)


def _first_page(route: Route, names: tuple[str, ...], file: str) -> Iterator[Claim]:
    """Yield the page of an index at the top of what `[...slug]` is made of: content/guide/en/index.md of en/guide."""
    marks = _DYNAMIC.fullmatch(route.parts[-1])
    for head in _heads(route.parts[:-1], names) if marks and marks[1] else ():
        inside = [name for name in names if name not in head or name in route.parts]
        if head and inside[-1:] == [part for part in route.parts[:-1] if not _DYNAMIC.fullmatch(part)][-1:]:
            yield Claim("/".join(head), file, FALLBACK)


def _heads(fixed: tuple[str, ...], folders: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    open_parts = [number for number, part in enumerate(fixed) if _DYNAMIC.fullmatch(part)]
    if not open_parts:
        yield fixed
    elif len(open_parts) == 1:
        for name in dict.fromkeys(folders):
            yield (*fixed[: open_parts[0]], name, *fixed[open_parts[0] + 1 :])
