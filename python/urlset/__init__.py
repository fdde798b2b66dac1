"""The Sitemap protocol, both ends: rows to a published set of sitemaps, and any sitemap to a table."""

from urlset._api import parse, read, scan
from urlset._errors import (
    DocumentError,
    EntryError,
    FetchError,
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
from urlset.publish import Publication, Shard, publish
from urlset.rules import Rule, rules

__all__ = [
    "PROTOCOL",
    "Alternate",
    "Budget",
    "ContentSegment",
    "Diagnostic",
    "Document",
    "DocumentError",
    "Edit",
    "Entries",
    "EntryError",
    "FetchError",
    "Fix",
    "Fixed",
    "Image",
    "InputError",
    "LimitError",
    "Limits",
    "MalformedError",
    "News",
    "NotASitemapError",
    "Price",
    "Publication",
    "PublishError",
    "Report",
    "Rule",
    "Scan",
    "Shard",
    "SitemapEntry",
    "TvShow",
    "UrlEntry",
    "UrlsetError",
    "Video",
    "VideoId",
    "Written",
    "fix",
    "lint",
    "parse",
    "publish",
    "read",
    "rules",
    "scan",
    "write",
]
