"""Who asks."""

from __future__ import annotations

from importlib.metadata import version

from urlset._options.http import Http


def agent_of(options: Http) -> str:
    """Return what a client calls itself."""
    return options.user_agent or f"urlset/{version('urlset')} (+https://pypi.org/project/urlset/)"
