"""What is added to the built site: its sitemap, with the dates of git, and llms.txt."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import urlset
import yaml
from tree import COLLECTED, ROOT, places
from urlset.sources import git, html

SETTINGS: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
URL: str = SETTINGS["site_url"]


def write_sitemap(site: Path) -> int:
    """Replace the sitemap that the generator made by one with lastmods, and return how many pages it lists.

    The lastmod of a page is that of the last commit that changed its file. A page that is made of several files has
    none.

    Raises:
        RuntimeError: `urlset lint` finds something in the sitemap.
    """
    with tempfile.TemporaryDirectory() as folder:
        published = urlset.publish(_rows(site), folder, base_url=URL, update_robots=True)
        found = urlset.lint(folder, location=URL, rules=urlset.Rules(profile="google"))
        if found:
            raise RuntimeError("\n".join(map(str, found)))
        for name in ("sitemap.xml", "robots.txt"):
            shutil.copyfile(Path(folder, name), site / name)
    site.joinpath("sitemap.xml.gz").unlink(missing_ok=True)
    return published.entries


def _rows(site: Path) -> Iterator[dict[str, Any]]:
    files = {place: file for file, place in places().items()}
    dates = _dates()
    for row in html.pages(site, base_url=URL, exclude_pages=["404.html"]):
        name = str(row.pop("file")).removesuffix("index.html").strip("/")
        file = files.get(f"{name}.md") or files.get(f"{name}/index.md".lstrip("/"), "")
        if file in dates:
            row |= {"lastmod": dates[file], "lastmod_source": "git"}
        yield row


def _dates() -> Mapping[str, datetime]:
    """Return the dates of all files; a copy of the repository without its history has none."""
    try:
        return git.dates(ROOT)
    except urlset.InputError as error:
        print(f"no lastmods: {error}", file=sys.stderr)
        return {}


def write_llms(site: Path) -> None:
    """Write llms.txt: what there is to read, in the order of the navigation, as https://llmstxt.org describes it."""
    lines = [f"# {SETTINGS['site_name']}", "", f"> {SETTINGS['site_description']}", ""]
    for section in SETTINGS["nav"]:
        for title, pages in section.items():
            lines += [f"## {title}", "", *_listed(pages), ""]
    site.joinpath("llms.txt").write_text("\n".join(lines), "utf-8")


def _listed(pages: Any) -> Iterator[str]:
    if isinstance(pages, str):
        text = (COLLECTED / pages).read_text("utf-8")
        title = re.search(r"^# (.+)$", text, re.MULTILINE)
        address = URL + re.sub(r"(^|/)index\.md$|\.md$", "/", pages).lstrip("/")
        yield f"- [{title[1] if title else pages}]({address}){_about(text)}"
    elif isinstance(pages, dict):
        for inner in pages.values():
            yield from _listed(inner)
    else:
        for each in pages:
            yield from _listed(each)


def _about(text: str) -> str:
    """Return the first sentence of a page behind a colon, without its links; nothing if it begins otherwise."""
    _, _, rest = text.partition("\n# ") if not text.startswith("# ") else ("", "", text)
    paragraphs = re.findall(r"^[A-Za-z`].*(?:\n.+)*", rest.partition("\n## ")[0], re.MULTILINE)
    told = [each for each in paragraphs if not each.startswith("This page is generated")]
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(told[0].split())) if told else ""
    return f": {words.partition('. ')[0].rstrip('.')}" if words else ""
