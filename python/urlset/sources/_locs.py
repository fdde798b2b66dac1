"""Where the files of a folder are served, and whether a URL that a page names is its own."""

from __future__ import annotations

import os
from typing import Literal, get_args
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

from urlset._model.errors import InputError
from urlset._util.arguments import folder_url

IndexPages = Literal["slash", "keep"]
TrailingSlash = Literal["keep", "always", "never"]

#: What a server answers a folder's URL with.
INDEX = ("index.html", "index.htm")
#: Characters that stand for themselves in a segment of a path. Source: RFC 3986, 3.3, pchar.
_SEGMENT = "!$&'()*+,;=:@~"
#: Those and what else a URL that is written down may have, escapes among it.
_WRITTEN = _SEGMENT + "%/?#[]"
_PORTS = {"http": 80, "https": 443}
#: What browsers take out of a URL before they read it. Source: URL Standard, basic URL parser.
_TAKEN_OUT = str.maketrans("", "", "\t\n\r")
_BLANKS = "".join(map(chr, range(0x21)))


class Locs:
    """The rule from files to URLs for one site. Raises InputError for a base that is no folder's URL."""

    def __init__(self, base_url: str, index_pages: IndexPages, trailing_slash: TrailingSlash) -> None:
        for name, value, known in (
            ("index_pages", index_pages, IndexPages),
            ("trailing_slash", trailing_slash, TrailingSlash),
        ):
            if value not in get_args(known):
                raise InputError(f"{name} is {value!r}; it is one of {', '.join(map(repr, get_args(known)))}")
        self.base = folder_url(base_url)
        self._root = urlsplit(self.base).path
        self._keeps_index = index_pages == "keep"
        self._slash = trailing_slash

    def of(self, file: str) -> str:
        """The URL of a file, given by its path in the folder, with slashes. A name's bytes are what is escaped."""
        return self.base + self._served(quote(os.fsencode(file), safe=_SEGMENT + "/"))

    def is_own(self, loc: str, url: str) -> bool:
        """Whether a URL is but another spelling of a page's own: by its fragment, escapes, host, index or slash."""
        return loc == url or (_origin(loc) == _origin(url) and self._normal(loc) == self._normal(url))

    def _served(self, path: str) -> str:
        """A file's path as it is asked for."""
        folder, slash, name = path.rpartition("/")
        if name in INDEX:
            if self._keeps_index:
                return path
            path = folder + slash
        elif self._slash != "keep":
            stem, _, suffix = name.rpartition(".")
            path = f"{folder}{slash}{stem}/" if stem and suffix in ("html", "htm") else path
        return path.rstrip("/") if self._slash == "never" else path

    def _normal(self, url: str) -> tuple[str, str]:
        """Path, as the pages' are, and query of a URL."""
        parts = urlsplit(url)
        path = "/".join(quote(unquote_to_bytes(part), safe=_SEGMENT) for part in parts.path.split("/"))
        path = self._served(path.removeprefix("/"))
        if self._slash == "always" and not path.endswith(INDEX):
            path = path.rstrip("/") + "/"
        # The folder that is served is its own slash's, with or without it.
        return ("" if path.strip("/") == self._root.strip("/") else path), parts.query


def resolved(base: str, written: str) -> str | None:
    """What a page writes as a URL, made absolute and escaped, without its fragment; None where it is not of the Web."""
    written = written.strip(_BLANKS).translate(_TAKEN_OUT)
    try:
        url = urljoin(base, written).partition("#")[0]
        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname:
            return None
    except ValueError:  # a host that is none
        return None
    origin = f"{parts.scheme}://{parts.netloc}"
    return origin + quote(url[len(origin) :], safe=_WRITTEN)


def _origin(url: str) -> tuple[str, str, int | None] | None:
    """Scheme, host and port; None where a URL has no such things."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode()
        return parts.scheme, host, parts.port or _PORTS.get(parts.scheme)
    except ValueError:  # a UnicodeError is one
        return None
