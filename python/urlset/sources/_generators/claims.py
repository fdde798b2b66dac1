"""From the pages that source files say they make to the source of each built page.

A generator's rules say which page a source becomes: a claim. They do not have to give the path to the letter. Whether a
page is `tea.html` or `tea/index.html` is ignored, and a page that no claim names exactly is found without regard to
case, accents and punctuation, since each generator replaces these in its own way.

A page that two sources claim with equal right has none: the date of the wrong one would be false.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

#: The rank of a claim. The source states the path of its page; a rule of the generator gives it; or, weaker from one to
#: the next, sources that a page may be made of where the better ones do not exist.
STATED, RULE, FALLBACK, LAST = 0, 1_000, 2_000, 3_000


@dataclass(frozen=True, slots=True)
class Claim:
    """A page that a source says it makes.

    Attributes:
        page: The path of the page, such as `blog/tea/`, `blog/tea.html` or `blog/tea`; empty for the home page.
        source: The path of the source file in the project.
        rank: How strong the claim is; the least counts.
    """

    page: str
    source: str
    rank: int = RULE


class Claims:
    """Finds the source of a page. Pages are compared as the module says."""

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._found: dict[str, list[tuple[str, int, str]]] = {}
        for claim in claims:
            page = page_key(claim.page)
            self._found.setdefault(_loose(page), []).append((page, claim.rank, claim.source))

    def sources(self) -> Iterator[str]:
        """Yield the sources that claim a page, each at least once."""
        return (source for found in self._found.values() for _, _, source in found)

    def source_of(self, page: str) -> tuple[str, ...]:
        """Return the sources of a built page: one; none; or several of equal right."""
        key = page_key(page)
        found = self._found.get(_loose(key), ())
        exact = [each for each in found if each[0] == key]
        best = min((rank for _, rank, _ in exact or found), default=0)
        return tuple(sorted({source for _, rank, source in exact or found if rank == best}))


def page_key(page: str) -> str:
    """Return the path of a page, without an index page, a suffix of HTML, and slashes around it.

    Example:
        >>> [page_key(page) for page in ("index.html", "tea/index.html", "tea.html", "/tea/", "tea/index", "v1.0")]
        ['', 'tea', 'tea', 'tea', 'tea', 'v1.0']
    """
    folder, _, name = page.strip("/").rpartition("/")
    name = name.removesuffix(".html").removesuffix(".htm")
    return f"{folder}/{name}".strip("/") if name != "index" else folder


def _loose(page: str) -> str:
    return "/".join(_loose_name(name) for name in page.split("/"))


@lru_cache(maxsize=4096)
def _loose_name(name: str) -> str:
    """Return the letters and digits of a name, without case and accents; the name itself if it has none."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(character for character in plain if character.isalnum()) or name
