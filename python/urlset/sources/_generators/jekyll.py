"""Jekyll: pages by their path, posts by their date, categories and title, collections, and `permalink`.

Source: jekyllrb.com, "Permalinks", and the code of Jekyll 4.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import PurePosixPath
from typing import Any

from urlset.sources._generators.claims import FALLBACK, RULE, STATED, Claim
from urlset.sources._generators.project import Project, day_of, folder_of, listed, named, outline, setting, stem

CONFIGS = ("_config.yml", "_config.yaml", "_config.toml")
_SUFFIXES = (".md", ".markdown", ".mkdown", ".mkdn", ".mkd", ".html", ".htm", ".textile")
_STYLES = {
    "date": "/:categories/:year/:month/:day/:title",
    "pretty": "/:categories/:year/:month/:day/:title/",
    "ordinal": "/:categories/:year/:y_day/:title",
    "weekdate": "/:categories/:year/W:week/:short_day/:title",
    "none": "/:categories/:title",
}
_POST = re.compile(r"(?:(?P<folders>.*)/)?_(?P<kind>posts|drafts)/(?P<inside>.*/)?(?P<name>[^/]*)", re.DOTALL)
_DATED = re.compile(r"(\d{2,4}-\d{1,2}-\d{1,2})-(.+)", re.DOTALL)
_VALUE = {
    "path": re.compile(r"\bpath:[ \t]*[\"']?([^\"',}\n]*)"),
    "permalink": re.compile(r"\bpermalink:[ \t]*[\"']?([^\"',}\s]+)"),
    "categories": re.compile(r"\bcategor(?:y|ies):[ \t]*(\[[^\]\n]*\]|[^\n}]+)"),
}
_TOKEN = re.compile(r":([a-z_]+)")


def is_it(text: str) -> bool:
    """Whether a configuration is Jekyll's. Hexo calls its own _config.yml too."""
    return setting(text, "public_dir") is None


def claims(project: Project) -> Iterator[Claim]:
    """Yield the pages of pages, posts, drafts and collections."""
    text = project.text(*CONFIGS)
    settings, defaults = outline(text), _defaults(text)
    source = named(settings.get("source")).strip("/")
    collections = settings.get("collections")
    kinds = collections if isinstance(collections, dict) else {}
    inside = named(settings.get("collections_dir")).strip("/")
    for file, path in project.below(source, _SUFFIXES):
        fields = {**_default(defaults, path.as_posix()), **project.fields(file)}
        at = PurePosixPath(path.as_posix().removeprefix(f"{inside}/")) if inside else path
        if found := _POST.fullmatch(at.as_posix()):
            yield from _of_post(file, found, fields, named(settings.get("permalink")) or "date")
        elif at.parts[0][1:] in kinds and at.parts[0].startswith("_"):
            yield from _of_item(file, at, fields, kinds[at.parts[0][1:]])
        elif not any(part.startswith("_") for part in path.parts):
            yield from _of_page(file, path, fields)


def _defaults(text: str) -> list[tuple[str, dict[str, str]]]:
    """Return the values that files below a path get, by that path, the longest last."""
    _, _, rest = text.partition("\ndefaults:")
    items = re.split(r"\n[ \t]*-[ \t]+(?=scope)", re.split(r"\n(?=[\w#])", rest, maxsplit=1)[0])
    found = []
    for item in items[1:]:
        values = {key: each[1] for key in ("permalink", "categories") if (each := _VALUE[key].search(item))}
        path = _VALUE["path"].search(item)
        found.append((path[1].strip("/") if path else "", values))
    return sorted(found, key=lambda each: len(each[0]))


def _default(defaults: list[tuple[str, dict[str, str]]], path: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for folder, values in defaults:
        if not folder or path == folder or path.startswith(f"{folder}/"):
            found |= values
    return found


def _of_page(file: str, path: PurePosixPath, fields: Mapping[str, Any]) -> Iterator[Claim]:
    if permalink := named(fields.get("permalink")):
        folder = f"/{folder_of(path)}"
        yield Claim(_filled(permalink, {"path": folder, "basename": path.stem}), file, STATED)
        return
    yield Claim(stem(path), file, RULE)
    if path.stem == "README":  # by the plugin jekyll-readme-index, which GitHub Pages turns on
        yield Claim(folder_of(path), file, FALLBACK)


def _of_post(file: str, found: re.Match[str], fields: Mapping[str, Any], permalink: str) -> Iterator[Claim]:
    name = PurePosixPath(found["name"]).stem
    dated = _DATED.fullmatch(name)
    day = day_of(fields.get("date")) or (day_of(dated[1]) if dated else None)
    title = dated[2] if dated else name
    categories = [*filter(None, (found["folders"] or "").split("/"))]
    categories += [each for key in ("category", "categories") for each in listed(fields.get(key))]
    values = _date_values(day) | {
        "title": named(fields.get("slug")) or title,
        "slug": named(fields.get("slug")) or title,
        "categories": "/".join(dict.fromkeys(each.lower() for each in categories)),
        "slugified_categories": "/".join(dict.fromkeys(each.lower() for each in categories)),
        "basename": name,
    }
    stated = named(fields.get("permalink"))
    pattern = stated or permalink
    yield Claim(_filled(_STYLES.get(pattern, pattern), values), file, STATED if stated else RULE)


def _of_item(file: str, path: PurePosixPath, fields: Mapping[str, Any], settings: object) -> Iterator[Claim]:
    """Yield the page of an item of a collection."""
    collection = path.parts[0][1:]
    inside = path.relative_to(path.parts[0])
    general = named(settings.get("permalink")) if isinstance(settings, dict) else ""
    stated = named(fields.get("permalink"))
    values = _date_values(day_of(fields.get("date"))) | {
        "collection": collection,
        "path": stem(inside),
        "name": path.stem,
        "title": named(fields.get("slug")) or path.stem,
        "slug": named(fields.get("slug")) or path.stem,
        "categories": "/".join(each.lower() for each in listed(fields.get("categories"))),
    }
    pattern = stated or general or "/:collection/:path"
    yield Claim(_filled(_STYLES.get(pattern, pattern), values), file, STATED if stated else RULE)


def _date_values(day: tuple[str, str, str] | None) -> dict[str, str]:
    """Return the placeholders of a date, each as Jekyll writes it."""
    if day is None:
        return {}
    year, month, number = day
    try:
        when = date(int(year), int(month), int(number))
    except ValueError:
        return {}
    week = when.isocalendar()
    return {
        "year": year,
        "short_year": year[2:],
        "month": month,
        "i_month": str(int(month)),
        "short_month": when.strftime("%b"),
        "long_month": when.strftime("%B"),
        "day": number,
        "i_day": str(int(number)),
        "y_day": f"{when.timetuple().tm_yday:03}",
        "w_year": str(week.year),
        "week": f"{week.week:02}",
        "w_day": str(week.weekday),
        "short_day": when.strftime("%a"),
        "long_day": when.strftime("%A"),
    }


def _filled(pattern: str, values: Mapping[str, str]) -> str:
    """Return a path with its placeholders filled, without the suffix of the output, which does not count."""
    filled = _TOKEN.sub(lambda found: values.get(found[1], ""), pattern.replace(":output_ext", ""))
    return re.sub(r"/{2,}", "/", filled)
