"""The vectors of charsets and of compression other than gzip; `make.py` writes them along with its own."""

from __future__ import annotations

import struct
import zlib

ROOT = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'


def document(text: str, encoding: str | None = "UTF-8") -> str:
    """A urlset of two entries, the second with the text in its loc, on line 4."""
    declaration = "" if encoding is None else f'<?xml version="1.0" encoding="{encoding}"?>'
    entries = "".join(f"  <url><loc>http://a.example/{path}</loc></url>\n" for path in ("1", text))
    return f"{declaration}\n{ROOT}{entries}</urlset>\n"


def declared(label: str, text: str, codec: str | None = None) -> bytes:
    """The document in the charset that it declares, or in another."""
    return document(text, label).encode(codec or label)


def with_bytes(label: str, bad: bytes) -> bytes:
    """A document that declares a charset, with bytes of one's own in its second loc."""
    return document("@", label).encode().replace(b"@", bad)


#: By name, for documents whose markup is ASCII.
DECLARED = {
    "iso-8859-1": declared("ISO-8859-1", "café"),
    "iso-8859-1-of-windows": declared("ISO-8859-1", "“€”", "windows-1252"),
    "iso-8859-2": declared("ISO-8859-2", "žluťoučký"),
    "iso-8859-5": declared("ISO-8859-5", "карта"),
    "iso-8859-9-of-windows": declared("ISO-8859-9", "ışık€", "windows-1254"),
    "iso-8859-15": declared("ISO-8859-15", "Œuvre-€"),
    "windows-1251": declared("windows-1251", "карта-сайта"),
    "windows-1251-like-utf-8": declared("windows-1251", "Відео"),
    "windows-1253": declared("windows-1253", "χάρτης"),
    "windows-1256": declared("windows-1256", "خريطة"),
    "koi8-r": declared("KOI8-R", "страница"),
    "gb2312": declared("gb2312", "网站地图"),
    "gb2312-of-gbk": declared("gb2312", "網站€", "gb18030").replace(b"\xa2\xe3", b"\x80"),
    "gb18030": declared("GB18030", "网站𠀀"),
    "big5": declared("Big5", "網站地圖"),
    "shift-jis": declared("Shift_JIS", "サイトマップ表ｶﾅ"),
    "euc-jp": declared("EUC-JP", "日本語"),
    "iso-2022-jp": declared("ISO-2022-JP", "日本語"),
    "euc-kr": declared("EUC-KR", "사이트맵"),
    "label-in-capitals": declared("LATIN1", "é", "windows-1252"),
    "label-of-utf-8": declared("UTF8", "é", "utf-8"),
    "label-in-single-quotes": declared("windows-1252", "é").replace(b'"', b"'"),
    "iso-8859-1-is-utf-8": declared("ISO-8859-1", "café", "utf-8"),
    "us-ascii-is-utf-8": declared("US-ASCII", "é", "utf-8"),
    "us-ascii-is-windows-1252": declared("US-ASCII", "é", "windows-1252"),
    "unknown-label": declared("x-no-such", "é", "utf-8"),
    "label-of-another-time": declared("ISO-2022-KR", "é", "utf-8"),
    "mark-against-declaration": b"\xef\xbb\xbf" + declared("GBK", "é", "utf-8"),
    "bad-in-windows-1253": with_bytes("windows-1253", b"a\xaab"),
    "bad-in-shift-jis": with_bytes("Shift_JIS", b"\xa0\xa0a\x81"),
    "bad-in-euc-kr": with_bytes("EUC-KR", b"a\xffb"),
    "bad-run-in-utf-8": with_bytes("UTF-8", b"\x80\xfe\xe2\x82\xff"),
    "bad-twice-in-utf-8": with_bytes("UTF-8", b"\xc3a\xc3"),
    "three-marks": b"\xef\xbb\xbf" * 3 + declared("UTF-8", "é"),
}

UTF_16 = {
    "utf-16-le-without-mark": declared("UTF-16", "é", "utf-16-le"),
    "utf-16-be-without-mark": declared("UTF-16", "é", "utf-16-be"),
    "utf-16-after-blanks": document("é𠀀", None).encode("utf-16-le"),
    "utf-16-without-declaration": ("\ufeff" + document("é𠀀", None)).encode("utf-16-be"),
    "utf-16-mark-of-utf-8": b"\xff\xfe" + document("é").encode(),
    "utf-16-mark-of-utf-8-list": b"\xfe\xffhttp://a.example/1\n",
    "utf-16-declared-utf-8": ("\ufeff" + document("é")).encode("utf-16-le"),
    "utf-16-le-declared-be": ("\ufeff" + document("é", "UTF-16BE")).encode("utf-16-le"),
    "utf-16-two-marks": ("\ufeff\ufeff" + document("é", "UTF-16")).encode("utf-16-le"),
    "utf-16-half-a-pair": ("\ufeff" + document("a@b", "UTF-16")).encode("utf-16-be").replace(b"\0@", b"\xd8\x40"),
}

# --- zlib (RFC 1950) and zstd (RFC 8878), by hand and of stored blocks, as gzip is in make.py

XML = document("é").encode()


def zlib_stream(data: bytes, *, checksum: int | None = None) -> bytes:
    """One stream of a stored block."""
    block = b"\x01" + struct.pack("<HH", len(data), len(data) ^ 0xFFFF) + data
    return b"\x78\x9c" + block + struct.pack(">I", zlib.adler32(data) if checksum is None else checksum)


def zstd_frame(data: bytes, *, window: int = 0) -> bytes:
    """One frame of raw blocks of no more than fifty bytes, without a checksum."""
    blocks = [data[at : at + 50] for at in range(0, len(data), 50)] or [b""]
    frame = b"\x28\xb5\x2f\xfd\x00" + bytes([window])
    for at, block in enumerate(blocks):
        frame += struct.pack("<I", len(block) << 3 | (at == len(blocks) - 1))[:3] + block
    return frame


def skippable(data: bytes) -> bytes:
    """A frame that decoders pass over."""
    return b"\x53\x2a\x4d\x18" + struct.pack("<I", len(data)) + data


#: The second entry is cut in its letter, and its bytes lie in two blocks.
CUT = XML.index("é".encode()) + 1

ZLIB = {
    "zlib": zlib_stream(XML),
    "broken-checksum": zlib_stream(XML, checksum=1),
    "truncated": zlib_stream(XML)[: 7 + CUT],
    "garbage-after": zlib_stream(XML) + b"more",
}

ZSTD = {
    "zstd": zstd_frame(XML),
    "frames": zstd_frame(XML[:CUT]) + skippable(b"anything") + zstd_frame(b"") + zstd_frame(XML[CUT:]),
    "skippable-first": skippable(b"") + zstd_frame(XML),
    "zeros-after": zstd_frame(XML) + bytes(20),
    "garbage-after": zstd_frame(XML) + b"more",
    "truncated": zstd_frame(XML)[:-30],
    "reserved-block": zstd_frame(XML)[:6] + b"\x06" + zstd_frame(XML)[7:],
    "window-too-big": zstd_frame(XML, window=13 << 3 | 1),
}


def files() -> dict[str, bytes]:
    """Every file of this script by its path below this folder."""
    charsets = {f"charset/{name}.xml": data for name, data in DECLARED.items()}
    charsets |= {f"charset/{name}.bin": data for name, data in UTF_16.items()}
    compressed = {f"rfc1950/{name}.bin": data for name, data in ZLIB.items()}
    return charsets | compressed | {f"rfc8878/{name}.bin": data for name, data in ZSTD.items()}
