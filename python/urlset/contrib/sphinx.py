"""A sitemap beside the pages that Sphinx builds, with the dates of git. It needs the extra `sphinx`.

    # conf.py
    extensions = ["urlset.contrib.sphinx"]
    html_baseurl = "https://docs.example.com/"

Only documents are listed, and pages of `html_additional_pages`: no search page, no index of names, no source of a
module. `urlset lint` and `urlset audit` check the result as they do any other.
"""

from __future__ import annotations

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
from urlset.contrib._generators import BuiltPage, Messages, publish_build

__all__ = ["setup"]

LOG = logging.getLogger(__name__)
#: Builders of pages for the web. Others make pages too, for books and for help systems.
_BUILDERS = {f"{host}{kind}" for host in ("", "readthedocs") for kind in ("html", "dirhtml", "singlehtml")}
_BUILDERS |= {"readthedocs"}
#: Warnings can be turned off by `suppress_warnings = ["urlset.git"]`.
_MESSAGES = Messages(
    warn=lambda message: LOG.warning("urlset: %s", message, type="urlset", subtype="git"),
    note=lambda message: LOG.info("urlset: %s", message),
)


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
    try:
        publish_build(
            Path(app.outdir),
            _pages(app, app.builder),
            _MESSAGES,
            base_url=base,
            dated=Path(app.srcdir),
            # As Sphinx writes the canonical URL of index.html.
            index_pages="slash" if app.builder.name.endswith("dirhtml") else "keep",
            allow=app.config.urlset_allow,
        )
    except (urlset.UrlsetError, OSError) as error:
        raise ExtensionError(f"urlset: no sitemap: {error}") from error


def _pages(app: Sphinx, builder: StandaloneHTMLBuilder) -> dict[str, BuiltPage]:
    """Return the pages that may be listed, by their paths in the build."""
    found = {}
    excluded = [glob_pattern(glob) for glob in app.config.urlset_exclude]
    documents = [app.config.root_doc] if builder.name.endswith("singlehtml") else sorted(app.env.found_docs)
    for name in [*documents, *app.config.html_additional_pages]:
        if any(pattern.fullmatch(name) for pattern in excluded):
            continue
        page = Path(builder.get_outfilename(name)).relative_to(app.outdir).as_posix()
        found[page] = BuiltPage(str(app.env.doc2path(name, base=False)) if name in app.env.found_docs else "")
    return found
