"""Translations by the folders of languages."""

from __future__ import annotations

from pathlib import Path

import pytest
import urlset
from lxml import etree
from support.html_site import BASE, site
from urlset import InputError
from urlset.sources import html


def test_pages_of_the_same_path_are_translations(tmp_path: Path) -> None:
    folder = site(tmp_path / "public", "a.html", "only.html")
    site(folder / "de", "a.html")
    site(folder / "fr", "a.html")
    rows = list(html.pages(folder, base_url=BASE, languages={"en": ".", "de": "de", "fr": "/fr/"}))
    assert [(row["file"], row["group"], row["lang"]) for row in rows] == [
        ("a.html", "a.html", "en"),
        ("de/a.html", "a.html", "de"),
        ("fr/a.html", "a.html", "fr"),
        ("only.html", "only.html", "en"),
    ]


def test_a_page_in_no_folder_of_a_language_has_no_translations(tmp_path: Path) -> None:
    folder = site(tmp_path / "public", "a.html")
    site(folder / "de", "a.html")
    rows = list(html.pages(folder, base_url=BASE, languages={"de": "de"}))
    assert [row.get("group") for row in rows] == [None, "a.html"]


@pytest.mark.parametrize(
    ("languages", "message"),
    [
        ({"english": "en"}, "languages must be hreflang codes, such as 'en' or 'pt-BR', got 'english'"),
        ({"en": ".", "en-GB": "/"}, "the languages 'en' and 'en-GB' have the same folder '/'"),
    ],
)
def test_invalid_languages_are_refused(tmp_path: Path, languages: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        html.pages(tmp_path, base_url=BASE, languages=languages)


def test_a_published_page_links_to_all_its_translations(tmp_path: Path) -> None:
    folder = site(tmp_path / "public", "a.html", "only.html")
    site(folder / "de", "a.html")
    (tmp_path / "urlset.toml").write_text(
        f'[publish]\nhtml = "public"\ndest = "public"\nbase-url = "{BASE}"\nx-default = "en"\n'
        'languages = { en = ".", de = "de" }\n'
    )
    with urlset.configured(tmp_path / "urlset.toml") as found:
        urlset.publish(found.entries, found.dest, **found.options)
    links = {
        url.findtext("{*}loc"): {each.get("hreflang"): each.get("href") for each in url.iterfind("{*}link")}
        for url in etree.parse(folder / "sitemap.xml").getroot()
    }
    both = {"en": f"{BASE}a.html", "de": f"{BASE}de/a.html", "x-default": f"{BASE}a.html"}
    assert links == {f"{BASE}a.html": both, f"{BASE}de/a.html": both, f"{BASE}only.html": {}}
