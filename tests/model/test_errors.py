"""The errors: whose child each is, what they carry, and that they survive the way between processes."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
import urlset
from urlset import (
    DocumentError,
    EntryError,
    FetchError,
    Guard,
    GuardError,
    InputError,
    LimitError,
    MalformedError,
    NotASitemapError,
    Plan,
    PublishError,
    UrlsetError,
)

GUARD = Guard("empty", "there is no entry to publish", is_allowed=False)
EXAMPLES = [
    UrlsetError("a sentence"),
    InputError("a sentence"),
    EntryError(3, "http://a.example/", "LOC002", "has no scheme"),
    EntryError(0, None, "LOC001", "has no loc"),
    EntryError(0, None, "LOC001", "has no loc", "posts"),
    EntryError(0, None, "LOC001", "has no loc", "posts", "pages.csv", 2),
    DocumentError("a sentence", location="a.xml", line=2, column=3),
    NotASitemapError("a sentence", line=2, column=3),
    MalformedError("a sentence", location="a.xml"),
    LimitError("a sentence"),
    FetchError("a sentence"),
    PublishError("a sentence"),
    GuardError([GUARD], Plan(0, 0, 0, 7, 0, 0, 1, 0, 0, 1, {"LOC002": 1}, {}, (), (GUARD,))),
]
each_example = pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)


def test_there_is_an_example_of_each() -> None:
    exported = {getattr(urlset, name) for name in urlset.__all__ if name.endswith("Error")}
    assert {type(error) for error in EXAMPLES} == exported


@each_example
def test_one_class_catches_all(error: UrlsetError) -> None:
    assert isinstance(error, UrlsetError)
    assert isinstance(error, ValueError) is isinstance(error, InputError)
    documents = (NotASitemapError, MalformedError, LimitError)
    assert isinstance(error, DocumentError) is (type(error) in (DocumentError, *documents))


@each_example
@pytest.mark.parametrize("through", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy])
def test_an_error_goes_through_pickle_and_copy(error: UrlsetError, through: object) -> None:
    assert callable(through)
    again = through(error)
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


def test_an_entry_error_says_which_entry_and_why() -> None:
    assert str(EntryError(3, None, "LOC001", "no loc", "posts")) == "row 4 of section posts: LOC001 no loc"
    error = EntryError(3, "http://a.example/", "LOC002", "the loc has no scheme")
    assert str(error) == "row 4 (http://a.example/): LOC002 the loc has no scheme"
    assert str(EntryError(0, None, "LOC001", "no loc")) == "row 1: LOC001 no loc"
    assert str(EntryError(0, None, "LOC001", "no loc", "posts", "a.csv", 2)) == "a.csv:2: LOC001 no loc"
    assert str(EntryError(0, None, "LOC001", "no loc", "posts", "a.parquet")) == "row 1 of a.parquet: LOC001 no loc"
    assert (error.index, error.row) == (3, 4)
    assert len(str(EntryError(0, "x" * 5_000, "LOC009", "too long"))) < 120


def test_a_document_error_says_where() -> None:
    assert str(DocumentError("it broke", location="a.xml", line=2, column=3)) == "a.xml:2:3: it broke"
    assert str(DocumentError("it broke", line=2, column=3)) == "2:3: it broke"
    assert str(DocumentError("it broke")) == "it broke"


def fail(data: bytes) -> None:
    """Reads what cannot be read, in another process."""
    urlset.parse(data, strict=True)


def test_an_error_comes_back_from_another_process() -> None:
    with (
        ProcessPoolExecutor(1, get_context("spawn")) as pool,
        pytest.raises(MalformedError, match=r"^1:11: ") as caught,
    ):
        pool.submit(fail, b"<urlset>  <").result()
    assert (caught.value.line, caught.value.column) == (1, 11)
