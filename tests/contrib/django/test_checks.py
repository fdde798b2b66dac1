"""`manage.py check`: what is not published, and what is wrong with the settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.checks import run_checks
from django.test import Client, modify_settings, override_settings
from django.urls import path
from django.views.decorators.cache import cache_page
from support.contrib.django_site.sitemaps import SITEMAPS, Notes, OwnUrls, Pages
from urlset.contrib.django import views

from contrib.django.test_answers import Shelf, urls

Change = Callable[..., Any]


def ids() -> list[str]:
    """What the checks of urlset find."""
    return [str(each.id) for each in run_checks(tags=["urlset"])]


def test_a_site_that_is_taken_over_has_no_finding(site: Change) -> None:
    site(urls(**SITEMAPS))
    assert ids() == []


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        ([], "urlset.W005"),
        ([path("a", views.sitemap, {"sitemaps": {"a": Notes}, "template_name": "own.xml"})], "urlset.W001"),
        (urls(own=OwnUrls), "urlset.W002"),
        (urls(own=object()), "urlset.W002"),
        ([*urls(one=Shelf(["/a"])), *urls(one=Shelf(["/b"]))], "urlset.W003"),
        ([path("a", cache_page(60)(views.sitemap))], "urlset.W004"),
    ],
)
def test_what_is_not_taken_over_is_said(patterns: list[Any], expected: str, site: Change) -> None:
    site(patterns)
    assert ids() == [expected]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"DESTT": "x"}, "urlset.E001"),
        ({"DEST": 3}, "urlset.E001"),
        ({"BASE_URL": "shop.example"}, "urlset.E001"),
        ({"ALLOW": ["shrink"]}, "urlset.E001"),
        ({"SITEMAPS": 3}, "urlset.E001"),
        ({"SITEMAPS": "nowhere.sitemaps"}, "urlset.E003"),
        ([], "urlset.E001"),
    ],
)
def test_a_setting_that_cannot_be_used_is_said(said: Any, expected: str) -> None:
    with override_settings(URLSET=said):
        assert ids() == [expected]


def test_a_site_without_a_url_is_said(site: Change) -> None:
    site(urls(pages=Pages), BASE_URL=None)
    assert ids() == []
    with modify_settings(INSTALLED_APPS={"remove": ["django.contrib.sites"]}):
        assert ids() == ["urlset.E002"]


def test_a_dict_that_is_not_in_the_urls_can_be_named(site: Change) -> None:
    site([path("a", views.sitemap)], SITEMAPS="support.contrib.django_site.sitemaps.COMBINED")
    assert ids() == []


def test_a_template_of_the_site_is_used_as_before(site: Change, tmp_path: Path, client: Client) -> None:
    (tmp_path / "sitemap.xml").write_text("<own>{{ urlset|length }}</own>", "utf-8")
    site(urls(pages=Shelf(["/a"])))
    [engine] = settings.TEMPLATES
    with override_settings(TEMPLATES=[{**engine, "DIRS": [tmp_path]}]):
        assert ids() == ["urlset.W001"]
        assert client.get("/pages.xml", secure=True).content == b"<own>1</own>"
