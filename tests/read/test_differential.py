"""Whether a document is well-formed, and what is in it, against expat and lxml: of thousands that nobody would write.

Of what the reader takes for a sitemap or a feed its verdict is compared: `complete` is well-formed, and nothing else
is. Of what it takes for a text list or a robots.txt, or refuses, expat has no verdict; there it must not see
the root of a sitemap, and all must still be the same however the bytes are cut. The differences are in differential.py.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

import pytest
from lxml import etree
from support import oracle
from support.read import differential
from support.read.differential import MARKUP, THEY_TAKE, WE_TAKE, TheyTake, WeTake, is_theirs, seen, takes
from support.reading import cut, outcome, plain, without_empty_lists

#: Documents of each generator in each of the batches that a test is made of.
DOCUMENTS = 500
BATCHES = 8
#: Findings that make a document one that is not well-formed.
MALFORMED = {"XML001", "XML002", "XML003", "XML004", "XML005", "XML007", "XML009", "NS005"}
ROOTS = {"urlset", "sitemapindex", "rss", "feed", "rdf"}

#: The first batch is for every run, the others are for the long one.
each_batch = pytest.mark.parametrize(
    "batch", [0, *(pytest.param(batch, marks=pytest.mark.long) for batch in range(1, BATCHES))]
)
each_generator = pytest.mark.parametrize("generator", differential.GENERATORS)


def generated(generator: str, batch: int) -> Iterator[bytes]:
    """The documents of a batch, the same every time."""
    for number in range(DOCUMENTS):
        yield differential.GENERATORS[generator](random.Random(f"{generator} {batch} {number}"))


@each_generator
@each_batch
def test_complete_documents_are_those_that_expat_accepts(generator: str, batch: int) -> None:
    for data in generated(generator, batch):
        assert_same_verdict(data)


def assert_same_verdict(data: bytes) -> None:
    """Check that expat agrees, and that what was recovered is reported and kept."""
    got, document = outcome(data), seen(data)
    if got.kind not in MARKUP:
        assert document.error is not None or document.paths[0][0] not in ROOTS, data
        return
    if got.completeness == "complete":
        assert takes(data), data
        return
    if document.error is None:
        assert is_theirs(data), data
        assert got.completeness == "recovered", data
    assert MALFORMED.intersection(diagnostic.code for diagnostic in got.diagnostics), data
    assert not any("it is lost" in diagnostic.message for diagnostic in got.diagnostics), data


@each_generator
@each_batch
def test_the_result_does_not_depend_on_the_cuts(generator: str, batch: int) -> None:
    for number, data in enumerate(generated(generator, batch)):
        offsets = random.Random(number).choices(range(len(data) + 1), k=3)
        assert_same_however_cut(data, offsets)


def assert_same_however_cut(data: bytes, offsets: list[int]) -> None:
    """That neither the offsets nor reading it byte by byte changes anything, findings and their order included."""
    whole = outcome(data)
    found = [(diagnostic.line, diagnostic.column) for diagnostic in whole.diagnostics]
    assert found == sorted(found), data
    assert outcome(cut(data, offsets)).telling == whole.telling, (data, offsets)
    assert outcome(data[at : at + 1] for at in range(len(data))).telling == whole.telling, data


@each_batch
@pytest.mark.parametrize("generator", ["soup", "mutation"])
def test_rows_are_those_that_lxml_sees(generator: str, batch: int) -> None:
    compared = sum(has_same_rows(data) for data in generated(generator, batch))
    # A generator that has stopped making sitemaps proves nothing.
    assert compared > DOCUMENTS // 30


def has_same_rows(data: bytes) -> bool:
    """Whether the oracle says what is in the document; fails if it says something else than the reader."""
    got = outcome(data)
    if got.completeness != "complete" or got.kind not in ("urlset", "sitemapindex") or is_beyond_lxml(data):
        return False
    # libxml2 counts lines in its own way.
    rows = [{name: row[name] for name in row if name != "line"} for row in got.rows]
    assert rows == [plain(without_empty_lists(row)) for row in oracle.rows(data)], data
    return True


def is_beyond_lxml(data: bytes) -> bool:
    """Whether the oracle does not say what is in a document."""
    if any(difference.without(data) != data for difference in (WE_TAKE["charset"], WE_TAKE["declarations"])):
        return True
    try:
        return oracle.is_tangled(data)
    except etree.XMLSyntaxError as error:
        # libxml2 asks that a namespace be a URI, which Namespaces in XML leaves to others.
        if "is not a valid URI" not in str(error):
            raise
        return True


@pytest.mark.parametrize("data", differential.FOUND)
def test_documents_that_were_once_read_wrongly(data: bytes) -> None:
    assert_same_verdict(data)
    assert_same_however_cut(data, [len(data) // 2])
    has_same_rows(data)


# --- the differences ----------------------------------------------------------------------------------------


def examples(differences: Mapping[str, TheyTake] | Mapping[str, WeTake]) -> pytest.MarkDecorator:
    """Each example with the name of its difference."""
    cases = [(name, data) for name, difference in differences.items() for data in difference.examples]
    return pytest.mark.parametrize(("name", "data"), cases)


@examples(THEY_TAKE)
def test_what_expat_accepts_and_we_recover(name: str, data: bytes) -> None:
    assert seen(data).error is None
    assert outcome(data).completeness == "recovered"
    # Its own difference is the only one that excuses it.
    assert [other for other in THEY_TAKE if THEY_TAKE[other].is_in(data, seen(data))] == [name]


@examples(WE_TAKE)
def test_what_we_accept_and_expat_rejects(name: str, data: bytes) -> None:
    assert seen(data).error is not None
    assert outcome(data).completeness == "complete"
    assert [other for other in WE_TAKE if seen(WE_TAKE[other].without(data)).error is None] == [name]


@pytest.mark.parametrize(
    "data",
    [
        b"<urlset><url></urlset>",
        b"<urlset>&e;</urlset>",
        b"<urlset>&lt</urlset>",
        b"<urlset/><a/>",
        b"<urlset><a:b/></urlset>",
        b"<urlset a='1' a='2'/>",
        b"<!DOCTYPE urlset ''><urlset/>",
        b"<!DOCTYPE urlset [<!ENTITY e 'x'> text]><urlset/>",
        b"<?xml version='1.0' encoding='utf-9' standalone='maybe'?><urlset/>",
        "<urlset><×/></urlset>".encode(),
        b"<urlset>\xff</urlset>",
    ],
)
def test_no_known_difference_hides_a_broken_document(data: bytes) -> None:
    assert not takes(data)
    assert outcome(data).completeness != "complete"
