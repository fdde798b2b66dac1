"""Writes the vectors of practice, text lists and robots.txt whose bytes an editor would break.

Byte order marks, line ends, controls and blanks that cannot be seen, and what is too long to be written by hand.
Run it from anywhere, with any Python from 3.11 on and nothing else; the same bytes come out everywhere.
"""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parent

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
ROOT = f"<urlset {NAMESPACE}>\n"
END = "</urlset>\n"
FIRST, SECOND = "http://a.example/1", "http://a.example/2"

#: Longer than what any reader looks at before it decides, and than one line of robots.txt may be for Google.
FAR = 5_000
TOO_LONG = 17_000


def entry(loc: str, more: str = "") -> str:
    """One entry on a line of its own."""
    return f"  <url><loc>{loc}</loc>{more}</url>\n"


def document(middle: str) -> str:
    """A urlset of the lines given."""
    return DECLARATION + ROOT + middle + END


#: By the odd blanks in them: no-break and ideographic ones, one of no width, a mark, one among XML's own.
BLANKS = (
    f"\u00a0{FIRST}\u00a0",
    f"\u3000{SECOND}",
    "\u200bhttp://a.example/3\ufeff",
    "\n    \u2003http://a.example/4 \u2009\n  ",
)

#: In a loc, in a lastmod, as a reference, in a comment, and between fields.
CONTROLS = (
    entry("http://a.example/\x0b1\x08"),
    entry(SECOND, "<lastmod>2005\x00</lastmod>"),
    entry("http://a.example/&#x8;3"),
    "  <!-- \x1f -->\n",
    entry("http://a.example/4", "\x0c<priority>0.5</priority>"),
)

AFTER_ROOT = f"<!-- \x01 {entry(SECOND).strip()} -->\n"

XML = {
    "comment-with-control-after-root": document(entry(FIRST)) + AFTER_ROOT,
    "no-break-space": document("".join(map(entry, BLANKS))),
    "control-characters": document("".join(CONTROLS)),
    "c1-controls": document(entry("http://a.example/\x96\u00a01\x80")),
    "root-after-long-comment": f"{DECLARATION}<!-- {'x' * FAR} -->\n{ROOT}{entry(FIRST)}{END}",
    "root-after-long-noise": f"{'Notice: x ' * (FAR // 10)}\n{ROOT}{entry(FIRST)}{END}",
    "namespace-after-long-attribute": (
        f'{DECLARATION}<urlset xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
        f' xsi:schemaLocation="{"http://a.example/ " * (FAR // 18)}" {NAMESPACE}>\n{entry(FIRST)}{END}'
    ),
    "blank-lines-before-declaration": f"\r\n\r\n \t\n{document(entry(FIRST))}",
}

TEXT = {
    "blank-in-url": "http://a.example/my page.html\n http://a.example/Annual Report 2024 final.pdf\t\nhttp://a.example/2\n",
    "tab-beside-url": f"{FIRST}\tTea\nhttp://a.example/my page\tdaily\t0.5\n",
    "bom-crlf": f"\ufeff{FIRST}\r\n{SECOND}\r\n",
    "crlf": f"{FIRST}\r\n{SECOND}\r\n",
    "cr-only": f"{FIRST}\r{SECOND}\rhttp://a.example/3\r",
    "blank-lines": f"{FIRST}\n\n \t\n{SECOND}\n\n",
    "padded": f"{FIRST}\n {SECOND}\t\nhttp://a.example/3  \n",
    "without-end": f"{FIRST}\n{SECOND}",
}

AGENT = "User-agent: *\nDisallow:\n"

ROBOTS = {
    "bom": f"\ufeffSitemap: {FIRST}.xml\n{AGENT}",
    "blank-lines": "\n \n\n",
    "empty": "",
    "crlf": f"User-agent: *\r\nDisallow:\r\nSitemap: {FIRST}.xml\r\nSitemap: {SECOND}.xml\r\n",
    "cr-only": f"User-agent: *\rDisallow:\rSitemap: {FIRST}.xml\rSitemap: {SECOND}.xml\r",
    "blanks": f"User-agent: *\nDisallow:\n  Sitemap:{FIRST}.xml\t\nsitemap \t : \t{SECOND}.xml \n",
    "no-break-space": f"{AGENT}Sitemap: \u00a0{FIRST}.xml\n",
    "long-comment": f"{AGENT}Sitemap: {FIRST}.xml # {'x' * TOO_LONG}\nSitemap: {SECOND}.xml\n",
    "long-line": f"{AGENT}{' ' * TOO_LONG}Sitemap: {FIRST}.xml\nSitemap: {SECOND}.xml\n",
}

PLAIN = document(entry(FIRST)).encode()


def tar(data: bytes) -> bytes:
    """A tar archive of one sitemap."""
    made, member = io.BytesIO(), tarfile.TarInfo("sitemap.xml")
    member.size = len(data)
    with tarfile.open(fileobj=made, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        archive.addfile(member, io.BytesIO(data))
    return made.getvalue()


def zipped(data: bytes) -> bytes:
    """A ZIP archive of one sitemap, stored as it is."""
    made = io.BytesIO()
    member = zipfile.ZipInfo("sitemap.xml")
    # Otherwise it is the number of the system that this runs on.
    member.create_system = 3
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(member, data)
    return made.getvalue()


BYTES = {
    "practice/7z.bin": b"7z\xbc\xaf\x27\x1c\x00\x04",
    "practice/bzip2.bin": b"BZh91AY&SYSa\xfa\x00\x00\x0e\x19\x80P\x01\xe07*",
    "practice/gif.bin": b"GIF89a\x01\x00\x01\x00\x00\x00\x00;",
    "practice/jpeg.bin": b"\xff\xd8\xff\xe0\x00\x10JFIF\x00",
    "practice/nothing-but-zeros.bin": bytes(300),
    "practice/rar.bin": b"Rar!\x1a\x07\x01\x00",
    "practice/tar.bin": tar(PLAIN),
    "practice/utf-32.bin": b"\xff\xfe\x00\x00" + PLAIN.decode().encode("utf-32-le"),
    "practice/xz.bin": b"\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4F\x02\x00!\x01\x16",
    "practice/zip-stored.bin": zipped(PLAIN),
    "practice/pdf.bin": b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<</Type/Catalog>>\nendobj\n\x00\xff",
    "practice/png.bin": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01",
    "practice/zip.bin": b"PK\x03\x04\x14\x00\x00\x00\x08\x00sitemap.xml",
}


def files() -> dict[str, bytes]:
    """Every file of this script by its path below this folder."""
    made = {f"practice/{name}.xml": text.encode() for name, text in XML.items()}
    made |= {f"text/{name}.txt": text.encode() for name, text in TEXT.items()}
    made |= {f"robots/{name}.txt": text.encode() for name, text in ROBOTS.items()}
    return made | BYTES


if __name__ == "__main__":
    for path, data in files().items():
        (HERE / path).parent.mkdir(exist_ok=True)
        (HERE / path).write_bytes(data)
