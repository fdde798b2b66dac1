"""The third step of an audit: questions that only the first answers lead to, into the table `probes`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any, Final

from urlset._audit.comparing import compare_looks
from urlset._audit.page_fetching import fetched_pages
from urlset._audit.page_views import make_soft
from urlset._audit.rules import RULES
from urlset._audit.rules.declaration import Draw, LiveRule, Probe
from urlset._audit.sql import drawn
from urlset._fetch.answers import is_sendable
from urlset._model.fetched_pages import FetchedPage, Request
from urlset._model.instants import instant_of
from urlset._page.facts import PageFacts
from urlset._runs.pages import hreflang_rows, normal_form
from urlset._runs.schema import MAX_URL, cut
from urlset._util.duckdb import literal, scalar

if TYPE_CHECKING:
    from urlset._fetch.page_fetcher import PageFetcher
    from urlset._page.ignored import Ignored
    from urlset._runs.file import RunFile

_BATCH: Final = 200
_OK: Final = 200
#: Source: RFC 9110, 14.2. A server may send all the same.
_FIRST_BYTE: Final = (("Range", "bytes=0-0"),)


class Prober:
    """Asks the questions of one run, and writes down the answers."""

    def __init__(self, file: RunFile, run: int, fetcher: PageFetcher, ignored: Ignored) -> None:
        self._file = file
        self._run = run
        self._fetcher = fetcher
        self._ignored = ignored
        #: How many questions of a probe were drawn, and of how many.
        self._drawn_of: dict[Probe, tuple[int, int]] = {}
        #: What an interrupted run has asked already.
        query = "SELECT kind, url FROM probes WHERE run = ?"
        self._asked = set(file.connection.execute(query, [run]).fetchall())

    def probe(self, rules: Iterable[LiveRule]) -> None:
        """Ask what these rules go by. The tables of `page_views` must be there."""
        rules = tuple(rules)
        for kind in {probe.kind: probe for rule in RULES.values() for probe in rule.all_probes}.values():
            self._file.connection.execute(
                f"CREATE OR REPLACE TEMP VIEW {kind.table} AS"
                f" SELECT * FROM probes WHERE run = {self._run} AND kind = {literal(kind.kind)}"
            )
        # What needs take comes first: probes may read their tables.
        for probe in dict.fromkeys(need.probe for rule in rules for need in rule.needs):
            if probe is not None:
                self._ask(probe)
        make_soft(self._file.connection)
        compare_looks(self._file.connection, self._run)
        for probe in dict.fromkeys(probe for rule in rules for probe in rule.probes):
            self._ask(probe)

    def asked_of(self, rules: Iterable[LiveRule]) -> dict[str, tuple[int, int]]:
        """Return how many questions were asked, and of how many, by the rules that find only what they ask about.

        A rule that has asked all of its questions is not there.
        """
        found = dict[str, tuple[int, int]]()
        for rule in rules:
            parts = [self._drawn_of[probe] for probe in rule.probes if rule.is_of_asked and probe in self._drawn_of]
            asked, of = (sum(part[at] for part in parts) for at in (0, 1))
            if asked < of:
                found[rule.code] = asked, of
        return found

    def _drawn(self, probe: Probe, draw: Draw) -> list[tuple[Any, ...]]:
        """Return the questions to ask, and count those that are not asked."""
        connection, questions = self._file.connection, f"FROM ({draw.questions}) AS asked (about, url)"
        rows = connection.execute(f"{questions} ORDER BY {drawn(draw.by)}, url LIMIT {draw.most}").fetchall()
        if len(rows) == draw.most and not draw.is_enough:
            self._drawn_of[probe] = len(rows), int(scalar(connection, f"SELECT count(*) {questions}"))
        return rows

    def _ask(self, probe: Probe) -> None:
        """Ask, and write down what came of it."""
        rows = [row for draw in probe.draws for row in self._drawn(probe, draw)]
        requests = (
            Request(url, method=probe.method, headers=_validators(*versions), tag=loc) for loc, url, *versions in rows
        )
        kept, waiting = list[dict[str, Any]](), [each for each in requests if (probe.kind, each.url) not in self._asked]
        waiting.reverse()
        for page, facts in fetched_pages(self._fetcher, lambda: waiting.pop() if waiting else None, self._ignored):
            if page.method == "HEAD" and page.status not in (None, _OK):
                # Not every server answers HEAD as it answers GET. A video is large, and its first byte is enough.
                waiting.append(Request(page.url, headers=_FIRST_BYTE, tag=page.tag))
                continue
            kept.append(self._row(probe.kind, page, facts))
            if len(kept) >= _BATCH:
                self._keep(kept)
        self._keep(kept)

    def _keep(self, rows: list[dict[str, Any]]) -> None:
        with self._file.transaction():
            self._file.insert("probes", rows)
        rows.clear()

    def _row(self, kind: str, page: FetchedPage, facts: PageFacts | None) -> dict[str, Any]:
        is_page = page.status == _OK and page.method == "GET" and not page.is_cut
        return {
            "run": self._run,
            "kind": kind,
            "loc": page.tag if isinstance(page.tag, str) else None,
            "url": cut(page.url, MAX_URL),
            "final_url": cut(page.final_url, MAX_URL),
            "status": page.status,
            "refused": page.refused,
            "content_type": cut(page.header("content-type"), 200),
            "etag": cut(page.header("etag"), 200),
            "content_hash": facts.content_hash if facts is not None and is_page else None,
            "parts": facts.parts if facts is not None and is_page else None,
            "body_hash": facts.body_hash if facts is not None and is_page else None,
            "is_noindex": None if facts is None else facts.is_noindex,
            "hreflang": None if facts is None else hreflang_rows(facts),
            "canonical": None if facts is None or facts.canonical is None else normal_form(facts.canonical),
        }


def _validators(etag: str | None = None, last_modified: int | None = None) -> tuple[tuple[str, str], ...]:
    """Return the headers that ask for a page only if it is another one than that with these validators."""
    # A header must not have what a server put there that no header may have.
    headers = [("If-None-Match", etag)] if etag is not None and is_sendable(etag) else []
    if last_modified is not None:
        at: datetime = instant_of(last_modified).astimezone(UTC)
        headers.append(("If-Modified-Since", format_datetime(at, usegmt=True)))
    return tuple(headers)
