"""A large table is written by two threads, and the result is that of writing it by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.documents import ENTRIES_PER_DOCUMENT
from urlset import EntryError, LimitError

pa: Any = import_module("pyarrow")

HOST = "https://a.example/"
#: More than a hundred pieces of a document.
ROWS = 45_000


def set_cores(monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    """Give this machine so many cores, for once."""
    monkeypatch.setattr("urlset._write.rows.cores", lambda: cores)


def table(rows: int = ROWS, **columns: Callable[[int], object]) -> Any:
    """Return a table of so many rows, with the values that functions give by the number of a row."""
    of = {"loc": lambda number: f"{HOST}section/page-{number}?number={number}&of=many"} | columns
    return pa.table({name: pa.array([value(number) for number in range(rows)]) for name, value in of.items()})


def _images(number: int) -> list[dict[str, str | None]]:
    return [{"loc": f"{HOST}{number}-{at}.jpg", "title": "A & B" if number % 7 == 0 else None} for at in range(3)]


def _links(number: int) -> list[dict[str, str]]:
    codes = ("de", "fr", "it") if number < 30_000 else ("en", "de", "x-default")
    return [{"hreflang": code, "href": f"{HOST}{code}/{number}"} for code in codes]


def _refused_at(*numbers: int) -> Callable[[int], str]:
    return lambda number: "/relative" if number in numbers else f"{HOST}{number}"


TABLES: dict[str, Callable[[], Any]] = {
    "usual": table,
    "small": lambda: table(4_095),
    "images": lambda: table(images=_images),
    "images in the last rows": lambda: table(images=lambda number: _images(number) if number > 44_000 else []),
    "links whose languages change": lambda: table(alternates=_links),
    "unusual rows": lambda: table(
        loc=lambda number: f"{HOST}{number}" if number % 5 else f"https://B.example:80/{number}"
    ),
    "full": lambda: table(ENTRIES_PER_DOCUMENT),
    "more entries than fit": lambda: table(ENTRIES_PER_DOCUMENT + 1),
    "more bytes than fit": lambda: table(5_300, images=lambda _: [{"loc": f"{HOST}i", "title": "x" * 10_000}]),
    "refused near the beginning": lambda: table(loc=_refused_at(5)),
    "refused near the end": lambda: table(loc=_refused_at(44_990)),
    "refused in both halves": lambda: table(loc=_refused_at(11_000, 31_000, 31_001)),
    "many are refused": lambda: table(loc=_refused_at(*range(0, ROWS, 500))),
    "invalid values": lambda: table(changefreq=lambda number: "often" if number % 9_999 == 0 else "daily"),
    "several batches": lambda: pa.concat_tables([table(9_000), table(100), table(20_000)]),
}


def _written(rows: Any, **options: Any) -> tuple[object, ...]:
    """Return what came of writing a table: the bytes and the account of them, or the error."""
    target = BytesIO()
    try:
        written = asdict(urlset.write(rows, target, **options))
    except EntryError as error:
        return error.index, error.loc, error.code, str(error), target.getvalue()
    except LimitError as error:
        return str(error), target.getvalue()
    for errors in ("refusals", "corrections"):
        written[errors] = [(error.index, str(error)) for error in written[errors]]
    return written, target.getvalue()


@pytest.fixture(params=TABLES)
def rows(request: pytest.FixtureRequest) -> Any:
    """A table."""
    return TABLES[request.param]()


def test_tables_are_written_alike_by_one_thread_and_by_two(rows: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for options in ({}, {"on_error": "collect"}, {"on_error": "collect", "on_bad_value": "drop"}):
        by = []
        for cores in (1, 2):
            set_cores(monkeypatch, cores)
            by.append(_written(rows, **options))
        assert by[0] == by[1]


def test_every_destination_gets_all_pieces(tmp_path: Path) -> None:
    rows, target = table(images=_images), BytesIO()
    urlset.write(rows, target)
    expected = target.getvalue()
    assert len(expected) > 10_000_000
    path = tmp_path / "sitemap.xml"
    written = urlset.write(rows, path)
    assert path.read_bytes() == expected
    assert (written.bytes, written.size) == (len(expected), len(expected))
    for buffering in (0, -1):
        with path.open("wb", buffering=buffering) as file:
            urlset.write(rows, file)
        assert path.read_bytes() == expected
    kept: list[bytes] = []

    class Keeping:
        def write(self, data: bytes, /) -> None:
            kept.append(data)

    urlset.write(rows, Keeping())
    assert kept == [expected]
