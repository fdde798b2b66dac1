"""How a published sitemap looks, in a real Chromium."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from support.chromium import Chromium, Drawn, Page, Served, serving
from urlset._publish.documents import stylesheet
from urlset._write.rows import RowLike

from publish.documents.test_stylesheet import FULL, INDEX, NEWS, RIGHT_TO_LEFT, VIDEO, written

XML = {"Content-Type": "application/xml"}
CSS = {"Content-Type": "text/css"}

LONG = "x" * 1500


@pytest.fixture
def page(chromium: Chromium) -> Iterator[Page]:
    with chromium.page() as page:
        page.look()
        yield page


def show(page: Page, rows: list[RowLike]) -> None:
    """Loads the rows as a dressed document over HTTP, with what is published beside it."""
    beside = {name: Served(data, CSS) for name, data in stylesheet.files().items()}
    with serving({"sitemap.xml": Served(stylesheet.dressed(written(rows)), XML), **beside}) as root:
        assert page.load(f"{root}sitemap.xml") is None


def find(page: Page, text: str) -> Drawn:
    """The only run of text that is this one."""
    [drawn] = [drawn for drawn in page.drawn() if drawn.text.strip() == text]
    return drawn


def squeezed(text: str) -> str:
    """Without its blanks."""
    return "".join(text.split())


def title(page: Page) -> str:
    """What stands in the page's upper corner, in one line."""
    drawn = page.drawn()
    top = min(run.box.y for run in drawn)
    return "".join(run.text for run in drawn if run.box.y == top)


def style(page: Page, element: str, name: str, pseudo: str = "") -> str:
    """A computed value of an element, which is given as an expression of JavaScript."""
    return str(page.evaluate(f"getComputedStyle({element}, {pseudo!r}).getPropertyValue({name!r})"))


ROOT = "document.documentElement"
FIRST = "document.getElementsByTagName('url')[0]"


# What is seen.


def test_a_urlset_is_a_table_whose_cells_stand_under_their_heads(page: Page) -> None:
    show(page, FULL)
    assert title(page) == "Sitemap · 3 addresses"
    columns = {"Address": "https://e.org/", "Modified": "2026-11-02", "Changes": "daily", "Priority": "0.9"}
    first = next(run for run in page.drawn() if run.text == "https://e.org/")
    for head, cell in columns.items():
        above = find(page, head).box
        below = next(run.box for run in page.drawn() if run.text == cell)
        assert abs(below.x - above.x) < 1, head
        assert above.bottom < below.y
        assert below.y == first.box.y


@pytest.mark.parametrize("width", [961, 1280, 2400])
def test_heads_stand_over_their_columns_at_every_width(page: Page, width: int) -> None:
    page.look(width=width)
    show(page, FULL[:1])
    for head, cell in {"Modified": "2026-11-02", "Changes": "daily", "Priority": "0.9"}.items():
        assert abs(find(page, head).box.x - find(page, cell).box.x) < 1, head


def test_an_absent_cell_leaves_its_column_empty(page: Page) -> None:
    show(page, [{"loc": "https://e.org/", "priority": 0.3, "images": ["https://e.org/i.jpg"]}])
    assert abs(find(page, "0.3").box.x - find(page, "Priority").box.x) < 1
    assert find(page, "https://e.org/i.jpg").box.y > find(page, "https://e.org/").box.bottom


def test_an_index_is_a_table_of_sitemaps(page: Page) -> None:
    show(page, INDEX)
    assert title(page) == "Sitemap index · 3 sitemaps"
    for number in (1, 2, 3):
        row = [run.text for run in page.drawn() if run.box.y == find(page, f"https://e.org/{number}.xml.gz").box.y]
        assert row == [f"https://e.org/{number}.xml.gz", f"2026-11-{number:02}"]
    assert abs(find(page, "2026-11-01").box.x - find(page, "Modified").box.x) < 1


@pytest.mark.parametrize(
    ("rows", "told"),
    [(FULL[:1], "Sitemap · 1 address"), (FULL[:2], "Sitemap · 2 addresses"), (INDEX[:1], "Sitemap index · 1 sitemap")],
)
def test_the_title_counts(page: Page, rows: list[RowLike], told: str) -> None:
    show(page, rows)
    assert title(page) == told


def test_rows_are_numbered_and_take_turns_in_colour(page: Page) -> None:
    show(page, [f"https://e.org/p{n}" for n in range(1, 13)])
    for n in range(1, 13):
        beside = find(page, f"https://e.org/p{n}").box
        row = [run.text for run in page.drawn() if abs(run.box.y - beside.y) < 4]
        assert row == [str(n), f"https://e.org/p{n}"]
    colours = page.evaluate("[...document.getElementsByTagName('url')].map(u => getComputedStyle(u).backgroundColor)")
    assert colours == ["rgba(0, 0, 0, 0)", "rgb(246, 247, 249)"] * 6


@pytest.mark.parametrize("width", [400, 1280])
def test_all_that_an_entry_has_is_shown(page: Page, width: int) -> None:
    page.look(width=width, height=4000)
    show(page, FULL)
    # A line's end takes the blank, and right-to-left runs are told in the order in which they stand.
    seen = squeezed("".join(run.text for run in page.drawn()))
    entries = etree.fromstring(written(FULL)).findall("{*}url")
    texts = [text for entry in entries for text in map(str, entry.itertext()) if text.isascii()]
    links = [link.attrib for entry in entries for link in entry.findall("{*}link")]
    noted = ["allow countries DE AT", "deny platforms web tv", "price EUR 1.99", "All films", "https://e.org/who"]
    assert len(texts) > 45
    for text in [*texts, *noted, *(str(value) for link in links for name, value in link.items() if name != "rel")]:
        assert squeezed(text) in seen, text
    assert all(word in seen for word in RIGHT_TO_LEFT.split())
    assert {"image", "video", "news", "caption ", "seconds "} <= {run.text for run in page.drawn()}


def test_nothing_is_drawn_over_something_else(page: Page) -> None:
    page.look(width=1280, height=4000)
    long = f"https://e.org/{LONG}"
    full = {"loc": long, "lastmod": "2026-11-02T08:30:00.123456+00:00", "changefreq": "monthly", "priority": 1.0}
    show(page, [*FULL, {**full, "images": [long, long, long, long]}])
    boxes = [run for run in page.drawn() if run.text.strip() and run.box.width]
    for at, one in enumerate(boxes):
        for other in boxes[at + 1 :]:
            apart_x = one.box.right <= other.box.x + 1 or other.box.right <= one.box.x + 1
            apart_y = one.box.bottom <= other.box.y + 1 or other.box.bottom <= one.box.y + 1
            assert apart_x or apart_y, (one, other)


def test_five_digits_do_not_reach_the_address(page: Page) -> None:
    show(page, ["https://e.org/"])
    page.evaluate("document.adoptedStyleSheets = [new CSSStyleSheet()]")
    page.evaluate("document.adoptedStyleSheets[0].insertRule(':root { counter-reset: row 49999 !important }')")
    page.draw()
    address = find(page, "https://e.org/").box
    number = next(run for run in page.drawn() if run.text == "50000")
    assert number.box.right + 4 < address.x


# Light, dark, narrow, on paper.


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("rows", [FULL, INDEX])
def test_every_text_has_contrast_in_light_and_dark(page: Page, rows: list[RowLike], dark: bool) -> None:
    page.look(dark=dark)
    show(page, rows)
    paper = style(page, ROOT, "background-color")
    assert (luminance(paper) < 0.05) is dark
    band, tag = (hexadecimal(style(page, ROOT, name)) for name in ("--band", "--tag"))
    inks = set(page.evaluate("[...document.querySelectorAll('*')].map(e => getComputedStyle(e).color)"))
    inks |= {style(page, ROOT, "color", pseudo) for pseudo in ("::before", "::after")}
    assert len(inks) == 2
    for ink in inks:
        for ground in (paper, band, tag):
            assert contrast(ink, ground) >= 4.5, (ink, ground)  # WCAG 2.2, success criterion 1.4.3


@pytest.mark.parametrize(("dark", "paper"), [(False, (255, 255, 255)), (True, (21, 24, 28))])
def test_the_whole_window_has_the_colour_of_paper(page: Page, dark: bool, paper: tuple[int, ...]) -> None:
    page.look(width=2400, dark=dark)
    show(page, INDEX)
    assert {page.pixel(x, y) for x in (1, 1200, 2398) for y in (1, 798)} == {paper}


@pytest.mark.parametrize("width", [320, 700, 961, 1280])
def test_long_words_wrap_instead_of_reaching_out(page: Page, width: int) -> None:
    page.look(width=width, height=6000)
    address = f"https://e.org/{LONG}"
    rows: list[RowLike] = [
        {
            "loc": address,
            "lastmod": "2026-11-02T08:30:00.123456+00:00",
            "images": [{"loc": address, "title": LONG, "caption": LONG}],
            "alternates": [{"hreflang": "de", "href": address}, {"hreflang": None, "media": LONG, "href": address}],
            "videos": [{**VIDEO, "title": LONG, "description": LONG, "content_loc": f"{address}.mp4"}],
            "news": {**NEWS, "title": LONG, "publication_name": LONG},
        }
    ]
    show(page, rows)
    assert page.evaluate(f"{ROOT}.scrollWidth") <= width
    assert all(run.box.right <= width for run in page.drawn() if run.text.strip())


def test_in_a_narrow_window_values_stand_below_with_their_names(page: Page) -> None:
    page.look(width=400)
    show(page, FULL[:1])
    texts = [run.text for run in page.drawn()]
    assert "Address" not in texts
    for name, value in (("modified ", "2026-11-02"), ("changes ", "daily"), ("priority ", "0.9")):
        assert texts.index(name) + 1 == texts.index(value)
        assert find(page, value).box.y > find(page, "https://e.org/").box.y


def test_the_heads_stay_when_the_page_is_scrolled(page: Page) -> None:
    show(page, [f"https://e.org/p{n}" for n in range(100)])
    page.evaluate("scrollTo(0, 1500)")
    assert 0 <= find(page, "Address").box.y - 1500 < 40
    sentence = next(run for run in page.drawn() if run.text.startswith("A list of this site's pages"))
    assert sentence.box.x == find(page, "Sitemap ·").box.x
    assert sentence.box.bottom <= 1500


def test_on_paper_every_row_is_there(page: Page) -> None:
    rows: list[RowLike] = [f"https://e.org/p{n}" for n in range(500)]
    page.look(media="print", dark=True)
    show(page, rows)
    seen = {run.text for run in page.drawn()}
    assert {row for row in rows if row not in seen} == set()
    assert style(page, ROOT, "position", "::before") == "static"
    assert luminance(style(page, ROOT, "background-color")) == 1
    assert page.command("Page.printToPDF")["data"]


# Hostile and foreign texts.


def test_markup_in_a_text_stays_text(page: Page) -> None:
    page.look(height=4000)
    show(page, FULL)
    assert page.evaluate("document.querySelectorAll('*|script, *|b').length") == 0
    assert page.evaluate("document.title") != "run"
    assert any("<script>" in run.text for run in page.drawn())


def test_right_to_left_letters_do_not_move_other_cells(page: Page) -> None:
    show(page, FULL)
    left = find(page, "Address").box.x
    begins = [run for run in page.drawn() if run.text == "https://e.org/"]
    assert len(begins) >= 2
    assert all(abs(run.box.x - left) < 1 for run in begins)
    for word in RIGHT_TO_LEFT.split():
        assert all(run.box.x >= left for run in page.drawn() if run.text == word)
    assert abs(find(page, "2026-11-02T08:30:00+00:00").box.x - find(page, "Modified").box.x) < 1


def test_a_click_selects_the_whole_address(page: Page) -> None:
    show(page, ["https://e.org/a?b=1&c=2", "https://e.org/other"])
    box = find(page, "https://e.org/a?b=1&c=2").box
    for kind in ("mousePressed", "mouseReleased"):
        at: dict[str, Any] = {"x": box.x + 40, "y": box.y + 5, "button": "left", "clickCount": 1}
        page.command("Input.dispatchMouseEvent", {"type": kind, **at})
    assert page.evaluate("getSelection().toString()") == "https://e.org/a?b=1&c=2"


# How it comes.


def test_a_document_shows_by_file(page: Page, tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_bytes(stylesheet.dressed(written(FULL)))
    for name, data in stylesheet.files().items():
        (tmp_path / name).write_bytes(data)
    assert page.load((tmp_path / "sitemap.xml").as_uri()) is None
    assert title(page) == "Sitemap · 3 addresses"


def test_a_compressed_document_shows_only_with_a_content_encoding(page: Page) -> None:
    stored = gzip.compress(stylesheet.dressed(written(FULL)))
    beside = {name: Served(data, CSS) for name, data in stylesheet.files().items()}
    with serving(
        {
            "told.xml.gz": Served(stored, {**XML, "Content-Encoding": "gzip"}),
            "archive.xml.gz": Served(stored, {"Content-Type": "application/gzip"}),
            **beside,
        }
    ) as root:
        assert page.load(f"{root}told.xml.gz") is None
        assert title(page) == "Sitemap · 3 addresses"
        assert page.load(f"{root}archive.xml.gz") == "net::ERR_ABORTED"  # it is downloaded


def test_a_stylesheet_that_is_not_served_as_css_is_passed_over(page: Page) -> None:
    beside = {name: Served(data, {"Content-Type": "text/plain"}) for name, data in stylesheet.files().items()}
    with serving({"sitemap.xml": Served(stylesheet.dressed(written(FULL)), XML), **beside}) as root:
        page.load(f"{root}sitemap.xml")
    assert "Address" not in {run.text for run in page.drawn()}


@pytest.mark.parametrize("count", [5_000, pytest.param(50_000, marks=pytest.mark.long)])
def test_many_rows_are_laid_out_only_where_one_looks(page: Page, count: int) -> None:
    show(page, [f"https://e.org/p{n}" for n in range(1, count + 1)])
    assert title(page) == f"Sitemap · {count} addresses"
    assert len(page.drawn()) < 500
    page.evaluate(f"scrollTo(0, {ROOT}.scrollHeight)")
    page.draw()
    last = find(page, f"https://e.org/p{count}").box
    assert any(run.text == str(count) and abs(run.box.y - last.y) < 4 for run in page.drawn())
    assert len(page.drawn()) < 500


# Colours.


def hexadecimal(colour: str) -> str:
    """`#rrggbb` as browsers compute it."""
    red, green, blue = (int(colour.strip()[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgb({red}, {green}, {blue})"


def luminance(colour: str) -> float:
    """Relative luminance from 0, black, to 1, white. Source: WCAG 2.2."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """From 1, the same, to 21, black on white. Source: WCAG 2.2."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)
