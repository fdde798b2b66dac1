"""Measure the sitemaps of a Django site beside django.contrib.sitemaps: 200,000 rows on SQLite or PostgreSQL.

    python benches/django_sitemaps.py [--rows N] [--database postgresql://…]

Prints a line of JSON for each thing that is done, with the seconds that pass, those of the processor, and the peak of
resident memory of its process: a page of 50,000 entries, a request whose answer is known (304), the index, the first
publish and the next one, which changes nothing. Exits with 1 if both do not list the same pages. PostgreSQL needs
psycopg, and an empty database.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote, urlsplit

import django
from django.conf import settings
from django.core.management import call_command

HOST = "shop.example"
#: How often a request is repeated if it takes less than a second.
REPEATS = 15
LOC = re.compile(rb"<loc>[^<]+</loc>")
WORK = ("publish", "rerun", "django-page", "django-304", "django-index", "urlset-page", "urlset-304", "urlset-index")


def configure(folder: Path, database: str | None) -> None:
    """Configure a site of one model."""
    parts = urlsplit(database or "")
    settings.configure(
        ALLOWED_HOSTS=["*"],
        DATABASES={
            "default": {
                "ENGINE": f"django.db.backends.{'postgresql' if database else 'sqlite3'}",
                "NAME": parts.path.strip("/") if database else folder / "site.sqlite3",
                "HOST": parts.hostname or "",
                "PORT": parts.port or "",
                "USER": parts.username or "",
                "PASSWORD": unquote(parts.password or ""),
            }
        },
        INSTALLED_APPS=["django.contrib.sitemaps", "urlset.contrib.django"],
        MIDDLEWARE=["django.middleware.http.ConditionalGetMiddleware"],
        ROOT_URLCONF=__name__,
        SECRET_KEY="of a benchmark",
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
        URLSET={"BASE_URL": f"https://{HOST}/", "DEST": folder / "published"},
    )
    django.setup()


def make_site() -> Any:
    """Make the model and the URLs; return the model."""
    from django.contrib.sitemaps import Sitemap
    from django.contrib.sitemaps import views as theirs
    from django.db import models
    from django.urls import path
    from urlset.contrib.django import views as ours

    class Page(models.Model):
        """A page."""

        slug = models.CharField(max_length=80)
        updated = models.DateTimeField()
        text = models.TextField()

        class Meta:
            """It has no application of its own."""

            app_label = "benchmark"

        def get_absolute_url(self) -> str:
            return f"/page/{self.slug}/"

    class Pages(Sitemap):
        """All pages."""

        changefreq = "weekly"

        def items(self) -> Any:
            return Page.objects.order_by("pk")

        def lastmod(self, item: Page) -> Any:
            return item.updated

    sitemaps = {"sitemaps": {"pages": Pages}}
    patterns = []
    for name, views in (("django", theirs), ("urlset", ours)):
        patterns.append(path(f"{name}/index.xml", views.index, {**sitemaps, "sitemap_url_name": name}))
        patterns.append(path(f"{name}/<section>.xml", views.sitemap, sitemaps, name=name))
    globals()["urlpatterns"] = patterns
    return Page


def fill(page: Any, rows: int) -> None:
    """Make the table and its rows."""
    from django.db import connection

    with connection.schema_editor() as editor:
        editor.create_model(page)
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    for first in range(0, rows, 10_000):
        page.objects.bulk_create(
            page(slug=f"green-tea-from-the-hills-{number}", updated=begin + timedelta(minutes=number), text="tea " * 50)
            for number in range(first, min(first + 10_000, rows))
        )


def request_of(name: str) -> Callable[[], Any]:
    """Return a function that makes a request."""
    from django.test import Client

    who, what = name.split("-")
    client = Client(headers={"host": HOST})
    url = f"/{who}/{'index' if what == 'index' else 'pages'}.xml"
    known: dict[str, str] = {}
    if what == "304":
        first = client.get(url, secure=True)
        known = {"if-none-match": first["ETag"]} if who == "urlset" else {"if-modified-since": first["Last-Modified"]}

    def ask() -> Any:
        answer = client.get(url, secure=True, headers=known)
        data = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert answer.status_code == (304 if known else 200)
        return data

    return ask


def measure(name: str) -> dict[str, Any]:
    """Do one thing, and return its figures."""
    if name in ("publish", "rerun"):
        work: Callable[[], Any] = lambda: call_command("urlset_publish", verbosity=0, stdout=open(os.devnull, "w"))  # noqa: E731, SIM115
        repeats = 1
    else:
        work, repeats = request_of(name), REPEATS
    seconds, processor = [], []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        seconds.append(time.perf_counter() - wall)
        processor.append(time.process_time() - cpu)
        if seconds[0] > 1:
            break
    return {
        "what": name,
        "seconds": round(statistics.median(seconds), 6),
        "processor": round(statistics.median(processor), 6),
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
    }


def locs(who: str) -> list[bytes]:
    """Return all locs that a view lists."""
    from django.test import Client

    client, number = Client(headers={"host": HOST}), 1
    found: list[bytes] = []
    while True:
        answer = client.get(f"/{who}/pages.xml", {"p": number}, secure=True)
        if answer.status_code == 404:
            return sorted(found)
        found += LOC.findall(b"".join(answer.streaming_content) if answer.streaming else answer.content)
        number += 1


def main() -> int:
    """Fill a database, and do each thing in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--database")
    parser.add_argument("--do", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.do:
        configure(Path(given.folder), given.database)
        page = make_site()
        if given.do == "fill":
            fill(page, given.rows)
        elif given.do == "check":
            theirs, ours = locs("django"), locs("urlset")
            return int(theirs != ours or len(ours) != given.rows)
        else:
            print(json.dumps(measure(given.do)), flush=True)
        return 0
    with TemporaryDirectory() as folder:
        for each in ("fill", *WORK, "check"):
            command = [sys.executable, __file__, "--do", each, "--folder", folder, "--rows", str(given.rows)]
            command += ["--database", given.database] if given.database else []
            if subprocess.run(command, check=False).returncode:
                print(f"{each} failed", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
