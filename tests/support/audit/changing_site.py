"""A simulated site that is audited again and again: what the audits say, beside what the model of the site knows."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import duckdb
import urlset

from support.audit.changing_kinds import KINDS, START, View, markup
from support.http_server import NAMESPACE, Answer, Handler, Site

HTTP: Final = urlset.Http(retries=0, timeout=10, concurrency=16, per_host=16)
RULES: Final = urlset.Rules(select=["LIVE016", "LIVE017", "LIVE018"])


@dataclass(slots=True)
class Tally:
    """What a model counts of a kind, as `Trust` does, and how often a page was found rightly, wrongly, and not."""

    pairs: int = 0
    moved: int = 0
    changed: int = 0
    told: int = 0
    right: int = 0
    wrong: dict[str, list[str]] = field(default_factory=dict)
    missed: int = 0


@dataclass(slots=True)
class _Page:
    """One page: when it changes, and what it was at the look before."""

    name: str
    moments: list[datetime]
    fetches: int = 0
    version: int = 0
    lastmod: str | None = None


class ChangingSite:
    """Pages of some kinds, each of which changes at moments that a seed draws.

    Args:
        site: The server that they are put on.
        kinds: The names of the kinds.
        pages: How many pages of each kind there are.
        looks: How many times they will be looked at.
        step: How much time is between two looks.
        chance: How likely a page changes in that time; of several numbers, the pages have one after the other.
    """

    def __init__(
        self,
        site: Site,
        kinds: Iterable[str],
        *,
        pages: int,
        looks: int,
        step: timedelta = timedelta(hours=12),
        chance: float | Sequence[float] = 0.15,
        seed: int = 1,
    ) -> None:
        self._site, self._looks, self._step = site, looks, step
        self._now = START
        self._pages: dict[str, list[_Page]] = {}
        self.tallies = {kind: Tally() for kind in kinds}
        for kind in self.tallies:
            draw = random.Random(f"{kind} {seed}")
            chances = cycle([chance] if isinstance(chance, float) else chance)
            self._pages[kind] = [self._page(f"/{kind}/{number}", draw, next(chances)) for number in range(pages)]
            for page in self._pages[kind]:
                site.pages[page.name] = self._answer(kind, page)
        site.pages["/robots.txt"] = Answer(status=404)

    def _page(self, name: str, draw: random.Random, chance: float) -> _Page:
        """Return a page that was made a month ago, and changes now and then."""
        moments = [START - timedelta(days=30, seconds=draw.randrange(86_400))]
        # Further on than the last look: a lastmod that is ahead knows what is to come.
        moments.extend(
            START + self._step * at + self._step * draw.random()
            for at in range(self._looks + 10)
            if draw.random() < chance
        )
        return _Page(name, moments)

    def _answer(self, kind: str, page: _Page) -> Any:
        def answer(handler: Handler) -> Answer:
            page.fetches += 1
            version = sum(each <= self._now for each in page.moments)
            body = markup(KINDS[kind], View(page.name, version, self._now, page.fetches)).encode()
            etag = '"1"' if KINDS[kind].lies else f'"{sha256(body).hexdigest()[:8]}"'
            headers = {"Content-Type": "text/html; charset=utf-8", "ETag": etag}
            if handler.headers.get("If-None-Match") == etag:
                return Answer(status=304, headers=headers)
            return Answer(body, headers=headers)

        return answer

    def look(self, number: int, state: Path) -> urlset.Audit:
        """Audit the site at a moment, and count what is found rightly and wrongly."""
        self._now = START + self._step * number
        truth: dict[str, dict[str, set[str]]] = {}
        rows = []
        for kind, pages in self._pages.items():
            for page in pages:
                past = [each for each in page.moments if each <= self._now]
                lastmod = KINDS[kind].lastmod(past, page.moments[len(past) :], self._now)
                if number:
                    is_moved, is_changed = lastmod != page.lastmod, len(past) != page.version
                    if is_moved or not is_changed or not _is_of_day(lastmod, self._now - self._step):
                        self._count(self.tallies[kind], is_moved=is_moved, is_changed=is_changed)
                        _expect(truth.setdefault(kind, {}), page.name, is_moved, is_changed, lastmod)
                    if is_changed and KINDS[kind].lies:
                        truth.setdefault(kind, {}).setdefault("LIVE018", set()).add(page.name)
                page.version, page.lastmod = len(past), lastmod
                tag = "" if lastmod is None else f"<lastmod>{lastmod}</lastmod>"
                rows.append(f"<url><loc>{self._site.url}{page.name}</loc>{tag}</url>")
        self._site.pages["/sitemap.xml"] = Answer(f'<urlset xmlns="{NAMESPACE}">{"".join(rows)}</urlset>'.encode())
        with urlset.audit(f"{self._site.url}/sitemap.xml", state=state, http=HTTP, rules=RULES, now=self._now) as audit:
            pass
        self._judge(audit.run, state, truth)
        return audit

    @staticmethod
    def _count(tally: Tally, *, is_moved: bool, is_changed: bool) -> None:
        tally.pairs += 1
        tally.moved += is_moved
        tally.changed += is_changed
        tally.told += is_moved and is_changed

    def _judge(self, run: int, state: Path, truth: dict[str, dict[str, set[str]]]) -> None:
        """Count which pages were found rightly."""
        with duckdb.connect(str(state), read_only=True) as connection:
            query = "SELECT code, loc FROM page_findings WHERE run = ? AND verdict = 'found'"
            rows = connection.execute(query, [run]).fetchall()
        found: dict[tuple[str, str], set[str]] = {}
        for code, loc in rows:
            path = loc.removeprefix(self._site.url)
            found.setdefault((path.split("/")[1], code), set()).add(path)
        for kind, tally in self.tallies.items():
            for code in ("LIVE016", "LIVE017", "LIVE018"):
                expected, seen = truth.get(kind, {}).get(code, set()), found.get((kind, code), set())
                tally.right += len(expected & seen)
                tally.missed += len(expected - seen)
                if seen - expected:
                    tally.wrong.setdefault(code, []).extend(f"{each} in run {run}" for each in sorted(seen - expected))


def _is_of_day(lastmod: str | None, before: datetime) -> bool:
    """Whether a lastmod is a date whose day, in some zone, had not ended at the look before: it need not move then."""
    if lastmod is None or len(lastmod) > 10:
        return False
    return datetime.fromisoformat(lastmod).replace(tzinfo=UTC) + timedelta(hours=36) > before


def _expect(truth: dict[str, set[str]], name: str, is_moved: bool, is_changed: bool, lastmod: str | None) -> None:
    """Note what is to be found of a page."""
    if is_moved and not is_changed:
        truth.setdefault("LIVE016", set()).add(name)
    if is_changed and not is_moved and lastmod is not None:
        truth.setdefault("LIVE017", set()).add(name)


def line(kind: str, tally: Tally, trust: urlset.Trust) -> str:
    """Return what is known of a kind and what the last audit states, as a line."""
    late = "" if trust.late is None else f", late {trust.late / 86_400:+.1f} d"
    return (
        f"{kind:12} judged {trust.pairs}/{tally.pairs}, moved {trust.moved}/{tally.moved}, changed"
        f" {trust.changed}/{tally.changed}, told {trust.told}/{tally.told}{late};"
        f" findings: {tally.right} right, {sum(map(len, tally.wrong.values()))} wrong, {tally.missed} missed"
    )


def problems(kind: str, tally: Tally, trust: urlset.Trust) -> list[str]:
    """Return what is wrong with what the last audit states of a kind."""
    found = [f"false {code}: {', '.join(pages[:3])}" for code, pages in tally.wrong.items()]
    if tally.right < (tally.right + tally.missed) / 2 and not KINDS[kind].is_unclear:
        found.append(f"only {tally.right} of {tally.right + tally.missed} findings")
    if (trust.pairs < tally.pairs / 2) is not KINDS[kind].is_unclear:
        found.append(f"only {trust.pairs} of {tally.pairs} pairs were judged")
    for name, whole, interval in (
        ("precision", tally.moved, trust.precision_interval),
        ("recall", tally.changed, trust.recall_interval),
    ):
        if interval is None and KINDS[kind].is_unclear:
            continue
        if (interval is None) != (not whole):
            found.append(f"{name} is {interval}, of {whole}")
        elif interval is not None and not interval[0] <= tally.told / whole <= interval[1]:
            found.append(f"{name} {tally.told / whole:.3f} is not in {interval[0]:.3f} to {interval[1]:.3f}")
    late = KINDS[kind].late
    if late is not None and (trust.late is None or abs(trust.late - late.total_seconds()) > 43_200):
        found.append(f"late by {trust.late} instead of {late.total_seconds()} seconds")
    if late is None and tally.told == tally.changed and trust.late is not None:
        found.append(f"late by {trust.late} seconds, though every change was told")
    return found
