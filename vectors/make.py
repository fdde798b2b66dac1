"""Writes the vectors whose bytes an editor would break: controls, line ends, other encodings, compression.

Run it from anywhere, with any Python from 3.11 on and nothing else; the same bytes come out everywhere. All
other vectors, and every `.json`, are written by hand.
"""

from __future__ import annotations

import runpy
import struct
import zlib
from pathlib import Path

HERE = Path(__file__).parent

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
ROOT = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
END = "</urlset>\n"


def entry(path: str) -> str:
    """One entry on a line of its own."""
    return f"  <url><loc>http://a.example/{path}</loc></url>\n"


def document(middle: str) -> str:
    """A urlset of the lines given."""
    return DECLARATION + ROOT + middle + END


def between(line: str) -> str:
    """A urlset with the line in question after one entry and before another."""
    return document(f"{entry('1')}  {line}\n{entry('3')}")


def in_loc(text: str) -> str:
    """The same with the text as an entry's loc."""
    return between(f"<url><loc>{text}</loc></url>")


def not_utf8(wrong: bytes, end: bytes = b"</loc></url>\n</urlset>\n") -> bytes:
    """A urlset with bytes that are not UTF-8 in the loc of its second entry."""
    return f"{DECLARATION}{ROOT}{entry('1')}  <url><loc>http://a.example/é".encode() + wrong + end


def utf16(codec: str) -> bytes:
    """A whole document in UTF-16, with its mark and its declaration."""
    return ("\ufeff" + document(entry("1")).replace("UTF-8", "UTF-16")).encode(codec)


TEXTS = {
    "illegal-nul": in_loc("a\0b"),
    "illegal-control": in_loc("a\x0bb"),
    "illegal-escape": in_loc("&amp;\x1b[0m"),
    "illegal-fffe": in_loc("a\ufffeb"),
    "illegal-ffff": in_loc("é\uffffb"),
    "illegal-between": between("<x/>\x08<x/>"),
    "illegal-in-attribute": between('<url a="a\x01b"/>'),
    "illegal-in-comment": between("<!-- a\x02b -->"),
    "illegal-in-instruction": between("<?x a\x03b?>"),
    "illegal-in-cdata": in_loc("<![CDATA[a\x04b]]>"),
    "illegal-in-foreign": between("<x><y>a\x05b</y></x>"),
    "illegal-in-doctype": f'{DECLARATION}<!DOCTYPE urlset SYSTEM "a\x01b">\n{ROOT}{entry("1")}{END}',
    "nul-in-name": between("<url\0><loc>http://a.example/2</loc></url\0>"),
    "delete-and-c1": document(entry("\x7f\x80\x85\x9f")),
    "line-ends": "\r\n".join(
        (
            '<?xml version="1.0"?>',
            ROOT.strip(),
            "<url><loc>http://a.example/a",
            "b\rc</loc></url>\r<url>",
            "<loc>\rhttp://a.example/2",
            "</loc>",
            "<lastmod>\r2005\r</lastmod></url>",
            "<url><loc><![CDATA[http://a.example/d",
            "e\rf]]></loc></url>",
            "</urlset>\r",
        )
    ),
    "bom": "\ufeff" + document(entry("1")),
    "bom-without-declaration": f"\ufeff{ROOT}\n{entry('1')}{END.strip()}",
    "bom-place": f"\ufeff<urlset>\n\n{entry('1')}{END.strip()}",
    "bom-twice": "\ufeff\ufeff" + document(entry("1")),
}

BYTES = {
    "utf8-latin-1-byte.xml": not_utf8(b"\xfcmlat"),
    "utf8-continuation.xml": not_utf8(b"\x80"),
    "utf8-overlong.xml": not_utf8(b"\xc0\xaf"),
    "utf8-surrogate.xml": not_utf8(b"\xed\xa0\xbd\xed\xb8\x80"),
    "utf8-beyond.xml": not_utf8(b"\xf4\x90\x80\x80"),
    "utf8-cut-short.xml": not_utf8(b"\xe2\x82"),
    "utf8-ends-inside.xml": not_utf8(b"\xf0\x9f\x98", end=b""),
    "utf8-in-comment.xml": document(f"{entry('1')}  <!-- @ -->\n").encode().replace(b"@", b"\xff"),
    "utf-16-le.bin": utf16("utf-16-le"),
    "utf-16-be.bin": utf16("utf-16-be"),
}

# --- gzip (RFC 1952), by hand: stored blocks are the same bytes whatever the library, deflated ones are not

HEADER = b"\x1f\x8b\x08\x00" + bytes(4) + b"\x00\xff"
XML = document(entry("1") + entry("é")).encode()
CHECKSUM = zlib.crc32(XML)


def stored(data: bytes) -> bytes:
    """One final deflate block without compression (RFC 1951, 3.2.4)."""
    return b"\x01" + struct.pack("<HH", len(data), len(data) ^ 0xFFFF) + data


def member(data: bytes = XML, *, header: bytes = HEADER, checksum: int | None = None, size: int | None = None) -> bytes:
    """One member; a checksum or size of one's own breaks it."""
    checksum = zlib.crc32(data) if checksum is None else checksum
    return header + stored(data) + struct.pack("<II", checksum, len(data) if size is None else size)


#: FHCRC, FEXTRA, FNAME and FCOMMENT are set.
FIELDS = (
    b"\x1f\x8b\x08\x1e" + bytes(4) + b"\x02\x03" + struct.pack("<H", 6) + b"ab\x02\x00xy" + b"a.xml\0made by hand\0"
)
FULL_HEADER = FIELDS + struct.pack("<H", zlib.crc32(FIELDS) & 0xFFFF)

#: XML as zlib packs it at level 9, kept as it came out.
DEFLATED = bytes.fromhex(
    "1f8b08000000000002037d8e4d0ec2201484f79c82b097d7eed400dd79023d0041d292f0973e945ec9737831c174e3c6"
    "d56426df978c98b6e0e9d3aee852946ce403a3369a74777196ec76bd1c8e6c52443c568fb6d00647946c29259f016aad"
    "1c5db14167e4699d01cdd20ac23ec2c04f4c114abbae844f46eda6e676d3217b0ba380be0be8c87ff4fdfa61bfd14e29"
    "f201b9dc0969c5000000"
)

#: Past the header and the block's own, to the middle of the second entry; and into the letter é.
IN_ENTRY = len(HEADER) + 5 + XML.index(b">http://a.example/\xc3\xa9")
IN_LETTER = XML.index("é".encode()) + 1

GZIP = {
    "gzip.xml.gz": member(),
    "told-by-bytes.xml": member(),
    "name-lies.xml.gz": XML,
    "deflated.xml.gz": DEFLATED,
    "members.xml.gz": b"".join(map(member, (XML[:3], b"", XML[3:IN_LETTER], XML[IN_LETTER:]))),
    "header-fields.xml.gz": member(header=FULL_HEADER),
    "in-gzip.xml.gz": member(member()),
    "truncated.xml.gz": member()[:IN_ENTRY],
    "truncated-trailer.xml.gz": member()[:-5],
    "truncated-header.xml.gz": HEADER[:6],
    "truncated-member.xml.gz": member() + HEADER[:4],
    "broken-checksum.xml.gz": member(checksum=CHECKSUM ^ 1),
    "broken-length.xml.gz": member(size=len(XML) + 1),
    "broken-data.xml.gz": HEADER + stored(XML)[:3] + bytes(2) + XML + struct.pack("<II", CHECKSUM, len(XML)),
    "broken-method.xml.gz": member(header=HEADER[:2] + b"\x07" + HEADER[3:]),
    "garbage-after.xml.gz": member() + b"not gzip at all",
    "zeros-after.xml.gz": member() + bytes(512),
    "zeros-between.xml.gz": member(XML[:IN_LETTER]) + bytes(30) + member(XML[IN_LETTER:]),
    "garbage-after-zeros.xml.gz": member() + bytes(30) + b"\x1f not gzip at all",
    "markup-after.xml.gz": member() + b"<!-- served from a cache -->",
    "three-times.xml.gz": member(member(member())),
    "four-times.xml.gz": member(member(member(member()))),
    "garbage-in-gzip.xml.gz": member(member() + b"not gzip at all"),
    "truncated-in-gzip.xml.gz": member(member()[:IN_ENTRY]),
    "truncated-twice.xml.gz": member(member())[: 2 * (len(HEADER) + 5) + IN_LETTER],
    "of-nothing.xml.gz": member(b""),
    "malformed-inside.xml.gz": member(XML.replace(b"</urlset>", b"</urlse>")),
}


def files() -> dict[str, bytes]:
    """Every file of this script by its path below this folder."""
    xml = {f"xml/{name}.xml": text.encode() for name, text in TEXTS.items()}
    xml |= {f"xml/{name}": data for name, data in BYTES.items()}
    others: dict[str, bytes] = runpy.run_path(str(HERE / "make_charsets.py"))["files"]()
    return xml | {f"rfc1952/{name}": data for name, data in GZIP.items()} | others


if __name__ == "__main__":
    for path, data in files().items():
        (HERE / path).parent.mkdir(exist_ok=True)
        (HERE / path).write_bytes(data)
