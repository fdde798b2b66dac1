"""Every vector of `vectors/`: read whole, byte by byte and cut anywhere, and read by two other XML parsers."""

from __future__ import annotations

import gzip
import io
import json
import runpy
import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from xml.parsers import expat

import oracle
import pytest
import urlset
from lxml import etree
from reading import Outcome, Row, cut, of_entry, outcome, plain, random_cuts
from urlset import LimitError

FOLDER = Path(__file__).parent.parent / "vectors"
SUFFIXES = (".xml", ".xml.gz", ".bin")
AUTHORITIES = {
    "charset", "google", "practice", "protocol", "rfc1950", "rfc1952", "rfc8878", "w3c-datetime", "xml", "xml-names",
}  # fmt: skip
FIELDS = {"about", "authority", "source", "verdict", "kind", "rows", "findings"}

#: Vectors that we reject and another parser takes, and why each is right.
NO_ENTITIES = "we expand no entity of a DOCTYPE; they expand harmless ones, or leave them as they are"
DIFFERENCES = {
    "lxml": {
        "xml/entity-in-attribute": NO_ENTITIES,
        "xml/external-entity": NO_ENTITIES,
        "xml/internal-entity": NO_ENTITIES,
    },
    "expat": {
        "xml/entity-in-attribute": NO_ENTITIES,
        "xml/external-entity": NO_ENTITIES,
        "xml/internal-entity": NO_ENTITIES,
        "xml/declaration-version": "expat reads a document of XML 2.0 as if it were one of 1.0",
    },
}


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
    def accepted(self) -> bool:
        """Whether it is to be read to its end."""
        return bool(self.answer["verdict"] == "accept")


def load() -> list[Vector]:
    """Every vector, by name; a case without its document, or with two, is a mistake of the corpus."""
    vectors = []
    for answer in sorted(FOLDER.glob("*/*.json")):
        [path] = [found for suffix in SUFFIXES if (found := answer.with_suffix(suffix)).is_file()]
        vectors.append(Vector(f"{answer.parent.name}/{answer.stem}", path, json.loads(answer.read_text("utf-8"))))
    return vectors


VECTORS = load()
every_vector = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
# Charsets have Python's codecs for an oracle, and other codings their own libraries, in test_decode.py.
well_formed = pytest.mark.parametrize(
    "vector",
    [
        v
        for v in VECTORS
        if v.answer.get("completeness", v.answer["verdict"]) in ("accept", "complete")
        and v.answer["authority"] not in ("charset", "rfc1950", "rfc8878")
        and v.name != "xml/encoding-utf-16-declared"
    ],
    ids=lambda vector: vector.name,
)
accepted = pytest.mark.parametrize("vector", [v for v in VECTORS if v.accepted], ids=lambda vector: vector.name)
malformed = pytest.mark.parametrize(
    "vector",
    [v for v in VECTORS if v.answer.get("error") == "MalformedError"],
    ids=lambda vector: vector.name,
)


@cache
def whole(name: str) -> Outcome:
    """What comes of a vector that is read in one piece."""
    return outcome(next(vector.data for vector in VECTORS if vector.name == name))


def unpacked(data: bytes) -> bytes:
    """What Python's own gzip makes of the data, as often as it takes. Raises what it raises."""
    while data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    return data


# --- the corpus itself --------------------------------------------------------------------------------------


@every_vector
def test_each_answer_says_what_the_readme_says(vector: Vector) -> None:
    answer = vector.answer
    assert set(answer) - {"completeness", "error"} == FIELDS
    assert answer["authority"] == vector.path.parent.name
    assert answer["authority"] in AUTHORITIES
    assert answer["about"].endswith(".")
    assert answer["source"]
    assert answer["verdict"] in ("accept", "reject")
    assert ("error" in answer) is (answer["verdict"] == "reject")
    assert all(set(finding) == {"code", "line", "column"} for finding in answer["findings"])


def test_no_document_lacks_its_answer() -> None:
    documents = {path for suffix in SUFFIXES for path in FOLDER.glob(f"*/*{suffix}")}
    assert documents == {vector.path for vector in VECTORS}


def test_the_script_writes_the_bytes_that_are_committed() -> None:
    for name, data in runpy.run_path(str(FOLDER / "make.py"))["files"]().items():
        assert (FOLDER / name).read_bytes() == data, name


# --- our reader ---------------------------------------------------------------------------------------------


@every_vector
def test_whole(vector: Vector) -> None:
    got, answer = whole(vector.name), vector.answer
    assert got.rows == answer["rows"]
    assert (got.kind, got.error) == (answer["kind"], answer.get("error"))
    assert got.findings == answer["findings"]
    assert got.complete is vector.accepted


@every_vector
def test_one_byte_at_a_time(vector: Vector) -> None:
    data = vector.data
    assert outcome(data[at : at + 1] for at in range(len(data))).telling == whole(vector.name).telling


@every_vector
def test_cut_at_every_place(vector: Vector) -> None:
    data = vector.data
    for place in range(len(data) + 1):
        assert outcome(cut(data, [place])).telling == whole(vector.name).telling, place


@every_vector
def test_random_pieces(vector: Vector) -> None:
    for pieces in random_cuts(vector.data, vector.name, 20):
        assert outcome(pieces).telling == whole(vector.name).telling, pieces


def test_the_line_shown_with_a_finding_is_the_same_however_it_was_cut() -> None:
    def shown(got: Outcome) -> list[tuple[str, int]]:
        return [(diagnostic.source, diagnostic.source_column) for diagnostic in got.diagnostics]

    different = []
    for vector in VECTORS:
        data = vector.data
        if shown(outcome(data[at : at + 1] for at in range(len(data)))) != shown(whole(vector.name)):
            different.append(vector.name)
    assert different == []


@every_vector
def test_from_a_path_and_from_a_file(vector: Vector) -> None:
    # The name of the file must not matter, only its bytes.
    assert outcome(vector.path).rows == whole(vector.name).rows
    assert outcome(io.BytesIO(vector.data)).telling == whole(vector.name).telling


@accepted
def test_objects_say_what_the_table_says(vector: Vector) -> None:
    entries = list(urlset.scan(vector.data))
    assert [of_entry(entry) for entry in entries] == vector.answer["rows"]


@every_vector
def test_the_checker_finds_the_same_in_the_document(vector: Vector) -> None:
    if vector.answer.get("error") == "LimitError":
        with pytest.raises(LimitError):
            urlset.lint(vector.data)
        return
    report = urlset.lint(vector.data, select=["XML", "NS"])
    found = [{"code": d.code, "line": d.line, "column": d.column} for d in report]
    assert found == vector.answer["findings"]


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


@well_formed
def test_lxml_reads_the_same_rows(vector: Vector) -> None:
    expected: list[Row] = []
    for row in oracle.rows(unpacked(vector.data)):
        lists = {name: row[name] or None for name in ("images", "alternates") if name in row}
        expected.append(plain(row | lists))
    # libxml2 counts lines in its own way.
    assert [{key: row[key] for key in row if key != "line"} for row in vector.answer["rows"]] == expected


@well_formed
@pytest.mark.parametrize("parser", PARSERS)
def test_other_parsers_take_what_we_take(vector: Vector, parser: str) -> None:
    assert PARSERS[parser](unpacked(vector.data))


@malformed
@pytest.mark.parametrize("parser", PARSERS)
def test_other_parsers_reject_what_we_call_malformed(vector: Vector, parser: str) -> None:
    try:
        data = unpacked(vector.data)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        assert vector.answer["authority"] == "rfc1952"
        return
    # A difference that is none any more has to leave the list.
    assert PARSERS[parser](data) is (vector.name in DIFFERENCES[parser])
