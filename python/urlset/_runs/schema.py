"""The tables of a run file.

A run is one crawl or one audit of a site. Its file is a DuckDB database that holds several runs of one site:

    runs       each run. `state` is `running` until it ends: `complete` (all of the site was seen), `planned` (all that
               a plan says is due, and what is new), `bounded` (a bound ended it, `reason` says which) or
               `interrupted`. A run that is still `running` when the file is opened was killed. `number` counts the
               runs of its verb, `compared` says which run it was compared with. `settings` is JSON, `version` that of
               urlset
    failures   the sitemaps that a run could not read, or not to their end, each with the reason
    pages      each page that a run requested, or did not for a reason: `refused` says why an answer proves nothing
               (`robots`, `bot challenge`, `timeout`, `dns`, `tls`, `private address`, `bound`), `problem` says more in
               words, and `trap` why it was not fetched. `loc` is what was requested and `final_url` what answered;
               `normal_loc` and `normal_final` are the normal forms of both without fragments, by which URLs are
               compared. Canonicals and hreflang are in their normal form too, and `canonical_written` is the first
               canonical as it was written. `body_canonical` is one in the body, which does not count. `status` is that
               of the last answer, and `hops` are the answers before it. `depth` counts clicks from the start; it is
               NULL for what was not reached by links. `robots` has each instruction as `bot: value`, from metas and
               from X-Robots-Tag; `is_noindex` and `is_nofollow` are about all bots, or Google's. `content_hash` hashes
               the content alone, `body_hash` all bytes; `parts` are those of the content and `sketch` is that of its
               text, in an audit, and `has_main` says whether that is a part marked as the main one. `needs_browser` and
               `trap` are reasons, or NULL; `rendered` is what a browser has changed
    links      who links to whom, by the normal forms of the URLs: those of the last crawl of the whole site, those of
               the last crawl by a plan, and those of listed pages that the former did not reach, of the last audit.
               `kind` is `a`, `canonical`, `hreflang` or `redirect`
    listed     what the sitemaps of the site list: `location` is the sitemap, `section` the part of the site.
               `media` has the files that it names: `image`, or of videos `thumbnail`, `video` or `player`
    probes     further questions of an audit. `kind` is `again` (a page once more), `twice` (some pages once more, for
               what is another at each fetch), `missing` (a page that does not exist), `canonical`, `hreflang`, `media`,
               `validator` (the page with its own ETag) or `since` (the page with the validators of the run before);
               `loc` is the page that it is about, `url` what was requested
    changes    the pages of an audit that an earlier one has seen, too, by what the last audit knows. `is_moved` is
               about the lastmod, `is_changed` about the content; it is NULL if that cannot be told. `is_judged` says
               whether both count for trust: see `Trust.unjudged`
    page_findings
               what an audit found, page by page. `key` is that of the finding which they are folded into; `is_new`
               says whether the run that it was compared with had not found it, and is NULL without one
    findings   what an audit found. `key` is the same in every run that finds the same; `loc` is the first example,
               about which `detail` says more, and `new` counts the pages that the run before did not find
    lint_findings
               what an audit found in the sitemaps, if it has checked them too: `count` with those that are not kept.
               Those of the earlier audit that are fixed have the count 0
    frontier   each URL that a crawl knows, in the order in which it requests them, with a hash of its normal form.
               `chain` counts how many pages of one shape lead each to the next. Without a `depth`, it is a page of a
               plan that is not due, and is not requested. Empty once the crawl has ended
    candidates the links of the pages of this depth, with their normal forms, the number of the page and the position.
               They become the frontier of the next depth. Empty once the crawl has ended

NULL is absent. Texts of sites are cut to the bounds of `cut`. Python reads a TIMESTAMPTZ of DuckDB only with a further
package, so select `epoch_us(column)` and convert that, or `moment_text(column)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

#: Characters of a URL, and of any other text of a site, that are kept.
MAX_URL: Final = 2_048
MAX_TEXT: Final = 1_000
#: Elements of a list that are kept.
MAX_ITEMS: Final = 1_000

_HREFLANG: Final = {"hreflang": "VARCHAR", "href": "VARCHAR"}

#: The columns of each table. A list is one of DuckDB's lists, a mapping a struct.
COLUMNS: Final[Mapping[str, Mapping[str, Any]]] = {
    "runs": {
        "run": "INTEGER",
        "verb": "VARCHAR",
        "number": "INTEGER",
        "site": "VARCHAR",
        "started": "TIMESTAMPTZ",
        "ended": "TIMESTAMPTZ",
        "state": "VARCHAR",
        "reason": "VARCHAR",
        "compared": "VARCHAR",
        "settings": "JSON",
        "version": "VARCHAR",
    },
    "failures": {
        "run": "INTEGER",
        "problem": "VARCHAR",
    },
    "pages": {
        "run": "INTEGER",
        "loc": "VARCHAR",
        "normal_loc": "VARCHAR",
        "final_url": "VARCHAR",
        "normal_final": "VARCHAR",
        "status": "SMALLINT",
        "problem": "VARCHAR",
        "refused": "VARCHAR",
        "hops": [{"url": "VARCHAR", "status": "SMALLINT"}],
        "method": "VARCHAR",
        "depth": "INTEGER",
        "content_type": "VARCHAR",
        "bytes": "BIGINT",
        "seconds": "DOUBLE",
        "fetched": "TIMESTAMPTZ",
        "title": "VARCHAR",
        "language": "VARCHAR",
        "robots": ["VARCHAR"],
        "is_noindex": "BOOLEAN",
        "is_nofollow": "BOOLEAN",
        "canonicals": ["VARCHAR"],
        "header_canonicals": ["VARCHAR"],
        "body_canonical": "VARCHAR",
        "canonical_written": "VARCHAR",
        "hreflang": [_HREFLANG],
        "unavailable": "TIMESTAMPTZ",
        "script_target": "VARCHAR",
        "images": ["VARCHAR"],
        "etag": "VARCHAR",
        "last_modified": "TIMESTAMPTZ",
        "modified": "TIMESTAMPTZ",
        "published": "TIMESTAMPTZ",
        "json_modified": "TIMESTAMPTZ",
        "content_hash": "UBIGINT",
        "parts": ["UBIGINT"],
        "sketch": ["USMALLINT"],
        "has_main": "BOOLEAN",
        "body_hash": "UBIGINT",
        "words": "INTEGER",
        "needs_browser": "VARCHAR",
        "rendered": "VARCHAR",
        "trap": "VARCHAR",
    },
    "links": {
        "run": "INTEGER",
        "source": "VARCHAR",
        "target": "VARCHAR",
        "kind": "VARCHAR",
        "is_nofollow": "BOOLEAN",
    },
    "listed": {
        "run": "INTEGER",
        "location": "VARCHAR",
        "section": "VARCHAR",
        "loc": "VARCHAR",
        "lastmod": "TIMESTAMPTZ",
        "lastmod_raw": "VARCHAR",
        "changefreq": "VARCHAR",
        "priority": "DOUBLE",
        "media": [{"kind": "VARCHAR", "url": "VARCHAR"}],
        "hreflang": [_HREFLANG],
        "line": "INTEGER",
    },
    "probes": {
        "run": "INTEGER",
        "kind": "VARCHAR",
        "loc": "VARCHAR",
        "url": "VARCHAR",
        "final_url": "VARCHAR",
        "status": "SMALLINT",
        "refused": "VARCHAR",
        "content_type": "VARCHAR",
        "etag": "VARCHAR",
        "content_hash": "UBIGINT",
        "parts": ["UBIGINT"],
        "body_hash": "UBIGINT",
        "canonical": "VARCHAR",
        "is_noindex": "BOOLEAN",
        "hreflang": [_HREFLANG],
    },
    "changes": {
        "run": "INTEGER",
        "section": "VARCHAR",
        "loc": "VARCHAR",
        "is_moved": "BOOLEAN",
        "is_changed": "BOOLEAN",
        "is_judged": "BOOLEAN",
    },
    "page_findings": {
        "run": "INTEGER",
        "key": "VARCHAR",
        "code": "VARCHAR",
        "verdict": "VARCHAR",
        "loc": "VARCHAR",
        "pattern": "VARCHAR",
        "detail": "VARCHAR",
        "is_new": "BOOLEAN",
    },
    "findings": {
        "run": "INTEGER",
        "key": "VARCHAR",
        "code": "VARCHAR",
        "severity": "VARCHAR",
        "verdict": "VARCHAR",
        "location": "VARCHAR",
        "loc": "VARCHAR",
        "pattern": "VARCHAR",
        "count": "BIGINT",
        "examples": ["VARCHAR"],
        "detail": "VARCHAR",
        "message": "VARCHAR",
        "help": "VARCHAR",
        "state": "VARCHAR",
        "new": "BIGINT",
    },
    "lint_findings": {
        "run": "INTEGER",
        "key": "VARCHAR",
        "code": "VARCHAR",
        "severity": "VARCHAR",
        "location": "VARCHAR",
        "line": "BIGINT",
        "column": "BIGINT",
        "source": "VARCHAR",
        "message": "VARCHAR",
        "help": "VARCHAR",
        "count": "BIGINT",
        "state": "VARCHAR",
        "new": "BIGINT",
    },
    "frontier": {
        "number": "BIGINT",
        "hash": "UBIGINT",
        "loc": "VARCHAR",
        "depth": "INTEGER",
        "chain": "INTEGER",
    },
    "candidates": {
        "loc": "VARCHAR",
        "form": "VARCHAR",
        "depth": "INTEGER",
        "chain": "INTEGER",
        "source": "BIGINT",
        "position": "INTEGER",
    },
}


def create(table: str) -> str:
    """Return the statement that creates a table if it does not exist."""
    columns = ", ".join(f'"{name}" {_type(kind)}' for name, kind in COLUMNS[table].items())
    return f"CREATE TABLE IF NOT EXISTS {table} ({columns})"


def cut(text: str | None, most: int = MAX_TEXT) -> str | None:
    """Return a text of a site as it is kept: not longer than that, and with characters that have an encoding."""
    if text is None:
        return None
    kept = text[:most]
    if not kept.isascii():
        kept = kept.encode("utf-8", "replace").decode("utf-8")
    return kept.replace("\0", "\ufffd")


def _type(kind: Any) -> str:
    """Return a type as SQL says it."""
    if isinstance(kind, list):
        return f"{_type(kind[0])}[]"
    if isinstance(kind, dict):
        return f"STRUCT({', '.join(f'{name} {_type(each)}' for name, each in kind.items())})"
    return str(kind)
