"""Entries, documents and reports as tables of other libraries, in notebooks, by column, and in pickles."""

from __future__ import annotations

import io
import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from html.parser import HTMLParser

import duckdb
import pandas as pd  # type: ignore[import-untyped]  # it ships no types
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]  # it ships no types
import pytest
import urlset
from urlset import Image, InputError, SitemapEntry, UrlEntry, Video

NOW = "2026-01-31T08:00:00.5+01:00"


def rich() -> bytes:
    """A sitemap with every extension and an invalid lastmod."""
    video = Video(
        thumbnail_loc="https://a.example/t.jpg",
        title="T",
        description="D",
        content_loc="https://a.example/v.mp4",
        tags=["a", "b"],
    )
    file = io.BytesIO()
    urlset.write(
        [
            UrlEntry(
                "https://a.example/1", NOW, changefreq="daily", priority=0.5, images=[Image("https://a.example/i")]
            ),
            UrlEntry(
                "https://a.example/2",
                "2026",
                videos=[video],
                alternates=[{"hreflang": "de", "href": "https://a.example/3"}],
            ),
            {
                "loc": "https://a.example/4?a=1&b=2",
                "news": {
                    "publication_name": "N",
                    "publication_language": "en",
                    "publication_date": "2026-01-01",
                    "title": "<b>",
                },
            },
        ],
        file,
    )
    return file.getvalue().replace(b"<lastmod>2026</lastmod>", b"<lastmod>soon</lastmod>")


# --- conversion ---------------------------------------------------------------------------------------------


def test_the_libraries_take_the_same_table() -> None:
    entries = urlset.read(rich())
    table = entries.to_arrow()
    assert isinstance(table, pa.Table)
    assert table.equals(pa.table(entries))
    frame = entries.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert str(frame["lastmod"].dtype) == "datetime64[us, UTC]"
    assert entries.to_polars().equals(pl.DataFrame(table))
    assert entries.to_duckdb().aggregate("count(lastmod), max(priority)").fetchall() == [(1, 0.5)]
    with duckdb.connect() as own:
        assert entries.to_duckdb(own).select("loc").fetchall() == [(loc,) for loc in entries["loc"]]
    assert list(frame["loc"]) == [entry.loc for entry in entries] == entries["loc"]


def test_every_table_can_be_converted() -> None:
    data = rich()
    document, scan = urlset.parse(data), urlset.scan(data, columns=["loc"])
    assert document.to_polars().height == 3
    assert scan.to_polars().columns == scan.to_arrow().column_names == ["loc"]
    report = urlset.lint(data)
    assert report.to_polars()["code"].to_list() == [found.code for found in report]
    with urlset.diff(b"https://a.example/\n", data) as found:
        assert found.to_polars().height == found.only("added", "removed").to_arrow().num_rows == 4


@pytest.mark.parametrize(
    ("method", "missing"), [("to_pandas", "pandas"), ("to_pandas", "pyarrow"), ("to_polars", "polars")]
)
def test_a_library_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, method: str, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)  # what Python itself does to make an import fail
    with pytest.raises(InputError) as raised:
        getattr(urlset.read(rich()), method)()
    assert str(raised.value) == f"{method}() needs {missing}, which is not installed: pip install {missing}"


def test_nothing_is_imported_before_it_is_asked_for() -> None:
    code = (
        "import sys, urlset; entries = urlset.read(b'https://a.example/\\n'); before = set(sys.modules);"
        "entries.to_polars(); print('polars' in before, 'pyarrow' in before, 'polars' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["False", "False", "True"]


# --- columns and looks --------------------------------------------------------------------------------------


def test_a_column_by_its_name() -> None:
    entries = urlset.read(rich(), columns=["loc", "line"])
    assert entries["line"] == [entry.line for entry in entries]
    with pytest.raises(InputError, match="there is no column 'lastmod'; the columns are loc, line"):
        entries["lastmod"]
    assert urlset.read(rich())["lastmod_raw"] == [NOW, "soon", None]


class Cells(HTMLParser):
    """The texts of cells, by tag."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: dict[str, list[str]] = {}
        self._tag = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._tag = tag
        self.found.setdefault(tag, [])

    def handle_data(self, data: str) -> None:
        self.found[self._tag].append(data)


def test_a_notebook_shows_the_first_rows() -> None:
    entries = urlset.read(rich())
    shown = Cells(entries._repr_html_()).found
    assert shown["th"] == ["loc", "lastmod", "changefreq", "priority", "images", "videos", "alternates", "news"]
    assert {"https://a.example/4?a=1&b=2", "2026-01-31T07:00:00.5Z", "daily", "0.5", "<b>"} <= set(shown["td"])
    assert shown["caption"] == ["Entries: 3 entries of 1 document"]
    [document] = entries.documents
    assert document._repr_html_() is not None
    many = urlset.read("".join(f"https://a.example/{number}\n" for number in range(30)).encode())
    assert len(Cells(many._repr_html_()).found["td"]) == 20
    scan = urlset.scan(rich())
    list(scan)
    assert scan.documents[0]._repr_html_() is None


def test_a_document_has_a_short_repr() -> None:
    document = urlset.parse(b"https://a.example/\n/x\n" * 500)
    assert repr(document) == "<Document <bytes>: text, 500 entries, complete, 500 findings>"
    assert repr(urlset.parse(rich(), location="a.xml")).startswith("<Document a.xml: urlset, 3 entries, complete, ")


# --- pickles ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [None, ["line", "loc"]])
def test_entries_and_documents_survive_a_pickle(columns: list[str] | None) -> None:
    entries = urlset.read(rich(), columns=columns)
    kept = pickle.loads(pickle.dumps(entries))
    assert list(kept) == list(entries)
    assert [entry.line for entry in kept] == [entry.line for entry in entries]
    assert (kept.documents, kept.counts, kept.completeness) == (entries.documents, entries.counts, entries.completeness)
    assert kept.to_polars().equals(entries.to_polars().cast({pl.Categorical: pl.String}))
    assert kept[1:] == entries[1:]
    assert kept[-1] == entries[-1]
    assert list(kept.documents[0]) == list(entries.documents[0])
    again = pickle.loads(pickle.dumps(kept))
    assert list(again) == list(entries)
    empty = pickle.loads(pickle.dumps(urlset.read(b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>')))
    assert (len(empty), empty.to_arrow().num_rows) == (0, 0)


def test_what_was_pickled_can_be_written() -> None:
    for data in (rich(), b"Sitemap: https://a.example/s.xml\n"):
        entries = urlset.read(data, follow=False)
        kept = pickle.loads(pickle.dumps(entries))
        first, second = io.BytesIO(), io.BytesIO()
        urlset.write(entries, first, on_error="collect")
        urlset.write(kept, second, on_error="collect")
        assert first.getvalue() == second.getvalue()
    assert isinstance(kept[0], SitemapEntry)


def test_failures_survive_a_pickle() -> None:
    entries = urlset.read(rich()[:-40])
    kept = pickle.loads(pickle.dumps(entries))
    [failure], [other] = entries.failures, kept.failures
    assert (str(other), vars(other)) == (str(failure), vars(failure))


def test_a_pool_of_processes_reads() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        entries = pool.submit(urlset.read, rich()).result()
    assert entries["loc"] == urlset.read(rich())["loc"]
