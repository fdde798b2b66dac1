"""Which URLs are one: the same pairs, in every verb that compares URLs, give the same answer."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

import pytest
import urlset
from support.documents import CORE
from support.http_server import Answer, Site, serve
from support.jobs import publish_in_parts
from support.publish import known_rows, publish
from urlset import Publication, _core
from urlset._util.identity import USUAL, may_differ
from urlset._util.instances import in_memory
from urlset.sources import html

XHTML = "http://www.w3.org/1999/xhtml"
SITE = "https://a.example/"


class Pair(NamedTuple):
    """Two URLs, and whether they are one."""

    is_equal: bool
    one: str
    other: str


def pairs() -> list[Pair]:
    """The pairs of the vectors. No two pairs have a URL in common."""
    with (Path(__file__).parents[2] / "vectors" / "rfc3986" / "pairs.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert {row["verdict"] for row in rows} == {"equal", "different"}
    return [Pair(row["verdict"] == "equal", row["one"], row["other"]) for row in rows]


PAIRS = pairs()
EQUAL = {pair.other for pair in PAIRS if pair.is_equal}
every_pair = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.one)


def document(locs: Sequence[str]) -> bytes:
    """A sitemap of these locs, each on a line of its own, from the second line on."""
    entries = "".join(f"\n<url><loc>{escape(loc)}</loc></url>" for loc in locs)
    return f'<urlset xmlns="{CORE}">{entries}\n</urlset>'.encode()


@every_pair
def test_the_normal_form_is_that_of_equal_urls_only(pair: Pair) -> None:
    one, other = _core.normalized_urls([pair.one, pair.other])
    assert (one == other) == pair.is_equal
    assert _core.normalized_url(one) == one


def test_the_pattern_of_usual_urls_leaves_out_all_that_have_another_form() -> None:
    urls = [url for pair in PAIRS for url in (pair.one, pair.other)]
    with in_memory() as connection:
        connection.execute("CREATE TABLE urls AS SELECT unnest(?) AS url", [urls])
        odd = {url for (url,) in connection.execute(f"SELECT url FROM urls WHERE {may_differ('url')}").fetchall()}
    assert {url for url in urls if _core.normalized_url(url) != url} <= odd
    assert SITE + "%D7%A9?a=1&b=%2F" not in odd
    assert USUAL in may_differ("url")


def test_a_loc_is_repeated_in_one_document() -> None:
    locs = [url for pair in PAIRS for url in (pair.one, pair.other)]
    found = {each.line for each in urlset.lint(document(locs), rules=urlset.Rules(select=["LOC014"]))}
    assert found == {2 + locs.index(url) for url in EQUAL}


def test_a_loc_is_repeated_in_two_documents(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(document([pair.one for pair in PAIRS]))
    (tmp_path / "b.xml").write_bytes(document([pair.other for pair in PAIRS]))
    found = urlset.lint([tmp_path / "a.xml", tmp_path / "b.xml"], rules=urlset.Rules(select=["IDX008"]))
    assert {each.line for each in found} == {line for line, pair in enumerate(PAIRS, 2) if pair.is_equal}


def test_a_page_names_itself_as_its_alternate() -> None:
    entries = "".join(
        f'\n<url><loc>{escape(pair.one)}</loc><x:link rel="alternate" hreflang="de" href="{escape(pair.other)}"/></url>'
        for pair in PAIRS
    )
    found = urlset.lint(
        f'<urlset xmlns="{CORE}" xmlns:x="{XHTML}">{entries}\n</urlset>'.encode(), rules=urlset.Rules(select=["ALT004"])
    )
    assert {each.line for each in found} == {line for line, pair in enumerate(PAIRS, 2) if not pair.is_equal}


def test_a_link_between_languages_is_returned(tmp_path: Path) -> None:
    """The page `one` and a page in German name each other, but the German page writes `other`."""
    entries = ""
    for number, pair in enumerate(PAIRS):
        german = f"{SITE}de/{number}"
        for loc, language, href in ((pair.one, "de", german), (german, "en", pair.other)):
            link = f'<x:link rel="alternate" hreflang="{language}" href="{escape(href)}"/>'
            entries += f"\n<url><loc>{escape(loc)}</loc>{link}</url>"
    path = tmp_path / "a.xml"
    path.write_text(f'<urlset xmlns="{CORE}" xmlns:x="{XHTML}">{entries}\n</urlset>', encoding="utf-8")
    found = [
        each for each in urlset.lint(path, rules=urlset.Rules(select=["ALT005", "ALT009"])) if each.code == "ALT005"
    ]
    assert {each.line for each in found} == {2 + 2 * at for at, pair in enumerate(PAIRS) if not pair.is_equal}


@every_pair
def test_the_languages_of_a_document_are_those_of_links_to_the_page_itself(tmp_path: Path, pair: Pair) -> None:
    """Only of a document in several languages is it said that it does not list a page in another one."""
    entries = "".join(
        f"<url><loc>{escape(loc)}</loc>"
        f'<x:link rel="alternate" hreflang="{language}" href="{escape(href)}"/>'
        f'<x:link rel="alternate" hreflang="fr" href="{SITE}unlisted/{language}"/></url>'
        for loc, language, href in ((pair.one, "de", pair.other), (f"{SITE}en", "en", f"{SITE}en"))
    )
    path = tmp_path / "a.xml"
    path.write_text(f'<urlset xmlns="{CORE}" xmlns:x="{XHTML}">{entries}</urlset>', encoding="utf-8")
    assert bool(urlset.lint(path, rules=urlset.Rules(select=["ALT009"]))) == pair.is_equal


def test_a_diff_finds_no_change_of_spelling() -> None:
    old, new = document([pair.one for pair in PAIRS]), document([pair.other for pair in PAIRS])
    with urlset.diff(old, new) as found:
        changes = {(each.change, each.loc) for each in found}
    differing = [pair for pair in PAIRS if not pair.is_equal]
    assert changes == {("removed", pair.one) for pair in differing} | {("added", pair.other) for pair in differing}


def test_a_diff_compares_the_values_of_equal_urls() -> None:
    equal = [pair for pair in PAIRS if pair.is_equal]
    sides = [
        f'<urlset xmlns="{CORE}">'
        + "".join(f"<url><loc>{escape(str(pair[at]))}</loc><priority>0.{at}</priority></url>" for pair in equal)
        + "</urlset>"
        for at in (1, 2)
    ]
    with urlset.diff(sides[0].encode(), sides[1].encode(), compare=["priority"]) as found:
        assert [each.fields for each in found] == [("priority",)] * len(equal)


def own_pairs() -> list[Pair]:
    """The pairs of which one set may list both."""
    own = [pair for pair in PAIRS if all(urlsplit(url).scheme.lower() == "https" for url in pair[1:])]
    return [pair for pair in own if all(urlsplit(url).netloc.lower() == "a.example" for url in pair[1:])]


def test_a_publish_lists_equal_urls_once(tmp_path: Path) -> None:
    own = own_pairs()
    rows = [{"loc": url} for pair in own for url in (pair.one, pair.other)]
    published = urlset.publish(rows, tmp_path, base_url=SITE)
    repeated = sum(pair.is_equal for pair in own)
    assert (published.plan.duplicates, published.entries) == (repeated, len(rows) - repeated)
    assert not urlset.lint(tmp_path, rules=urlset.Rules(select=["LOC014", "IDX008"]))
    texts = {loc for pair in own for loc in (pair.one, pair.other)}
    listed = [entry.loc or "" for entry in urlset.scan(tmp_path)]
    assert len(set(_core.normalized_urls(listed))) == len(listed)
    # What a row says is kept, but for what the URL Standard writes in another way.
    assert {loc for loc in texts if _core.standard_url(loc) == loc} >= {loc for loc in listed if loc in texts}


#: Publishes rows on a day of January 2024, by one process or in parts.
PUBLISHES: dict[str, Callable[..., Publication]] = {
    "sticky": publish,
    **{f"{way} in parts": partial(publish_in_parts, shard_by=way) for way in ("hash:5", "key:brand")},
}


@pytest.mark.parametrize("way", PUBLISHES)
@pytest.mark.parametrize("to", ["other", "one", "normal"])
def test_a_publish_follows_a_page_that_is_written_in_another_way(tmp_path: Path, way: str, to: str) -> None:
    pairs = own_pairs() if to != "one" else [Pair(pair.is_equal, pair.other, pair.one) for pair in own_pairs()]
    if to == "normal":
        pairs = [Pair(pair.is_equal, pair.one, _core.normalized_url(pair.other)) for pair in pairs]
    more = {"brand": "x"} if way.startswith("key") else {}
    sets = [[{"loc": pair[at], **more} for pair in pairs] for at in (1, 2)]
    for day, rows in enumerate(sets, 1):
        given = [rows[::2], rows[1::2]] if "parts" in way else rows
        plan = PUBLISHES[way](given, tmp_path, day, base_url=SITE, allow=["shrunk"]).plan
    published = [Pair(pair.is_equal, *(_core.standard_url(url) or "" for url in pair[1:])) for pair in pairs]
    same = sum(pair.one == pair.other for pair in published)
    equal = sum(pair.is_equal for pair in published)
    different = len(published) - equal
    assert (plan.added, plan.removed, plan.changed, plan.same) == (different, different, equal - same, same)
    assert same < equal
    # The rows have the text that they have now, and the page is known since the first day.
    first_seen = {loc: seen[:10] for loc, *_, seen, _, gone in known_rows(tmp_path) if gone is None}
    assert first_seen == {pair.other: f"2024-01-0{1 if pair.is_equal else 2}" for pair in published}


@pytest.mark.parametrize("way", ["hash:5", "key:brand"])
def test_a_publish_in_parts_lists_equal_urls_once(tmp_path: Path, way: str) -> None:
    own = own_pairs()
    # Rows of one page may be of different brands, and so in different parts.
    brands = [{"brand": brand} if way.startswith("key") else {} for brand in "ab"]
    sides = [[{"loc": pair[at], **brands[at - 1]} for pair in own] for at in (1, 2)]
    published = publish_in_parts(sides, tmp_path, base_url=SITE, shard_by=way)
    repeated = sum(pair.is_equal for pair in own)
    assert (published.plan.duplicates, published.entries) == (repeated, 2 * len(own) - repeated)
    assert not urlset.lint(tmp_path, rules=urlset.Rules(select=["LOC014", "IDX008"]))


def test_a_watch_follows_a_page_that_is_written_in_another_way(tmp_path: Path) -> None:
    differing = [pair for pair in PAIRS if not pair.is_equal]
    with serve() as server:
        source, state = f"{server.url}/sitemap.xml", tmp_path / "state.sqlite"
        server.pages["/sitemap.xml"] = Answer(document([pair.one for pair in PAIRS]))
        urlset.watch(source, state=state)
        server.pages["/sitemap.xml"] = Answer(document([pair.other for pair in PAIRS]))
        changes = {(each.change, each.loc) for each in urlset.watch(source, state=state)}
    assert changes == {("removed", pair.one) for pair in differing} | {("added", pair.other) for pair in differing}


def page(canonical: str | None = None, links: Sequence[str] = ()) -> Answer:
    """A page of HTML that names a canonical URL and links to others."""
    head = "" if canonical is None else f'<link rel="canonical" href="{escape(canonical)}">'
    body = "".join(f'<a href="{escape(link)}">{escape(link)}</a>' for link in links)
    return Answer(f"<title>x</title>{head}<main>{body}</main>".encode(), headers={"Content-Type": "text/html"})


def audited(site: Site, state: Path) -> set[tuple[str, str]]:
    """The codes and first pages of the findings of an audit with a crawl."""
    urlset.crawl(site.url, state=state, http=urlset.Http(retries=0)).close()
    with urlset.audit(site.url, state=state, http=urlset.Http(retries=0)) as found:
        return {
            (each.code, each.examples[0].removeprefix(site.url)) for each in found.findings if each.verdict == "found"
        }


def test_an_audit_takes_all_spellings_of_a_page_for_that_page(tmp_path: Path) -> None:
    """As WordPress does it: the sitemap has capitals, the canonical and the links have small letters."""
    with serve() as site:
        upper, lower = f"{site.url}/%D7%A9/", f"{site.url}/%d7%a9/"
        site.pages |= {"/": page(f"{site.url}", [lower, f"{site.url}/~tea"])}
        site.pages |= dict.fromkeys(("/%D7%A9/", "/%d7%a9/"), page(lower))
        site.pages |= dict.fromkeys(("/~tea", "/%7Etea"), page(f"{site.url}/%7Etea"))
        locs = [f"{site.url}/", upper, f"{site.url}/%7etea"]
        site.pages |= {"/%7etea": page(f"{site.url}/~tea"), "/sitemap.xml": Answer(document(locs))}
        codes = {code for code, _ in audited(site, tmp_path / "state.duckdb")}
        assert codes.isdisjoint({"LIVE003", "LIVE005", "LIVE006", "LIVE007", "LIVE024", "LIVE025", "LIVE026"})
        with urlset.crawl(site.url, state=tmp_path / "crawl.duckdb") as found:
            assert [each.loc.removeprefix(site.url) for each in found] == ["/", "/%d7%a9/", "/~tea"]


def test_an_audit_says_where_a_server_tells_spellings_apart(tmp_path: Path) -> None:
    with serve() as site:
        locs = [f"{site.url}/", f"{site.url}/%D7%A9", f"{site.url}/%D7%AA"]
        site.pages |= {
            "/": page(links=locs),
            "/%D7%A9": page(f"{site.url}/%d7%a9"),  # which is not there
            "/%D7%AA": Answer(status=301, headers={"Location": "/%d7%aa"}),
            "/%d7%aa": page(),
            "/sitemap.xml": Answer(document(locs)),
        }
        found = audited(site, tmp_path / "state.duckdb")
    assert {("LIVE024", "/%D7%A9"), ("LIVE003", "/%D7%AA")} <= found
    assert not {code for code, _ in found} & {"LIVE005", "LIVE006", "LIVE007"}


def test_built_pages_name_themselves_in_any_spelling(tmp_path: Path) -> None:
    for name, canonical in (
        ("a b", "a%20b"),
        ("~tea", "%7etea"),
        ("\u05e9", "%d7%a9"),
        ("c", "HTTPS://A.example:443/x/../c"),
    ):
        url = canonical if ":" in canonical else SITE + canonical + ".html"
        (tmp_path / f"{name}.html").write_bytes(page(url + ".html" * (":" in canonical)).body)
    (tmp_path / "d.html").write_bytes(page(SITE + "other.html").body)
    skipped: list[tuple[str, str, str]] = []
    found = list(html.pages(tmp_path, base_url=SITE, on_skip=lambda *skip: skipped.append(skip)))
    assert (len(found), skipped) == (4, [("d.html", "canonical", SITE + "other.html")])
