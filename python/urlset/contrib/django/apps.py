"""The application of Django."""

from __future__ import annotations

from contextlib import suppress

from django.apps import AppConfig
from django.core import checks


class UrlsetConfig(AppConfig):
    """Registers the checks, and the signals if `URLSET["REBUILD"]` asks for them."""

    name = "urlset.contrib.django"
    label = "urlset"
    verbose_name = "Published sitemaps"

    def ready(self) -> None:
        """Register what the application listens to."""
        from django.core.exceptions import ImproperlyConfigured  # noqa: PLC0415  (apps come first)

        from urlset.contrib.django.checks import check_settings, check_sitemaps  # noqa: PLC0415
        from urlset.contrib.django.settings import load  # noqa: PLC0415
        from urlset.contrib.django.stale import listen  # noqa: PLC0415

        checks.register(check_settings, "urlset")
        checks.register(check_sitemaps, "urlset")
        with suppress(ImproperlyConfigured):  # a check says what is wrong
            if load().rebuild is not None:
                listen()
