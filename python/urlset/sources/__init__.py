"""Where rows for `publish` come from: files, databases, built pages, and the dates in git and front matter."""

from importlib import import_module as _import_module
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from urlset.sources import database, files, front_matter, generators, git, html

__all__ = ["database", "files", "front_matter", "generators", "git", "html"]


def __getattr__(name: str) -> _ModuleType:
    """Import a module when it is first used: most programs need one kind of source."""
    if name in __all__:
        return _import_module(f"urlset.sources.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
