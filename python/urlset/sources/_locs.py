"""The URLs at which the files of a folder are served, and whether a URL in a page is the page's own."""

from __future__ import annotations

import os
from typing import Literal, get_args
from urllib.parse import quote, urlsplit

from urlset import _core
from urlset._util.arguments import check_choice, folder_url

IndexPages = Literal["slash", "keep"]
TrailingSlash = Literal["keep", "always", "never"]

#: The files that a server sends for the URL of a folder.
INDEX = ("index.html", "index.htm")
#: Characters that need no escape in a segment of a path. Source: RFC 3986, 3.3, pchar.
_SEGMENT = "!$&'()*+,;=:@~"


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
        """Whether a URL is that of the page at `loc`: another spelling, or another fragment, index page or slash."""
        return loc == url or self._served(loc) == self._served(url)

    def called(self, loc: str, canonical: str) -> str | None:
        """Return the URL at which a page is to be listed; None if its canonical URL is that of another page.

        A server may be set up to answer for `about.html` at `/about` or `/about/`, which only its pages know. So a
        canonical URL that differs in no more than that, or in `www.` or the scheme, is the page's own, and its path
        counts. Its origin does not: that is the base URL's, whose caller knows it.
        """
        if self.is_own(loc, canonical):
            return loc
        if _clean(loc) != _clean(canonical):
            return None
        if self._served(loc)[1:] == self._served(canonical)[1:]:
            return loc
        base = urlsplit(self.base)
        return urlsplit(canonical)._replace(scheme=base.scheme, netloc=base.netloc, fragment="").geturl()

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

    def _served(self, url: str) -> tuple[str, str, str]:
        """Return the origin, the path under which a page is requested, and the query of a URL, in their normal form."""
        form = _core.normalized_url(url)
        try:
            parts = urlsplit(form)
        except ValueError:  # an invalid host
            return form, "", ""
        path = self._served_path(parts.path.removeprefix("/"))
        if self._slash == "always" and not path.endswith(INDEX):
            path = path.rstrip("/") + "/"
        # The root folder is the same page with and without its slash.
        path = "" if path.strip("/") == self._root.strip("/") else path
        return f"{parts.scheme}://{parts.netloc}", path, parts.query


def _clean(url: str) -> tuple[str, str, str]:
    """Return the host, the path and the query of a URL without what servers are free to choose about a page."""
    form = _core.normalized_url(url)
    try:
        parts = urlsplit(form)
    except ValueError:  # an invalid host
        return form, "", ""
    return parts.netloc.removeprefix("www."), clean_path(parts.path), parts.query


def clean_path(path: str) -> str:
    """Return a path, or a URL without a query, without an index page, a suffix of HTML, and a slash at the end.

    Example:
        >>> [clean_path(path) for path in ("/tea/index.html", "/tea.html", "/tea/", "/tea")]
        ['/tea', '/tea', '/tea', '/tea']
    """
    for name in INDEX:
        path = path.removesuffix(f"/{name}")
    return path.rstrip("/").removesuffix(".html").removesuffix(".htm")
