"""The public URL of a site, from the configuration of the generator that builds it, where that states it plainly."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

from urlset._model.errors import InputError
from urlset._util.arguments import folder_url
from urlset.sources._generators.project import setting

#: Bytes of a file that are read: a generator's configuration is short.
_MAX_BYTES = 1_000_000
#: Sites that hold the source of a project, or its package, and placeholders.
_OTHERS = re.compile(
    r"(?:[\w-]+\.)*(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|npmjs\.com|localhost|example\.(?:com|org|net))"
)


def site_url(folder: Path) -> tuple[str, str] | None:
    """Return the URL of the site, and the name of the file that states it."""
    for name, read in _FILES:
        for path in sorted(folder.glob(name)):
            try:
                text = path.read_bytes()[:_MAX_BYTES].decode("utf-8-sig")
                url = next((folder_url(url) for url in read(text)), None)
            except (OSError, ValueError, RecursionError, InputError):  # what is not plain states nothing
                continue
            if url is not None and not _OTHERS.fullmatch(url.split("/")[2].partition(":")[0]):
                return url, path.name
    return None


def _line(key: str, value: str, text: str) -> str | None:
    """Return the value of a top-level key of YAML, or of a variable, on a line of its own."""
    found = re.search(rf"^{key}[ \t]*[:=][ \t]*(?P<quote>[\"']?)({value})(?P=quote)[ \t]*(?:#.*)?$", text, re.M)
    return found[2] if found else None


def _named(key: str) -> Callable[[str], Iterator[str]]:
    def read(text: str) -> Iterator[str]:
        url = _line(key, r"https?://[^\s\"'#]+", text)
        if url is not None:
            yield url

    return read


def _hugo(text: str) -> Iterator[str]:
    for key, value in tomllib.loads(text).items():
        if key.lower() == "baseurl" and isinstance(value, str):
            yield value


def _jekyll(text: str) -> Iterator[str]:
    for url in _named("url")(text):
        yield url.rstrip("/") + (_line("baseurl", r"/[^\s\"'#]*", text) or "")


def _package(text: str) -> Iterator[str]:
    package = json.loads(text)
    homepage = package.get("homepage") if isinstance(package, dict) else None
    if isinstance(homepage, str):
        yield homepage


def _astro(text: str) -> Iterator[str]:
    found = re.search(r"^\s*site:\s*([\"'`])(https?://[^\"'`$]+)\1", text, re.M)
    base = re.search(r"^\s*base:\s*([\"'`])/?([^\"'`$]*)\1", text, re.M)
    if found:
        yield found[2].rstrip("/") + "/" + (base[2] if base else "")


def _docusaurus(text: str) -> Iterator[str]:
    url, base = setting(text, "url"), setting(text, "baseUrl")
    if url is not None:
        yield url.rstrip("/") + "/" + (base or "").lstrip("/")


#: The files by name, and how the URL is read from each, the generators before the package.
_FILES: tuple[tuple[str, Callable[[str], Iterator[str]]], ...] = (
    ("hugo.toml", _hugo),
    ("config.toml", _hugo),
    ("hugo.y*ml", _named("baseURL")),
    ("_config.yml", _jekyll),
    ("mkdocs.yml", _named("site_url")),
    ("zensical.toml", _named("site_url")),
    ("astro.config.*", _astro),
    ("docusaurus.config.*", _docusaurus),
    ("publishconf.py", _named("SITEURL")),
    ("pelicanconf.py", _named("SITEURL")),
    ("conf.py", _named("html_baseurl")),
    ("docs/conf.py", _named("html_baseurl")),
    ("package.json", _package),
)
