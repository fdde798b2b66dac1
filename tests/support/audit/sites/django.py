"""A site of Django in three languages: contrib.sitemaps with alternates, i18n_patterns, and conditional requests."""

from __future__ import annotations

import sys
from pathlib import Path

from support.audit.sites.site import Built
from support.nginx import free_port

APP = Path(__file__).with_name("django_app") / "app.py"


def build(folder: Path, _: str) -> Built:
    """Build nothing: the application makes each page when it is requested."""
    root, port = folder / "static", free_port()
    root.mkdir()
    return Built(root, servers=[([sys.executable, str(APP), str(port)], port)])
