"""Hugo: content by its path, `slug`, `url`, the patterns of `permalinks`, and languages by file name or folder.

Source: gohugo.io, "URL management" and "Multilingual mode".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from urlset.sources._generators.claims import RULE, STATED, Claim
from urlset.sources._generators.named import static_pages
from urlset.sources._generators.project import Project, day_of, folder_of, json_values, named, outline, toml

CONFIGS = ("hugo.toml", "hugo.y*ml", "hugo.json", "config.toml", "config.y*ml", "config.json", "config/_default/*.toml")
_SUFFIXES = (
    ".md",
    ".markdown",
    ".mdown",
    ".html",
    ".htm",
    ".adoc",
    ".asciidoc",
    ".ad",
    ".org",
    ".rst",
    ".pandoc",
    ".pdc",
)
_DATED = re.compile(r"(\d{4}-\d\d-\d\d)[-_ ]?(.+)", re.DOTALL)
_TOKEN = re.compile(r":(\w+)(?:\[[^\]]*\])?")


def is_it(text: str) -> bool:
    """Whether a configuration is Hugo's. Others are called config.toml too."""
    return (
        re.search(r"^[ \t\"]*(?:baseURL|languageCode|theme|module|contentDir|title)\b", text, re.M | re.I) is not None
    )


class _Settings:
    """What the configuration says about paths."""

    def __init__(self, project: Project) -> None:
        values = _lower(_configuration(project))
        self.content = named(values.get("contentdir")) or "content"
        self.languages = {name: _lower(each) for name, each in _lower(values.get("languages")).items()}
        self.default = named(values.get("defaultcontentlanguage")) or "en"
        self.has_prefix = named(values.get("defaultcontentlanguageinsubdir")).lower() == "true"
        patterns = _lower(values.get("permalinks"))
        dates = _lower(values.get("frontmatter")).get("date")
        self.has_dated_names = isinstance(dates, list) and ":filename" in dates
        self.permalinks = {**patterns, **_lower(patterns.get("page")), **_lower(patterns.get("section"))}

    def roots(self) -> Iterator[tuple[str, str]]:
        """Yield each folder of content with its language; empty if the names of files have it."""
        yield self.content, ""
        for language, values in self.languages.items():
            if folder := named(values.get("contentdir")):
                yield folder, language

    def prefix(self, language: str) -> str:
        """Return the folder of the pages in a language."""
        return f"{language}/" if language and (language != self.default or self.has_prefix) else ""


def claims(project: Project) -> Iterator[Claim]:
    """Yield the pages of the content."""
    settings = _Settings(project)
    of_languages = {folder.strip("/") for folder, language in settings.roots() if language}
    for root, language in settings.roots():
        for file, path in project.below(root, _SUFFIXES):
            if not language and any(file.startswith(f"{folder}/") for folder in of_languages):
                continue
            yield from _of_file(project, settings, file, path, language)

    yield from static_pages(project, "static")


def _of_file(project: Project, settings: _Settings, file: str, path: PurePosixPath, language: str) -> Iterator[Claim]:
    stem, found = path.stem, language or settings.default
    bare, _, code = stem.rpartition(".")
    if bare and code.lower() in settings.languages:
        stem, found = bare, code.lower()
    prefix = settings.prefix(found)
    fields = project.fields(file)
    if url := named(fields.get("url")):
        yield Claim(url, file, STATED)
        yield Claim(prefix + url.lstrip("/"), file, STATED)
        return
    folder = folder_of(path)
    if stem in ("index", "_index"):
        folder, name = folder_of(PurePosixPath(folder)), PurePosixPath(folder).name
    else:
        name = stem
    slug, dated = named(fields.get("slug")), _DATED.fullmatch(name)
    if settings.has_dated_names and dated:
        fields = {"date": dated[1], "slug": slug or dated[2], **{key: value for key, value in fields.items() if value}}
        slug = slug or dated[2]
    section = path.parts[0] if len(path.parts) > 1 else ""
    pattern = settings.permalinks.get(section.lower())
    if isinstance(pattern, str) and stem != "_index" and name:
        yield Claim(prefix + _filled(pattern, name, fields, _folders(project, file, path)), file, STATED)
    yield Claim(prefix + folder + (slug if slug and stem != "_index" else name), file, RULE)


def _filled(pattern: str, name: str, fields: Mapping[str, Any], folders: Sequence[str]) -> str:
    """Return the path that a pattern of `permalinks` makes of a page."""
    title, slug = named(fields.get("title")) or name, named(fields.get("slug"))
    dates = (day_of(fields.get(key)) for key in ("date", "publishdate", "pubdate", "published", "lastmod"))
    year, month, day = next((each for each in dates if each is not None), ("", "", ""))
    values = {
        "year": year,
        "month": month,
        "day": day,
        "section": folders[0],
        "sections": "/".join(folders),
        "title": title,
        "slug": slug or title,
        "slugorfilename": slug or name,
        "slugorcontentbasename": slug or name,
        "filename": name,
        "contentbasename": name,
    }
    return _TOKEN.sub(lambda found: values.get(found[1].lower(), ""), pattern).lstrip("/")


def _folders(project: Project, file: str, path: PurePosixPath) -> list[str]:
    """Return the sections of a page: the first folder, and those below it that have an index of their own."""
    folders = path.parts[:-1] if path.stem.partition(".")[0] != "index" else path.parts[:-2]
    root = file.removesuffix(path.as_posix())
    inner = ("/".join(folders[: length + 1]) for length in range(1, len(folders)))
    return [*folders[:1], *(PurePosixPath(each).name for each in inner if project.has_index(root + each))]


def _configuration(project: Project) -> dict[str, Any]:
    """Return the settings of all files. Those in a folder have one file for each table."""
    found: dict[str, Any] = {}
    for name in ("config", "hugo"):
        for folder in ("", "config/_default/"):
            found |= _table(project, f"{folder}{name}")
    for table in ("languages", "permalinks"):
        if values := _table(project, f"config/_default/{table}"):
            found[table] = values
    return found


def _table(project: Project, name: str) -> dict[str, Any]:
    """Return the values of a file of settings, in whichever format it is."""
    return {
        **outline(project.text(f"{name}.y*ml")),
        **json_values(project.text(f"{name}.json")),
        **toml(project.text(f"{name}.toml")),
    }


def _lower(values: object) -> dict[str, Any]:
    """Return a table with its names in lower case; nothing if the value is not a table."""
    return {name.lower(): value for name, value in values.items()} if isinstance(values, dict) else {}
