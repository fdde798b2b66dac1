"""`manage.py urlset_submit`: tell search engines what the last publish has changed, by IndexNow."""

from __future__ import annotations

import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from urlset import UrlsetError, submit
from urlset._util.text import plural
from urlset.contrib.django.commands import add_sections, end, published_sets, settings_of_site

_KEY = "URLSET_INDEXNOW_KEY"


class Command(BaseCommand):
    """Submits each published section."""

    help = (
        "Submit the pages that were added, changed or removed since the last submit, by IndexNow. Exit code 1: pages"
        " were left out, because the key does not cover them. Exit code 2: a section could not be submitted."
    )

    def add_arguments(self, parser: Any) -> None:
        """Declare the options."""
        add_sections(parser)
        parser.add_argument("--key", help=f"The IndexNow key. By default it is that in {_KEY}.")
        parser.add_argument("--key-location", help="URL of the key file, if it is not at the root of the host.")
        parser.add_argument("--dry-run", action="store_true", help="Show what would be submitted, and send nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Submit."""
        key = options["key"] or os.environ.get(_KEY)
        if not key:
            raise CommandError(f"the key is missing: pass --key, or set {_KEY} in the environment", returncode=2)
        said = settings_of_site()
        worst = 0
        for each, _ in published_sets(options["sections"]):
            try:
                done = submit(
                    said.place(each.name),
                    key=key,
                    key_location=options["key_location"],
                    dry_run=options["dry_run"],
                    store=said.store or None,
                )
            except UrlsetError as error:
                self.stderr.write(self.style.ERROR(f"{each.label}: {error}"))
                worst = 2
                continue
            counts = f"{done.added:,} added, {done.changed:,} changed, {done.removed:,} removed"
            pages = plural(done.pending if done.dry_run else done.sent, "page")
            self.stdout.write(f"{each.label}: {pages} {'to submit' if done.dry_run else 'submitted'} ({counts})")
            worst = max(worst, int(done.other_host + done.outside > 0))
        end("not everything was submitted", worst)
