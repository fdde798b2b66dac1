"""Endless parts of sites are named and left, and the rest of the site is seen."""

from __future__ import annotations

import calendar
import itertools
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.crawl.linked_site import html
from support.http_server import Answer, Handler, Page, Site
from urlset import Http, _core
from urlset._crawl.traps import Traps, shape_of

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HOST = "https://shop.example"
#: How each kind of verdict begins.
KINDS = "(calendar|endless|parameters|same content|session id|repeated path): |a URL of more than |a path of more than "


class Endless(dict[str, Page]):
    """Pages by their path, and one function for all paths below a folder."""

    def get(self, path: str, default: object = None) -> object:  # type: ignore[override]
        for prefix in self:
            if prefix.endswith("*") and path.startswith(prefix[:-1]):
                return self[prefix]
        return super().get(path, default)


def verdict(url: str, chain: int = 0) -> str | None:
    return Traps(date(2026, 3, 1)).verdict(HOST + url, chain)


@pytest.mark.parametrize(
    ("url", "trap"),
    [
        ("/cart?PHPSESSID=4f1d6b2a9c8e7d00", "session id: PHPSESSID"),
        ("/cart;jsessionid=4F1D6B2A9C8E7D00?x=1", "session id: jsessionid"),
        ("/cart?sid=12", None),
        ("/news?side=4f1d6b2a9c8e7d00", None),
        ("/calendar/2027/04", "calendar: dates more than a year ahead in /calendar/{n}/{n}"),
        ("/calendar?date=2027-04-02", "calendar: dates more than a year ahead in /calendar?date"),
        ("/calendar?month=4&year=2027", "calendar: dates more than a year ahead in /calendar?month&year"),
        ("/calendar/2027/03", None),
        ("/calendar/2026/12", None),
        ("/blog/2019/01/a-post", None),
        ("/product/20991299", None),
        ("/product/2099123456", None),
        ("/a/b/a/b/a/b/", "repeated path: /a/b"),
        ("/x/x/x", "repeated path: /x"),
        ("/a/b/a/b/c", None),
        ("/tea/tea/green", None),
        (f"/{'a' * 2_000}", "a URL of more than 2,000 characters"),
        (f"/{'/'.join(map(str, range(30)))}", "a path of more than 24 segments"),
    ],
)
def test_a_trap_is_known_by_its_url(url: str, trap: str | None) -> None:
    assert verdict(url) == trap


def test_pages_in_a_row_are_a_trap_only_beyond_what_pagination_needs() -> None:
    assert verdict("/list?page=250", 250) is None
    assert verdict("/list?page=251", 251) == "endless: more than 250 pages in a row of /list?page"
    assert verdict("/post/green-tea", 251) is None


def test_filters_are_a_trap_once_there_are_too_many_combinations() -> None:
    traps = Traps(NOW.date())
    urls = [f"{HOST}/shop?a={a}&b={b}&c={c}" for a, b, c in itertools.product(range(8), repeat=3)]
    verdicts = [traps.verdict(url, 0) for url in urls]
    assert verdicts == [None] * 500 + ["parameters: more than 500 combinations in /shop?a&b&c"] * 12
    assert [traps.verdict(f"{HOST}/shop?a={a}", 0) for a in range(600)] == [None] * 600


@given(st.text(max_size=60) | st.text("a1/?=&;-", max_size=60).map(lambda text: text * 40), st.integers(0, 300))
def test_any_url_has_a_verdict(path: str, chain: int) -> None:
    spelled = _core.standard_url(f"{HOST}/{path}")
    if spelled is not None:
        verdict = Traps(NOW.date()).verdict(spelled, chain)
        assert verdict is None or re.match(KINDS, verdict)
        # What a URL of these bounds is, whatever else it has.
        is_long = len(spelled) > 2_000 or urlsplit(spelled).path.count("/") > 24
        assert verdict is not None or not is_long
        # Another crawl comes to the same verdict, and one page more in a row never acquits it.
        assert Traps(NOW.date()).verdict(spelled, chain) == verdict
        assert verdict is None or Traps(NOW.date()).verdict(spelled, chain + 1) is not None
        assert shape_of(spelled)


def crawled(site: Site, pages: Mapping[str, Page], **options: object) -> urlset.Crawl:
    site.pages = Endless(pages)
    return urlset.crawl(site.url, now=NOW, http=Http(concurrency=8, per_host=8), **options)  # type: ignore[arg-type]


def month(handler: Handler) -> Answer:
    """Return the page of a month, with links to those before and after it."""
    _, _, year, number = handler.path.split("/")
    at = int(year) * 12 + int(number) - 1
    near = [f"/calendar/{month // 12}/{month % 12 + 1:02}" for month in (at - 1, at + 1)]
    return html(*near, "/about", text=f"the month {calendar.month_name[int(number)]} {year}")


def test_a_calendar_is_left_a_year_ahead_and_after_many_years_back(site: Site) -> None:
    with crawled(site, {"/": html("/calendar/2026/03", "/tea"), "/tea": html("/last"), "/calendar/*": month}) as found:
        assert found.state == "complete"
        assert found.traps == {
            "calendar: dates more than a year ahead in /calendar/{n}/{n}": 1,
            "calendar: more than 60 pages in a row of /calendar/{n}/{n}": 1,
        }
        assert {page.loc.removeprefix(site.url) for page in found} >= {"/", "/tea", "/about", "/last"}


def test_pages_with_the_same_content_are_left(site: Site) -> None:
    def page(handler: Handler) -> Answer:
        number = int(handler.path.rpartition("=")[2])
        links = "".join(f"<a href='/search?q={number * 3 + each}'>more</a> " for each in range(3))
        return html(text=f"nothing was found {links}")

    pages: dict[str, Page] = {"/": html("/search?q=1", "/tea"), "/tea": html(text="tea"), "/search*": page}
    with crawled(site, pages) as found:
        [trap] = found.traps
        assert trap == "same content: /search?q"
        assert found.pages < 150
        assert found.state == "complete"


def test_loops_of_a_block_theme_end(site: Site) -> None:
    """Each list of a page has a parameter of its own for its page, and each link keeps those of the others."""

    def page(handler: Handler) -> Answer:
        known = dict(parse_qsl(urlsplit(handler.path).query, keep_blank_values=True))
        links = []
        for block in range(9):
            name = f"query-{block}-page"
            links.append("/archive?" + urlencode(known | {name: int(known.get(name, 1)) + 1, "cst": ""}))
        shown = " ".join(f"post {known.get(f'query-{block}-page', 1)} of list {block}" for block in range(9))
        letters = "".join(chr(97 + each % 26) for each in handler.path.encode())
        head = '<link rel="canonical" href="/archive">' if is_canonical else ""
        return html(*links, text=f"{shown} {letters}", head=head)

    pages: dict[str, Page] = {"/": html("/archive", "/tea"), "/tea": html(text="tea"), "/archive*": page}
    for is_canonical, most in ((True, 70), (False, 110)):
        with crawled(site, pages) as found:
            assert found.pages < most
            assert found.state == "complete"
            [trap] = found.traps
            kind = "same content: /archive?cst&query-{n}-page" if is_canonical else "parameters: more than 100 URLs"
            assert trap.startswith(kind)


def test_many_pages_of_one_parameter_are_no_trap_and_new_parameters_end_nothing_else() -> None:
    traps = Traps(NOW.date())
    assert {traps.verdict(f"{HOST}/item?id={number}", 0) for number in range(3_000)} == {None}
    many = [traps.verdict(f"{HOST}/item?id=1&{'x' * (number + 1)}=1", 0) for number in range(51)]
    assert many == [None] * 49 + ["parameters: more than 50 sets of parameters at /item"] * 2
    assert traps.verdict(f"{HOST}/item?id=3001", 0) is None


def test_numbered_parameters_are_a_trap_after_a_hundred_pages() -> None:
    traps = Traps(NOW.date())
    verdicts = [traps.verdict(f"{HOST}/posts?query-{number}-page=2", 0) for number in range(102)]
    assert verdicts == [None] * 100 + ["parameters: more than 100 URLs with numbered parameters at /posts"] * 2
    assert traps.verdict(f"{HOST}/posts?page=2", 0) is None


def test_pages_that_differ_in_a_picture_or_are_not_endless_are_no_trap(site: Site) -> None:
    pages: dict[str, Page] = {"/": html(*(f"/photo?n={n}" for n in range(60)), *(f"/item/{n}" for n in range(60)))}
    pages |= {f"/photo?n={n}": html(text=f"a photo <img src=/{n}.jpg>") for n in range(60)}
    pages |= {f"/item/{n}": html(text=f"item {n}") for n in range(60)}
    with crawled(site, pages) as found:
        assert (found.traps, found.pages) == ({}, 121)


def test_a_session_id_is_left_and_its_site_is_not(site: Site) -> None:
    count = itertools.count(10_000_000)

    def page(handler: Handler) -> Answer:
        return html(f"/b?sid={next(count)}", "/c")

    with crawled(site, {"/": page, "/b": page, "/c": page}) as found:
        assert set(found.traps) == {"session id: sid"}
        assert found.pages == 2


def test_traps_are_followed_if_somebody_asks_for_it(site: Site) -> None:
    pages: dict[str, Page] = {"/": html("/calendar/2030/03"), "/calendar/*": html()}
    with crawled(site, pages, follow_traps=True) as found:
        assert (found.pages, found.traps) == (2, {})
