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
from urlset._lint import Report, lint
from urlset._models import Alternate, Diagnostic, Document, Image, SitemapEntry, UrlEntry
from urlset._scan import Entries, Scan
from urlset._write import Written, write
from urlset.publish import Publication, Shard, publish
from urlset.rules import Rule, rules

__all__ = [
    "Alternate",
    "Diagnostic",
    "Document",
    "DocumentError",
    "Entries",
    "EntryError",
    "FetchError",
    "Image",
    "InputError",
    "LimitError",
    "MalformedError",
    "NotASitemapError",
    "Publication",
    "PublishError",
    "Report",
    "Rule",
    "Scan",
    "Shard",
    "SitemapEntry",
    "UrlEntry",
    "UrlsetError",
    "Written",
    "lint",
    "parse",
    "publish",
    "read",
    "rules",
    "scan",
    "write",
]
