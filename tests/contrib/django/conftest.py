"""A site of Django, published once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client, override_settings
from support.contrib.django_site.setup import HOST, configure
from support.s3 import s3_server

__all__ = ["s3_server"]

configure()


@pytest.fixture(scope="session")
def published() -> None:
    """The sitemaps of the site, as its URLs have them."""
    call_command("urlset_publish", verbosity=0)


@pytest.fixture
def client() -> Client:
    """A client that asks the host of the site."""
    return Client(headers={"host": HOST})


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Gives the site other settings: its URLs, and keys of URLSET beside a destination of its own."""
    entered: list[Any] = []

    def change(urlpatterns: list[Any] | None = None, **urlset: Any) -> Path:
        dest = tmp_path / "published"
        said = {"BASE_URL": f"https://{HOST}/", "DEST": dest, **urlset}
        conf = {} if urlpatterns is None else {"ROOT_URLCONF": type("Urls", (), {"urlpatterns": urlpatterns})}
        context = override_settings(URLSET=said, **conf)
        context.enable()
        entered.append(context)
        return dest

    yield change
    for context in reversed(entered):
        context.disable()
