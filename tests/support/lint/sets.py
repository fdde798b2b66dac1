"""Small sets of documents for the rules over a set, and what plain Python says of them: dicts and sets, no SQL."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from protego import Protego
from urlset import Rules, Severity, _core
from urlset._lint.options import resolve_options
from urlset._lint.set import SetCheck, SetDocument, SetFindings, Sites
from urlset._model.core_types import EntryRows

from support.documents import CORE, NEWS, XHTML

SITE = "https://a.example"
NO_RULES = resolve_options(Rules(select=[]), now=None)
EVERY: dict[str, Severity] = {
    "ALT005": "warning",
    "ALT009": "warning",
    "ALT011": "warning",
    "IDX001": "error",
    "IDX002": "error",
    "IDX007": "warning",
    "IDX008": "warning",
    "MOD009": "warning",
    "MOD010": "warning",
    "MOD012": "warning",
    "ROB001": "info",
    "ROB003": "error",
    "ROB004": "warning",
}

Found = Counter[tuple[str, int, int, str]]


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc]  # mypy cannot count them


#: Lastmods, the first instant that each can mean and the last, as somebody on Earth may have meant it.
MEANT = {
    "2026-01-30": (utc(2026, 1, 29, 10), utc(2026, 1, 31, 12)),
    "2026-01-31": (utc(2026, 1, 30, 10), utc(2026, 2, 1, 12)),
    "2026-01": (utc(2025, 12, 31, 10), utc(2026, 2, 1, 12)),
    "2025-12": (utc(2025, 11, 30, 10), utc(2026, 1, 1, 12)),
    "2025": (utc(2024, 12, 31, 10), utc(2026, 1, 1, 12)),
    "2026-01-30T09:59:59Z": (utc(2026, 1, 30, 9, 59, 59), utc(2026, 1, 30, 9, 59, 59)),
    "2026-01-30T20:00:00Z": (utc(2026, 1, 30, 20), utc(2026, 1, 30, 20)),
    "2026-01-31T08:00:00Z": (utc(2026, 1, 31, 8), utc(2026, 1, 31, 8)),
    "2026-01-31T09:00:00Z": (utc(2026, 1, 31, 9), utc(2026, 1, 31, 9)),
    "2026-01-31T10:00:00+01:00": (utc(2026, 1, 31, 9), utc(2026, 1, 31, 9)),
    "2026-02-01T11:59:59Z": (utc(2026, 2, 1, 11, 59, 59), utc(2026, 2, 1, 11, 59, 59)),
    "2026-02-01T12:00:01Z": (utc(2026, 2, 1, 12, 0, 1), utc(2026, 2, 1, 12, 0, 1)),
}
#: The instant that the table has for each, as it is told.
TOLD = {"2026-01": "2026-01-01", "2025-12": "2025-12-01", "2025": "2025-01-01"} | {
    "2026-01-31T10:00:00+01:00": "2026-01-31T09:00:00Z"
}


@dataclass(frozen=True)
class Page:
    """One entry. `links` are pairs of a language and a href; without a language it is another kind of link."""

    loc: str | None
    lastmod: str | None = None
    links: tuple[tuple[str | None, str], ...] = ()
    news: bool = False

    def xml(self) -> str:
        loc = "" if self.loc is None else f"<loc>{escape(self.loc)}</loc>"
        lastmod = "" if self.lastmod is None else f"<lastmod>{self.lastmod}</lastmod>"
        links = ""
        for language, href in self.links:
            which = 'media="print"' if language is None else f'hreflang="{language}"'
            links += f'<xhtml:link rel="alternate" {which} href={quoteattr(href)}/>'
        news = "<news:news><news:title>T</news:title></news:news>" if self.news else ""
        return f"<url>{loc}{lastmod}{links}{news}</url>"


@dataclass(frozen=True)
class Listed:
    """One document to be: its pages, and how it is written down. `dense` is all in one line."""

    pages: tuple[Page, ...]
    dense: bool = False
    kind: str = "urlset"

    def text(self) -> str:
        if self.kind == "text":
            return "".join(f"{page.loc}\n" for _, page in self.lines())
        end = "" if self.dense else "\n"
        if self.kind == "rss":
            items = end.join(f"<item><link>{escape(page.loc or '')}</link></item>" for page in self.pages)
            return f'<rss version="2.0"><channel>{end}{items}{end}</channel></rss>'
        head = f'<urlset xmlns="{CORE}" xmlns:xhtml="{XHTML}" xmlns:news="{NEWS}">'
        return f"{head}{end}{end.join(page.xml() for page in self.pages)}{end}</urlset>"

    def lines(self) -> Iterator[tuple[int, Page]]:
        """The pages as a reader has to find them, each with its line."""
        pages = list(self.pages)
        if self.kind == "text":
            pages = [Page(page.loc) for page in pages if page.loc and "://" in page.loc]
        if self.kind == "rss":
            pages = [Page(page.loc or None) for page in pages]
        first = 1 if self.kind == "text" else 2
        for number, page in enumerate(pages):
            yield (1 if self.dense and self.kind != "text" else first + number), page


def index_of(children: Iterable[tuple[str, str | None]]) -> str:
    """An index whose entries begin in line 2."""
    rows = [f"<sitemap><loc>{loc}</loc>{f'<lastmod>{m}</lastmod>' if m else ''}</sitemap>" for loc, m in children]
    return f'<sitemapindex xmlns="{CORE}">\n' + "\n".join(rows) + "\n</sitemapindex>"


def lay(folder: Path, name: str, text: str, *, kind: str, entries: int, **facts: object) -> SetDocument:
    """A document on disk."""
    path = folder / name
    path.write_text(text, "utf-8")
    url = facts.pop("url", f"{SITE}/{name}")
    return SetDocument(str(path), str(path), url, kind, entries, **facts)  # type: ignore[arg-type]


def lay_pages(folder: Path, name: str, listed: Listed, **facts: object) -> SetDocument:
    """A document of pages on disk."""
    return lay(folder, name, listed.text(), kind=listed.kind, entries=len(list(listed.lines())), **facts)


def check(
    documents: Sequence[SetDocument],
    rules: Mapping[str, Severity],
    *,
    agents: Sequence[str],
    robots: Mapping[str, bytes],
    fold: int,
    now: datetime | None = None,
    **options: Any,
) -> SetFindings:
    """What the rules over a set find in documents that the core reads. One without a file was read before."""
    documents, links = list(documents), 0
    with closing(SetCheck(rules, agents=agents, fold=fold, **options)) as together:
        for number, document in enumerate(documents):
            if document.path is not None:
                linted = read(document.path, document.url, together.rows_of(number))
                links += linted.alternates
                documents[number] = document._replace(children=linted.document.children)
        return together.findings(documents, rules, Sites(robots), alternates=links, now=now)


def read(source: str | bytes, url: str | None, rows: EntryRows | None = None) -> _core.LintReport:
    """What the core says of a document."""
    linted = _core.lint(source, NO_RULES.for_core(NO_RULES.rules, url), 50, None, None, NO_RULES.limits, rows)
    assert linted.broken is None
    return linted


def index_in_memory(name: str, children: Iterable[tuple[str, str | None]]) -> SetDocument:
    """An index that is read."""
    report = read(index_of(children).encode(), f"{SITE}/{name}").document
    return SetDocument(name, None, f"{SITE}/{name}", report.kind, report.entries, children=report.children)


def found(findings: SetFindings, documents: Sequence[SetDocument]) -> Found:
    """What was found, by code, number of the document, line and message."""
    numbers = {document.location: number for number, document in enumerate(documents)}
    return Counter((each.code, numbers[each.location], each.line, each.message) for each in findings.diagnostics)


# --- what plain Python says --------------------------------------------------------------------------------------


def repeated(documents: dict[int, Listed], names: Sequence[str]) -> Found:
    """IDX008."""
    first: dict[str, tuple[int, int]] = {}
    said: Found = Counter()
    for number, listed in documents.items():
        seen: set[str] = set()
        for line, page in listed.lines():
            if page.loc is None or page.news or listed.kind == "rss" or page.loc in seen:
                continue
            seen.add(page.loc)
            if page.loc in first:
                there, line_there = first[page.loc]
                said["IDX008", number, line, f"`{page.loc}` is in {names[there]}:{line_there} too"] += 1
            else:
                first[page.loc] = number, line
    return said


def alternates(documents: dict[int, Listed], names: Sequence[str]) -> Found:
    """ALT005 and ALT009."""
    first: dict[str, tuple[int, int]] = {}
    links: dict[str, set[str]] = defaultdict(set)
    for number, listed in documents.items():
        for line, page in listed.lines():
            if page.loc is not None:
                first.setdefault(page.loc, (number, line))
                links[page.loc] |= _hrefs(page)
    # One document alone may be that of one language.
    pages = [page for listed in documents.values() for _, page in listed.lines()]
    own = {language for page in pages for language, href in page.links if language and href == page.loc}
    is_set = sum(any(listed.lines()) for listed in documents.values()) > 1 or len(own - {"x-default"}) > 1
    hosts = {loc.split("/")[2] for loc in first if is_set and "://" in loc}
    said: Found = Counter()
    for number, listed in documents.items():
        # An entry that is repeated in one line cannot be told from itself.
        links_of = {(line, page.loc, link) for line, page in listed.lines() for link in _hrefs(page)}
        for line, loc, href in links_of:
            if href not in first:
                if "://" in href and href.split("/")[2] in hosts:
                    said["ALT009", number, line, f"`{href}` is not a loc of this set"] += 1
            elif loc not in links[href]:
                there, line_there = first[href]
                said["ALT005", number, line, f"`{href}` ({names[there]}:{line_there}) does not link back"] += 1
    return said


def _hrefs(page: Page) -> set[str]:
    """The other pages that a page links to as itself in another language."""
    return {href for language, href in page.links if language is not None and page.loc not in (None, href)}


def incomplete(documents: dict[int, Listed], names: Sequence[str]) -> Found:
    """ALT011."""
    links: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
    locs = {page.loc for listed in documents.values() for _, page in listed.lines() if page.loc is not None}
    hosts = {loc.split("/")[2] for loc in locs if "://" in loc}
    for number, listed in documents.items():
        for line, page in listed.lines():
            for href in _hrefs(page):
                links[page.loc or ""].setdefault(href, (number, line))
    said: Found = Counter()
    for loc, own in links.items():
        lacking: dict[str, list[tuple[tuple[int, int], str]]] = defaultdict(list)
        for other in (href for href in own if loc in links.get(href, ()) and len(links[href]) <= 500):
            for target in links[other].keys() - own.keys() - {loc}:
                returned = links.get(target, {})
                outside = target not in locs and "://" in target and target.split("/")[2] not in hosts
                if loc not in returned and (other in returned or outside):
                    lacking[target].append((links[other][target], other))
        if lacking:
            named = ", ".join(f"`{target}`" for target in sorted(lacking)[:3])
            more = f" and {len(lacking) - 3:,} more" if len(lacking) > 3 else ""
            (there, line_there), other = min(min(each) for each in lacking.values())
            message = f"does not link to {named}{more}, which pages of its group link to, such as `{other}`"
            said["ALT011", *min(own.values()), f"{message} ({names[there]}:{line_there})"] += 1
    return said


def clustered(documents: dict[int, Listed]) -> Found:
    """MOD012."""
    judged = [[page for _, page in each.lines()] for each in documents.values()]
    judged = [pages for pages in judged if pages and not any(page.news for page in pages)]
    every = [page.lastmod and _read(page.lastmod) for pages in judged for page in pages]
    times = [each for each in every if each and each.astimezone(UTC).time() != time()]
    if len(times) < 100 or len(times) < 0.9 * len(every) or max(times) - min(times) > timedelta(minutes=1):
        return Counter()
    if identical(documents) or all(_is_identical(pages) for pages in judged):
        return Counter()
    first, last = (each.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") for each in (min(times), max(times)))
    in_all = f"{len(judged)} document{'s' * (len(judged) > 1)}"
    return Counter(
        [("MOD012", 0, 1, f"all {len(times)} lastmods with a time in {in_all} lie between {first} and {last}")]
    )


def _is_identical(pages: list[Page]) -> bool:
    """Whether MOD009 reports a document."""
    most = max(Counter(_read(page.lastmod) for page in pages if page.lastmod).values(), default=0)
    return len(pages) >= 20 and most >= 0.9 * len(pages)


def identical(documents: dict[int, Listed]) -> Found:
    """MOD009."""
    judged = [[page for _, page in each.lines()] for each in documents.values()]
    judged = [pages for pages in judged if pages and not any(page.news for page in pages)]
    pages = [page for each in judged for page in each]
    counts = Counter(_read(page.lastmod) for page in pages if page.lastmod is not None)
    most = max(counts.values(), default=0)
    if len(judged) < 2 or len(pages) < 20 or most < 0.9 * len(pages):
        return Counter()
    message = f"{most} of {len(pages)} entries in {len(judged)} documents have one and the same lastmod"
    return Counter([("MOD009", 0, 1, message)])


def _read(lastmod: str) -> datetime:
    """The instant that the table has for a lastmod."""
    return datetime.fromisoformat(lastmod if "T" in lastmod else f"{lastmod}-01-01"[:10] + "T00:00:00Z")


def _is_newer(entry: str, listed: str) -> bool:
    """Whether an entry's lastmod is newer, whatever zone was meant; of two dates the days count."""
    if "T" not in entry and "T" not in listed:
        # What begins with the shorter one is in that month or year.
        return f"{entry}-01-01"[:10] > listed and not f"{entry}-01-01".startswith(listed)
    return MEANT[entry][0] > MEANT[listed][1]


def stale(children: Sequence[tuple[int, str | None]], documents: dict[int, Listed]) -> Found:
    """IDX007: `children` are the entries of document 0, each the number of a document and the lastmod it has there."""
    said: Found = Counter()
    for line, (target, lastmod) in enumerate(children, start=2):
        if lastmod is None or target not in documents:
            continue
        lastmods = [page.lastmod for _, page in documents[target].lines() if page.lastmod is not None]
        newer = [each for each in lastmods if _is_newer(each, lastmod)]
        if newer:
            newest = max(newer, key=_read)
            message = f"{lastmod} is older than {TOLD.get(newest, newest)}, the newest lastmod in the child"
            said["IDX007", 0, line, message] += 1
    return said


def disallowed(documents: dict[int, Listed], robots: str, agents: Sequence[str]) -> Found:
    """ROB004, for the robots.txt of SITE: every loc of it judged by Protego, one by one."""
    judge = Protego.parse(robots)
    said: Found = Counter()
    for number, listed in documents.items():
        for line, page in listed.lines():
            loc = page.loc or ""
            if loc.lower().startswith(SITE) and loc[len(SITE) : len(SITE) + 1] in ("", "/", "?", "#"):
                refused = [agent for agent in agents if not judge.can_fetch(loc, agent)]
                if refused:
                    to = "every crawler" if list(agents) == ["*"] else ", ".join(refused)
                    said["ROB004", number, line, f"the robots.txt of a.example disallows `{loc}` to {to}"] += 1
    return said
