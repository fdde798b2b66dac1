"""Configures Django, once for each process."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command

FOLDER = Path(tempfile.mkdtemp(prefix="urlset-django-"))
NAME = "support.contrib.django_site"
HOST = "shop.example"


def configure() -> None:
    """Configure Django, and make its database."""
    if settings.configured:
        return
    atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
    settings.configure(
        ALLOWED_HOSTS=["*"],
        BASE_DIR=FOLDER,
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": FOLDER / "site.sqlite3"}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=["django.contrib.sites", "django.contrib.sitemaps", "urlset.contrib.django", NAME],
        LANGUAGES=[("en", "English"), ("de", "German"), ("pt-br", "Portuguese")],
        LANGUAGE_CODE="en",
        MIDDLEWARE=["django.middleware.locale.LocaleMiddleware", "django.middleware.common.CommonMiddleware"],
        ROOT_URLCONF=f"{NAME}.urls",
        SECRET_KEY="of a test",
        SITE_ID=1,
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
        TIME_ZONE="America/New_York",
        USE_TZ=True,
        URLSET={"BASE_URL": f"https://{HOST}/", "DEST": FOLDER / "published"},
    )
    django.setup()
    call_command("migrate", run_syncdb=True, verbosity=0)

    from django.contrib.sites.models import Site

    from support.contrib.django_site.models import fill

    Site.objects.update_or_create(id=1, defaults={"domain": HOST, "name": "A shop"})
    fill()
