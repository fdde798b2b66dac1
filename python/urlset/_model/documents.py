"""One document that was read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from urlset._model.diagnostics import Diagnostic
from urlset._model.entries import Entry
from urlset._model.errors import UrlsetError

if TYPE_CHECKING:
    from urlset._core import Batches

#: How much of a document was read, from the best to the worst. `complete`: it is well-formed and was read to its end.
#: `recovered`: it is not, and was mended and read to its end. `truncated`: reading ended before the document did,
#: because it is cut off or beyond a bound of ours. `refused`: it is no sitemap.
Completeness = Literal["complete", "recovered", "truncated", "refused"]
COMPLETENESS: tuple[Completeness, ...] = get_args(Completeness)


@dataclass(frozen=True, slots=True)
class Document:
    """One document that was read: what it is, how much was in it, whether it was whole.

    `kind` is urlset, sitemapindex, text, rss, atom or robots; `rows` counts its entries, `bytes` its decoded bytes.
    `completeness` is `complete`, `recovered` (it was not well-formed, and was mended), `truncated` (reading ended
    early) or `refused` (it is no sitemap). `diagnostics` tells what was odd, the first 1,000 of it, and `counts` how
    often each code was. `extensions` counts, by namespace, the elements inside entries that were passed over.

    It is a table of its own entries where those are held: after `parse` and `read`, not while a `scan` hands them out.
    """

    location: str | None
    kind: str | None
    rows: int
    bytes: int
    completeness: Completeness
    diagnostics: tuple[Diagnostic, ...] = ()
    # A dict has no hash; what is equal hashes the same without them.
    counts: Mapping[str, int] = field(default_factory=dict, hash=False)
    extensions: Mapping[str, int] = field(default_factory=dict, hash=False)
    _held: Batches | None = field(default=None, repr=False, compare=False)

    @property
    def _batches(self) -> Batches:
        if self._held is None:
            raise UrlsetError("the rows of this document were handed out by the scan; read() keeps them")
        return self._held

    def __len__(self) -> int:
        return len(self._batches)

    def __bool__(self) -> bool:
        return True  # a document without entries is still a document

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._batches.entries())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._batches.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._batches.__arrow_c_schema__()
