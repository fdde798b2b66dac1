"""How the table flows: batches, memory, what reaches the consumer when reading fails, opening it again."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import urlset
from support.reading import many

pa: Any = import_module("pyarrow")
pd: Any = import_module("pandas")
duckdb: Any = import_module("duckdb")

HEAD = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
END = b"\n</urlset>"
DATA = many(4)


# --- how it flows -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [urlset.parse, urlset.scan, urlset.read])
def test_batches_are_bounded(table: Callable[[bytes], Any]) -> None:
    sizes = [batch.num_rows for batch in pa.RecordBatchReader.from_stream(table(many(100_000)))]
    assert sum(sizes) == 100_000
    assert max(sizes) <= 65_536
    assert len(sizes) > 1


def test_batches_of_long_texts_are_bounded_by_their_bytes() -> None:
    # Nothing of the protocol: values of a quarter of a megabyte, to come past the bound of 64 MiB.
    entry = b"<url><loc>http://a.example/" + b"x" * 250_000 + b"</loc></url>"
    pieces = (piece for pieces in ([HEAD], [entry] * 400, [END]) for piece in pieces)
    sizes = [(len(batch), batch.nbytes) for batch in pa.RecordBatchReader.from_stream(urlset.scan(pieces))]
    assert sum(rows for rows, _ in sizes) == 400
    assert max(size for _, size in sizes) < 70 << 20


def test_rows_come_before_the_source_has_ended() -> None:
    taken = 0

    def pieces() -> Iterator[bytes]:
        nonlocal taken
        yield HEAD
        while taken < 100:
            taken += 1
            yield b"<url><loc>http://a.example/</loc></url>" * 1_000
        yield END

    batches = urlset.scan(pieces()).batches()
    assert len(next(batches)) > 0
    assert taken < 50
    assert sum(map(len, batches)) > 0
    assert taken == 100


def test_dropping_a_stream_half_way_leaks_nothing() -> None:
    scan = urlset.scan(many(100_000))
    for _ in range(3):
        assert pa.RecordBatchReader.from_stream(scan).read_next_batch().num_rows > 0
    assert len(scan.collect()) == 100_000


MEMORY = """
    import resource, sys, urlset

    def pieces(megabytes):
        yield b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        entry = b"<url><loc>http://a.example/%s</loc><lastmod>2005-01-01</lastmod></url>" % (b"x" * 60)
        for _ in range(megabytes * (1 << 20) // (len(entry) * 500)):
            yield entry * 500
        yield b"</urlset>"

    def peak():
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit >> 20

    def run(megabytes):
        return sum(WAY for batch in urlset.scan(pieces(megabytes)).batches())

    run(12)
    before, rows = peak(), run(60)
    assert rows > 400_000, rows
    print(peak() - before)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the resource module is of Unix")
@pytest.mark.parametrize("way", ["len(batch)", "len(batch.entries())"], ids=["batches", "objects"])
def test_memory_does_not_grow_with_the_document(way: str) -> None:
    code = textwrap.dedent(MEMORY).replace("WAY", way)
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # Of 60 MB, which held as a table are more than 80.
    assert int(ended.stdout) < 24


# --- what reaches the consumer ------------------------------------------------------------------------------

CUT = HEAD + b"<url><loc>http://a.example/</loc></url>\n<url><loc>http://a.exa"


@pytest.mark.parametrize(
    "consumer",
    [
        pa.table,
        pl.DataFrame,
        pd.DataFrame.from_arrow,
        lambda entries: duckdb.sql("select loc from entries").fetchall(),
        lambda entries: list(pa.RecordBatchReader.from_stream(entries)),
    ],
    ids=["pyarrow", "polars", "pandas", "duckdb", "batch by batch"],
)
def test_an_error_reaches_the_consumer_in_our_words(consumer: Callable[[Any], Any]) -> None:
    with pytest.raises(Exception, match=r"MalformedError: 3:1: the document ends inside what begins here"):
        consumer(urlset.scan(CUT, strict=True))


def test_an_error_of_the_source_reaches_the_consumer_in_its_words() -> None:
    def pieces() -> Iterator[bytes]:
        yield HEAD
        raise RuntimeError("the cable was cut")

    with pytest.raises(Exception, match=r"the cable was cut"):
        pa.table(urlset.scan(pieces()))
    with pytest.raises(RuntimeError, match=r"the cable was cut"):
        list(urlset.scan(pieces()))


def test_full_batches_come_before_the_error() -> None:
    batches = urlset.scan(many(100_000).removesuffix(END), strict=True).batches()
    assert len(next(batches)) > 0
    with pytest.raises(urlset.MalformedError):
        list(batches)


#: A consumer lets go of the interpreter before it pulls or drops our stream, and may do both while Python runs that
#: one of our own calls has called. Each of these once took the interpreter down, so each has one of its own.
NESTED = {
    "pulled while reading": """
        def pieces():
            yield HEAD
            for batch in pa.RecordBatchReader.from_stream(urlset.scan(iter([document(50_000)]))):
                yield from (b"<url><loc>%s</loc></url>" % str(loc).encode() for loc in batch["loc"])
            yield END

        print(len(urlset.read(pieces())))
    """,
    "pulled while writing": """
        def rows():
            for batch in pa.RecordBatchReader.from_stream(urlset.scan(iter([document(50_000)]))):
                yield from batch["loc"].to_pylist()

        print(urlset.write(rows(), io.BytesIO()).entries)
    """,
    "dropped while reading": """
        def pieces():
            readers = [pa.RecordBatchReader.from_stream(urlset.scan(document(1)))]
            yield HEAD
            readers.clear()
            yield document(50_000).removeprefix(HEAD)

        print(len(urlset.read(pieces())))
    """,
    "dropped with the error it gave": """
        def fail():
            reader = pa.RecordBatchReader.from_stream(urlset.scan(HEAD, strict=True))
            try:
                reader.read_next_batch()
            except pa.ArrowInvalid:
                pass

        for _ in range(10):
            fail()
            urlset.scan(b"")
        print(len(urlset.read(document(50_000))))
    """,
}
NESTING = """
import io, pyarrow as pa, urlset

HEAD, END = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">', b"</urlset>"

def document(rows):
    return HEAD + b"".join(b"<url><loc>http://a.example/%d</loc></url>" % at for at in range(rows)) + END

"""


@pytest.mark.parametrize("code", NESTED.values(), ids=NESTED)
def test_a_stream_may_be_pulled_and_dropped_inside_our_own_calls(code: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", NESTING + textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, "50000\n"), ended.stderr


def test_rows_before_a_collected_error_come_in_full() -> None:
    scan = urlset.scan(CUT)
    assert pa.table(scan)["loc"].to_pylist() == ["http://a.example/"]
    [failure] = scan.failures
    assert isinstance(failure, urlset.MalformedError)


# --- opening again ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", [bytes, lambda data: [data[:50], data[50:]], lambda data: (data,)])
def test_bytes_in_memory_can_be_read_again(again: Callable[[bytes], Any]) -> None:
    scan = urlset.scan(again(DATA))
    assert pa.table(scan) == pa.table(scan)
    assert list(scan) == list(scan)
    assert len(scan.collect()) == 4
    assert len(scan.documents) == 1


def test_a_path_is_read_anew_each_time(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_bytes(many(1))
    scan = urlset.scan(path)
    assert pa.table(scan).num_rows == 1
    path.write_bytes(many(2))
    assert pa.table(scan).num_rows == 2
    assert [document.rows for document in scan.documents] == [2]


@pytest.mark.parametrize("kind", ["generator", "file"])
def test_a_stream_can_be_read_only_once(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_bytes(DATA)
    with path.open("rb") as file:
        scan = urlset.scan((piece for piece in [DATA]) if kind == "generator" else file)
        # The schema is known without opening anything.
        assert pa.schema(scan).names[0] == "loc"
        assert pa.table(scan).num_rows == 4
        for use in (pa.table, list, pl.DataFrame, lambda again: again.collect()):
            with pytest.raises(urlset.InputError, match=r"can be read only once"):
                use(scan)
    assert len(scan.documents) == 1


def test_entries_are_held_and_never_read_again() -> None:
    entries = urlset.read(piece for piece in [DATA])
    assert pa.table(entries) == pa.table(entries)
    [document] = entries.documents
    assert pa.table(document) == pa.table(entries)


def test_documents_of_a_scan_do_not_keep_rows() -> None:
    scan = urlset.scan(DATA)
    assert pa.table(scan).num_rows == 4
    [document] = scan.documents
    assert document.rows == 4
    for use in (pa.table, list, len):
        with pytest.raises(urlset.UrlsetError, match="does not keep the rows of its documents"):
            use(document)
