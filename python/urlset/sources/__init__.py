"""Where rows for `publish` come from: files, databases, folders of pages, and the configuration that names them."""

from urlset.sources import database, files, front_matter, git, html
from urlset.sources._open import Site, configured

__all__ = ["Site", "configured", "database", "files", "front_matter", "git", "html"]
