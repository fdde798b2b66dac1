"""Makes the site and publishes it, and prints what is answered, as JSON: `python -m … FOLDER PAGES [i18n|rebuild]`."""

from __future__ import annotations

import json
import sys
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.core.management import call_command

FOLDER, PAGES, HAS_LOCALES = Path(sys.argv[1]), int(sys.argv[2]), "i18n" in sys.argv[3:]
REBUILDS = "rebuild" in sys.argv[3:]
NAME = "support.contrib.wagtail_site"
settings.configure(
    ALLOWED_HOSTS=["*"],
    BASE_DIR=FOLDER,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": FOLDER / "site.sqlite3"}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[
        *("django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sitemaps", "taggit", "modelcluster"),
        *("wagtail", "wagtail.users", "wagtail.admin", "urlset.contrib.django", NAME),
    ],
    LANGUAGE_CODE="en",
    LANGUAGES=[("en", "English"), ("de", "German")],
    MIDDLEWARE=["django.middleware.locale.LocaleMiddleware"],
    # Tables are made of the models at once, so the site makes what Wagtail's migrations would.
    MIGRATION_MODULES=dict.fromkeys(
        ("auth", "contenttypes", "taggit", "wagtailadmin", "wagtailcore", "wagtailusers"), None
    ),
    ROOT_URLCONF=f"{NAME}.urls",
    SECRET_KEY="of a test",
    STATIC_URL="/static/",
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
    URLSET={"REBUILD": 0} if REBUILDS else {},
    USE_TZ=True,
    WAGTAILADMIN_BASE_URL="https://shop.example",
    WAGTAIL_CONTENT_LANGUAGES=[("en", "English"), ("de", "German")],
    WAGTAIL_I18N_ENABLED=HAS_LOCALES,
    WAGTAIL_SITE_NAME="Shop",
)
django.setup()
call_command("migrate", run_syncdb=True, verbosity=0)

WHEN = datetime(2026, 5, 5, 23, 30, tzinfo=UTC)


def make() -> None:
    """Make the pages."""
    from django.contrib.contenttypes.models import ContentType
    from wagtail.models import Locale, Page, PageViewRestriction, Site

    from support.contrib.wagtail_site.models import Article, Events, Hidden

    Locale.objects.create(language_code="en")
    top = Page.add_root(instance=Page(title="Root", slug="root"))
    home = top.add_child(instance=Article(title="Home", slug="home", last_published_at=WHEN))
    for number in range(5):
        home.add_child(instance=Article(title="Tea", slug=f"tea-{number}", last_published_at=WHEN))
    home.add_child(instance=Events(title="Events", slug="events", last_published_at=WHEN))
    home.add_child(instance=Hidden(title="Hidden", slug="hidden"))
    home.add_child(instance=Article(title="Draft", slug="draft", live=False))
    secret = home.add_child(instance=Article(title="Secret", slug="secret"))
    PageViewRestriction.objects.create(page=secret, password="x")
    blog = top.add_child(instance=Article(title="Blog", slug="blog"))
    blog.add_child(instance=Article(title="Post", slug="post"))
    Site.objects.create(hostname="shop.example", port=443, root_page=home, is_default_site=True)
    Site.objects.create(hostname="blog.example", port=8080, root_page=blog)
    if HAS_LOCALES:
        german, _ = Locale.objects.get_or_create(language_code="de")
        heim = home.copy_for_translation(german)
        heim.live = True
        heim.save()
        tee = home.get_children().get(slug="tea-1").specific.copy_for_translation(german)
        tee.slug, tee.live = "tee-1", True
        tee.save()
    home.refresh_from_db()
    begin = Page.objects.get(pk=home.pk).get_last_child().path
    many, after = [], begin
    locale = Locale.objects.get(language_code="en")
    for number in range(PAGES):
        after = Page(path=after)._inc_path()
        many.append(Page(path=after, depth=3, title="Many", slug=f"many-{number}", draft_title="Many", locale=locale))
        many[-1].url_path = f"/home/many-{number}/"
        many[-1].content_type = ContentType.objects.get_for_model(Page)
    Page.objects.bulk_create(many, batch_size=500)
    Page.objects.filter(pk=home.pk).update(numchild=home.numchild + PAGES)


def ask(path: str, host: str, **headers: str) -> dict[str, Any]:
    """Return the answer to a request."""
    from django.test import Client

    began = time.perf_counter()
    client = Client(headers={"host": host, **headers})
    answer = client.get(path, secure=host == "shop.example", SERVER_PORT=host.partition(":")[2] or "443")
    data = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return {
        "status": answer.status_code,
        "text": data.decode(),
        "tag": answer.headers.get("ETag"),
        "seconds": time.perf_counter() - began,
    }


make()
SHOP, BLOG = "shop.example", "blog.example:8080"
if REBUILDS:
    from support.contrib.wagtail_site.rebuilding import rebuilt

    print(json.dumps(rebuilt(partial(ask, "/ours.xml", SHOP))))
    sys.exit()
found = {f"before {host}": ask("/ours.xml", host) for host in (SHOP, BLOG)}
call_command("check", "--tag", "urlset", fail_level="WARNING", stdout=sys.stderr)
call_command("urlset_publish", stdout=sys.stderr)
for host in (SHOP, BLOG, "other.example"):
    for path in ("theirs.xml", "ours.xml", "index.xml", "section-images.xml", "section-nothing.xml"):
        found[f"{path} {host}"] = ask(f"/{path}", host)
found["304"] = ask("/ours.xml", SHOP, **{"if-none-match": str(found[f"ours.xml {SHOP}"]["tag"])})
print(json.dumps(found))
