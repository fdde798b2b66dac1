"""Pelican: articles, pages and drafts by their slug, category and date, and `save_as`.

The plugin `urlset.contrib.pelican` needs no rules, since Pelican tells it where it writes each article. Source:
docs.getpelican.com, "Settings" and "Writing content", and the code of Pelican 4.11.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import PurePosixPath
from typing import Any

from urlset.sources._generators.claims import RULE, STATED, Claim
from urlset.sources._generators.project import Project, constants, day_of, named

CONFIGS = ("pelicanconf.py", "publishconf.py")
_SUFFIXES = (".md", ".markdown", ".mkd", ".mdown", ".rst", ".html", ".htm")
_DEFAULTS = {
    "ARTICLE_SAVE_AS": "{slug}.html",
    "ARTICLE_LANG_SAVE_AS": "{slug}-{lang}.html",
    "DRAFT_SAVE_AS": "drafts/{slug}.html",
    "DRAFT_LANG_SAVE_AS": "drafts/{slug}-{lang}.html",
    "PAGE_SAVE_AS": "pages/{slug}.html",
    "PAGE_LANG_SAVE_AS": "pages/{slug}-{lang}.html",
    "DRAFT_PAGE_SAVE_AS": "drafts/pages/{slug}.html",
    "DRAFT_PAGE_LANG_SAVE_AS": "drafts/pages/{slug}-{lang}.html",
    "SLUGIFY_SOURCE": "title",
    "DEFAULT_LANG": "en",
    "DEFAULT_CATEGORY": "misc",
    "FILENAME_METADATA": r"(?P<date>\d{4}-\d{2}-\d{2}).*",
}
_FIELD = re.compile(r"(?i):?([a-z][\w-]*):(?:[ \t]+(.*))?")
_META = re.compile(r"<meta\s+name=[\"']([\w-]+)[\"']\s+content=[\"']([^\"'<>]*)[\"']", re.I)
_LITERAL = re.compile(r"\\?[^\w\s\\]|\w+")
_PART = re.compile(r"\{(\w+)(?::([^{}]{0,40}))?\}")
_DIRECTIVE = re.compile(r"%-?([YymdbBjaA])")


def claims(project: Project) -> Iterator[Claim]:
    """Yield the pages of articles and pages."""
    settings: Mapping[str, Any] = {**_DEFAULTS, **constants(project.text(CONFIGS[0]))}
    content = named(settings.get("PATH")).removeprefix("./") or "content"
    stated = settings.get("PAGE_PATHS")
    pages = (
        [f"{folder.strip('/')}/" for folder in stated if isinstance(folder, str)]
        if isinstance(stated, list)
        else ["pages/"]
    )
    for file, path in project.below(content, _SUFFIXES):
        fields = {
            **_of_paths(settings, path),
            **_fields(project.content(file), path.suffix),
            **project.fields(file),
        }
        if save_as := named(fields.get("save_as")):
            yield Claim(save_as, file, STATED)
            continue
        kind = "PAGE" if any(path.as_posix().startswith(folder) for folder in pages) else "ARTICLE"
        if named(fields.get("status")).lower() == "draft":
            kind = "DRAFT_PAGE" if kind == "PAGE" else "DRAFT"
        values = _values(path, fields, settings)
        lang = "" if values["lang"] == settings["DEFAULT_LANG"] else "LANG_"
        form = named(settings.get(f"{kind}_{lang}SAVE_AS"))
        if form:
            yield Claim(_filled(form, values), file, RULE)


def _values(path: PurePosixPath, fields: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the values for the places in a pattern. Slugs are compared without punctuation, so titles will do."""
    found = _filename_values(path.stem, named(settings.get("FILENAME_METADATA")))
    title = named(fields.get("title")) or path.stem
    by_name = named(settings.get("SLUGIFY_SOURCE")) == "basename"
    folder = path.parent.name if len(path.parts) > 1 else named(settings.get("DEFAULT_CATEGORY"))
    return {
        "slug": _slug(named(fields.get("slug")) or found.get("slug") or (path.stem if by_name else title), settings),
        "lang": named(fields.get("lang")) or found.get("lang") or named(settings.get("DEFAULT_LANG")),
        "category": _slug(named(fields.get("category")) or found.get("category") or folder, settings),
        "author": _slug(named(fields.get("author")) or named(settings.get("AUTHOR")), settings),
        "date": named(fields.get("date")) or found.get("date", ""),
        "filename": path.stem,
    }


def _slug(text: str, settings: Mapping[str, Any]) -> str:
    """Return a text without elements and slashes, and with the characters that the settings spell in another way."""
    slug = re.sub(r"<[^<>]*>|[/\\]", "", text)
    stated = settings.get("SLUG_REGEX_SUBSTITUTIONS")
    for each in stated if isinstance(stated, list) else ():
        # Other patterns take away what does not count here.
        if isinstance(each, tuple) and len(each) == 2 and _LITERAL.fullmatch(str(each[0])):
            slug = slug.replace(str(each[0]).removeprefix("\\"), str(each[1]))
    return slug


def _of_paths(settings: Mapping[str, Any], path: PurePosixPath) -> dict[str, Any]:
    """Return the metadata that the settings give to a source, or to all below a folder."""
    stated = settings.get("EXTRA_PATH_METADATA")
    found: dict[str, Any] = {}
    for at in (*reversed([each.as_posix() for each in path.parents]), path.as_posix()):
        values = stated.get(at) if isinstance(stated, dict) else None
        found |= values if isinstance(values, dict) else {}
    return found


def _filename_values(stem: str, pattern: str) -> dict[str, str]:
    """Return what Pelican's default pattern takes from the name of a file. A pattern of somebody else is not run."""
    dated = re.match(r"\d{4}-\d{2}-\d{2}", stem)
    if pattern == _DEFAULTS["FILENAME_METADATA"]:
        return {"date": dated[0]} if dated else {}
    if dated is None:
        return {}
    found = {"date": dated[0]} if "?P<date>" in pattern else {}
    if "?P<slug>" in pattern:
        found["slug"] = stem[len(dated[0]) :].lstrip("-_")
    return found


def _filled(form: str, values: Mapping[str, str]) -> str:
    day = day_of(values["date"])

    def fill(found: re.Match[str]) -> str:
        if found[1] != "date" or found[2] is None:
            return values.get(found[1], "")
        try:
            when = date(*map(int, day)) if day else None
        except ValueError:
            when = None
        return _DIRECTIVE.sub(lambda each: when.strftime(f"%{each[1]}") if when else "", found[2])

    return _PART.sub(fill, form)


def _fields(text: str, suffix: str) -> dict[str, str]:
    """Return the metadata of a source: lines of Markdown, fields of reStructuredText, or elements of HTML."""
    found: dict[str, str] = {}
    if suffix.startswith(".htm"):
        title = re.search(r"<title>([^<]*)</title>", text, re.I)
        return ({"title": title[1].strip()} if title else {}) | {
            name.lower(): value for name, value in _META.findall(text)
        }
    lines = text.split("\n")
    if suffix == ".rst":
        title_lines = [line.strip() for line in lines[:3] if re.search(r"\w", line)]
        if title_lines:
            found["title"] = title_lines[0]
        lines = [line for line in lines[:100] if line.startswith(":")]
    for line in lines[:100]:
        field = _FIELD.fullmatch(line.rstrip())
        if field is None:
            break
        found[field[1].lower()] = (field[2] or "").strip()
    return found
