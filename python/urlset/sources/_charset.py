"""Convert a page from its charset to the UTF-8 that the HTML parser takes."""

from __future__ import annotations

import codecs
import re

_UTF8 = "utf-8"
#: A byte order mark wins over a declared charset. Source: HTML Standard, determining the character encoding.
_MARKS = ((codecs.BOM_UTF8, _UTF8), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
#: Both `<meta charset=x>` and `<meta http-equiv=content-type content="text/html; charset=x">`.
_DECLARED = re.compile(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
#: The first bytes of a page, in which it may declare its charset. Source: HTML Standard, prescan a byte stream.
_PRESCAN = 1024
#: The wider charsets that browsers use for narrower labels. Source: Encoding Standard, names and labels.
WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
#: The charsets of the Encoding Standard by Python's names. Others, such as Python's utf-7 or punycode, are ignored.
_KNOWN = {
    *(_UTF8, "cp866", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "euc_jp", "iso2022_jp", *WIDER.values()),
    *(f"cp{number}" for number in range(1250, 1259)),
    *(f"iso8859-{number}" for number in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
}


def to_utf8(data: bytes) -> tuple[bytes, bool]:
    """Return a page as UTF-8 without a byte order mark, and whether all its bytes were valid in its charset.

    Invalid bytes become U+FFFD. The charset is that of the byte order mark, else the declared one, else UTF-8. Browsers
    assume windows-1252 instead of UTF-8, but site generators write UTF-8, and often without declaring it.
    """
    codec, data = _codec(data)
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        return data.decode(codec, "replace").encode(), False
    return (data if codec == _UTF8 else text.encode()), True


def _codec(data: bytes) -> tuple[str, bytes]:
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return codec, data[len(mark) :]
    declared = _DECLARED.search(data, 0, _PRESCAN)
    if declared is None or declared[1].lower() == b"utf-8":
        return _UTF8, data
    try:
        name = codecs.lookup(declared[1].decode("ascii")).name
    except (LookupError, UnicodeDecodeError):
        return _UTF8, data
    name = WIDER.get(name, name)
    # A page that declares utf-16 in ASCII bytes is not UTF-16; the standard says UTF-8.
    return (name if name in _KNOWN else _UTF8), data
