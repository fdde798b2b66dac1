"""Every vector of `vectors/`: read whole, byte by byte and cut anywhere, and read by two other XML parsers."""

from __future__ import annotations

import gzip
import io
import json
import runpy
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from xml.parsers import expat

import pytest
import urlset
from lxml import etree
from support import oracle
from support.reading import Outcome, cut, of_entry, outcome, plain, random_cuts, without_empty_lists

FOLDER = Path(__file__).parents[2] / "vectors"
SUFFIXES = (".xml", ".xml.gz", ".txt", ".bin")
AUTHORITIES = {
    "xml",
    "xml-names",
    "protocol",
    "w3c-datetime",
    "google",
    "rfc1950",
    "rfc1952",
    "rfc8878",
    "rfc9309",
    "charset",
    "rss",
    "atom",
    "text",
    "robots",
    "practice",
}
FIELDS = {"about", "authority", "source", "completeness", "kind", "rows", "findings"}
#: `verdicts` are for those who judge a robots.txt: `tests/robots/test_vectors.py`.
OPTIONAL = {"error", "location", "extensions", "verdicts"}
SITEMAPS = ("urlset", "sitemapindex")
MARKUP = (*SITEMAPS, "rss", "atom")
KINDS = (*MARKUP, "text", "robots", None)
#: Where reading ended early, and what is raised for it.
ERRORS = {"truncated": {"MalformedError", "LimitError"}, "refused": {"NotASitemapError"}}

#: Vectors that other parsers call well-formed and we do not, and why we are right.
NO_ENTITIES = "no entity of a DOCTYPE is expanded: the reference is reported, and stays as it was written"
NESTED = "a root in a root, or an entry in an entry, is well-formed and never meant: it is taken apart"
THEY_TAKE = {
    "lxml": {
        "practice/nested-root": NESTED,
        "protocol/url-in-url": NESTED,
        "rss/item-in-item": NESTED,
        "xml/entity-in-attribute": NO_ENTITIES,
        "xml/external-entity": NO_ENTITIES,
        "xml/internal-entity": NO_ENTITIES,
    },
    "expat": {
        "practice/nested-root": NESTED,
        "protocol/url-in-url": NESTED,
        "rss/item-in-item": NESTED,
        "xml/entity-in-attribute": NO_ENTITIES,
        "xml/external-entity": NO_ENTITIES,
        "xml/internal-entity": NO_ENTITIES,
        "xml/declaration-version": "expat reads a document of XML 2.0 as if it were one of 1.0",
    },
}
#: And the other way round.
WE_TAKE: dict[str, dict[str, str]] = {"lxml": {}, "expat": {}}


@dataclass(frozen=True, slots=True)
class Vector:
    """One case: the path of its document and what is to come of it."""

    name: str
    path: Path
    answer: dict[str, Any]

    @property
    def data(self) -> bytes:
        """The document as it is stored."""
        return self.path.read_bytes()

    @property
    def location(self) -> str | None:
        """The URL that it is read under."""
        location: str | None = self.answer.get("location")
        return location


def load() -> list[Vector]:
    """Every vector, by name; a case without its document, or with two, is a mistake of the corpus."""
    vectors = []
    for answer in sorted(FOLDER.glob("*/*.json")):
        [path] = [found for suffix in SUFFIXES if (found := answer.with_suffix(suffix)).is_file()]
        vectors.append(Vector(f"{answer.parent.name}/{answer.stem}", path, json.loads(answer.read_text("utf-8"))))
    return vectors


VECTORS = load()
every_vector = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)


def those(
    *completeness: str, kinds: Sequence[str | None] = KINDS, but: Callable[[Vector], bool] = lambda _: False
) -> pytest.MarkDecorator:
    """The vectors of some completeness and some kinds, but for some."""
    answers = ((vector, vector.answer["completeness"], vector.answer["kind"]) for vector in VECTORS if not but(vector))
    chosen = [vector for vector, how, kind in answers if how in completeness and kind in kinds]
    return pytest.mark.parametrize("vector", chosen, ids=lambda vector: vector.name)


def read(vector: Vector, source: Any) -> Outcome:
    """What comes of a vector's bytes, given in some form, under its location."""
    return outcome(source, location=vector.location)


@cache
def whole(name: str) -> Outcome:
    """What comes of a vector that is read in one piece."""
    return next(read(vector, vector.data) for vector in VECTORS if vector.name == name)


def unpacked(data: bytes) -> bytes:
    """What Python's own gzip makes of the data, as often as it takes. Raises what it raises."""
    while data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    return data


# --- the corpus itself --------------------------------------------------------------------------------------


def test_every_vector_has_an_answer() -> None:
    documents = {path for suffix in SUFFIXES for path in FOLDER.glob(f"*/*{suffix}")}
    assert documents == {vector.path for vector in VECTORS}


@pytest.mark.parametrize("script", sorted(path.name for path in FOLDER.glob("make*.py")))
def test_the_script_writes_the_bytes_that_are_committed(script: str) -> None:
    for name, data in runpy.run_path(str(FOLDER / script))["files"]().items():
        assert (FOLDER / name).read_bytes() == data, name


def check_answer(vector: Vector) -> None:
    """The answer has the form that vectors/README.md describes."""
    answer = vector.answer
    assert set(answer) - OPTIONAL == FIELDS
    assert answer["authority"] == vector.path.parent.name
    assert answer["authority"] in AUTHORITIES
    assert answer["about"].endswith(".")
    assert answer["source"]
    assert answer.get("error", "") in ERRORS.get(answer["completeness"], {""})
    assert all(set(finding) == {"code", "line", "column"} for finding in answer["findings"])
    assert answer.get("extensions") != {}


# --- our reader ---------------------------------------------------------------------------------------------


@every_vector
def test_reading(vector: Vector) -> None:
    # One test for all the ways to read a vector: the function that a failure stands in says which of them differs.
    check_answer(vector)
    check_whole(vector)
    check_one_byte_at_a_time(vector)
    check_random_pieces(vector)
    check_path_and_file(vector)
    check_objects(vector)
    check_linter(vector)


def check_whole(vector: Vector) -> None:
    """Read in one piece, the document gives what the answer says."""
    got, answer = whole(vector.name), vector.answer
    assert got.rows == answer["rows"]
    assert (got.kind, got.error) == (answer["kind"], answer.get("error"))
    assert got.findings == answer["findings"]
    assert got.completeness == answer["completeness"]
    assert got.extensions == answer.get("extensions", {})


def check_one_byte_at_a_time(vector: Vector) -> None:
    """Read byte by byte, the document gives the same, and the same excerpt with each finding."""
    data = vector.data
    got = read(vector, (data[at : at + 1] for at in range(len(data))))
    assert got.telling == whole(vector.name).telling
    assert excerpts(got) == excerpts(whole(vector.name))


def excerpts(got: Outcome) -> list[tuple[str, int]]:
    """The text that is shown with each finding."""
    return [(diagnostic.source, diagnostic.source_column) for diagnostic in got.diagnostics]


def check_random_pieces(vector: Vector) -> None:
    """Read in pieces of random sizes, the document gives the same."""
    for pieces in random_cuts(vector.data, vector.name, 4):
        assert read(vector, pieces).telling == whole(vector.name).telling, pieces


@pytest.mark.long
@every_vector
def test_cut_in_two(vector: Vector) -> None:
    data = vector.data
    # Many vectors are alike but for a few bytes, so each is cut at every third offset, and the next one at others.
    # Of the few that are long, every place would be the same many times over.
    for place in range(VECTORS.index(vector) % 3, len(data) + 1, 3 + len(data) // 1_000):
        assert read(vector, cut(data, [place])).telling == whole(vector.name).telling, place


def check_path_and_file(vector: Vector) -> None:
    """Read from a path and from a file, the document gives the same: only its bytes matter, not its name."""
    assert read(vector, vector.path).rows == whole(vector.name).rows
    assert read(vector, io.BytesIO(vector.data)).telling == whole(vector.name).telling


def check_objects(vector: Vector) -> None:
    """The objects of a scan say what the table says."""
    if vector.answer["completeness"] in ("complete", "recovered"):
        entries = list(urlset.scan(vector.data, location=vector.location))
        assert [of_entry(entry) for entry in entries] == vector.answer["rows"]


#: What the rules see of elements that reading passes over, and of locs that it takes as they are.
OF_RULES = ("XML006", "XML013", "NS006", "NS007")
#: The same of XML010, by the beginning of what it says.
PASSED_OVER = ("the protocol does not define an", "text between the")


def check_linter(vector: Vector) -> None:
    """The linter finds the same in the form of the document as the reader."""
    report = urlset.lint(
        vector.data, location=vector.location, rules=urlset.Rules(select=["XML", "NS"], ignore=OF_RULES)
    )
    of_form = [d for d in report if not d.message.startswith(PASSED_OVER)]
    if vector.answer.get("error") == "LimitError":
        # Here it is a finding, whatever rules were asked.
        assert [d.code for d in of_form if d.code == "LIM007"] == ["LIM007"]
        return
    found = [{"code": d.code, "line": d.line, "column": d.column} for d in of_form]
    assert found == [finding for finding in vector.answer["findings"] if finding["code"][:2] in ("XM", "NS")]


# --- other parsers ------------------------------------------------------------------------------------------


def lxml_takes(data: bytes) -> bool:
    """Whether libxml2 calls it well-formed."""
    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=True)
    try:
        etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return False
    return True


def expat_takes(data: bytes) -> bool:
    """Whether expat does, namespaces included."""
    # The separator must not occur in a namespace: expat would refuse that.
    parser = expat.ParserCreate(namespace_separator="\x01")
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, LookupError):
        return False
    return True


PARSERS = {"lxml": lxml_takes, "expat": expat_takes}


#: What Python's codecs and other libraries are to be compared with, in test_decode.py.
OTHERS = ("charset", "rfc1950", "rfc8878")


def contradicts_itself(vector: Vector) -> bool:
    """Whether the bytes are not what they declare: other parsers believe the declaration, or give up."""
    return any(finding["code"] == "XML004" for finding in vector.answer["findings"])


def in_markup(*completeness: str, sitemaps: bool = False) -> pytest.MarkDecorator:
    """The same of those in XML that other parsers can take, compressed or not; with `sitemaps` no feeds."""
    kinds = SITEMAPS if sitemaps else MARKUP
    return those(
        *completeness, kinds=kinds, but=lambda one: one.answer["authority"] in OTHERS or contradicts_itself(one)
    )


@in_markup("complete", sitemaps=True)
def test_lxml_reads_the_same_rows(vector: Vector) -> None:
    expected = [plain(without_empty_lists(row)) for row in oracle.rows(unpacked(vector.data))]
    if (vector.location or "").startswith("http"):
        # The oracle knows nothing of where a document lives.
        expected = [
            row | {"loc": urljoin(vector.location or "", row["loc"])} if "loc" in row else row for row in expected
        ]
    # libxml2 counts lines in its own way.
    rows = [{key: row[key] for key in row if key != "line"} for row in vector.answer["rows"]]
    assert rows == expected


@in_markup("complete", sitemaps=True)
def test_each_invalid_value_is_reported_once(vector: Vector) -> None:
    found = Counter(finding["code"] for finding in vector.answer["findings"])
    wrong = oracle.value_codes(unpacked(vector.data))
    assert {code: found[code] for code in oracle.VALUE_CODES if found[code]} == wrong


@in_markup("complete")
def test_other_parsers_accept_complete_documents(vector: Vector) -> None:
    for parser, takes in PARSERS.items():
        assert takes(unpacked(vector.data)) is (vector.name not in WE_TAKE[parser]), parser


@in_markup("recovered", "truncated")
def test_other_parsers_reject_recovered_documents(vector: Vector) -> None:
    try:
        data = unpacked(vector.data)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        assert vector.answer["authority"] == "rfc1952"
        return
    for parser, takes in PARSERS.items():
        assert takes(data) is (vector.name in THEY_TAKE[parser]), parser


@pytest.mark.parametrize("differences", [*THEY_TAKE.values(), *WE_TAKE.values()])
def test_each_difference_is_about_a_vector(differences: dict[str, str]) -> None:
    assert set(differences) <= {vector.name for vector in VECTORS}
