"""`manage.py urlset_publish`, and how it reads the sitemaps."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sitemaps import Sitemap
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import path
from support.contrib.django_site.models import MIDNIGHT, Product
from support.contrib.django_site.sitemaps import ByItem, Lastmods, Notes
from urlset import read
from urlset._stores.open import open_store
from urlset.contrib.django import rows, views

from contrib.django.test_answers import Shelf, urls

Change = Callable[..., Path]


def locs(dest: Path, section: str) -> list[str]:
    """The locs of a section, without the host."""
    return sorted((entry.loc or "").partition(".example")[2] for entry in read(str(dest / section)))


def publish(*arguments: str) -> int:
    """Run the command, and return its exit code."""
    try:
        call_command("urlset_publish", *arguments)
    except CommandError as ended:
        return int(ended.returncode)
    return 0


def test_a_query_is_read_by_its_keys(site: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_AT_ONCE", 3)
    calls = []

    class Counted(ByItem):
        def items(self) -> Any:
            calls.append(1)
            return super().items()

    dest = site([*urls(counted=Counted, notes=Notes), path("product/<slug>/", views.index, name="product")])
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert publish() == 0
    assert calls == [1]
    read_by_key = [each["sql"] for each in queries if "django_site_" in each["sql"]]
    assert len(read_by_key) == 40 // 3 + 1 + 5 // 3 + 1
    assert not [sql for sql in read_by_key if "OFFSET" in sql]
    assert len(locs(dest, "counted")) == 40  # no language is in a path here, so the locs of both are equal
    assert len(locs(dest, "notes")) == 5


def test_days_and_times_in_one_section(site: Change) -> None:
    class Mixed(Lastmods):
        def items(self) -> list[Any]:
            return [date(2026, 5, 4), MIDNIGHT, MIDNIGHT.replace(tzinfo=None), None]

    dest = site(urls(mixed=Mixed))
    assert publish() == 0
    found = {entry.lastmod_raw for entry in read(str(dest / "mixed"))}
    assert found >= {"2026-05-04", "2026-05-05T00:00:00Z", "2026-05-05T00:00:00-04:00", None}


def test_a_row_that_is_refused_does_not_stop_the_others(site: Change, capsys: pytest.CaptureFixture[str]) -> None:
    dest = site(urls(shelf=Shelf(["/a", "/" + "x" * 3000, *(f"/{number}" for number in range(20))])))
    assert publish() == 1
    assert "shelf: left out: row 2" in capsys.readouterr().err
    assert "/a" in locs(dest, "shelf")


def test_a_section_that_fails_does_not_stop_the_others(site: Change, capsys: pytest.CaptureFixture[str]) -> None:
    class Broken(Sitemap):
        def items(self) -> Any:
            raise ZeroDivisionError("of the site")

    class Empty(Sitemap):
        pass

    dest = site(urls(broken=Broken, empty=Empty, shelf=Shelf(["/a"])))
    assert publish() == 2
    said = capsys.readouterr().err
    assert "broken: ZeroDivisionError: of the site" in said
    assert locs(dest, "shelf") == ["/a"]
    with pytest.raises(ZeroDivisionError):
        call_command("urlset_publish", "broken", traceback=True)
    assert publish("empty") == 0
    assert not (dest / "empty" / "sitemap.xml").exists()


def test_a_section_is_published_alone(site: Change) -> None:
    dest = site(urls(one=Shelf(["/a"]), two=Shelf(["/b"])))
    assert publish("two", "--dry-run") == 0
    assert not (dest / "two" / "sitemap.xml").exists()
    assert publish("two") == 0
    assert [each.name for each in dest.iterdir()] == ["two"]
    with pytest.raises(CommandError, match="no section 'on' is published; did you mean one"):
        call_command("urlset_publish", "on")


def test_one_publish_runs_at_a_time(site: Change, capsys: pytest.CaptureFixture[str]) -> None:
    dest = site(urls(shelf=Shelf(["/a"])))
    assert publish() == 0
    with open_store(dest / "shelf").lock():
        assert publish() == 2
    assert "is running" in capsys.readouterr().err
    assert publish() == 0


def test_a_site_without_sitemaps_has_nothing_to_publish(site: Change) -> None:
    site([])
    with pytest.raises(CommandError, match="there is nothing to publish"):
        call_command("urlset_publish")


def test_settings_that_cannot_be_used_end_the_command(site: Change) -> None:
    site([], DESTT="x")
    with pytest.raises(CommandError, match="no key 'DESTT'") as ended:
        call_command("urlset_publish")
    assert ended.value.returncode == 2


def test_an_application_below_a_path(site: Change) -> None:
    class Products(Sitemap):
        def items(self) -> Any:
            return Product.objects.all()[:1]

        def location(self, item: Product) -> str:
            from django.urls import reverse

            return str(reverse("django.contrib.sitemaps.views.sitemap", kwargs={"section": item.slug}))

    dest = site(urls(products=Products), BASE_URL="https://shop.example/app")
    assert publish() == 0
    assert locs(dest, "products")[0].startswith("/app/tea-")


def test_what_is_published_is_checked(site: Change, capsys: pytest.CaptureFixture[str]) -> None:
    site(urls(shelf=Shelf(["/a"]), anchors=Shelf(["/a#b"])))
    with pytest.raises(CommandError, match="nothing is published yet"):
        call_command("urlset_lint")
    publish()
    call_command("urlset_lint", "shelf")
    assert capsys.readouterr().out.endswith("shelf: 0 findings\n")
    with pytest.raises(CommandError) as ended:
        call_command("urlset_lint", profile="google")
    assert ended.value.returncode == 1
    assert ": LOC010 " in capsys.readouterr().out


def test_what_has_changed_is_submitted(
    site: Change, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = Shelf(["/a"])
    site(urls(shelf=shelf))
    monkeypatch.delenv("URLSET_INDEXNOW_KEY", raising=False)
    with pytest.raises(CommandError, match="the key is missing"):
        call_command("urlset_submit")
    publish()
    shelf.paths.append("/b")
    publish()
    call_command("urlset_submit", "--dry-run", key="0123456789abcdef")
    assert "shelf: 1 page to submit (1 added, 0 changed, 0 removed)" in capsys.readouterr().out
