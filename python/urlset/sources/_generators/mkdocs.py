"""MkDocs and Zensical: documents by their path, and posts of Material's blog by their date and title.

Languages are folders, or suffixes as the plugin mkdocs-static-i18n reads them. `mike` puts each version of the
documentation into a folder of its own; only the newest is built of the files that are there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath

from urlset.sources._generators.claims import FALLBACK, RULE, STATED, Claim
from urlset.sources._generators.project import (
    Project,
    day_of,
    folder_of,
    json_list,
    listed,
    named,
    read_text,
    setting,
    stem,
)

CONFIGS = ("mkdocs.y*ml", "zensical.toml")
_SUFFIXES = (".md", ".markdown", ".mkdn", ".mkd", ".mdown", ".html", ".htm", ".ipynb")
#: The most languages.
_MAX_LANGUAGES = 100
_LOCALE = re.compile(r"\blocale:[ \t]*[\"']?([A-Za-z_-]{2,10})")
_LANGUAGE = re.compile(r"(?P<stem>.+)\.(?P<code>[a-z]{2}(?:[-_][A-Za-z]{2,4})?)")
_TOKEN = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class _Languages:
    """The languages of mkdocs-static-i18n: the default, which has no folder, and all of them."""

    default: str
    codes: tuple[str, ...]

    @classmethod
    def of(cls, settings: str) -> _Languages:
        found = list(islice(_LOCALE.finditer(settings), _MAX_LANGUAGES))
        ends = [*(each.start() for each in found[1:]), len(settings)][: len(found)]
        blocks = [settings[each.start() : end] for each, end in zip(found, ends, strict=True)]
        default = next(
            (each[1] for each, block in zip(found, blocks, strict=True) if setting(block, "default") == "true"), ""
        )
        return cls(default, tuple(each[1] for each in found))


def claims(project: Project) -> Iterator[Claim]:
    """Yield the pages of the documents."""
    settings = project.text(*CONFIGS)
    docs = (setting(settings, "docs_dir") or "docs").removeprefix("./")
    blog = (setting(settings, "blog_dir") or "blog").strip("/")
    form = setting(settings, "post_url_format") or "{date}/{slug}"
    dates = setting(settings, "post_url_date_format") or "yyyy/MM/dd"
    languages = _Languages.of(settings)
    for at in _versions(project):
        for file, path in project.below(docs, _SUFFIXES):
            if path.as_posix().startswith(f"{blog}/posts/" if blog != "." else "posts/"):
                prefix = "" if blog == "." else f"{blog}/"
                yield Claim(at + prefix + _of_post(project, file, path, form, dates), file, STATED)
                continue
            for page, rank in _of_name(path, languages):
                yield Claim(at + page, file, rank)


def _versions(project: Project) -> tuple[str, ...]:
    """Return the folders with the pages of the files that are there: the newest version, if mike made several."""
    built = project.output
    versions = json_list(read_text(built / "versions.json")) if built is not None else []
    for each in versions:  # the newest is the first
        if isinstance(each, dict) and isinstance(each.get("version"), str):
            aliases = each.get("aliases")
            names = [each["version"], *(aliases if isinstance(aliases, list) else [])]
            return tuple(f"{name}/" for name in names if isinstance(name, str))
    return ("",)


def _of_name(path: PurePosixPath, languages: _Languages) -> Iterator[tuple[str, int]]:
    """Yield the pages of a document. An index counts before a README, as MkDocs has it."""
    bare, rank = stem(path), RULE
    found = _LANGUAGE.fullmatch(path.stem)
    if found and found["code"] in languages.codes:
        bare = folder_of(path) + found["stem"]
        if found["code"] != languages.default:
            bare = f"{found['code']}/{bare}"
    page = PurePosixPath(bare)
    pages = [(bare, rank), *([(folder_of(page), rank + 1)] if page.name == "README" else [])]
    yield from pages
    if not found or found["code"] == languages.default:
        # A page that is not translated is made of the one in the default language.
        for code in languages.codes:
            yield from ((f"{code}/{each}", rank + FALLBACK) for each, rank in pages)


def _of_post(project: Project, file: str, path: PurePosixPath, form: str, dates: str) -> str:
    fields = project.fields(file)
    day = day_of(_created(fields.get("date")))
    year, month, number = day or ("", "", "")
    written = dates.replace("yyyy", year).replace("MM", month).replace("dd", number)
    written = re.sub(r"\bM\b", month.lstrip("0"), re.sub(r"\bd\b", number.lstrip("0"), written))
    title = named(fields.get("title")) or _heading(project, file) or path.stem
    values = {
        "date": written,
        "slug": named(fields.get("slug")) or title,
        "file": path.stem,
        "categories": "/".join(listed(fields.get("categories"))[:1]),
    }
    return _TOKEN.sub(lambda found: values.get(found[1], ""), form).strip("/")


def _created(value: object) -> object:
    """Return the date of a post, which may be one of several with names."""
    if isinstance(value, dict):
        return value.get("created")
    found = re.search(r"\bcreated:\s*(\S+)", value) if isinstance(value, str) else None
    return found[1] if found else value


def _heading(project: Project, file: str) -> str:
    """Return the first heading of a document, which is its title if its front matter has none."""
    found = re.search(r"^#[ \t]+(.+?)[ \t#]*$", project.content(file), re.M)
    return found[1] if found else ""
