"""What `urlset` exports, for type checkers. `__init__.py` imports each name when it is first used."""

from urlset import sources as sources
from urlset._audit.api import audit
from urlset._audit.coverage import Coverage
from urlset._audit.history import Finding
from urlset._audit.result import Audit
from urlset._audit.trust import Trust
from urlset._config.site import Site, configured
from urlset._crawl.api import Crawl, crawl
from urlset._diff.api import Change, Diff, diff
from urlset._discover.api import Discovery, Found, discover
from urlset._feeds.api import PageList, feed, llms
from urlset._indexnow.api import Submission, submit
from urlset._lint.api import lint
from urlset._lint.fix import Fixed, fix
from urlset._lint.report import Report
from urlset._model.diagnostics import Diagnostic, Edit, Fix, Safety, Severity
from urlset._model.documents import Document
from urlset._model.entries import SitemapEntry, UrlEntry
from urlset._model.errors import (
    DocumentError,
    EntryError,
    FetchError,
    GuardError,
    InputError,
    LimitError,
    MalformedError,
    NotASitemapError,
    PublishError,
    UrlsetError,
)
from urlset._model.extensions import Alternate, ContentSegment, Image, News, Price, TvShow, Video, VideoId
from urlset._model.fetches import Fetch, Savings
from urlset._model.kind import Kind
from urlset._model.limits import PROTOCOL, Budget, Limits
from urlset._model.pages import Page
from urlset._model.plan import Guard, Plan, PlannedShard
from urlset._model.progress import Progress
from urlset._model.skipped import Sample, Skipped
from urlset._options.filters import Filter, UnknownLastmod
from urlset._options.http import Hosts, Http, PrivateAddresses
from urlset._options.publish import Checks, Derived, Layout
from urlset._options.rules import Rules
from urlset._publish.api import Section, publish, rollback
from urlset._publish.commit.publication import Publication, Shard
from urlset._publish.stored.verify import Damage, Verification, verify
from urlset._publish.values.shards import ShardBy
from urlset._rates.api import PageRate, Rates, rates
from urlset._rates.sections import SectionRates, SectionTable
from urlset._read.api import parse, read, scan
from urlset._read.awaited import aread
from urlset._read.entries import Entries
from urlset._read.scan import Scan
from urlset._report.api import RunTable, report
from urlset._robots.api import Disallowed, RobotsTable, robots
from urlset._robots.lines import RobotsLine
from urlset._rules.catalogue import Rule, rules
from urlset._schedule.api import DueVisit, DueVisits, Schedule, Visits, schedule
from urlset._schedule.curve import CurvePoint, FreshnessCurve
from urlset._simulate.api import PolicyOutcome, Simulation, simulate
from urlset._simulate.drawn import drawn_pages
from urlset._stats.api import stats
from urlset._stats.result import Stats
from urlset._watch.api import WatchRun, watch
from urlset._watch.changes import SiteChange
from urlset._write.api import Written, write

__all__ = [
    "PROTOCOL",
    "Alternate",
    "Audit",
    "Budget",
    "Change",
    "Checks",
    "ContentSegment",
    "Coverage",
    "Crawl",
    "CurvePoint",
    "Damage",
    "Derived",
    "Diagnostic",
    "Diff",
    "Disallowed",
    "Discovery",
    "Document",
    "DocumentError",
    "DueVisit",
    "DueVisits",
    "Edit",
    "Entries",
    "EntryError",
    "Fetch",
    "FetchError",
    "Filter",
    "Finding",
    "Fix",
    "Fixed",
    "Found",
    "FreshnessCurve",
    "Guard",
    "GuardError",
    "Hosts",
    "Http",
    "Image",
    "InputError",
    "Kind",
    "Layout",
    "LimitError",
    "Limits",
    "MalformedError",
    "News",
    "NotASitemapError",
    "Page",
    "PageList",
    "PageRate",
    "Plan",
    "PlannedShard",
    "PolicyOutcome",
    "Price",
    "PrivateAddresses",
    "Progress",
    "Publication",
    "PublishError",
    "Rates",
    "Report",
    "RobotsLine",
    "RobotsTable",
    "Rule",
    "Rules",
    "RunTable",
    "Safety",
    "Sample",
    "Savings",
    "Scan",
    "Schedule",
    "Section",
    "SectionRates",
    "SectionTable",
    "Severity",
    "Shard",
    "ShardBy",
    "Simulation",
    "Site",
    "SiteChange",
    "SitemapEntry",
    "Skipped",
    "Stats",
    "Submission",
    "Trust",
    "TvShow",
    "UnknownLastmod",
    "UrlEntry",
    "UrlsetError",
    "Verification",
    "Video",
    "VideoId",
    "Visits",
    "WatchRun",
    "Written",
    "aread",
    "audit",
    "configured",
    "crawl",
    "diff",
    "discover",
    "drawn_pages",
    "feed",
    "fix",
    "lint",
    "llms",
    "parse",
    "publish",
    "rates",
    "read",
    "report",
    "robots",
    "rollback",
    "rules",
    "scan",
    "schedule",
    "simulate",
    "stats",
    "submit",
    "verify",
    "watch",
    "write",
]

__version__: str
