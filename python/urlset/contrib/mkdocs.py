"""A sitemap with true dates in place of the one that MkDocs writes. It needs the extra `mkdocs`.

    # mkdocs.yml
    site_url: https://docs.example.com/
    plugins:
      - search
      - urlset

The sitemap is one document named `sitemap.xml`, as the theme Material reads it. `urlset lint` and `urlset audit` check
the result as they do any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from mkdocs.config.base import Config
from mkdocs.config.config_options import ListOfItems, Type
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files

import urlset
from urlset.contrib._generators import BuiltPage, Messages, publish_build

__all__ = ["SitemapPlugin", "SitemapSettings"]

LOG = get_plugin_logger(__name__)
_MESSAGES = Messages(warn=LOG.warning, note=LOG.info)
#: After the plugin `i18n`, which builds the other languages at the end of the first, with a priority of -100.
_LAST = -200
#: Who makes lists of posts, by category, author and date.
_LISTS = "material/blog"


class SitemapSettings(Config):
    """The settings of the plugin in mkdocs.yml.

    Attributes:
        include: Globs of pages to list besides, by their paths in the built site, such as lists of posts
            (`blog/category/**`). `*` stops at a slash, `**` does not.
        exclude: Globs of pages not to list.
        allow: Guards that may not stop a publish, such as `shrunk`.
        git: Whether pages get the dates of git.
    """

    include = ListOfItems(Type(str), default=[])
    exclude = ListOfItems(Type(str), default=[])
    allow = ListOfItems(Type(str), default=[])
    git = Type(bool, default=True)


class SitemapPlugin(BasePlugin[SitemapSettings]):
    """The plugin, which MkDocs finds by its name, `urlset`. It does nothing in `mkdocs serve`."""

    def __init__(self) -> None:
        self._is_preview = False
        self._builds = 0
        self._pages: dict[str, BuiltPage] = {}

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Remember whether this is a preview."""
        del dirty
        self._is_preview = command == "serve"

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        """Count the builds that have begun: a plugin may build other languages inside of the first one."""
        del config
        if not self._builds:
            self._pages = {}
        self._builds += 1

    def on_env(self, env: object, /, *, config: MkDocsConfig, files: Files) -> None:
        """Remember which source becomes which page, and keep MkDocs from writing its own sitemap."""
        del env
        if not self._is_preview and config.site_url:
            self._pages |= dict(_pages(files, Path(config.docs_dir)))
            config.theme.static_templates.discard("sitemap.xml")

    @event_priority(_LAST)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Publish what was built.

        Raises:
            PluginError: The settings, the pages or the folder cannot be used, or a guard stops the set.
        """
        self._builds -= 1
        if self._builds or self._is_preview:
            return
        if not config.site_url:
            LOG.warning("no sitemap, because mkdocs.yml has no site_url")
            return
        try:
            publish_build(
                Path(config.site_dir),
                self._pages,
                _MESSAGES,
                base_url=config.site_url.rstrip("/") + "/",
                dated=Path(config.docs_dir) if self.config.git else None,
                index_pages="slash" if config.use_directory_urls else "keep",
                include=self.config.include,
                exclude=self.config.exclude,
                allow=self.config.allow,
            )
            Path(config.site_dir, "sitemap.xml.gz").unlink(missing_ok=True)
        except (urlset.UrlsetError, OSError) as error:
            raise PluginError(f"urlset: no sitemap: {error}") from error


def _pages(files: Files, sources: Path) -> Iterator[tuple[str, BuiltPage]]:
    """Yield the pages of documents, by their paths in the site."""
    for file in files.documentation_pages():
        maker = getattr(file, "generated_by", None)
        if file.page is None or maker == _LISTS:
            continue
        columns: dict[str, Any] = {"loc": file.page.canonical_url} | _translation(file)
        is_source = maker is None and file.abs_src_path and Path(file.abs_src_path).is_relative_to(sources)
        yield file.dest_uri, BuiltPage(file.src_uri if is_source else "", columns)


def _translation(file: File) -> dict[str, str]:
    """Return the group and the language of a page that the plugin `i18n` made, unless it is not translated yet."""
    translated = {
        language: each.dest_uri
        for language, each in getattr(file, "alternates", {}).items()
        if each.locale == language  # else it is the page in the default language, at the place of the translation
    }
    language = next((language for language, page in translated.items() if page == file.dest_uri), None)
    return {} if language is None else {"group": min(translated.values()), "lang": language}
