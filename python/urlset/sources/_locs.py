"""The URLs at which the files of a folder are served, and whether a URL in a page is the page's own."""

from __future__ import annotations

import os
from typing import Literal, get_args
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

from urlset._util.arguments import check_choice, folder_url
from urlset._util.urls import origin

IndexPages = Literal["slash", "keep"]
TrailingSlash = Literal["keep", "always", "never"]

#: The files that a server sends for the URL of a folder.
INDEX = ("index.html", "index.htm")
#: Characters that need no escape in a segment of a path. Source: RFC 3986, 3.3, pchar.
_SEGMENT = "!$&'()*+,;=:@~"
#: Those, and the others that a URL as written may contain, including escapes.
_WRITTEN = _SEGMENT + "%/?#[]"
_PORTS = {"http": 80, "https": 443}
#: Characters that browsers remove from a URL before they parse it. Source: URL Standard, basic URL parser.
_REMOVED = str.maketrans("", "", "\t\n\r")
_BLANKS = "".join(map(chr, range(0x21)))


class Locs:
    """Maps the files of one site to their URLs.

    Raises:
        InputError: `base_url` is not the URL of a folder, or another argument has an unknown value.
    """

    def __init__(self, base_url: str, index_pages: IndexPages, trailing_slash: TrailingSlash) -> None:
        for name, value, known in (
            ("index_pages", index_pages, IndexPages),
            ("trailing_slash", trailing_slash, TrailingSlash),
        ):
            check_choice(name, value, get_args(known))
        self.base = folder_url(base_url)
        self._root = urlsplit(self.base).path
        self._keeps_index = index_pages == "keep"
        self._slash = trailing_slash

    def loc_for(self, file: str) -> str:
        """Return the URL of a file from its path in the folder, with slashes. The bytes of its name are escaped."""
        return self.base + self._served_path(quote(os.fsencode(file), safe=_SEGMENT + "/"))

    def is_own(self, loc: str, url: str) -> bool:
        """Whether a URL is only another spelling of `loc`: in its fragment, escapes, host, index page or slash."""
        return loc == url or (origin(loc) == origin(url) and self._normalize(loc) == self._normalize(url))

    def _served_path(self, path: str) -> str:
        """Return the path under which a file is requested."""
        folder, slash, name = path.rpartition("/")
        if name in INDEX:
            if self._keeps_index:
                return path
            path = folder + slash
        elif self._slash != "keep":
            stem, _, suffix = name.rpartition(".")
            path = f"{folder}{slash}{stem}/" if stem and suffix in ("html", "htm") else path
        return path.rstrip("/") if self._slash == "never" else path

    def _normalize(self, url: str) -> tuple[str, str]:
        """Return the path, spelled as those of the pages are, and the query of a URL."""
        parts = urlsplit(url)
        path = "/".join(quote(unquote_to_bytes(part), safe=_SEGMENT) for part in parts.path.split("/"))
        path = self._served_path(path.removeprefix("/"))
        if self._slash == "always" and not path.endswith(INDEX):
            path = path.rstrip("/") + "/"
        # The root folder is the same page with and without its slash.
        return ("" if path.strip("/") == self._root.strip("/") else path), parts.query


def resolve_url(base: str, written: str) -> str | None:
    """Return a URL as a page writes it, made absolute and escaped, without its fragment; None if it is not http(s)."""
    written = written.strip(_BLANKS).translate(_REMOVED)
    try:
        url = urljoin(base, written).partition("#")[0]
        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname:
            return None
    except ValueError:  # an invalid host
        return None
    origin = f"{parts.scheme}://{parts.netloc}"
    return origin + quote(url[len(origin) :], safe=_WRITTEN)
