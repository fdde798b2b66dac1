"""What the published sets list is what Django's own views list, for every shape of a sitemap.

The allowed differences: lastmods have their times, locs are encoded as the URL standard has it, pages have another
order, and the lastmods of an index are those of its documents.
"""

from __future__ import annotations

from datetime import date, datetime
from itertools import chain
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils.encoding import iri_to_uri
from lxml import etree
from support.contrib.django_site.setup import HOST
from support.contrib.django_site.sitemaps import SITEMAPS

pytestmark = pytest.mark.usefixtures("published")

NEW_YORK = ZoneInfo("America/New_York")
NAMES = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9", "x": "http://www.w3.org/1999/xhtml"}
#: Pages that clients ask for, and whatever else they write there.
ASKED = ["0", "-1", "x", "1.5", "last", "99", "", " 1 ", "+1", "１", "1_0", "9" * 30, "9" * 5000, "None", "1\x00"]


class Listed(NamedTuple):
    """An entry, as both lists can be compared."""

    loc: str
    day: date | None
    changefreq: str | None
    priority: float | None
    alternates: tuple[tuple[str, str], ...]


def day_of(lastmod: str | None) -> date | None:
    """The day that Django prints for a lastmod."""
    if not lastmod:
        return None
    if len(lastmod) == 10:
        return date.fromisoformat(lastmod)
    return datetime.fromisoformat(lastmod).astimezone(NEW_YORK).date()


def listed(answer: Any) -> list[Listed]:
    """The entries of an answer, sorted."""
    assert answer.status_code == 200
    root = etree.fromstring(b"".join(answer.streaming_content) if answer.streaming else answer.content)
    assert etree.QName(root).localname == "urlset"
    found = []
    for url in root.findall("s:url", NAMES):
        priority = url.findtext("s:priority", None, NAMES)
        links = [(link.get("hreflang", ""), iri_to_uri(link.get("href"))) for link in url.findall("x:link", NAMES)]
        found.append(
            Listed(
                iri_to_uri(url.findtext("s:loc", None, NAMES)),
                day_of(url.findtext("s:lastmod", None, NAMES)),
                url.findtext("s:changefreq", None, NAMES),
                None if priority is None else float(priority),
                tuple(links),
            )
        )
    return sorted(found, key=str)


def indexed(answer: Any) -> list[tuple[str, str | None]]:
    """The sitemaps of an index, with their lastmods."""
    assert answer.status_code == 200
    root = etree.fromstring(answer.content)
    return [
        (each.findtext("s:loc", "", NAMES), each.findtext("s:lastmod", None, NAMES))
        for each in root.findall("s:sitemap", NAMES)
    ]


def pages(client: Client, path: str) -> list[list[Listed]]:
    """The entries of each page of a sitemap."""
    found = [listed(client.get(path, secure=True))]
    while (answer := client.get(path, {"p": len(found) + 1}, secure=True)).status_code == 200:
        found.append(listed(answer))
    assert answer.status_code == 404
    return found


@pytest.mark.parametrize("section", SITEMAPS)
def test_a_section_lists_what_django_lists(section: str, client: Client) -> None:
    theirs = pages(client, f"/theirs/sitemap-{section}.xml")
    ours = pages(client, f"/ours/sitemap-{section}.xml")
    assert theirs[0]
    assert [len(page) for page in ours] == [len(page) for page in theirs]
    expected = sorted(chain.from_iterable(theirs), key=str)
    if section == "own domain":  # Django writes the host as it is
        expected = [each._replace(loc=each.loc.replace("Notes.", "notes.")) for each in expected]
    assert sorted(chain.from_iterable(ours), key=str) == expected


def test_a_sitemap_of_all_sections_lists_what_django_lists(client: Client) -> None:
    assert pages(client, "/ours/all.xml") == pages(client, "/theirs/all.xml")


def test_an_index_names_what_django_names(client: Client) -> None:
    theirs, ours = (indexed(client.get(f"/{name}/sitemap.xml", secure=True)) for name in ("theirs", "ours"))
    expected = [loc.replace("/theirs/", "/ours/").replace("//Notes.", "//notes.") for loc, _ in theirs]
    found = [loc.replace("notes.example:8443", HOST) for loc, _ in ours]
    assert found == expected
    assert all(lastmod is not None for _, lastmod in ours)


@pytest.mark.parametrize("page", ASKED, ids=lambda page: repr(page)[:12])
@pytest.mark.parametrize("section", ["products", "paged"])
def test_a_page_that_is_not_there_is_not_found(page: str, section: str, client: Client) -> None:
    theirs, ours = (
        client.get(f"/{name}/sitemap-{section}.xml", {"p": page}, secure=True) for name in ("theirs", "ours")
    )
    assert ours.status_code == theirs.status_code


def test_a_section_that_is_not_there_is_not_found(client: Client) -> None:
    assert client.get("/ours/sitemap-nothing.xml", secure=True).status_code == 404


@pytest.mark.parametrize("path", ["sitemap.xml", "sitemap-products.xml", "all.xml"])
def test_the_headers_of_django_are_there(path: str, client: Client) -> None:
    theirs, ours = (client.get(f"/{name}/{path}", secure=True) for name in ("theirs", "ours"))
    for name in ("Content-Type", "X-Robots-Tag", "Content-Language"):
        assert ours.headers[name] == theirs.headers[name]
