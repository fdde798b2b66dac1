"""The Sitemap protocol, both ends: rows to a published set of sitemaps, and any sitemap to a table."""

from urlset._api import parse, read, scan
from urlset._diff import Change, Diff, diff
from urlset._errors import (
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
from urlset._extensions import Alternate, ContentSegment, Image, News, Price, TvShow, Video, VideoId
from urlset._fix import Fixed, fix
from urlset._limits import PROTOCOL, Budget, Limits
from urlset._lint import lint
from urlset._models import Diagnostic, Document, Edit, Fix, SitemapEntry, UrlEntry
from urlset._report import Report
from urlset._scan import Entries, Scan
from urlset._write import Written, write
from urlset.indexnow import Submission, submit
from urlset.publish import (
    Guard,
    Plan,
    PlannedShard,
    Publication,
    Section,
    Shard,
    ShardBy,
    publish,
    rollback,
)
from urlset.rules import Rule, rules

__all__ = [
    "PROTOCOL",
    "Alternate",
    "Budget",
    "Change",
    "ContentSegment",
    "Diagnostic",
    "Diff",
    "Document",
    "DocumentError",
    "Edit",
    "Entries",
    "EntryError",
    "FetchError",
    "Fix",
    "Fixed",
    "Guard",
    "GuardError",
    "Image",
    "InputError",
    "LimitError",
    "Limits",
    "MalformedError",
    "News",
    "NotASitemapError",
    "Plan",
    "PlannedShard",
    "Price",
    "Publication",
    "PublishError",
    "Report",
    "Rule",
    "Scan",
    "Section",
    "Shard",
    "ShardBy",
    "SitemapEntry",
    "Submission",
    "TvShow",
    "UrlEntry",
    "UrlsetError",
    "Video",
    "VideoId",
    "Written",
    "diff",
    "fix",
    "lint",
    "parse",
    "publish",
    "read",
    "rollback",
    "rules",
    "scan",
    "submit",
    "write",
]
