"""The verb `audit`: whether the sitemaps of a site tell the truth about its pages."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import date, datetime
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Final

import urlset
from urlset import _core
from urlset._audit.applying import apply_rules
from urlset._audit.comparing import keep_changes
from urlset._audit.coverage import coverage_of, find_crawl
from urlset._audit.earlier import Earlier, earlier_audit
from urlset._audit.history import fold, take_previous
from urlset._audit.intervals import at_most
from urlset._audit.judging import drawn_pages_of, make_judged
from urlset._audit.linked import make_linked
from urlset._audit.linting import check_sitemaps, keep_checked
from urlset._audit.listing import COLUMNS, ONLY_PAGES, Listing, normalize_listed, read_listing
from urlset._audit.near_texts import make_near
from urlset._audit.page_views import make_page_views
from urlset._audit.result import Audit, AuditFacts
from urlset._audit.rules import RULES
from urlset._audit.rules.declaration import LiveRule
from urlset._audit.rules.needs import DISALLOWED, NEAR
from urlset._audit.sql import define, find_folds
from urlset._audit.trust import trust_of
from urlset._model.diagnostics import Severity
from urlset._model.errors import InputError
from urlset._model.limits import Budget
from urlset._model.progress import OnProgress
from urlset._model.rows import entry_lists
from urlset._options import kinds
from urlset._options.http import Http
from urlset._options.option import Option, options_of
from urlset._options.rules import Rules
from urlset._options.shared import Boilerplate, Mask, Render, State, Strict
from urlset._page.ignored import Ignored
from urlset._read.api import scan
from urlset._read.source import is_url
from urlset._rules.profiles import profile as profile_of
from urlset._rules.selection import select_rules
from urlset._runs.file import RunFile, RunState
from urlset._util.arguments import moment_of, standard_url
from urlset._util.urls import origin

if TYPE_CHECKING:
    from urlset._read.scan import Scan

#: What of the rules an audit goes by.
OF_PAGES: Final = ("profile", "select", "ignore")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """What an audit goes by."""

    severities: Mapping[str, Severity]
    agents: Sequence[str]
    sample: int | None
    render: bool
    ignored: Ignored
    progress: OnProgress | None

    @property
    def rules(self) -> tuple[LiveRule, ...]:
        """The rules to apply."""
        return tuple(rule for code, rule in RULES.items() if code in self.severities)


def audit(
    source: str | os.PathLike[str],
    *,
    state: State = None,
    baseline: Annotated[
        int | str | date | os.PathLike[str] | None,
        Option(
            "Earlier audit, whose findings do not count as new: its number in the state, a day such as 2026-11-01, or"
            " another file.",
            kind=kinds.STRING,
            default="the last one of the same sitemaps",
            metavar="RUN|DAY|FILE",
        ),
    ] = None,
    lint: Annotated[bool, Option("Check the sitemaps as lint does, too; they are requested once more.")] = False,
    sample: Annotated[int | None, Option("Number of pages to fetch, drawn evenly.", default="all", metavar="N")] = None,
    strict: Strict = False,
    render: Render = False,
    rules: Rules | None = None,
    mask: Mask = (),
    boilerplate: Boilerplate = (),
    http: Http | None = None,
    budget: Budget | None = None,
    now: datetime | None = None,
    progress: OnProgress | None = None,
) -> Audit:
    """Request the pages that sitemaps list, and say what the sitemaps state wrongly about them.

    Findings are folded: pages with the same defect and the same remedy are one. An answer that proves nothing, such as
    that of a bot challenge, is inconclusive and never a defect. With a state, runs are kept: the next one says what
    is new, what is still there and what is fixed, and compares lastmods with how the content has changed. Whether
    pages are orphans, or missing from the sitemaps, only a crawl into the same state can tell: see `crawl`.

    Args:
        source: URL of a site or of a sitemap, or a path to sitemaps of pages that can be reached.
        state: File that keeps the results for the next run over the site. A temporary one if None. An audit that
            was killed goes on there when it is started again; at most the last 2,000 pages are requested again.
        baseline: Earlier audit, whose findings do not count as new: its number in the state, a day such as 2026-11-01,
            or another file. A day means the last audit up to it; a file can be one of the main branch.
        lint: Check the sitemaps as lint does, too; they are requested once more. The rules are those of the profile.
            What is found is in `Audit.lint`, in its report and among its diagnostics.
        sample: Number of pages to fetch, drawn evenly. All if None. Findings then say between how many pages of all
            there are.
        strict: Stop at the first document that fails, instead of going on with the others.
        render: Show pages that are empty without scripts in a Chromium, and go by what that shows. At most 200 are.
            It needs the extra `browser`, and a Chromium or Chrome. All that the browser asks for goes through the same
            requests as the pages, with their bounds and their judgement of addresses.
        rules: Which rules apply; `Rules()` if None. Their codes begin with LIVE. Only `profile`, `select` and
            `ignore` are for pages.
        mask: Text in pages to leave out of their content; * stands for anything. An example is a counter of visits.
        boilerplate: CSS selector of elements in pages to leave out of their content. An example is `.latest-posts`.
        http: How sitemaps and pages are fetched; `Http()` if None.
        budget: What reading one sitemap may cost; the default `Budget()` if None.
        now: Aware datetime of the audit; the present if None.
        progress: Called with how many documents were read, and then with how many of the listed pages were requested.

    Returns:
        The findings, the coverage, and the trust in lastmods. Close it, or use a `with` block.

    Raises:
        InputError: An argument is invalid, or the state is about another site or in use.
        FetchError: The sitemap cannot be fetched.
        UrlsetError: Nothing could be read, or the state failed.

    Example:
        >>> import urlset
        >>> with urlset.audit("https://www.example.com", state="example.duckdb") as audit:  # doctest: +SKIP
        ...     print(audit.counts)
        ...     urlset.publish(audit.rows(), "public", base_url="https://www.example.com/")
    """
    if sample is not None and (not isinstance(sample, int) or isinstance(sample, bool) or sample < 1):
        raise InputError(f"sample must be a whole number from 1 up, got {sample!r}")
    rules = rules or Rules()
    for each in options_of(Rules):
        if each.name not in OF_PAGES and getattr(rules, each.name) != each.value:
            raise InputError(f"Rules.{each.name} is for lint: an audit judges pages, and not documents")
    chosen = profile_of(rules.profile)
    options = _Options(
        severities=dict(select_rules(chosen, select=rules.select, ignore=rules.ignore, preview=False, scope="live")),
        agents=[each for each in chosen.settings.agents if each != "*"] or ["googlebot"],
        sample=sample,
        render=render,
        ignored=Ignored(mask, boilerplate),
        progress=progress,
    )
    began = moment_of(now)
    rows = scan(source, columns=COLUMNS, strict=strict, http=http, budget=budget, filter=ONLY_PAGES)
    rows._tell(progress)
    site, batches = _site(os.fspath(source), rows)
    with ExitStack() as stack:
        file = stack.enter_context(RunFile(state))
        define(file.connection)
        sites = dict(http.map) if http is not None else {}
        earlier = earlier_audit(file, os.fspath(source), sites, baseline, state)
        settings = {
            "source": os.fspath(source),
            "sample": sample,
            "lint": lint,
            "map": sites,
            "profile": rules.profile,
            "rules": list(options.severities),
            **options.ignored.as_settings(),
        }
        run = _interrupted(file, site, settings)
        if run is None:
            run = file.begin("audit", site, settings=settings, now=began, version=urlset.__version__)
        checked = None
        if lint:
            found = check_sitemaps(source, rules.profile, http, now)
            checked = keep_checked(file, run, found, earlier)
        facts = _run(file, run, site, rows, batches, options, http or Http(), earlier=earlier, now=now)
        return Audit(file, _all_columns(source, http, budget), facts, checked, stack.pop_all())


def _all_columns(source: str | os.PathLike[str], http: Http | None, budget: Budget | None) -> Scan:
    """Return a scan of the same sitemaps with everything that an entry has."""
    return scan(source, http=http, budget=budget, filter=ONLY_PAGES)


def _run(
    file: RunFile,
    run: int,
    site: str,
    rows: Scan,
    batches: Iterator[_core.Batches],
    options: _Options,
    http: Http,
    *,
    earlier: Earlier,
    now: datetime | None,
) -> AuditFacts:
    """List, fetch and apply the rules; write down how the run has ended, and return what is known then."""
    from urlset._audit.disallowed import find_disallowed  # noqa: PLC0415  (a run file is read without)
    from urlset._audit.page_fetching import fetch_pages  # noqa: PLC0415
    from urlset._audit.probing import Prober  # noqa: PLC0415
    from urlset._audit.rendering import render_pages  # noqa: PLC0415
    from urlset._fetch.page_fetcher import PageFetcher  # noqa: PLC0415

    try:
        listing = read_listing(file, run, rows, batches)
        find_crawl(file.connection, site)
        with closing(PageFetcher(http, [site])) as fetcher:
            drawn = fetch_pages(
                file, run, fetcher, sample=options.sample, ignored=options.ignored, progress=options.progress
            )
            if options.render:
                render_pages(file, run, fetcher, options.ignored)
            normalize_listed(file, run)
            find_folds(file.connection)
            make_page_views(file.connection, run, options.agents)
            has_robots = any(DISALLOWED in rule.needs for rule in options.rules)
            find_disallowed(file, fetcher if has_robots else None, options.agents)
            prober = Prober(file, run, fetcher, options.ignored)
            prober.probe(options.rules)
            asked = prober.asked_of(options.rules)
            reason = fetcher.spent()
    except KeyboardInterrupt:
        file.end(run, "interrupted", now=moment_of(now), reason="Ctrl-C")
        raise
    return _with_findings(file, run, site, listing, options, drawn, asked, reason, earlier=earlier, now=now)


def _with_findings(
    file: RunFile,
    run: int,
    site: str,
    listing: Listing,
    options: _Options,
    drawn: int,
    asked: Mapping[str, tuple[int, int]],
    reason: str | None,
    *,
    earlier: Earlier,
    now: datetime | None,
) -> AuditFacts:
    make_linked(file.connection, run)
    if any(NEAR in rule.needs for rule in options.rules):
        make_near(file.connection)
    with file.transaction():
        for table in ("page_findings", "failures"):
            file.connection.execute(f"DELETE FROM {table} WHERE run = ?", [run])
        apply_rules(file.connection, run, options.rules)
        keep_changes(file.connection)
        file.insert("failures", [{"run": run, "problem": str(failure)} for failure in listing.failures])
    take_previous(file, earlier)
    make_judged(file.connection, options.rules)
    # A list that is shorter than the sample is known as a whole.
    has_sample = options.sample is not None and drawn < listing.pages
    sample = drawn_pages_of(file.connection, options.rules, listing.pages) if has_sample else None
    findings = fold(file, run, options.severities, sample=sample, asked=asked, earlier=earlier)
    facts = AuditFacts(
        run=run,
        number=next(each.number for each in file.runs() if each.run == run),
        site=site,
        listing=listing,
        drawn=drawn,
        at_most=at_most(drawn, listing.pages) if has_sample else None,
        reason=reason,
        findings=findings,
        severities=options.severities,
        agents=options.agents,
        rules=options.rules,
        coverage=coverage_of(file),
        trust=trust_of(file),
        previous=earlier.name,
    )
    state: RunState = "complete" if reason is None else "bounded"
    file.end(run, state, now=moment_of(now), reason=reason, compared=earlier.name)
    return facts


def _site(source: str, rows: Scan) -> tuple[str, Iterator[_core.Batches]]:
    """Return the origin of a site, and all rows: that of the URL, or of the first page that local sitemaps list.

    The rows that were read to find it are among them, so that each sitemap is opened once.

    Raises:
        InputError: They list no page with an http or https URL.
    """
    batches = rows.batches()
    if is_url(source):
        return _home(source), batches
    held: list[_core.Batches] = []
    for batch in batches:
        held.append(batch)
        for entry in chain.from_iterable(entry_lists(batch)):
            if is_url(entry.loc or ""):
                return _home(entry.loc or ""), chain(held, batches)
    raise InputError(f"source must list pages with an http or https URL, got {source!r}")


def _home(url: str) -> str:
    return origin(standard_url("source", url)) or ""


def _interrupted(file: RunFile, site: str, settings: Mapping[str, Any]) -> int | None:
    """Return the last audit with the same settings, if it has not come to its end."""
    last = next((run for run in reversed(file.runs()) if run.verb == "audit"), None)
    if last is None or last.site != site or last.state not in ("running", "interrupted"):
        return None
    return last.run if dict(last.settings) == dict(settings) else None
