"""A sitemap beside the pages that Pelican builds, with the dates of git. It needs the extra `pelican`.

    # pelicanconf.py
    SITEURL = "https://blog.example.com"
    PLUGINS = ["urlset.contrib.pelican"]

Articles, pages and the home page are listed, with links between translations: no drafts, no hidden articles, and no
lists of articles by tag, category, author or date. `urlset lint` and `urlset audit` check the result as they do any
other.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pelican import Pelican, signals
from pelican.contents import Content
from pelican.generators import ArticlesGenerator, PagesGenerator

import urlset
from urlset.contrib._generators import BuiltPage, Messages, publish_build

__all__ = ["register"]

LOG = logging.getLogger(__name__)
_MESSAGES = Messages(
    warn=lambda message: LOG.warning("urlset: %s", message),
    note=lambda message: LOG.info("urlset: %s", message),
)
#: What a URL may have as it is; `%` because URLs in metadata may be escaped already.
_URL = "/%?&=#!$'()*+,;:@~"


def register() -> None:
    """Add the plugin to Pelican, which calls this.

    It has four settings. `URLSET_INCLUDE` is a list of globs of pages to list besides articles and pages, such as
    `["category/*.html"]`, and `URLSET_EXCLUDE` is one of pages not to list, by their paths in the output; `*` stops at
    a slash, and `**` does not. `URLSET_ALLOW` is a list of guards that may not stop a publish, such as `["shrunk"]`.
    `URLSET_GIT = False` does without the dates of git.
    """
    signals.get_generators.connect(_BUILD.begin)
    signals.all_generators_finalized.connect(_BUILD.collect)
    signals.finalized.connect(_BUILD.end)


@dataclass(frozen=True, slots=True)
class _Written:
    """What is known of an article or a page before it is written.

    Attributes:
        path: Where it will be written.
        loc: Its URL.
        source: Its source, in the folder of sources.
        translated: What it has in common with its translations; None if it has none.
        language: Its language.
        modified: The date of its last change that it states itself.
    """

    path: Path
    loc: str
    source: str
    translated: Hashable | None
    language: str
    modified: datetime | None


class _Build:
    """One run of Pelican, with those that it may start for other languages, as the plugin `i18n_subsites` does."""

    def __init__(self) -> None:
        self._first: Pelican | None = None
        self._templates: dict[Path, str] = {}
        self._written: list[_Written] = []

    def begin(self, pelican: Pelican) -> None:
        """Remember the run that started first. A run into the same folder is a new one: the one before has failed."""
        if self._first is None or self._first.output_path == pelican.output_path:
            self._first = pelican
            self._templates, self._written = {}, []
        made = {"": pelican.settings["INDEX_SAVE_AS"], **pelican.settings["TEMPLATE_PAGES"]}
        self._templates |= {Path(pelican.output_path, page): source for source, page in made.items()}

    def collect(self, generators: Sequence[object]) -> None:
        """Remember the articles and the pages that will be written, and may be found."""
        for generator in generators:
            if isinstance(generator, ArticlesGenerator):
                self._written += map(_written, chain(generator.articles, generator.translations))
            elif isinstance(generator, PagesGenerator):
                self._written += map(_written, chain(generator.pages, generator.translations))

    def end(self, pelican: Pelican) -> None:
        """Publish what was built, once the run that started first has ended."""
        if pelican is self._first:
            self._first = None
            _publish(pelican, self._templates, self._written)


_BUILD = _Build()


def _written(content: Content) -> _Written:
    settings = content.settings
    kind = type(content).__name__
    names = settings.get(f"{kind.upper()}_TRANSLATION_ID")
    names = sorted([names] if isinstance(names, str) else names or ())
    return _Written(
        path=Path(settings["OUTPUT_PATH"], content.save_as),
        loc=f"{settings['SITEURL'].rstrip('/')}/{quote(content.url, safe=_URL)}",
        source=str(content.relative_source_path),
        translated=(kind, *(getattr(content, name) for name in names)) if names else None,
        language=str(getattr(content, "lang", "")).replace("_", "-"),
        modified=_modified(content),
    )


def _modified(content: Content) -> datetime | None:
    """Return the date of the last change in the metadata, unless Pelican took it from the file system."""
    modified: datetime | None = getattr(content, "modified", None)
    if modified is not None and content.settings.get("DEFAULT_DATE") == "fs":
        # A clone has the time of the clone there.
        changed = datetime.fromtimestamp(Path(content.source_path).stat().st_mtime)  # noqa: DTZ006  (as Pelican reads it)
        return None if modified.replace(tzinfo=None) == changed else modified
    return modified


def _publish(pelican: Pelican, templates: Mapping[Path, str], written: Sequence[_Written]) -> None:
    """Publish the pages that were written into the folder of the build.

    Raises:
        InputError: The settings, the pages or the folder cannot be used, or a guard stops the set.
    """
    settings = pelican.settings
    if not settings["SITEURL"]:
        LOG.warning("urlset: no sitemap, because SITEURL is empty")
        return
    folder, sources = Path(pelican.output_path), Path(pelican.path)
    pages = {
        path.relative_to(folder).as_posix(): BuiltPage(source)
        for path, source in templates.items()
        if path.is_relative_to(folder)
    }
    pages |= _pages(written, folder)
    try:
        publish_build(
            folder,
            pages,
            _MESSAGES,
            base_url=settings["SITEURL"].rstrip("/") + "/",
            dated=sources if settings.get("URLSET_GIT", True) else None,
            include=settings.get("URLSET_INCLUDE", ()),
            exclude=settings.get("URLSET_EXCLUDE", ()),
            allow=settings.get("URLSET_ALLOW", ()),
        )
    except (urlset.UrlsetError, OSError) as error:
        raise urlset.InputError(f"urlset: no sitemap: {error}") from error


def _pages(written: Sequence[_Written], folder: Path) -> dict[str, BuiltPage]:
    """Return what was written into the folder, by its paths in it."""
    languages = defaultdict[Hashable, list[str]](list)
    for each in written:
        languages[each.translated].append(each.language)
    pages = {}
    for each in written:
        if not each.path.is_relative_to(folder):
            continue
        columns: dict[str, Any] = {"loc": each.loc}
        if each.modified is not None:
            columns |= {"lastmod": each.modified, "lastmod_source": "front matter"}
        # Two pages in one language may have the same slug by chance.
        if each.translated is not None and languages[each.translated].count(each.language) == 1:
            columns |= {"group": repr(each.translated), "lang": each.language}
        pages[each.path.relative_to(folder).as_posix()] = BuiltPage(each.source, columns)
    return pages
