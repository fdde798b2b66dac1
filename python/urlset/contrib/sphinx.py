"""A sitemap beside the pages that Sphinx builds, with the dates of git. It needs the extra `sphinx`.

    # conf.py
    extensions = ["urlset.contrib.sphinx"]
    html_baseurl = "https://docs.example.com/"

Only documents are listed, and pages of `html_additional_pages`: no search page, no index of names, no source of a
module. `urlset lint` and `urlset audit` check the result as they do any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.config import Config
from sphinx.errors import ExtensionError
from sphinx.util import logging

import urlset
from urlset._rules.selection import glob_pattern
from urlset.sources import git, html

__all__ = ["setup"]

LOG = logging.getLogger(__name__)
#: Builders of pages for the web. Others make pages too, for books and for help systems.
_BUILDERS = {f"{host}{kind}" for host in ("", "readthedocs") for kind in ("html", "dirhtml", "singlehtml")}
_BUILDERS |= {"readthedocs"}


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the extension to a build.

    It has two settings. `urlset_exclude` is a list of globs of documents that are not listed, such as `["drafts/**"]`,
    in which `*` stops at a slash and `**` does not. `urlset_allow` is a list of guards that may not stop a publish,
    such as `["shrunk"]`.

    Args:
        app: The application.

    Returns:
        What Sphinx asks of an extension.
    """
    app.add_config_value("urlset_exclude", [], "", types=(list, tuple))
    app.add_config_value("urlset_allow", [], "", types=(list, tuple))
    app.connect("config-inited", _complete_base)
    app.connect("build-finished", _publish)
    return {"version": urlset.__version__, "parallel_read_safe": True, "parallel_write_safe": True}


def _complete_base(_: Sphinx, config: Config) -> None:
    """End `html_baseurl` with a slash. Without one, Sphinx drops its last part from the canonical URL of each page."""
    if config.html_baseurl and not urlsplit(config.html_baseurl).path.endswith("/"):
        config.html_baseurl += "/"


def _publish(app: Sphinx, exception: Exception | None) -> None:
    """Publish what was built, if it was built for the web.

    Raises:
        ExtensionError: The settings, the pages or the folder cannot be used, or a guard stops the set.
    """
    if exception is not None or app.builder.name not in _BUILDERS or not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    base = app.config.html_baseurl
    if not base:
        LOG.warning("urlset: no sitemap, because conf.py has no html_baseurl", type="urlset", subtype="baseurl")
        return
    skipped = Counter[str]()
    try:
        sources = _sources(app, app.builder)
        pages = html.pages(
            app.outdir,
            base_url=base,
            # As Sphinx writes the canonical URL of index.html.
            index_pages="slash" if app.builder.name.endswith("dirhtml") else "keep",
            on_skip=lambda page, reason, _: skipped.update([reason] if page in sources else []),
        )
        rows = list(_rows(pages, sources, _dates(Path(app.srcdir))))
        checks = urlset.Checks(allow=list(app.config.urlset_allow))
        published = urlset.publish(rows, str(app.outdir), base_url=base, checks=checks)
    except (urlset.UrlsetError, OSError) as error:
        raise ExtensionError(f"urlset: no sitemap: {error}") from error
    left_out = ", ".join(f"{count} {reason}" for reason, count in sorted(skipped.items()))
    LOG.info("urlset: %s lists %d pages%s", published.url, published.entries, left_out and f"; left out: {left_out}")


def _rows(pages: html.Pages, sources: Mapping[str, str], dates: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows of the pages that have a source or were asked for, with the dates of their sources."""
    for row in pages:
        source = sources.get(row.pop("file"))
        if source is None:
            continue
        if row.get("lastmod") is None and source in dates:
            row |= {"lastmod": dates[source], "lastmod_source": "git"}
        yield row


def _sources(app: Sphinx, builder: StandaloneHTMLBuilder) -> dict[str, str]:
    """Return the source of each page that may be listed, by its path in the build; "" if it has none."""
    found = {}
    excluded = [glob_pattern(glob) for glob in app.config.urlset_exclude]
    documents = [app.config.root_doc] if builder.name.endswith("singlehtml") else sorted(app.env.found_docs)
    for name in [*documents, *app.config.html_additional_pages]:
        if any(pattern.fullmatch(name) for pattern in excluded):
            continue
        page = Path(builder.get_outfilename(name)).relative_to(app.outdir).as_posix()
        found[page] = str(app.env.doc2path(name, base=False)) if name in app.env.found_docs else ""
    return found


def _dates(folder: Path) -> Mapping[str, Any]:
    """Return when each source was last changed, by its path; nothing if git cannot say."""
    try:
        found = git.dates(folder)
    except (urlset.UrlsetError, OSError) as error:
        LOG.warning("urlset: no lastmod from git: %s", error, type="urlset", subtype="git")
        return {}
    if found.dirty:
        LOG.info("urlset: %d files have uncommitted changes, and get no lastmod from git", found.dirty)
    return found
