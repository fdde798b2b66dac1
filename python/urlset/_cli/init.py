"""`urlset init`: a commented urlset.toml, with what can be guessed of the site."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from urlset import InputError, UrlsetError, _core, scan
from urlset._cli.console import note, out
from urlset._config.settings import find
from urlset._util.text import escape_controls

NAME = "urlset.toml"
#: Where generators put what they build: Hugo, Vite and Astro, Jekyll and Eleventy, Docusaurus, MkDocs, Next.js.
BUILDS = ("public", "dist", "_site", "build", "site", "out", ".")
#: Where the name of the host lies for GitHub Pages: at the top, in what is built, or in what is copied there.
CNAMES = ("CNAME", "public/CNAME", "static/CNAME", "docs/CNAME")
UNKNOWN = "https://example.com/"


@dataclass(frozen=True, slots=True)
class Guess:
    """What a folder says of its site; paths are relative to it. `base_from` is what says the base URL."""

    base_url: str
    base_from: str | None
    html: str | None = None
    set: str | None = None
    robots_txt: str | None = None

    @property
    def to(self) -> str:
        """The folder that is served."""
        return self.html or (str(Path(self.set).parent) if self.set else "public")


def init(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="The folder of the site's sources.")] = Path(),
    *,
    base_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Where the site is on the web.", show_default="what a CNAME or a sitemap says"
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an urlset.toml that is there.")] = False,
) -> None:
    """Write an urlset.toml that describes the site, with a word on every key.

    A folder of built pages, a sitemap and a CNAME that lie there are put
    into it; all else is commented out. `urlset publish` needs no more then.

    \b
    Examples:
      urlset init
      urlset init website --base-url https://example.com/

    \b
    Exit codes:
      0  written
      2  not written: there is one already, or it could not be
    """
    guess = guessed(folder, base_url)
    text = configuration(guess)
    path = folder / NAME
    if not force and path.exists():
        raise InputError(f"{path} is there already: --force replaces it")
    above = find(folder)
    with path.open("w" if force else "x", encoding="utf-8") as file:
        file.write(text)
    if above is not None and above.name != NAME and above.parent == folder.absolute():
        note(f"{path} comes before the table tool.urlset of {above.name}, which counts no more")
    _print(f"Wrote {path}")
    for line in _told(guess):
        _print(f"  {line}")
    _print(f"Next: urlset publish --dry-run{'' if folder == Path() else f' --config {path}'}")


def _told(guess: Guess) -> Iterator[str]:
    origin = "nothing says it: correct it" if guess.base_from is None else f"from {guess.base_from}"
    yield f"base-url  {guess.base_url} ({origin})"
    yield f"to        {guess.to}"
    if guess.html is not None:
        yield f"html      {guess.html} (it has pages)"
    elif guess.set is not None:
        yield f"set       {guess.set} (an existing sitemap)"
    else:
        yield "rows      nothing was found that could be them: say where they come from"


def _print(line: str) -> None:
    out.print(Text(escape_controls(line)), soft_wrap=True)


def guessed(folder: Path, base_url: str | None) -> Guess:
    """What lies in the folder. Raises InputError for a base URL that is none."""
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder")
    if base_url is not None and _core.host_name(base_url) is None:
        raise InputError(f"--base-url is {base_url!r}; it is an absolute http or https URL")
    # Beside a package.json a page is what others are built from.
    builds = BUILDS[:-1] if (folder / "package.json").is_file() else BUILDS
    html = next((build for build in builds if (folder / build / "index.html").is_file()), None)
    sets = [f"{build}/sitemap.xml" if build != "." else "sitemap.xml" for build in BUILDS]
    found = next((path for path in sets if (folder / path).is_file()), None)
    origin: str | None = "--base-url"
    if base_url is None:
        base_url, origin = _base(folder, found)
    robots = None if html is None else f"{html}/robots.txt".removeprefix("./")
    return Guess(
        base_url if base_url.endswith("/") else base_url + "/",
        origin,
        html,
        None if html is not None else found,
        robots if robots is not None and (folder / robots).is_file() else None,
    )


def _base(folder: Path, sitemap: str | None) -> tuple[str, str | None]:
    """The base URL, and what says it."""
    for name in CNAMES:
        path = folder / name
        if path.is_file():
            host = path.read_text("utf-8", "replace").strip().partition("\n")[0].strip()
            if _core.host_name(f"https://{host}/") is not None and "/" not in host:
                return f"https://{host}/", name
    if sitemap is not None:
        try:
            loc = next((entry.loc for entry in scan(folder / sitemap, follow=False) if entry.loc), None)
        except UrlsetError:  # whatever it is, it says nothing
            loc = None
        if loc is not None and _core.host_name(loc) is not None:
            return "/".join(loc.split("/")[:3]) + "/", sitemap
    return UNKNOWN, None


def configuration(guess: Guess) -> str:
    """The file: keys that are guessed stand as they are, all others behind a # without a blank."""

    def given(key: str, value: str | None, example: str) -> str:
        return f"#{key} = {_quoted(example)}" if value is None else f"{key} = {_quoted(value)}"

    return TEMPLATE.format(
        base_url=_quoted(guess.base_url),
        to=_quoted(guess.to),
        html=given("html", guess.html, "public"),
        set=given("set", guess.set, "old/sitemap.xml"),
        robots_txt=given("robots-txt", guess.robots_txt, "public/robots.txt"),
    )


def _quoted(text: str) -> str:
    # A string of JSON is one of TOML.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


TEMPLATE = """\
# What urlset knows of this site. Every key of [publish] is an option of `urlset publish` too, and options win.
# Paths begin at this file.

[publish]
# Where the sitemaps are served: the URL of their folder.
base-url = {base_url}
# Where they are put: that folder, or s3://, gs:// or az:// with a bucket and a prefix.
to = {to}

# --- Where the rows come from: one of the next four, or sections further below. ---

# Built pages. What is redirected, noindex, canonical elsewhere or without a title is left out and counted.
{html}
# Files of rows: CSV, JSON lines, Parquet, lists of locs, sitemaps.
#rows = ["pages.csv", "export/*.parquet"]
# What they are, where neither their names nor their beginnings say it: csv, jsonl, parquet, txt or xml.
#from = "csv"
# An existing set, to be taken over.
{set}
# A database: its URL, or better the name of the environment's variable that holds it, and one SELECT.
#database = "sqlite:///shop.db"
#database-env = "DATABASE_URL"
#query = "SELECT loc, lastmod FROM pages"

# What the rows are called where it is not what we call them. group and lang make pages link to their translations,
# content is a text that changes with the page, file is the file that it is made of.
#columns = {{ loc = "url", lastmod = "updated_at", group = "product", lang = "locale" }}
# Where the lastmods of rows come from that have none: the files that they are made of, and the folder of these.
#lastmod-from = ["front-matter", "git"]
#files = "content"

# --- Pages of HTML ---

# Where the folder is served, if not at base-url.
#html-url = "https://example.com/"
# Whether a/index.html is a/ (slash) or itself (keep); whether locs end with a slash: keep, always or never.
#index-pages = "slash"
#trailing-slash = "keep"
# Take their hreflang links, and their images.
#alternates = true
#images = true
# Leave out what a robots.txt disallows.
{robots_txt}
# CSS selectors of what is no content, so that its changes do not count.
#mask = [".related", "#latest"]
#include = ["**/*.html"]
#exclude = ["drafts/**"]

# --- The set ---

# How it is split: sticky (a loc stays where it is), hash:16, key:COLUMN, date:month, path:1 or sequence.
#shard-by = "sticky"
# What its documents are called after.
#name = "pages"
# What every loc has to begin with, if not the origin of base-url.
#scope = "https://example.com/shop/"
# The language whose page is for everybody else.
#x-default = "en"
# Further sitemaps: of what changed in so many days, of the news of 48 hours, of what is gone for so many days.
#recent = 3
#news = true
#removed = 30
# How it is written: gzip or none; one element a line; a table for people with browsers.
#compression = "gzip"
#pretty = true
#stylesheet = true
# Name the set in the robots.txt beside it, of which all else stays.
#robots = true

# --- Safety ---

# Guards that may be tripped over: empty, shrunk, one-lastmod, future, foreign, oversize.
#allow = ["shrunk"]
# Publish nothing if a row is refused (raise), or leave it out (collect) and list it in a file.
#on-error = "collect"
#rejects = "refused.jsonl"
# Memory for the planning.
#memory = "512MB"

# Options of an object store. Its secrets are left to the environment.
#[publish.store]
#region = "eu-central-1"
#endpoint = "https://storage.example.com"

# Headers of its objects.
#[publish.headers]
#"*.xml" = {{ Cache-Control = "no-cache" }}

# For `urlset submit`: the environment's variable that holds the IndexNow key, and where the key file is.
#[publish.indexnow]
#key-env = "URLSET_INDEXNOW_KEY"
#key-location = "https://example.com/key.txt"
#endpoint = "https://api.indexnow.org/indexnow"

# A set can have sections, each with rows of its own and all the keys above that are about rows, and with shard-by.
#[[publish.section]]
#name = "products"
#rows = ["products.parquet"]
#shard-by = "key:brand"
"""
