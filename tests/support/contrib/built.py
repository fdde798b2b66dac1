"""A project of a generator in a folder that git knows, and the sitemap beside what was built."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from lxml import etree

NAMES = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9", "x": "http://www.w3.org/1999/xhtml"}


def write(folder: Path, name: str, text: str) -> None:
    """Write a file, and the folders that it is in."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def commit(folder: Path, date: str, message: str = "Change it") -> None:
    """Commit all changes at eight o'clock of a day, into a repository that is made if it is missing."""
    if not (folder / ".git").exists():
        subprocess.run(("git", "init", "--quiet"), cwd=folder, check=True)
    settings = ("-c", "user.name=Ann", "-c", "user.email=ann@tea.example")
    env = os.environ | {"GIT_AUTHOR_DATE": f"{date}T08:00:00Z", "GIT_COMMITTER_DATE": f"{date}T08:00:00Z"}
    for arguments in (("add", "."), (*settings, "commit", "--quiet", "--message", message)):
        subprocess.run(("git", *arguments), cwd=folder, env=env, check=True)


def lastmods(folder: Path) -> dict[str, str | None]:
    """Return the lastmod of each loc in the sitemap of a folder."""
    return {url.findtext("s:loc", "", NAMES): url.findtext("s:lastmod", None, NAMES) for url in _urls(folder)}


def alternates(folder: Path) -> dict[str, dict[str, str]]:
    """Return the locs of the translations of each loc, by language."""
    return {
        url.findtext("s:loc", "", NAMES): {str(link.get("hreflang")): str(link.get("href")) for link in links}
        for url in _urls(folder)
        if (links := url.findall("x:link[@rel='alternate']", NAMES))
    }


def _urls(folder: Path) -> etree._Element:
    root = etree.parse(folder / "sitemap.xml").getroot()
    assert etree.QName(root).localname == "urlset"
    return root
