"""Where rows for `publish` come from: files, databases, built pages, and the dates in git and front matter."""

from urlset.sources import database, files, front_matter, git, html

__all__ = ["database", "files", "front_matter", "git", "html"]
