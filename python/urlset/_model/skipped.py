"""What a filter left out, and what a sample stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """What a filter left out, by the field of `Filter` that did. It is not a failure.

    Attributes:
        sitemaps: How many sitemaps were not read, or were opened in vain.
        entries: How many entries of the others are not among the rows. Those under `"sitemaps"` were in a sitemap that
            was opened because it could have been an index.

    Example:
        >>> import urlset
        >>> pages = b"https://shop.example/\\nhttps://shop.example/sale/tea\\n"
        >>> scan = urlset.scan(pages, filter=urlset.Filter(exclude=["/sale/*"]))
        >>> [entry.loc for entry in scan], scan.skipped.entries
        (['https://shop.example/'], {'exclude': 1})
    """

    sitemaps: Mapping[str, int] = field(default_factory=dict)
    entries: Mapping[str, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether anything was left out."""
        return bool(self.sitemaps or self.entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What a sample stands for: one of sitemaps, or one of the entries of all sitemaps.

    If a share p of n drawn entries has some property, so has about that share of all N `entries`, with a standard error
    of `sqrt(p * (1 - p) / n * (1 - n / N))`. Entries of one sitemap are alike, so that this does not hold for a sample
    of sitemaps.

    Attributes:
        sitemaps: How many sitemaps were drawn and read; all that could be, if entries were drawn.
        of: How many there are, as far as they are known: a drawn index stands for others that were not opened.
        entries: How many entries those that were read have, as far as the filter wants them.
        estimated_entries: How many all of them have, by that.
        standard_error: Of that estimate, as if the sample were drawn at random; None for fewer than two sitemaps.
        drawn: How many of `entries` were drawn and are the rows; None if all of them are.

    Example:
        >>> import urlset
        >>> print(urlset.Sample(sitemaps=20, of=500, entries=900_000, estimated_entries=22_500_000, standard_error=4e5))
        20 of 500 sitemaps, with about 22,500,000 entries in all (standard error 400,000)
        >>> pages = b"https://shop.example/\\nhttps://shop.example/tea\\nhttps://shop.example/pots\\n"
        >>> scan = urlset.scan(pages, filter=urlset.Filter(sample_entries=2))
        >>> print(len(list(scan)), "rows:", scan.sample)
        2 rows: 2 of 3 entries, drawn evenly
    """

    sitemaps: int
    of: int
    entries: int
    estimated_entries: int
    standard_error: float | None
    drawn: int | None = None

    def __str__(self) -> str:
        """Return what it stands for."""
        if self.drawn is not None:
            return f"{self.drawn:,} of {'1 entry' if self.entries == 1 else f'{self.entries:,} entries'}, drawn evenly"
        error = "" if self.standard_error is None else f" (standard error {self.standard_error:,.0f})"
        sitemaps = "1 sitemap" if self.of == 1 else f"{self.of:,} sitemaps"
        return f"{self.sitemaps:,} of {sitemaps}, with about {self.estimated_entries:,} entries in all{error}"
