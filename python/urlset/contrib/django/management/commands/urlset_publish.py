"""`manage.py urlset_publish`: publish the sitemaps of the site."""

from __future__ import annotations

from typing import Any, get_args

from django.core.management.base import BaseCommand

from urlset import GuardError, Publication, UrlsetError
from urlset._options.publish import GuardName
from urlset._util.text import plural
from urlset.contrib.django.commands import add_sections, chosen, end, settings_of_site
from urlset.contrib.django.publishing import publish_set
from urlset.contrib.django.served import served
from urlset.contrib.django.sets import SitemapSet

#: Refused rows that are listed for a section.
_SHOWN = 10


class Command(BaseCommand):
    """Publishes each section, and reports all that fail rather than the first one."""

    help = (
        "Publish the sitemaps that the URLconf lists. Exit code 1: a section was published without rows that were"
        " refused, or a guard stopped it. Exit code 2: a section could not be published."
    )

    def add_arguments(self, parser: Any) -> None:
        """Declare the options."""
        add_sections(parser)
        parser.add_argument("--dry-run", action="store_true", help="Show what would be done, and change nothing.")
        parser.add_argument(
            "--allow",
            action="append",
            default=[],
            choices=get_args(GuardName),
            help="A guard that may not stop the publish. Repeat it for more.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Publish."""
        said = settings_of_site()
        worst = 0
        for each in chosen(options["sections"]):
            try:
                published = publish_set(each, said, allow=options["allow"], dry_run=options["dry_run"])
            except GuardError as error:
                if _has_never_had_entries(each, error):
                    self.stdout.write(f"{each.label}: no entries, so Django's own view answers")
                    continue
                self._failed(each.label, str(error))
                worst = max(worst, 1)
            except UrlsetError as error:
                self._failed(each.label, str(error))
                worst = 2
            except Exception as error:
                # The site's own code: one broken section must not keep the others from being published.
                if options["traceback"]:
                    raise
                self._failed(each.label, f"{type(error).__name__}: {error} (--traceback shows where)")
                worst = 2
            else:
                self._show(each.label, published, dry_run=options["dry_run"])
                worst = max(worst, int(published.refused > 0))
        end("not everything was published", worst)

    def _show(self, label: str, published: Publication, *, dry_run: bool) -> None:
        plan = published.plan
        counts = f"{plan.added:,} added, {plan.changed:,} changed, {plan.removed:,} removed"
        self.stdout.write(f"{label}: {plural(plan.entries, 'entry', 'entries')} ({counts}){' if published' * dry_run}")
        for error in published.refusals[:_SHOWN]:
            self.stderr.write(f"{label}: left out: {error}")
        if published.refused > _SHOWN:
            self.stderr.write(f"{label}: left out: {published.refused - _SHOWN:,} more")
        for code, count in published.corrected_by_code.items():
            self.stderr.write(f"{label}: {plural(count, 'invalid value')} left out ({code}: `urlset rule {code}`)")

    def _failed(self, label: str, reason: str) -> None:
        self.stderr.write(self.style.ERROR(f"{label}: {reason}"))


def _has_never_had_entries(wanted: SitemapSet, error: GuardError) -> bool:
    """Return whether a set is empty, and was not published before."""
    return [guard.name for guard in error.guards] == ["empty"] and served(wanted.name) is None
