"""The third step of an audit: questions that only the first answers lead to, into the table `probes`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any, Final

from urlset._audit.looks import make_soft
from urlset._audit.visiting import visits
from urlset._model.visits import Request, Visit
from urlset._page.facts import PageFacts
from urlset._runs.file import moment
from urlset._runs.schema import MOST_URL, cut

if TYPE_CHECKING:
    from urlset._fetch.visits import Visitor
    from urlset._runs.file import RunFile

#: Questions of each kind. If there are more, they are drawn from all sections alike, so that none is left out.
MOST_AGAIN: Final = 1_000
MOST_CANONICALS: Final = 2_000
MOST_MEDIA: Final = 1_000
MOST_VALIDATORS: Final = 2_000
MOST_SINCE: Final = 2_000
_SECTIONS: Final = 10
_BATCH: Final = 200
_OK: Final = 200

_DRAWN: Final = "row_number() OVER (PARTITION BY section_of({0}) ORDER BY md5_number_lower({0}))"
_AGAIN: Final = f"""
    SELECT loc, loc FROM (
        SELECT loc FROM look WHERE status >= 400 AND refused IS NULL ORDER BY {_DRAWN.format("loc")} LIMIT {MOST_AGAIN}
    ) UNION
    SELECT loc, loc FROM (SELECT loc FROM soft ORDER BY {_DRAWN.format("loc")} LIMIT {MOST_AGAIN})
"""
#: What is a listed page itself is known already.
_CANONICALS: Final = f"""
    SELECT min(loc), canonical FROM look
    WHERE is_indexable AND NOT has_several AND NOT has_conflict AND canonical IS NOT NULL
        AND canonical NOT IN (SELECT url FROM look)
    GROUP BY canonical ORDER BY {_DRAWN.format("canonical")} LIMIT {MOST_CANONICALS}
"""
_MEDIA: Final = f"""
    SELECT min(loc), image FROM (SELECT loc, unnest(images) AS image FROM listed WHERE run = {{run}})
    WHERE regexp_matches(image, '^https?://[^/?#]', 'i')
    GROUP BY image ORDER BY {_DRAWN.format("image")} LIMIT {MOST_MEDIA}
"""
_VALIDATORS: Final = f"""
    SELECT loc, loc, etag FROM look WHERE is_direct AND etag IS NOT NULL AND body_hash IS NOT NULL
    ORDER BY {_DRAWN.format("loc")} LIMIT {MOST_VALIDATORS}
"""
#: Pages whose content has changed, or whose lastmod has moved: does the server say so?
_SINCE: Final = f"""
    SELECT look.loc, look.loc, before.etag, epoch_us(before.last_modified)
    FROM look JOIN before USING (loc)
    WHERE is_direct AND look.content_hash IS NOT NULL
        AND (look.content_hash <> before.content_hash OR look.lastmod > before.lastmod)
        AND (before.etag IS NOT NULL OR before.last_modified IS NOT NULL)
    ORDER BY {_DRAWN.format("loc")} LIMIT {MOST_SINCE}
"""


class Prober:
    """Asks the questions of one run, and writes down the answers."""

    def __init__(self, file: RunFile, run: int, visitor: Visitor, masks: tuple[str, ...]) -> None:
        self._file = file
        self._run = run
        self._visitor = visitor
        self._masks = masks
        #: What an interrupted run has asked already.
        query = "SELECT kind, url FROM probes WHERE run = ?"
        self._asked = set(file.connection.execute(query, [run]).fetchall())

    def probe(self, wanted: frozenset[str]) -> None:
        """Ask what the rules that are wanted, by their codes, go by. The tables of `looks` must be there."""
        if not wanted.isdisjoint({"LIVE013", "LIVE014"}):
            self._ask("missing", self._missing())
        make_soft(self._file.connection, self._run)
        if not wanted.isdisjoint({"LIVE001", "LIVE002", "LIVE013", "LIVE014"}):
            self._ask("again", (Request(url, tag=loc) for loc, url in self._rows(_AGAIN)))
        if not wanted.isdisjoint({"LIVE005", "LIVE024", "LIVE025"}):
            self._ask("canonical", (Request(url, tag=loc) for loc, url in self._rows(_CANONICALS)))
        if "LIVE009" in wanted:
            rows = self._rows(_MEDIA.format(run=self._run))
            self._ask("media", (Request(url, method="HEAD", tag=loc) for loc, url in rows))
        if not wanted.isdisjoint({"LIVE019", "LIVE020"}):
            rows = self._rows(_VALIDATORS)
            self._ask("validator", (Request(url, headers=_validators(etag), tag=loc) for loc, url, etag in rows))
        if not wanted.isdisjoint({"LIVE016", "LIVE018"}):
            rows = self._rows(_SINCE)
            self._ask("since", (Request(url, headers=_validators(*both), tag=loc) for loc, url, *both in rows))

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        return self._file.connection.execute(query).fetchall()

    def _missing(self) -> Iterator[Request]:
        """Yield requests for pages that do not exist: of each host, at its root and in its largest sections."""
        rows = self._rows(
            "SELECT DISTINCT scheme_of(url) || '://' || host_of(url), '/' FROM look WHERE is_ok UNION ("
            " SELECT scheme_of(url) || '://' || host_of(url), section_of(url) FROM look WHERE is_ok"
            f" GROUP BY ALL ORDER BY count(*) DESC LIMIT {_SECTIONS})"
        )
        for site, section in rows:
            # The same in each run, and not a name that anybody has chosen.
            name = hashlib.sha256(f"{site}{section}".encode()).hexdigest()[:16]
            yield Request(f"{site}{section}no-such-page-{name}")

    def _ask(self, kind: str, requests: Iterator[Request]) -> None:
        """Ask, and write down what came of it."""
        waiting, rows = [each for each in requests if (kind, each.url) not in self._asked], list[dict[str, Any]]()
        waiting.reverse()
        for visit, facts in visits(self._visitor, lambda: waiting.pop() if waiting else None, self._masks):
            if visit.method == "HEAD" and visit.status != _OK and visit.refused is None:
                waiting.append(Request(visit.url, tag=visit.tag))  # not every server answers HEAD as it answers GET
                continue
            rows.append(self._row(kind, visit, facts))
            if len(rows) >= _BATCH:
                self._keep(rows)
        self._keep(rows)

    def _keep(self, rows: list[dict[str, Any]]) -> None:
        with self._file.transaction():
            self._file.insert("probes", rows)
        rows.clear()

    def _row(self, kind: str, visit: Visit, facts: PageFacts | None) -> dict[str, Any]:
        is_page = visit.status == _OK and visit.method == "GET" and not visit.is_cut
        return {
            "run": self._run,
            "kind": kind,
            "loc": visit.tag if isinstance(visit.tag, str) else None,
            "url": cut(visit.url, MOST_URL),
            "final_url": cut(visit.final_url, MOST_URL),
            "status": visit.status,
            "refused": visit.refused,
            "content_type": cut(visit.header("content-type"), 200),
            "etag": cut(visit.header("etag"), 200),
            "content_hash": facts.content_hash if facts is not None and is_page else None,
            "body_hash": facts.body_hash if facts is not None and is_page else None,
            "canonical": None if facts is None else facts.canonical,
        }


def _validators(etag: str | None, last_modified: int | None = None) -> tuple[tuple[str, str], ...]:
    """Return the headers that ask for a page only if it is another one than that with these validators."""
    # A header must not have what a server put there that no header may have.
    headers = [("If-None-Match", etag)] if etag is not None and etag.isascii() and etag.isprintable() else []
    if last_modified is not None:
        at: datetime = moment(last_modified).astimezone(UTC)
        headers.append(("If-Modified-Since", format_datetime(at, usegmt=True)))
    return tuple(headers)
