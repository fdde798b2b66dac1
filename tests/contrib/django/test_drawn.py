"""Sitemaps of any shape list what Django's own views list."""

from __future__ import annotations

import shutil
from datetime import UTC, date, datetime
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Any

from django.contrib.sitemaps import Sitemap
from django.contrib.sitemaps import views as theirs
from django.core.management import call_command
from django.test import Client, override_settings
from django.urls import path
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st
from support.contrib.django_site.setup import HOST
from support.properties import times
from urlset.contrib.django import served
from urlset.contrib.django import views as ours

from contrib.django.test_same_as_django import indexed, pages

LANGUAGES = ["en", "de", "pt-br"]
FREQUENCIES = ["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"]
MOMENTS = st.datetimes(datetime(1970, 1, 2), datetime(2026, 11, 1))  # noqa: DTZ001  (strategies add zones)
#: Lastmods of one kind, because Django cannot compare days with times.
LASTMODS = st.one_of(
    st.lists(st.dates(date(1970, 1, 2), date(2026, 11, 1)), min_size=1),
    st.lists(MOMENTS, min_size=1),
    st.lists(MOMENTS.map(lambda moment: moment.replace(tzinfo=UTC)), min_size=1),
    st.lists(st.none(), min_size=1),
)
#: Without what browsers encode and `iri_to_uri` does not: a quote in a query, a percent sign that encodes nothing.
PATHS = st.text("abz09-_.~ éß茶&=?()", max_size=8)


@st.composite
def sitemaps(draw: Any) -> type:
    """A class with any of the attributes, as values or as methods."""
    paths, lastmods = draw(st.lists(PATHS, min_size=1, max_size=9, unique=True)), draw(LASTMODS)
    is_i18n = draw(st.booleans())
    said: dict[str, Any] = {
        "items": lambda _: list(range(len(paths))),
        "location": lambda _, item: f"/{translation.get_language() if is_i18n else 'x'}/{item}-{paths[item]}/",
        "lastmod": draw(st.sampled_from([lastmods[0], lambda _, item: lastmods[item % len(lastmods)]])),
        "limit": draw(st.sampled_from([1, 2, 7, 50_000])),
        "protocol": draw(st.sampled_from([None, "http", "https"])),
        "i18n": is_i18n,
        "alternates": draw(st.booleans()),
        "x_default": draw(st.booleans()),
        "languages": draw(st.none() | st.lists(st.sampled_from(LANGUAGES), min_size=1, unique=True)),
    }
    frequency, priority = draw(st.none() | st.sampled_from(FREQUENCIES)), draw(st.none() | st.integers(0, 10))
    said["changefreq"] = draw(st.sampled_from([frequency, lambda _, item: frequency if item % 2 else None]))
    said["priority"] = draw(
        st.sampled_from([None, 0.5, lambda _, item: None if item % 3 == 0 or priority is None else priority / 10])
    )
    if draw(st.booleans()):
        said["get_languages_for_item"] = lambda _, item: LANGUAGES[item % 2 :]
    return type("Drawn", (Sitemap,), said)


@times(50)
@given(kind=sitemaps(), is_instance=st.booleans())
def test_a_sitemap_of_any_shape(kind: type, is_instance: bool, tmp_path_factory: Any) -> None:
    folder: Path = tmp_path_factory.mktemp("drawn")
    dicts = {"sitemaps": {"drawn": kind() if is_instance else kind}}
    patterns = []
    for name, views in (("theirs", theirs), ("ours", ours)):
        patterns.append(path(f"{name}/index.xml", views.index, {**dicts, "sitemap_url_name": name}))
        patterns.append(path(f"{name}/<section>.xml", views.sitemap, dicts, name=name))
    conf, dest = type("Urls", (), {"urlpatterns": patterns}), folder / "published"
    with override_settings(ROOT_URLCONF=conf, URLSET={"BASE_URL": f"https://{HOST}/", "DEST": dest}):
        call_command("urlset_publish", stdout=StringIO())
        client = Client(headers={"host": HOST})
        assert "ETag" in client.get("/ours/drawn.xml", secure=True).headers
        found, expected = (pages(client, f"/{name}/drawn.xml") for name in ("ours", "theirs"))
        assert [len(page) for page in found] == [len(page) for page in expected]
        assert sorted(chain.from_iterable(found), key=str) == sorted(chain.from_iterable(expected), key=str)
        own, usual = (indexed(client.get(f"/{name}/index.xml", secure=True)) for name in ("ours", "theirs"))
        assert [loc.replace("/ours/", "/theirs/") for loc, _ in own] == [loc for loc, _ in usual]
    served._places.clear()
    shutil.rmtree(folder)
