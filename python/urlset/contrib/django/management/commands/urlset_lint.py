"""`manage.py urlset_lint`: check the published sitemaps of the site."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management.base import BaseCommand

from urlset import Rules, UrlsetError, lint
from urlset._output.concise import render
from urlset._rules.profiles import PROFILES
from urlset._stores.open import open_store
from urlset._util.text import plural
from urlset.contrib.django.commands import add_sections, end, published_sets, settings_of_site
from urlset.contrib.django.settings import DjangoSettings


class Command(BaseCommand):
    """Checks each published section."""

    help = "Check the published sitemaps. Exit code 1: something was found. Exit code 2: a set could not be read."

    def add_arguments(self, parser: Any) -> None:
        """Declare the options."""
        add_sections(parser)
        parser.add_argument(
            "--profile", default="protocol", choices=sorted(PROFILES), help="The search engine to check for."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Check."""
        said = settings_of_site()
        worst = 0
        for each, current in published_sets(options["sections"]):
            rules = Rules(profile=options["profile"])
            try:
                with _readable(said, each.name) as place:
                    report = lint(place, location=current.base_url, rules=rules, store=said.store or None)
            except UrlsetError as error:
                self.stderr.write(self.style.ERROR(f"{each.label}: {error}"))
                worst = 2
                continue
            if text := render(report):
                self.stdout.write(text)
            self.stdout.write(f"{each.label}: {plural(len(report), 'finding')}")
            worst = max(worst, int(len(report) > 0))
        end("something was found" if worst == 1 else "not everything could be read", worst)


@contextmanager
def _readable(said: DjangoSettings, name: str) -> Iterator[str]:
    """Give the place of a set as one that can be read: a set in a cache as a folder."""
    place = said.place(name)
    if not said.is_cache:
        yield place
        return
    store = open_store(place)
    with TemporaryDirectory(prefix="urlset-") as folder:
        for document in store.list("sitemap"):
            store.fetch(document, Path(folder, document))
        yield folder
