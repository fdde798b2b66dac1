"""What the commands of `manage.py` share."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError

from urlset._util.text import did_you_mean
from urlset.contrib.django.served import ServedSitemaps, served
from urlset.contrib.django.sets import SitemapSet, find
from urlset.contrib.django.settings import DjangoSettings, load


def settings_of_site() -> DjangoSettings:
    """Return the settings.

    Raises:
        CommandError: They cannot be used.
    """
    try:
        return load()
    except ImproperlyConfigured as error:
        raise CommandError(str(error), returncode=2) from error


def add_sections(parser: Any) -> None:
    """Declare the argument that names sections."""
    parser.add_argument("sections", nargs="*", help="The sections; all if none is named.")


def chosen(sections: Collection[str]) -> list[SitemapSet]:
    """Return the sets of some sections, or all.

    Raises:
        CommandError: There is no such section, or none at all.
    """
    found = list(find().sets.values())
    for section in sections:
        if section not in (known := [each.label for each in found]):
            raise CommandError(
                f"no section {section!r} is published{did_you_mean(section, known, or_all=True)};"
                " `manage.py check` says what is not",
                returncode=2,
            )
    if not found:
        raise CommandError(
            "there is nothing to publish: import the views from urlset.contrib.django.views in urls.py, or name the"
            " dict of sitemaps in URLSET['SITEMAPS']",
            returncode=2,
        )
    return [one for each in found if not sections or each.label in sections for one in each.by_site()]


def published_sets(sections: Collection[str]) -> Iterator[tuple[SitemapSet, ServedSitemaps]]:
    """Yield the sets of some sections, or all, that are published.

    Raises:
        CommandError: There is no such section, or none is published.
    """
    found = [(each, current) for each in chosen(sections) if (current := served(each.name)) is not None]
    if not found:
        raise CommandError("nothing is published yet: run `manage.py urlset_publish` first", returncode=2)
    yield from found


def end(reason: str, code: int) -> None:
    """End a command with an exit code.

    It is an error like any other for whoever calls the command from Python: a worker of Celery that gets a SystemExit
    shuts down.

    Raises:
        CommandError: The code is not 0.
    """
    if code:
        raise CommandError(reason, returncode=code)
