"""The text of a page, whatever charset it is written in, as the UTF-8 that the parser takes."""

from __future__ import annotations

import codecs
import re

_UTF8 = "utf-8"
#: A mark at the beginning wins over what the page says. Source: HTML Standard, determining the character encoding.
_MARKS = ((codecs.BOM_UTF8, _UTF8), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
#: Both `<meta charset=x>` and `<meta http-equiv=content-type content="text/html; charset=x">`.
_SAID = re.compile(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
#: Bytes in which a page may say its charset. Source: HTML Standard, prescan a byte stream.
_PRESCAN = 1024
#: What browsers read where a label says something narrower. Source: Encoding Standard, names and labels.
_WIDER = {
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
#: The charsets of the Encoding Standard by Python's names. No other is read: Python's utf-7 or punycode are none of it.
_KNOWN = {
    *(_UTF8, "cp866", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "euc_jp", "iso2022_jp", *_WIDER.values()),
    *(f"cp{number}" for number in range(1250, 1259)),
    *(f"iso8859-{number}" for number in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
}


def utf8_of(data: bytes) -> tuple[bytes, bool]:
    """A page as UTF-8 without a mark, and whether all its bytes fit its charset; those that do not become U+FFFD.

    The charset is that of the mark, else what the page says of itself, else UTF-8. Browsers guess windows-1252 for
    the last; what builds pages writes UTF-8, and its pages would be read wrongly for nothing but a missing tag.
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
    said = _SAID.search(data, 0, _PRESCAN)
    if said is None or said[1].lower() == b"utf-8":
        return _UTF8, data
    try:
        name = codecs.lookup(said[1].decode("ascii")).name
    except (LookupError, UnicodeDecodeError):
        return _UTF8, data
    name = _WIDER.get(name, name)
    # What says utf-16 in ASCII is not UTF-16, and UTF-8 by the standard.
    return (name if name in _KNOWN else _UTF8), data
