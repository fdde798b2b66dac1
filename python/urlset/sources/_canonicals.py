"""What the canonical URLs of pages say about the URL at which their folder is served."""

from __future__ import annotations

from collections import Counter
from urllib.parse import urlsplit

from urlset.sources._locs import clean_path

#: The share of the pages that have to agree.
_NEARLY_ALL = 0.9
#: Different URLs that are counted. Where there are more, pages do not agree.
_MOST = 1_000


class Canonicals:
    """Counts the base URLs at which pages would be what their canonical URLs name."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._found: Counter[str] = Counter()

    def add(self, loc: str, canonical: str) -> None:
        """Count a page that names a canonical URL."""
        base = self._base_of(clean_path("/" + loc.removeprefix(self._base)).strip("/"), canonical)
        if base != self._base and (base in self._found or len(self._found) < _MOST):
            self._found[base] += 1

    def common_base(self, pages: int) -> str | None:
        """Return the base URL that nearly all of so many pages agree on, if it is another one."""
        for base, number in self._found.most_common(1):
            if number >= _NEARLY_ALL * pages:
                return base
        return None

    @staticmethod
    def _base_of(path: str, canonical: str) -> str:
        """Return what precedes the path of the page in its canonical; the origin if that has another path."""
        end = clean_path(canonical)
        if not path:
            return end + "/"
        if end.endswith("/" + path):
            return end.removesuffix(path)
        parts = urlsplit(canonical)
        return f"{parts.scheme}://{parts.netloc}/"
