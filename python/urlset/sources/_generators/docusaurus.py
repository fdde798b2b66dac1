"""Docusaurus: documents, their versions and translations, the blog, and pages.

Source: docusaurus.io, and the code of its plugins for content: number prefixes, dates of posts, and slugs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath

from urlset.sources._generators.claims import FALLBACK, RULE, STATED, Claim
from urlset.sources._generators.named import static_pages
from urlset.sources._generators.project import Project, folder_of, json_list, named, setting, words

CONFIGS = ("docusaurus.config.*",)
_DOCS = (".md", ".mdx")
_PAGES = (".js", ".jsx", ".ts", ".tsx", ".md", ".mdx")
#: The most instances of a plugin, and versions of its documents.
_MAX_PLUGINS, _MAX_VERSIONS = 20, 100
#: The most instances of a plugin, and versions of its documents.
_MAX_PLUGINS, _MAX_VERSIONS = 20, 100
_NUMBER = re.compile(r"\d+\s*[-_.]+\s*(?=[^-_.\s])")
#: What looks like a number that sorts, and is a date or a version.
_NO_NUMBER = re.compile(r"\d{2,4}[-_.]\d{2}(?:[-_.]\d{2,4})?|\d+[-_.]\d+")
_POST = re.compile(r"(?P<folder>.*?)(?P<date>\d{4}[-/]\d{1,2}[-/]\d{1,2})[-/]?(?P<text>.*?)(?:/index)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Plugin:
    """An instance of a plugin for content: its name, its folder, and the path of its pages."""

    kind: str
    name: str
    folder: str
    route: str

    @property
    def translations(self) -> str:
        """The name of its folder below i18n/LANGUAGE/."""
        return f"docusaurus-plugin-content-{self.kind}" + (f"-{self.name}" if self.name else "")


def claims(project: Project) -> Iterator[Claim]:
    """Yield the pages of the site, in all languages. What is not translated is made of the default language's file."""
    text = project.text(*CONFIGS)
    default = setting(text, "defaultLocale") or "en"
    for language in dict.fromkeys([default, *words(text, "locales")]):
        prefix = "" if language == default else f"{language}/"
        base = "" if language == default else f"i18n/{language}/"
        yield from static_pages(project, "static", prefix)
        for plugin in _plugins(text):
            for folder, inside, route in _folders(project, plugin):
                if base:
                    translated = f"{base}{plugin.translations}{inside}"
                    yield from _of_folder(project, plugin.kind, translated, prefix + route, 0)
                yield from _of_folder(project, plugin.kind, folder, prefix + route, FALLBACK if base else 0)


def _plugins(text: str) -> Iterator[_Plugin]:
    """Yield the plugins of the preset, and further instances of them."""
    for kind, folder, route in (("docs", "docs", "docs"), ("blog", "blog", "blog"), ("pages", "src/pages", "")):
        inner = _braces(text, rf"\b{kind}:")
        yield _plugin(kind, inner, folder, route)
        for found in islice(re.finditer(rf"plugin-content-{kind}[\"'`]\s*,", text), _MAX_PLUGINS):
            inner = _braces(text[found.end() :], "")
            if name := setting(inner, "id"):
                yield _plugin(kind, inner, name, name, name)


def _plugin(kind: str, inner: str, folder: str, route: str, name: str = "") -> _Plugin:
    path = (setting(inner, "path") or folder).removeprefix("./").strip("/")
    stated = setting(inner, "routeBasePath")
    return _Plugin(kind, name, path, _slashed(route if stated is None else stated))


def _folders(project: Project, plugin: _Plugin) -> Iterator[tuple[str, str, str]]:
    """Yield each folder of a plugin, its folder in a translation, and the path of its pages: one for each version."""
    if plugin.kind != "docs":
        yield plugin.folder, "", plugin.route
        return
    before = f"{plugin.name}_" if plugin.name else ""
    versions = [each for each in json_list(project.content(f"{before}versions.json")) if isinstance(each, str)]
    last = setting(_braces(project.text(*CONFIGS), r"\bdocs:"), "lastVersion") or (
        versions[0] if versions else "current"
    )
    yield plugin.folder, "/current", plugin.route + ("" if last == "current" else "next/")
    for version in versions[:_MAX_VERSIONS]:
        route = plugin.route + ("" if version == last else f"{version}/")
        yield f"{before}versioned_docs/version-{version}", f"/version-{version}", route


def _of_folder(project: Project, kind: str, folder: str, route: str, rank: int) -> Iterator[Claim]:
    for file, path in project.below(folder, _PAGES if kind == "pages" else _DOCS):
        if any(part.startswith("_") for part in path.parts):
            continue
        slug = named(project.fields(file).get("slug")) if path.suffix in _DOCS else ""
        if kind == "pages":
            page = slug.lstrip("/") or folder_of(path) + ("" if path.stem.lower() == "index" else path.stem)
            yield Claim(route + page, file, rank + (STATED if slug else RULE))
            continue
        page = _post(path) if kind == "blog" else _document(path, named(project.fields(file).get("id")))
        inside = "" if kind == "blog" or slug.startswith("/") else folder_of(PurePosixPath(_unnumbered(path)))
        yield Claim(
            route + (inside + slug.removeprefix("./").lstrip("/") if slug else page),
            file,
            rank + (STATED if slug else RULE),
        )


def _document(path: PurePosixPath, name: str) -> str:
    """Return the path of a document. An index, a README, and one called like its folder are the page of the folder."""
    plain = PurePosixPath(_unnumbered(path))
    stem = plain.stem if plain.suffix in _DOCS else plain.name
    if not name and stem.lower() in ("index", "readme", plain.parent.name.lower()):
        return folder_of(plain)
    return folder_of(plain) + (name or stem)


def _unnumbered(path: PurePosixPath) -> str:
    return "/".join(part if _NO_NUMBER.match(part) else _NUMBER.sub("", part, count=1) for part in path.parts)


def _post(path: PurePosixPath) -> str:
    found = _POST.fullmatch(path.with_suffix("").as_posix())
    if found is None:
        return path.with_suffix("").as_posix().removesuffix("/index")
    year, month, day = re.split("[-/]", found["date"])
    return f"{year}/{month:0>2}/{day:0>2}/{found['folder']}{found['text']}"


def _braces(text: str, before: str) -> str:
    """Return the object that stands behind something, with the braces around it; empty if there is none."""
    start = re.search(before + r"\s*\{", text)
    if start is None:
        return ""
    depth = 0
    for place in range(start.end() - 1, len(text)):
        depth += (text[place] == "{") - (text[place] == "}")
        if not depth:
            return text[start.end() - 1 : place + 1]
    return ""


def _slashed(route: str) -> str:
    route = route.strip("/")
    return f"{route}/" if route else ""
