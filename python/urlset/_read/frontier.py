"""What a scan reads next, and what it leaves out: a filter, a sample, and how far it is. Without I/O."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol
from urllib.parse import urlsplit

from urlset import _core
from urlset._model.kind import Kind
from urlset._model.limits import PROTOCOL
from urlset._model.skipped import Sample, Skipped
from urlset._options.filters import Filter
from urlset._read.source import Source
from urlset._read.walk import Walk

#: Kinds of documents that name sitemaps.
INDEXES = ("sitemapindex", "robots")

#: The fields of `Filter` by which the core filters locs, as they are called for sitemaps.
_OF_SITEMAPS = {"include": "include_sitemaps", "exclude": "exclude_sitemaps"}
#: What is wanted unless the caller says otherwise.
_EVERYTHING = Filter()

#: What has become of a document: it waits, it may be drawn for a sample or was not, its children were found, or its
#: rows were handed out.
State = Literal["waiting", "candidate", "left", "followed", "done"]


@dataclass(frozen=True, slots=True)
class Step:
    """What has become of a document, and how many rows it had if it is done."""

    source: Source
    state: State
    rows: int = 0


class Named(Protocol):
    """A sitemap that an index, or a robots.txt, names. Its `lastmod` is in microseconds since the epoch."""

    @property
    def loc(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def lastmod_raw(self) -> str | None: ...
    @property
    def lastmod(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Chosen:
    """A child of an index that is read. With `unwanted`, a field of the filter, only if it is an index itself."""

    loc: str
    line: int
    lastmod_raw: str | None
    unwanted: str | None


class Frontier:
    """The documents of a scan: those that wait, in the order in which they were found, and those that were left out.

    Args:
        wanted: What is read; everything if None.
        remembers: Whether it remembers each step, until somebody takes them.
    """

    def __init__(self, wanted: Filter | None = None, *, remembers: bool = False) -> None:
        self._filter = wanted or _EVERYTHING
        self._walk: Walk[Source] = Walk()
        #: Sitemaps that are left out, and why. Another index may still want them.
        self._left: dict[str, str] = {}
        self._unwanted: defaultdict[str, int] = defaultdict(int)
        self._entries: defaultdict[str, int] = defaultdict(int)
        #: How many rows the documents have that were read.
        self.rows = 0
        #: How many documents were taken and are not done.
        self._open = 0
        #: Sitemaps of which a sample is drawn, once nothing else waits.
        self._candidates: list[Source] = []
        #: Of the drawn sitemaps that were read, what each stands for and how many rows it has; and of all. If entries
        #: are drawn, all sitemaps are.
        self._drawn: list[tuple[float, int]] = []
        self._weight = 0.0
        self._remembers = remembers
        #: Whether an earlier run has read a part.
        self.is_resumed = False
        self._steps: list[Step] = []

    @property
    def of_entries(self) -> _core.Filter | None:
        """What the core filters entries by; None if every one is wanted."""
        return self._filter._of_entries()

    @property
    def draws_entries(self) -> int | None:
        """How many entries are drawn; None if all are rows."""
        return self._filter.sample_entries

    @property
    def skipped(self) -> Skipped:
        """What was left out so far."""
        sitemaps = Counter(self._left.values()) + Counter(self._unwanted)
        return Skipped(sitemaps=dict(sorted(sitemaps.items())), entries=dict(sorted(self._entries.items())))

    @property
    def enough(self) -> str | None:
        """Why no further document is wanted, as the beginning of a sentence; None if one is."""
        most = self._filter.max_entries
        return (
            None
            if most is None or self.rows < most
            else f"the run has read {self.rows:,} entries (max_entries, --max-entries)"
        )

    def choose(self, children: Sequence[Named], kind: str | None) -> Iterator[Chosen]:
        """Yield those of the children of an index, or of a robots.txt, that are read."""
        sitemaps = self._filter._of_sitemaps()
        if sitemaps is None:
            yield from (Chosen(child.loc, child.line, child.lastmod_raw, None) for child in children)
            return
        is_dated = any(child.lastmod is not None for child in children)
        for child in children:
            reason = sitemaps.skips(child.loc, child.lastmod_raw, child.lastmod)
            if reason == "unknown_lastmod" and not is_dated:
                reason = None  # it says nothing about one of them
            reason = _OF_SITEMAPS.get(reason or "", reason)
            if reason is None or (reason != "exclude_sitemaps" and _may_be_index(child.loc, kind)):
                self._left.pop(child.loc, None)
                yield Chosen(child.loc, child.line, child.lastmod_raw, reason)
            else:
                self._left.setdefault(child.loc, reason)

    def add(self, source: Source, chosen: Chosen, index: Source) -> None:
        """Add a chosen child of an index, unless it was added before."""
        if chosen.unwanted is not None or index.weight != 1:
            source = replace(source, unwanted=chosen.unwanted, weight=index.weight)
        if self._filter.sample_sitemaps is None or _may_be_index(chosen.loc, None) or chosen.unwanted is not None:
            self.add_root(source)
        elif self._walk.hold(source, source):
            self._candidates.append(source)
            self._step(source, "candidate")

    def add_root(self, source: Source) -> None:
        """Add a document that is read in any case, unless it was added before."""
        if self._walk.hold(source, source):
            self._walk.wait(source)
            self._step(source, "waiting")

    def restore(self, step: Step) -> None:
        """Take up what had become of a document in an earlier run."""
        source = step.source
        self.is_resumed = self.is_resumed or step.state == "done"
        if step.state == "waiting":
            self._walk.add(source, source)
            return
        self._walk.hold(source, source)
        if step.state == "candidate":
            self._candidates.append(source)
        elif source.is_drawn and step.state == "done":
            self._drawn.append((source.weight, step.rows))
            self._weight += source.weight

    def take_steps(self) -> list[Step]:
        """Take the steps since the last time."""
        steps, self._steps = self._steps, []
        return steps

    @property
    def waiting(self) -> int:
        """How many documents wait."""
        return len(self._walk) + len(self._candidates)

    def next(self) -> Source | None:
        """Take the next document, or None if none waits before one that is being read is done."""
        self._draw_if_idle()
        most = self._filter.max_entries
        if most is not None and self._open and self.rows + self._open * PROTOCOL.entries >= most:
            return None  # those that are being read may be enough, however many are read at once
        source = self._walk.next()
        self._open += source is not None
        return source

    def peek(self, documents: int) -> list[Source]:
        """Return the next documents, which stay."""
        self._draw_if_idle()
        return self._walk.peek(documents)

    def leave(self) -> int:
        """Drop all documents that wait, and return how many there were."""
        left = self._walk.leave() + len(self._candidates)
        self._candidates.clear()
        return left

    def finished(self, source: Source, *, kind: Kind | None, rows: int, skipped: Mapping[str, int]) -> None:
        """Take note of a document that was read, with how many rows. It has no kind if it is not a sitemap."""
        self._open -= 1
        self.rows += rows
        for reason, number in skipped.items():
            self._entries[reason] += number
        if kind in INDEXES and (self.draws_entries is None or not rows):
            return
        if source.unwanted is not None and kind not in INDEXES:
            self._unwanted[source.unwanted] += 1
        if self._is_drawn(source):
            self._weight += source.weight
            if kind is not None:
                self._drawn.append((source.weight, rows))

    def failed(self, source: Source) -> None:
        """Take note of a document that could not be opened."""
        self._open -= 1
        if self._is_drawn(source):
            self._weight += source.weight

    def _is_drawn(self, source: Source) -> bool:
        return source.is_drawn or (self.draws_entries is not None and source.unwanted is None)

    @property
    def sample(self) -> Sample | None:
        """What the sample stands for; None if none was drawn."""
        if self._filter.sample_sitemaps is None and self.draws_entries is None:
            return None
        number, entries = len(self._drawn), sum(rows for _, rows in self._drawn)
        read = sum(weight for weight, _ in self._drawn)
        # One that could not be read is taken to be like the others.
        scale = self._weight / read if read else 0.0
        shares = [number * weight * rows * scale for weight, rows in self._drawn]
        total = sum(shares) / number if number else 0.0
        error = None
        if number > 1:
            variance = sum((share - total) ** 2 for share in shares) / (number - 1)
            error = math.sqrt(max(0.0, 1 - number / self._weight) * variance / number)
        return Sample(
            sitemaps=number,
            of=round(self._weight),
            entries=entries,
            estimated_entries=round(total),
            standard_error=error,
            drawn=None if self.draws_entries is None else min(self.draws_entries, entries),
        )

    def _draw_if_idle(self) -> None:
        """Have as many candidates read as the sample needs, evenly, and leave the others out, once all are known."""
        if not self._candidates or self._open or len(self._walk):
            return
        of = len(self._candidates)
        number = min(of, (self._filter.sample_sitemaps or 0) - len(self._drawn))
        drawn = {(2 * place + 1) * of // (2 * number) for place in range(number)}
        for place, source in enumerate(self._candidates):
            if place in drawn:
                source = replace(source, weight=source.weight * of / number, is_drawn=True)  # noqa: PLW2901
                self._walk.wait(source)
            else:
                self._left[source.key or ""] = "sample_sitemaps"
            self._step(source, "waiting" if place in drawn else "left")
        self._candidates.clear()

    def _step(self, source: Source, state: State) -> None:
        if self._remembers:
            self._steps.append(Step(source, state))


def _may_be_index(loc: str, kind: str | None) -> bool:
    """Return whether a child may be an index: a robots.txt names it, or its file is called one."""
    try:
        name = urlsplit(loc).path.rpartition("/")[2]
    except ValueError:  # an invalid host
        return False
    return kind == "robots" or "index" in name.lower()
