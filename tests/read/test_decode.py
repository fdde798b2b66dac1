"""Bytes to text: real encoders and Python's own codecs have to be understood, and nothing may take memory or rows."""

from __future__ import annotations

import gzip
import io
import random
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import urlset
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from support.reading import CORE, Outcome, locs, many, outcome, random_cuts, urlset_of
from urlset import InputError, LimitError, MalformedError

brotli: Any = import_module("brotli")

Encoder = Callable[[bytes], bytes]


def raw_deflate(data: bytes) -> bytes:
    """Deflate without zlib around it, as some servers send it."""
    encoder = zlib.compressobj(9, zlib.DEFLATED, -15)
    return encoder.compress(data) + encoder.flush()


def flushed(data: bytes) -> bytes:
    """Brotli of a server that flushes as it goes."""
    encoder = brotli.Compressor(quality=5)
    parts = [data[at : at + 1000] for at in range(0, len(data), 1000)]
    packed = [encoder.process(part) + encoder.flush() for part in parts]
    return b"".join([*packed, encoder.finish()])


def streamed(data: bytes) -> bytes:
    """Zstd of a server that does not know the length, and flushes."""
    encoder = zstandard.ZstdCompressor(level=3, write_checksum=True).compressobj()
    parts = [data[at : at + 1000] for at in range(0, len(data), 1000)]
    return (
        b"".join(encoder.compress(part) + encoder.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK) for part in parts)
        + encoder.flush()
    )


def zstd(level: int, **options: Any) -> Encoder:
    """An encoder of one frame."""
    return lambda data: zstandard.ZstdCompressor(level=level, **options).compress(data)


ENCODERS: dict[str, tuple[Encoder, str | None]] = {
    "gzip-1": (lambda data: gzip.compress(data, 1), None),
    "gzip-9": (gzip.compress, "gzip"),
    "zlib-0": (lambda data: zlib.compress(data, 0), None),
    "zlib-9": (zlib.compress, "deflate"),
    "deflate": (raw_deflate, "deflate"),
    "brotli-1": (lambda data: brotli.compress(data, quality=1, lgwin=16), "br"),
    "brotli-5": (lambda data: brotli.compress(data, quality=5, lgwin=24), "br"),
    "brotli-11": (brotli.compress, "br"),
    "brotli-flushed": (flushed, "br"),
    "zstd-1": (zstd(1), None),
    "zstd-19": (zstd(19, write_checksum=True), "zstd"),
    "zstd-fast": (zstd(-5, write_content_size=False), None),
    "zstd-streamed": (streamed, None),
}
every_encoder = pytest.mark.parametrize("name", ENCODERS)


def varied(rows: int) -> bytes:
    """A urlset in which little repeats."""
    rng = random.Random(1)
    return urlset_of(*(f"http://a.example/{rng.getrandbits(60):x}/é-{at}" for at in range(rows)))


SHORT = varied(30)
LONG = varied(10_000)


@cache
def whole_long() -> Outcome:
    """What is read of `LONG`."""
    return outcome(LONG)


def read_as(source: object, header: str | None) -> Outcome:
    """One document whose bytes came with the header."""
    return outcome(source, content_encoding=header)


# --- compression --------------------------------------------------------------------------------------------


@every_encoder
def test_real_encoders(name: str) -> None:
    encode, header = ENCODERS[name]
    for data, expected in ((SHORT, outcome(SHORT)), (LONG, whole_long())):
        packed = encode(data)
        assert read_as(packed, header).telling == expected.telling
        for pieces in random_cuts(packed, name, 2):
            assert read_as(pieces, header).telling == expected.telling
    packed = encode(SHORT)
    assert read_as((packed[at : at + 1] for at in range(len(packed))), header).telling == outcome(SHORT).telling


@every_encoder
def test_a_header_that_stayed_after_its_encoding_was_undone(name: str) -> None:
    header = ENCODERS[name][1]
    for data in (SHORT, gzip.compress(SHORT), SHORT.decode().encode("utf-16")):
        assert read_as(data, header).rows == outcome(SHORT).rows


@every_encoder
@pytest.mark.parametrize(
    "share", [pytest.param(0.3, marks=pytest.mark.long), 0.6, pytest.param(0.9, marks=pytest.mark.long)]
)
def test_cut_off_data_gives_the_entries_before(name: str, share: float) -> None:
    encode, header = ENCODERS[name]
    packed = encode(LONG)
    rows = whole_long().rows
    end = int(len(packed) * share)
    got = read_as(packed[:end], header)
    # Zstd has nothing before a block is whole: 128 KiB of text, or all of it at once where it compresses whole.
    assert len(got.rows) >= len(rows) * share - 4_000
    assert got.rows == rows[: len(got.rows)]
    assert (got.error, got.completeness) == ("MalformedError", "truncated")
    whole = got.telling
    for pieces in random_cuts(packed[:end], name, 2):
        assert read_as(pieces, header).telling == whole


@every_encoder
def test_broken_data_is_the_same_however_it_is_cut(name: str) -> None:
    encode, header = ENCODERS[name]
    packed = encode(SHORT * 3)
    rng = random.Random(name)
    for _ in range(60):
        broken = bytearray(packed)
        broken[rng.randrange(2, len(broken))] ^= 1 << rng.randrange(8)
        data = bytes(broken)
        whole = read_as(data, header).telling
        assert read_as((data[at : at + 1] for at in range(len(data))), header).telling == whole
        for pieces in random_cuts(data, name, 2):
            assert read_as(pieces, header).telling == whole


def test_layers_in_each_other() -> None:
    expected = outcome(SHORT).telling
    for names, header in (
        (["gzip-9", "brotli-11"], "br"),
        (["brotli-5", "deflate", "zstd-1"], "br, deflate, zstd"),
        (["zlib-9", "zstd-19", "gzip-1"], None),
        (["gzip-9", "deflate"], "deflate"),
    ):
        data = SHORT
        for name in names:
            data = ENCODERS[name][0](data)
        assert read_as(data, header).telling == expected
        assert read_as((data[at : at + 1] for at in range(len(data))), header).telling == expected


def test_every_verb_takes_the_header(tmp_path: Path) -> None:
    data = brotli.compress(SHORT)
    path = tmp_path / "sitemap.xml"
    path.write_bytes(data)
    expected = locs(urlset.parse(SHORT))
    assert locs(urlset.parse(data, content_encoding="br")) == expected
    assert locs(urlset.read(path, content_encoding="BR")) == expected
    assert locs(urlset.scan(io.BytesIO(data), content_encoding="gzip, br")) == expected
    assert not urlset.lint(data, content_encoding="br")
    assert urlset.lint(data).counts["XML008"] == 1


def test_an_unknown_encoding_is_refused() -> None:
    for verb in (urlset.parse, urlset.scan, urlset.read, urlset.lint):
        with pytest.raises(InputError, match='names "compress"'):
            verb(SHORT, content_encoding="gzip, compress")


def test_broken_compressed_data_raise_or_are_collected() -> None:
    assert len(urlset.parse(gzip.compress(SHORT) + b"junk")) == 30
    assert len(urlset.parse(gzip.compress(SHORT) + bytes(1024))) == 30
    with pytest.raises(MalformedError, match="the gzip data is cut off"):
        urlset.parse(gzip.compress(SHORT)[:-1], strict=True)
    wrong = bytearray(gzip.compress(SHORT))
    wrong[-8] ^= 1
    with pytest.raises(MalformedError, match="the gzip data is corrupt: incorrect data check"):
        urlset.parse(bytes(wrong), strict=True)


# --- bounds -------------------------------------------------------------------------------------------------


def nothing(mebibytes: int) -> bytes:
    """A urlset of one entry and much that says nothing."""
    gap = b" " * (1 << 20) + b"<!---->"
    return f'<urlset xmlns="{CORE}"><url><loc>http://a.example/1</loc></url>'.encode() + gap * mebibytes + b"</urlset>"


@pytest.mark.parametrize("name", ["gzip-9", "zlib-9", "deflate", "brotli-11", "zstd-1"])
def test_bombs(name: str) -> None:
    encode, inner = ENCODERS[name]
    bomb = encode(nothing(40))
    assert len(bomb) < 50_000
    for data, header in ((bomb, inner), (gzip.compress(bomb), f"{inner}, gzip" if inner else None)):
        with pytest.raises(LimitError, match="unpacks to more than 256 times its size"):
            urlset.parse(data, content_encoding=header, strict=True)
        got = read_as(data, header)
        assert (len(got.rows), got.error) == (1, "LimitError")
        for pieces in random_cuts(data, name, 2):
            assert read_as(pieces, header).telling == got.telling


# --- charsets -----------------------------------------------------------------------------------------------

#: Charsets by their label, with the codec of Python's that means the same. Where the label says one thing and is read
#: as browsers read it, that is the codec's name here.
CODECS = {
    "ibm866": "cp866",
    "iso-8859-2": "iso8859-2",
    "iso-8859-3": "iso8859-3",
    "iso-8859-4": "iso8859-4",
    "iso-8859-5": "iso8859-5",
    "iso-8859-6": "iso8859-6",
    "iso-8859-7": "iso8859-7",
    "iso-8859-8": "iso8859-8",
    "iso-8859-10": "iso8859-10",
    "iso-8859-13": "iso8859-13",
    "iso-8859-14": "iso8859-14",
    "iso-8859-15": "iso8859-15",
    "iso-8859-16": "iso8859-16",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "macintosh": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "windows-874": "cp874",
    "tis-620": "cp874",
    "windows-1250": "cp1250",
    "windows-1251": "cp1251",
    "windows-1252": "cp1252",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "windows-1253": "cp1253",
    "windows-1254": "cp1254",
    "iso-8859-9": "cp1254",
    "windows-1255": "cp1255",
    "windows-1256": "cp1256",
    "windows-1257": "cp1257",
    "windows-1258": "cp1258",
    "gbk": "gbk",
    "gb2312": "gbk",
    "gb18030": "gb18030",
    "big5": "big5hkscs",
    "euc-jp": "euc-jp",
    "iso-2022-jp": "iso-2022-jp",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "utf-16": "utf-16",
}


#: What the Encoding Standard reads as another letter than Python's codec of that name does, and why.
DIFFERENCES = {
    # GB 18030 gave it a place of its own in 2005; the Encoding Standard keeps the one of 2000, as browsers did.
    "gb18030": [("\ue7c7", "ḿ")],
}


def letters(codec: str) -> list[str]:
    """Every letter that a codec of Python's has and gives back as it was."""
    found = []
    for code in (*range(0x80, 0xD800), *range(0xF900, 0xFFF0), *range(0x20000, 0x20100)):
        letter = chr(code)
        if letter.isalpha():
            try:
                same = letter.encode(codec).decode(codec) == letter
            except UnicodeError:
                continue
            if same:
                found.append(letter)
    return found


def in_charset(label: str, codec: str, texts: list[str]) -> bytes:
    declaration = f'<?xml version="1.0" encoding="{label}"?>'
    entries = "".join(f"<url><loc>http://a.example/{text}</loc></url>" for text in texts)
    return f'{declaration}<urlset xmlns="{CORE}">{entries}</urlset>'.encode(codec)


@pytest.mark.parametrize("label", CODECS)
def test_letters_are_those_of_pythons_codecs(label: str) -> None:
    codec = CODECS[label]
    known = letters(codec)
    assert len(known) > 25
    texts = ["".join(known[at : at + 50]) for at in range(0, len(known), 50)]
    data = in_charset(label, codec, texts)
    got = outcome(data)
    different = [
        (ours, theirs)
        for row, text in zip(got.rows, texts, strict=True)
        for ours, theirs in zip(row["loc"].removeprefix("http://a.example/"), text, strict=False)
        if ours != theirs
    ]
    assert different == DIFFERENCES.get(label, [])
    assert len(got.rows) == len(texts)
    assert [d.code for d in got.diagnostics] == ["XML002"]
    for pieces in random_cuts(data, label, 3):
        assert outcome(pieces).telling == got.telling


@given(st.lists(st.sampled_from([b"a", b"/", *(bytes([byte]) for byte in range(0x80, 0x100))]), max_size=40))
def test_bytes_that_are_not_utf_8_are_replaced_as_python_does(parts: list[bytes]) -> None:
    text = b"http://a.example/" + b"".join(parts)
    data = urlset_of("@").replace(b"@", text)
    got = outcome(data)
    assert got.rows[0]["loc"] == text.decode(errors="replace")
    assert outcome(data[at : at + 1] for at in range(len(data))).telling == got.telling
    runs = sum(bool(run) for run in bad_runs(text))
    assert [d.code for d in got.diagnostics] == ["XML002"] * runs


def bad_runs(text: bytes) -> Iterator[int]:
    """How many replacements stand in each run of them."""
    # Surrogates stand for bytes that are not UTF-8: nothing in the text is one of itself.
    run = 0
    for character in text.decode(errors="surrogateescape"):
        if "\udc80" <= character <= "\udcff":
            run += 1
        else:
            yield run
            run = 0
    yield run


@pytest.mark.parametrize("label", ["windows-1253", "windows-1255", "iso-8859-7", "iso-8859-8"])
def test_bytes_that_a_charset_does_not_have(label: str) -> None:
    every = bytes(range(0xA0, 0x100))
    data = in_charset(label, CODECS[label], ["@"]).replace(b"@", b"x".join(bytes([byte]) for byte in every))
    expected = b"x".join(bytes([byte]) for byte in every).decode(CODECS[label], errors="replace")
    got = outcome(data)
    ours = got.rows[0]["loc"].removeprefix("http://a.example/")
    # The Encoding Standard has a few more letters than the ISO's tables of 1987.
    assert all(other in (one, "\ufffd") for one, other in zip(ours, expected, strict=True))
    bad = [d for d in got.diagnostics if d.line == 1 and d.column > 1]
    assert len(bad) == ours.count("\ufffd") > 0


def test_findings_about_many_bad_bytes_are_limited() -> None:
    data = urlset_of("@").replace(b"@", b"\xffa" * 200_000)
    got = outcome(data)
    assert got.rows[0]["loc"].count("\ufffd") == 200_000
    assert len(got.diagnostics) == 1_000


def test_plain_documents_are_not_touched() -> None:
    assert outcome(many(1_000)).diagnostics == ()
