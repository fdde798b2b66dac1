"""The stylesheet beside a published sitemap, and that readers do not mind it."""

from __future__ import annotations

import re
from io import BytesIO

import pytest
import urlset
from lxml import etree
from urlset import InputError, LimitError
from urlset._publish.documents import stylesheet
from urlset._write.rows import RowLike

RIGHT_TO_LEFT = "مصباح مكتب"

#: Every element that `write` writes, each with a text of its own, or one that has to be.
VIDEO = {
    "thumbnail_loc": "https://e.org/thumbnail.jpg",
    "title": "A film <script>document.title = 'run'</script>",
    "description": f"What it shows & more {RIGHT_TO_LEFT}",
    "content_loc": "https://e.org/file.mp4",
    "player_loc": "https://e.org/player",
    "duration": "181",
    "expiration_date": "2031-01-01",
    "rating": "4.5",
    "content_segments": ["https://e.org/part-1.mp4"],
    "view_count": "1234",
    "publication_date": "2021-02-03",
    "tags": ["wiring", "brass"],
    "category": "household",
    "family_friendly": "yes",
    "restriction": "DE AT",
    "restriction_relationship": "allow",
    "gallery_loc": "https://e.org/gallery",
    "gallery_loc_title": "All films",
    "prices": [{"price": "1.99", "currency": "EUR"}],
    "requires_subscription": "no",
    "uploader": "The shop",
    "uploader_info": "https://e.org/who",
    "tvshow": {
        "show_title": "Lamps of the world",
        "video_type": "full",
        "episode_title": "Tin",
        "season_number": "7",
        "episode_number": "19",
        "premier_date": "2020-05-06",
    },
    "platform": "web tv",
    "platform_relationship": "deny",
    "live": "no",
    "ids": [{"id": "tms-77", "type": "tms:program"}],
}
IMAGE = {
    "loc": "https://e.org/image.jpg",
    "title": RIGHT_TO_LEFT,
    "caption": "From the side",
    "geo_location": "Ulm",
    "license": "https://e.org/licence",
}
NEWS = {
    "publication_name": "Lamp News",
    "publication_language": "en",
    "access": "Subscription",
    "genres": "Blog",
    "publication_date": "2026-11-02",
    "title": "A lamp <b>is</b> lit",
    "keywords": "light",
    "stock_tickers": "NASDAQ:LAMP",
}
FULL: list[RowLike] = [
    {"loc": "https://e.org/", "lastmod": "2026-11-02", "changefreq": "daily", "priority": 0.9},
    {"loc": "https://e.org/only-a-loc"},
    {
        "loc": f"https://e.org/{RIGHT_TO_LEFT.split(maxsplit=1)[0]}/1",
        "lastmod": "2026-11-02T08:30:00+00:00",
        "images": [IMAGE, "https://e.org/second.jpg"],
        "alternates": [
            {"hreflang": "zh-Hant-TW", "href": "https://e.org/tw"},
            {"hreflang": None, "media": "only screen and (max-width: 640px)", "href": "https://m.e.org/"},
        ],
        "videos": [VIDEO],
        "news": NEWS,
    },
]
INDEX: list[RowLike] = [urlset.SitemapEntry(f"https://e.org/{n}.xml.gz", f"2026-11-{n:02}") for n in (1, 2, 3)]


def written(rows: list[RowLike]) -> bytes:
    buffer = BytesIO()
    urlset.write(rows, buffer)
    return buffer.getvalue()


def test_the_instruction_names_the_stylesheet_next_to_the_document() -> None:
    assert stylesheet.instruction() == '<?xml-stylesheet type="text/css" href="sitemap.css"?>'
    assert stylesheet.instruction("/a/b.css?v=1&w=2").endswith(' href="/a/b.css?v=1&amp;w=2"?>')
    assert list(stylesheet.files()) == ["sitemap.css"]


@pytest.mark.parametrize(
    "href", ["look.css", "./a:b.css", "../look.css", "/look.css", "a/%C3%BC.css", "?a:b", "it's.css"]
)
def test_a_reference_within_the_origin_is_read_back_as_it_was_given(href: str) -> None:
    root = etree.fromstring(stylesheet.dressed(written(FULL), href))
    before = root.getprevious()
    assert isinstance(before, etree._ProcessingInstruction)
    assert before.target == "xml-stylesheet"
    # What browsers make of it, who read its pseudo-attributes as attributes.
    assert dict(etree.fromstring(f"<a {before.text}/>").items()) == {"type": "text/css", "href": href}


@pytest.mark.parametrize(
    "href",
    [
        *("", "//evil.org/a.css", "\\\\evil.org/a.css", "/\t/evil.org", "https://e.org/a.css"),
        *("javascript:alert(1)", "data:text/css,a", "a b.css", "a.css?>", 'a".css', "a<b.css", "ü.css"),
        *("a.css\n", "a#b", "a" * 2049),
    ],
)
def test_what_is_no_reference_within_the_origin_is_refused(href: str) -> None:
    with pytest.raises(InputError, match=r"^href must "):
        stylesheet.instruction(href)


@pytest.mark.parametrize("rows", [FULL, INDEX])
def test_a_dressed_document_is_read_as_before(rows: list[RowLike]) -> None:
    plain = written(rows)
    dressed = stylesheet.dressed(plain)
    before, after = urlset.parse(plain), urlset.parse(dressed)
    assert after.completeness == "complete"
    assert after.diagnostics == ()
    assert list(after) == list(before)
    assert len(list(after)) == len(rows)
    assert etree.tostring(etree.fromstring(dressed)) == etree.tostring(etree.fromstring(plain))
    told = [(finding.code, finding.message) for finding in urlset.lint(dressed).diagnostics]
    assert told == [(finding.code, finding.message) for finding in urlset.lint(plain).diagnostics]


def test_a_simple_dressed_document_passes_lint() -> None:
    assert urlset.lint(stylesheet.dressed(written(FULL[:2]))).diagnostics == ()


def test_a_document_without_a_declaration_is_not_dressed() -> None:
    with pytest.raises(InputError, match="XML declaration"):
        stylesheet.dressed(b"<urlset/>")


def test_a_document_that_is_full_has_no_room_for_the_instruction() -> None:
    line = b'<?xml version="1.0" encoding="UTF-8"?>\n'
    room = urlset.PROTOCOL.bytes - len(line) - len(stylesheet.instruction()) - 1
    assert len(stylesheet.dressed(line + b" " * room)) == urlset.PROTOCOL.bytes
    with pytest.raises(LimitError, match="no room"):
        stylesheet.dressed(line + b" " * (room + 1))


def test_a_stylesheet_that_urlset_wrote_is_recognised() -> None:
    assert stylesheet.is_ours(stylesheet.files()["sitemap.css"])
    assert not stylesheet.is_ours(b"/* mine */ urlset { color: red }")


def test_the_stylesheet_asks_for_nothing_else() -> None:
    text = re.sub(r"@namespace \w+ url\([^)]*\);", "", stylesheet.files()["sitemap.css"].decode())
    assert re.search(r"url\(|@import|@font-face|//", text) is None
