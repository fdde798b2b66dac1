"""Which URLs are one: the same pairs, in every verb that compares URLs, give the same answer."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

import pytest
import urlset
from support.documents import CORE
from support.http_server import Answer, serve
from urlset import _core
from urlset._util.identity import USUAL, may_differ
from urlset._util.instances import in_memory

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
    found = {each.line for each in urlset.lint(document(locs), select=["LOC014"])}
    assert found == {2 + locs.index(url) for url in EQUAL}


def test_a_loc_is_repeated_in_two_documents(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(document([pair.one for pair in PAIRS]))
    (tmp_path / "b.xml").write_bytes(document([pair.other for pair in PAIRS]))
    found = urlset.lint([tmp_path / "a.xml", tmp_path / "b.xml"], select=["IDX008"])
    assert {each.line for each in found} == {line for line, pair in enumerate(PAIRS, 2) if pair.is_equal}


def test_a_page_names_itself_as_its_alternate() -> None:
    entries = "".join(
        f'\n<url><loc>{escape(pair.one)}</loc><x:link rel="alternate" hreflang="de" href="{escape(pair.other)}"/></url>'
        for pair in PAIRS
    )
    found = urlset.lint(f'<urlset xmlns="{CORE}" xmlns:x="{XHTML}">{entries}\n</urlset>'.encode(), select=["ALT004"])
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
    found = [each for each in urlset.lint(path, select=["ALT005", "ALT009"]) if each.code == "ALT005"]
    assert {each.line for each in found} == {2 + 2 * at for at, pair in enumerate(PAIRS) if not pair.is_equal}


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
        + "".join(f"<url><loc>{escape(pair[at])}</loc><priority>0.{at}</priority></url>" for pair in equal)
        + "</urlset>"
        for at in (1, 2)
    ]
    with urlset.diff(sides[0].encode(), sides[1].encode(), compare=["priority"]) as found:
        assert [each.fields for each in found] == [("priority",)] * len(equal)


def test_a_publish_lists_equal_urls_once(tmp_path: Path) -> None:
    own = [pair for pair in PAIRS if all(urlsplit(url).scheme.lower() == "https" for url in pair[1:])]
    own = [pair for pair in own if all(urlsplit(url).netloc.lower() == "a.example" for url in pair[1:])]
    rows = [{"loc": url} for pair in own for url in (pair.one, pair.other)]
    published = urlset.publish(rows, tmp_path, base_url=SITE)
    repeated = sum(pair.is_equal for pair in own)
    assert (published.plan.duplicates, published.entries) == (repeated, len(rows) - repeated)
    assert not urlset.lint(tmp_path, select=["LOC014", "IDX008"])
    texts = {loc for pair in own for loc in (pair.one, pair.other)}
    listed = [entry.loc or "" for entry in urlset.scan(tmp_path)]
    assert len(set(_core.normalized_urls(listed))) == len(listed)
    # What a row says is kept, but for what the URL Standard writes in another way.
    assert {loc for loc in texts if _core.standard_url(loc) == loc} >= {loc for loc in listed if loc in texts}


def test_a_watch_follows_a_page_that_is_written_in_another_way(tmp_path: Path) -> None:
    differing = [pair for pair in PAIRS if not pair.is_equal]
    with serve() as server:
        source, state = f"{server.url}/sitemap.xml", tmp_path / "state.sqlite"
        server.pages["/sitemap.xml"] = Answer(document([pair.one for pair in PAIRS]))
        urlset.watch(source, state=state)
        server.pages["/sitemap.xml"] = Answer(document([pair.other for pair in PAIRS]))
        changes = {(each.change, each.loc) for each in urlset.watch(source, state=state)}
    assert changes == {("removed", pair.one) for pair in differing} | {("added", pair.other) for pair in differing}
