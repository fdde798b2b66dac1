"""What a set holds, as values and as a picture of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from rich.filesize import decimal

from urlset._model.documents import Completeness, Document
from urlset._model.errors import UrlsetError
from urlset._model.instants import rfc3339
from urlset._model.notebook import bars, shown_in_notebook
from urlset._model.skipped import Sample, Skipped
from urlset._util.drawing import Line
from urlset._util.text import and_failed, escape_controls, plural, tally

#: Lines of a picture.
SHOWN = 12
#: Months of a picture: the last ones, beside a line for those before.
_MONTHS = SHOWN - 1
#: Cells of the longest bar.
BAR = 32
_EIGHTHS = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True, slots=True)
class Stats:
    """What a set holds. All counts are exact, and of each the greatest comes first.

    Attributes:
        entries: How many entries there are.
        documents: The documents that were read, without their entries: what each is, its size, and its findings.
        sections: How many entries are below each first folder of the path, such as `"/blog/"`; `"/"` has the others.
        hosts: How many entries each host has; `""` has entries without an absolute loc.
        ages: How old lastmods are: `"future"`, up to `"a day"`, `"a week"`, `"a month"`, `"a year"`, `"older"`, and
            `"absent"` or `"invalid"`. They come in this order.
        months: How many entries have a lastmod in each month of UTC, such as `"2026-01"`, in the order of time.
        extensions: How many entries have `images`, `videos`, `alternates` and `news`, as far as there are any.
        oldest: The earliest lastmod, or None.
        newest: The latest lastmod, or None.
        bytes: How many bytes the text of all documents has, decoded to UTF-8.
        completeness: How much was read, as in `Entries`.
        counts: How often each code was found while reading; `lint` finds more.
        failures: What went wrong and was collected instead of raised.
        skipped: What a filter has left out.
        sample: What the sitemaps that were drawn stand for; None without a sample.
    """

    entries: int
    documents: tuple[Document, ...] = field(repr=False)
    sections: Mapping[str, int]
    hosts: Mapping[str, int]
    ages: Mapping[str, int]
    months: Mapping[str, int]
    extensions: Mapping[str, int]
    oldest: datetime | None
    newest: datetime | None
    bytes: int
    completeness: Completeness
    counts: Mapping[str, int]
    failures: tuple[UrlsetError, ...] = field(default=(), compare=False)
    skipped: Skipped = field(default_factory=Skipped)
    sample: Sample | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it as values of JSON; moments are RFC 3339 text."""
        documents = [
            {
                "location": each.location,
                "kind": each.kind,
                "entries": each.rows,
                "bytes": each.bytes,
                "completeness": each.completeness,
                "counts": each.counts,
            }
            for each in self.documents
        ]
        names = ("entries", "sections", "hosts", "ages", "months", "extensions", "bytes", "completeness", "counts")
        return {
            **{name: getattr(self, name) for name in names},
            "oldest": self.oldest and rfc3339(self.oldest),
            "newest": self.newest and rfc3339(self.newest),
            "documents": documents,
            "failures": [str(failure) for failure in self.failures],
            "skipped": asdict(self.skipped),
            "sample": None if self.sample is None else _of_sitemaps(self.sample),
        }

    def _repr_html_(self) -> str:
        """Return what `urlset stats` prints as pictures, for a notebook."""
        return shown_in_notebook(
            "; ".join(line.plain.strip() for line in _summary(self)),
            bars("sections", self.sections),
            bars("hosts", _hosts(self)),
            bars("lastmod, up to", self.ages),
            bars("lastmod, by month", _last(self.months)),
            bars("extensions", self.extensions),
            bars("odd, by rule", self.counts),
        )


def lines(found: Stats) -> Iterator[Line]:
    """Yield the lines of the picture."""
    yield from _summary(found)
    yield from _picture("sections", found.sections)
    yield from _picture("hosts", _hosts(found))
    yield from _picture("lastmod, up to", found.ages, style="cyan")
    if found.oldest is not None and found.newest is not None:
        yield Line(f"  from {found.oldest:%Y-%m-%d} to {found.newest:%Y-%m-%d}", "dim")
    yield from _picture("lastmod, by month", _last(found.months), style="cyan")
    yield from _picture("extensions", found.extensions, style="magenta")
    if found.counts or found.completeness != "complete":
        odd = tally(found.counts) or "nothing was found in what was read"
        yield Line()
        yield Line(f"odd: {odd}; {found.completeness}; `urlset lint` shows where", "yellow")


def _summary(found: Stats) -> Iterator[Line]:
    documents = found.documents
    size = f"{decimal(found.bytes)} of text"
    counted = f"{plural(found.entries, 'entry', 'entries')} in {plural(len(documents), 'document')}, {size}"
    yield Line(counted + and_failed(found.failures), "bold")
    if len(documents) > 1:
        largest = max(documents, key=lambda document: document.bytes)
        lists = [document for document in documents if document.kind not in ("sitemapindex", "robots")]
        most = max(lists or documents, key=lambda document: document.rows)
        yield Line(
            f"largest: {escape_controls(largest.location or '')}, {decimal(largest.bytes)}; "
            f"most entries: {escape_controls(most.location or '')}, {most.rows:,}"
        )


def _hosts(found: Stats) -> dict[str, int]:
    """Return the entries by host, if there are several."""
    return {host or "(not absolute)": count for host, count in found.hosts.items()} if len(found.hosts) > 1 else {}


def _last(months: Mapping[str, int]) -> dict[str, int]:
    """Return the last months, and those before them as one."""
    early, last = list(months.items())[:-_MONTHS], dict(list(months.items())[-_MONTHS:])
    return {"earlier": sum(count for _, count in early), **last} if early else last


def _picture(title: str, counts: Mapping[str, int], *, style: str = "green") -> Iterator[Line]:
    """Yield a heading and one bar per count; what does not fit is summed up."""
    if not counts:
        return
    shown = dict(list(counts.items())[:SHOWN])
    if rest := len(counts) - len(shown):
        shown[f"{rest:,} others"] = sum(counts.values()) - sum(shown.values())
    width = max(len(escape_controls(name)) for name in shown)
    digits = max(len(f"{count:,}") for count in shown.values())
    most = max(shown.values())
    yield Line()
    yield Line(title, "bold")
    for name, count in shown.items():
        line = Line(f"  {escape_controls(name):<{width}}  {count:>{digits},}  ")
        yield line.append(_bar(count / most), style)


def _bar(part: float) -> str:
    """Return a bar of block characters, at least the thinnest one."""
    eighths = max(1, round(part * BAR * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _of_sitemaps(sample: Sample) -> dict[str, Any]:
    """Return a sample of sitemaps as values of JSON; statistics never draw entries."""
    return {name: value for name, value in asdict(sample).items() if name != "drawn"}
