"""Who asks."""

from __future__ import annotations

import urlset
from urlset._options.http import Http


def agent_of(options: Http) -> str:
    """Return what a client calls itself."""
    return options.user_agent or f"urlset/{urlset.__version__} (+https://pypi.org/project/urlset/)"
