"""Where rows for `publish` come from: files, databases, folders of pages, and the configuration that names them."""

from urlset.sources import database, files, front_matter, git, html

__all__ = ["database", "files", "front_matter", "git", "html"]
