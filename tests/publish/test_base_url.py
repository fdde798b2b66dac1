"""The base URL: every spelling of one URL is one set, and another site does not replace a set unnoticed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import urlset
from support.documents import tree
from support.publish import DAY, read_back
from support.publish.grouped import grouped
from urlset import GuardError, InputError

SPELLINGS = [
    "https://shop.example/",
    "https://shop.example",
    "HTTPS://Shop.Example/",
    "https://shop.example:443/",
    "https://SHOP.example:443",
    "https://shop.example/x/..",
    "https://shop.example/./",
]
IDN = [
    "https://bücher.example/",
    "https://xn--bcher-kva.example/",
    "https://BÜCHER.example",
    "https://b%C3%BCcher.example",
]


def publish(rows: Any, folder: Path, base_url: str, day: int = 1, **options: Any) -> urlset.Publication:
    return urlset.publish(rows, folder, base_url=base_url, now=DAY[day - 1], **grouped(options))


@pytest.mark.parametrize("spellings", [SPELLINGS, IDN])
def test_every_spelling_is_the_same_set(tmp_path: Path, spellings: list[str]) -> None:
    rows = ["/a", "/b", {"loc": "/c", "lastmod": "2024-01-01"}]
    first = publish(rows, tmp_path, spellings[0])
    before = tree(tmp_path)
    for day, spelling in enumerate(spellings[1:], 2):
        again = publish(rows, tmp_path, spelling, min(day, 7))
        assert (again.url, again.written, again.plan.same, again.plan.guards) == (first.url, (), 3, ())
    assert tree(tmp_path) == before


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_shrunk_guard_sees_every_spelling(tmp_path: Path, spelling: str) -> None:
    publish([f"/{number}" for number in range(10)], tmp_path, "https://shop.example/")
    with pytest.raises(GuardError, match="shrunk"):
        publish(["/1"], tmp_path, spelling, 2)


def test_index_and_locs_agree(tmp_path: Path) -> None:
    sections = {name: urlset.Section([f"/{name}"]) for name in ("one", "two")}
    publish(sections, tmp_path, "HTTPS://Shop.Example:443")
    children = [entry.loc for entry in urlset.read(tmp_path, follow=False)]
    assert all(str(loc).startswith("https://shop.example/sitemap-") for loc in children)
    assert read_back(tmp_path) == ["https://shop.example/one", "https://shop.example/two"]


@pytest.mark.parametrize(
    "base_url",
    [
        "https://user:hunter2@shop.example/",
        "https://hunter2@shop.example/",
        "HTTPS://user:hunter2@shop.example",
        "user:hunter2@shop.example",
        "//user:hunter2@shop.example/",
        "https:\\\\user:hunter2@shop.example\\",
        " https://user:hunter2@shop.example/",
    ],
)
def test_a_password_is_refused_and_never_shown(tmp_path: Path, base_url: str) -> None:
    calls: list[dict[str, Any]] = [{"base_url": base_url}, {"base_url": "https://shop.example/", "scope": base_url}]
    for arguments in calls:
        with pytest.raises(InputError, match="must not have a user name or a password") as raised:
            urlset.publish(["/"], tmp_path / "set", **grouped(arguments))
        assert "hunter2" not in str(raised.value)
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize(
    ("base_url", "message"),
    [
        ("https://shop.example/sitemap.xml", "not of a document"),
        ("https://shop.example/sitemap.xml/", "not of a document"),
        ("https://shop.example/maps/sitemap_index.XML.gz", "not of a document"),
        ("https://shop.example/robots.txt", "not of a document"),
        ("https://shop.example/?a=b@c", "without a query or fragment"),
        ("https://shop.example/#a", "without a query or fragment"),
        ("shop.example", "must be an absolute"),
        ("ftp://shop.example/", "must be an absolute"),
        ("https://", "must be an absolute"),
        ("https://shop.example/a\nb", "must be an absolute"),
        (None, "must be an absolute"),
        (b"https://shop.example/", "must be an absolute"),
    ],
)
def test_what_is_not_the_url_of_a_folder(tmp_path: Path, base_url: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        urlset.publish(["/"], tmp_path, base_url=base_url)


# --- another site -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    ["https://shop.exmaple/", "http://shop.example/", "https://shop.example:8443/", "https://shop.example/maps/"],
)
def test_another_site_trips_a_guard(tmp_path: Path, other: str) -> None:
    publish([f"/{number}" for number in range(20)], tmp_path, "https://shop.example/")
    before = tree(tmp_path)
    rows = [f"/{number}" for number in range(20)]
    with pytest.raises(GuardError, match=r"of 20 entries, is served at https://shop\.example/ and not at .*base-url"):
        publish(rows, tmp_path, other, 2)
    assert tree(tmp_path) == before
    planned = publish(rows, tmp_path, other, 2, dry_run=True)
    is_same_site = other.startswith("https://shop.example/")
    assert planned.plan.removed == (0 if is_same_site else 20)
    done = publish(rows, tmp_path, other, 2, allow=["base-url"], removed=30)
    assert done.plan.added == planned.plan.added == (0 if is_same_site else 20)
    # It is the set of that URL from now on, and lists nothing of the other site as removed.
    origin = "/".join(other.split("/")[:3])
    assert {str(loc).startswith(origin + "/") for loc in read_back(tmp_path)} == {True}
    assert publish(rows, tmp_path, other, 3, removed=30).plan.guards == ()
    if not is_same_site:
        urlset.rollback(tmp_path)
        assert publish(rows, tmp_path, "https://shop.example/", 4).plan.guards == ()


def test_another_program_served_another_site(tmp_path: Path) -> None:
    urlset.write(["https://old.example/a", "https://old.example/b"], tmp_path / "sitemap.xml")
    with pytest.raises(GuardError, match=r"is served at https://old\.example/ and not at"):
        publish(["/a", "/b"], tmp_path, "https://shop.example/")
    assert read_back(tmp_path) == ["https://old.example/a", "https://old.example/b"]
    publish(["/a", "/b"], tmp_path, "https://shop.example/", allow=["base-url"])
    assert read_back(tmp_path) == ["https://shop.example/a", "https://shop.example/b"]


def test_an_index_of_another_site(tmp_path: Path) -> None:
    children = [urlset.SitemapEntry(f"https://old.example/{name}.xml") for name in "ab"]
    urlset.write(children, tmp_path / "sitemap.xml")
    with pytest.raises(GuardError, match=r"served at https://old\.example/"):
        publish(["/a"], tmp_path, "https://shop.example/")
