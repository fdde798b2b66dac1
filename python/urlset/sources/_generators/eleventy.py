"""Eleventy: templates by their path, and `permalink`, of the front matter or the data of folders.

A permalink is filled with the name of the file and with values of the front matter. Source: 11ty.dev, "Permalinks" and
"Content dates".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from urlset.sources._generators.claims import FALLBACK, RULE, STATED, Claim
from urlset.sources._generators.named import static_pages
from urlset.sources._generators.project import Project, folder_of, json_values, named

CONFIGS = (".eleventy.js", "eleventy.config.*")
_SUFFIXES = (
    *(".md", ".mdx", ".njk", ".liquid", ".html", ".hbs", ".ejs", ".pug", ".haml", ".mustache", ".webc", ".vto"),
    *(".11ty.js", ".11ty.cjs", ".11ty.mjs", ".11ty.jsx", ".11ty.ts", ".11ty.tsx"),
)
#: The most folders that are copied.
_MAX_COPIES = 20
_MAX_DEPTH = 20
_PERMALINK = re.compile(r"\bpermalink\s*:\s*(?:(?:\([^)]{0,200}\)|\w{1,50})\s*=>\s*)?[`\"']([^`\"']+)")
#: A value in a template, of which filters only change the spelling.
_VARIABLE = re.compile(r"\{\{-?\s*([\w.]+)\s*(?:\|\s*(?:slugify|slug|url|lower|downcase)\s*)*-?\}\}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d-(?=.)")
_DIR = re.compile(r"\binput[\"']?\s*:\s*[\"'`]([^\"'`]+)")
_COPY = re.compile(r"[\"']([\w./-]+)[\"']\s*:\s*[\"']([\w./-]*)[\"']")
_INPUT = re.compile(r"--input[= ]\s*[\"']?([^\s\"']+)")


def claims(project: Project) -> Iterator[Claim]:
    """Yield the pages of the templates."""
    top = _input(project)
    for file, path in project.below(top, _SUFFIXES):
        at = PurePosixPath(path.as_posix().removesuffix(next(each for each in _SUFFIXES if path.name.endswith(each))))
        if any(part.startswith("_") for part in at.parts):
            continue
        fields = project.fields(file)
        permalink = named(fields.get("permalink")) or _of_data(project, PurePosixPath(file), top)
        if permalink and (page := _filled(permalink, at, fields)) is not None:
            yield Claim(page, file, STATED)
            continue
        yield Claim(at.as_posix(), file, RULE)
        if at.name == at.parent.name:
            yield Claim(folder_of(at), file, FALLBACK)
    for folder, to in islice(_COPY.findall(project.text(*CONFIGS)), _MAX_COPIES):
        yield from static_pages(project, folder, f"{to.strip('/')}/".lstrip("/"))


def _filled(permalink: str, path: PurePosixPath, fields: Mapping[str, Any]) -> str | None:
    """Return the page of a permalink that names values of the front matter or of the file; None if it names others."""
    name = _DATE.sub("", path.name)
    values = {
        "page.fileSlug": _DATE.sub("", path.parent.name) if name == "index" else name,
        "page.filePathStem": f"/{folder_of(path)}{name}",
    }

    def fill(found: re.Match[str]) -> str:
        key = found[1].removeprefix("data.")
        return values.get(key) or named(fields.get(key.lower())).replace("/", "") or "{"

    page = _VARIABLE.sub(fill, permalink)
    return None if "{" in page else re.sub(r"/{2,}", "/", page)


def _of_data(project: Project, file: PurePosixPath, top: str) -> str:
    """Return the permalink that data gives to a template: that of the file, else of its folder, else of those above."""
    bases = [file.with_suffix("")]
    bases += [
        folder / folder.name
        for folder in file.parents
        if folder.name and len(folder.parts) > len(PurePosixPath(top).parts)
    ]
    for base in bases[:_MAX_DEPTH]:
        for suffix in (".json", ".11tydata.json"):
            if permalink := named(json_values(project.content(f"{base}{suffix}")).get("permalink")):
                return permalink
        for suffix in (".11tydata.js", ".11tydata.mjs", ".11tydata.cjs"):
            if found := _PERMALINK.search(project.content(f"{base}{suffix}")):
                return re.sub(r"\$\{([^}]*)\}", r"{{ \1 }}", found[1])
    return ""


def _input(project: Project) -> str:
    """Return the folder of the templates: of the configuration, or of the command in package.json."""
    scripts = json_values(project.text("package.json")).get("scripts")
    commands = " ".join(each for each in scripts.values() if isinstance(each, str)) if isinstance(scripts, dict) else ""
    found = _DIR.search(project.text(*CONFIGS)) or _INPUT.search(commands)
    return found[1].removeprefix("./").strip("/") if found else ""


def _of_folder(project: Project, file: str) -> str:
    """Return the permalink that the data of a folder gives to all templates in it: posts/posts.json."""
    folder = PurePosixPath(file).parent
    if folder.name:
        for name in (f"{folder}/{folder.name}.json", f"{folder}/{folder.name}.11tydata.json"):
            if permalink := named(json_values(project.content(name)).get("permalink")):
                return permalink
    return ""
