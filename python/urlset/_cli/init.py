"""`urlset init`: a commented urlset.toml, with what can be guessed about the site."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from urlset import InputError, UrlsetError, _core, scan
from urlset._cli.console import remark, show
from urlset._cli.options import Quiet
from urlset._cli.parameters import Argument
from urlset._cli.site_files import site_url
from urlset._config.lint_settings import LintSettings
from urlset._config.location import NAME, find
from urlset._config.publish_settings import IndexNowSettings, PublishSettings, SiteSettings
from urlset._options.option import Option, options_of
from urlset._util.arguments import folder_url
from urlset.sources import generators

#: Where generators put their output: Nuxt, Hugo, Vite and Astro, Jekyll and Eleventy, Docusaurus, MkDocs, Next.js,
#: Pelican, Sphinx.
BUILDS = (
    *(".output/public", "public", "dist", "_site", "build", "site", "out", "output"),
    *("_build/html", "docs/_build/html", "docs/build/html", "."),
)
#: Where the host name for GitHub Pages is stored: at the top, in the output, or in a folder that is copied there.
CNAMES = ("CNAME", "public/CNAME", "static/CNAME", "docs/CNAME")
#: Characters per line of the comments.
_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Guess:
    """What a folder suggests about its site. Paths are relative to it; `base_from` is the source of the base URL.

    A set that urlset has `published` cannot be its own source: a publish would never change anything.
    """

    base_url: str | None
    base_from: str | None
    html: str | None = None
    set: str | None = None
    robots_txt: str | None = None
    published: str | None = None
    generator: str | None = None
    has_history: bool = False

    @property
    def dest(self) -> str:
        """The folder that is served."""
        found = self.set or self.published
        return self.html or (str(Path(found).parent) if found else "public")


def init(
    folder: Annotated[Path, Argument("Folder of the site's sources.", metavar="[DIR]")] = Path(),
    *,
    base_url: Annotated[
        str | None,
        Option(
            "Public URL of the destination.",
            metavar="URL",
            default="from a CNAME, the configuration of a generator, or a sitemap",
        ),
    ] = None,
    force: Annotated[bool, Option("Replace an existing urlset.toml.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write a urlset.toml that describes the site, with a comment on every key.

    A folder of built pages, a sitemap, a CNAME file and the configuration of
    a generator (Hugo, Jekyll, MkDocs, Astro, Sphinx, ...) or of npm fill in
    the keys that `urlset publish` needs. All other keys are commented out.

    \b
    Examples:
      urlset init
      urlset init website --base-url https://example.com/

    \b
    Exit codes:
      0  written
      2  not written: the file exists already, or it could not be written
    """
    guess = guessed(folder, base_url)
    text = configuration(guess)
    path = folder / NAME
    if not force and path.exists():
        raise InputError(f"{path} exists already: --force replaces it")
    above = find(folder)
    with path.open("w" if force else "x", encoding="utf-8") as file:
        file.write(text)
    if above is not None and above.name != NAME and above.parent == folder.absolute():
        remark(f"{path} takes the place of the table tool.urlset in {above.name}, which is now ignored")
    show(f"Wrote {path}")
    for line in _lines(guess):
        show(f"  {line}")
    show(f"Next: urlset publish --dry-run{'' if folder == Path() else f' --config {path}'}")


def _lines(guess: Guess) -> Iterator[str]:
    """Yield what was guessed, for a person."""
    if guess.base_url is None:
        yield "base-url  was not found: set it to the public URL of the site"
    else:
        yield f"base-url  {guess.base_url} (from {guess.base_from})"
    yield f"dest      {guess.dest}"
    if guess.html is not None:
        yield f"html      {guess.html} (it contains pages{f' of {guess.generator}' if guess.generator else ''})"
        if guess.generator and guess.has_history:
            yield f"lastmod   from git, by the naming rules of {guess.generator}"
    elif guess.set is not None:
        yield f"set       {guess.set} (an existing sitemap)"
    else:
        if guess.published is not None:
            yield f"set       {guess.published} is not the source: urlset has published it"
        yield "rows      no source was found: set one of rows, html, set and database"


def guessed(folder: Path, base_url: str | None) -> Guess:
    """Return what the contents of a folder suggest.

    Raises:
        InputError: The folder does not exist, or the base URL is invalid.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder")
    # A page next to a package.json is a source, not the output of a build.
    builds = BUILDS[:-1] if (folder / "package.json").is_file() else BUILDS
    html = next((build for build in builds if (folder / build / "index.html").is_file()), None)
    sets = [f"{build}/sitemap.xml" if build != "." else "sitemap.xml" for build in BUILDS]
    found = next((path for path in sets if (folder / path).is_file()), None)
    origin: str | None = "--base-url"
    if base_url is None:
        base_url, origin = _base(folder, found)
    base_url = None if base_url is None else folder_url(base_url)
    robots = None if html is None else f"{html}/robots.txt".removeprefix("./")
    is_ours = found is not None and ((folder / found).parent / ".urlset").is_dir()
    return Guess(
        base_url,
        origin,
        html,
        None if html is not None or is_ours else found,
        robots if robots is not None and (folder / robots).is_file() else None,
        found if is_ours else None,
        *_generator(folder, html),
    )


def _generator(folder: Path, html: str | None) -> tuple[str | None, bool]:
    """Return the generator of the built pages, and whether the sources are in a repository of git."""
    project = None if html is None else generators.project_of(folder / html)
    if project is None:
        return None, False
    return generators.sources(project).generator, any((each / ".git").exists() for each in (project, *project.parents))


def _base(folder: Path, sitemap: str | None) -> tuple[str | None, str | None]:
    """Return the base URL and where it comes from. None if nothing states it, so that no placeholder is published."""
    for name in CNAMES:
        path = folder / name
        if path.is_file():
            host = path.read_text("utf-8", "replace").strip().partition("\n")[0].strip()
            if _core.host_name(f"https://{host}/") is not None and "/" not in host:
                return f"https://{host}/", name
    if (stated := site_url(folder)) is not None:
        return stated
    if sitemap is not None:
        try:
            loc = next((entry.loc for entry in scan(folder / sitemap, follow=False) if entry.loc), None)
        except UrlsetError:  # a sitemap that cannot be read suggests nothing
            loc = None
        if loc is not None and _core.host_name(loc) is not None:
            return "/".join(loc.split("/")[:3]) + "/", sitemap
    return None, None


def configuration(guess: Guess) -> str:
    """Return the text of the file: guessed keys are set, and all others stand behind a # without a space."""
    given = {
        "base_url": guess.base_url,
        "dest": guess.dest,
        "html": guess.html,
        "set": guess.set,
        "robots_txt": guess.robots_txt,
    }
    values = {name: _quoted(value) for name, value in given.items() if value is not None}
    if guess.generator is not None and guess.has_history:
        values["lastmod_from"] = '["git"]'
    return "\n".join(_text(values)) + "\n"


def _text(values: Mapping[str, str]) -> Iterator[str]:
    yield "# Configuration of urlset. Options of the command line override it. Paths are relative to this file."
    yield ""
    yield "[publish]"
    panel = None
    publish = sorted(options_of(PublishSettings), key=lambda each: each.panel is not None)
    for setting in publish:
        if not setting.example:  # tables, which come last
            continue
        if setting.panel != panel:
            panel = setting.panel
            yield from ("", f"# --- {panel} ---", "")
        yield from _key(setting, values.get(setting.name))
    yield from ("", "# Settings of `urlset submit`.", "#[publish.indexnow]")
    for setting in options_of(IndexNowSettings):
        yield from _key(setting, None)
    yield from ("", "# Settings of `urlset feed` and `urlset llms`.", "#[publish.site]")
    for setting in options_of(SiteSettings):
        yield from _key(setting, None)
    yield from (
        "",
        "# A set can have sections. Each has its own source of rows, and may have any key about rows and shard-by.",
        "#[[publish.section]]",
        '#name = "products"',
        '#rows = ["products.parquet"]',
        '#shard-by = "key:brand"',
        "",
        "# Settings of `urlset lint`.",
        "#[lint]",
    )
    for setting in options_of(LintSettings):
        yield from _key(setting, None)


def _key(setting: Option, value: str | None) -> Iterator[str]:
    """Yield a comment about a key, and the key with its value, or commented out with an example."""
    default = f" Default: {setting.shown_default}." if setting.shown_default else ""
    yield from _wrapped(setting.help + default)
    yield f"#{setting.key} = {setting.example}" if value is None else f"{setting.key} = {value}"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)


def _quoted(text: str) -> str:
    # A string of JSON is a string of TOML, except for one character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
