"""The Sitemap protocol, both ends: rows to a published set of sitemaps, and any sitemap to a table.

`__version__` is the version of the package.
"""

#: What each module exports. A module is imported when one of its names is first used, because a program that needs a
#: few of them should not wait for all. `__init__.pyi` lists the same names for type checkers.
_EXPORTS = {
    "_audit.api": ("audit",),
    "_audit.coverage": ("Coverage",),
    "_audit.history": ("Finding",),
    "_audit.result": ("Audit",),
    "_audit.trust": ("Trust",),
    "_config.site": ("Site", "configured"),
    "_crawl.api": ("Crawl", "crawl"),
    "_diff.api": ("Change", "Diff", "diff"),
    "_discover.api": ("Discovery", "Found", "discover"),
    "_options.publish": ("Checks", "Derived", "Layout"),
    "_options.rules": ("Rules",),
    "_options.http": ("Hosts", "Http", "PrivateAddresses"),
    "_feeds.api": ("PageList", "feed", "llms"),
    "_indexnow.api": ("Submission", "submit"),
    "_lint.api": ("lint",),
    "_lint.fix": ("Fixed", "fix"),
    "_lint.report": ("Report",),
    "_model.diagnostics": ("Diagnostic", "Edit", "Fix", "Safety", "Severity"),
    "_model.documents": ("Document",),
    "_model.entries": ("SitemapEntry", "UrlEntry"),
    "_model.kind": ("Kind",),
    "_model.errors": (
        "DocumentError",
        "EntryError",
        "FetchError",
        "GuardError",
        "InputError",
        "LimitError",
        "MalformedError",
        "NotASitemapError",
        "PublishError",
        "UrlsetError",
    ),
    "_model.extensions": ("Alternate", "ContentSegment", "Image", "News", "Price", "TvShow", "Video", "VideoId"),
    "_model.fetches": ("Fetch", "Savings"),
    "_model.skipped": ("Sample", "Skipped"),
    "_options.filters": ("Filter", "UnknownLastmod"),
    "_model.limits": ("PROTOCOL", "Budget", "Limits"),
    "_model.pages": ("Page",),
    "_model.plan": ("Guard", "Plan", "PlannedShard"),
    "_model.progress": ("Progress",),
    "_publish.api": ("Section", "publish", "rollback"),
    "_publish.commit.publication": ("Publication", "Shard"),
    "_publish.values.shards": ("ShardBy",),
    "_publish.stored.verify": ("Damage", "Verification", "verify"),
    "_rates.api": ("PageRate", "Rates", "rates"),
    "_rates.sections": ("SectionRates", "SectionTable"),
    "_read.api": ("parse", "read", "scan"),
    "_read.awaited": ("aread",),
    "_read.entries": ("Entries",),
    "_read.scan": ("Scan",),
    "_robots.api": ("Disallowed", "RobotsTable", "robots"),
    "_robots.lines": ("RobotsLine",),
    "_report.api": ("RunTable", "report"),
    "_rules.catalogue": ("Rule", "rules"),
    "_schedule.api": ("DueVisit", "DueVisits", "Schedule", "Visits", "schedule"),
    "_schedule.curve": ("CurvePoint", "FreshnessCurve"),
    "_simulate.api": ("PolicyOutcome", "Simulation", "simulate"),
    "_simulate.drawn": ("drawn_pages",),
    "_stats.api": ("stats",),
    "_stats.result": ("Stats",),
    "_watch.api": ("WatchRun", "watch"),
    "_watch.changes": ("SiteChange",),
    "_write.api": ("Written", "write"),
}
_HOMES = {name: module for module, names in _EXPORTS.items() for name in names}

__all__ = sorted(_HOMES, key=lambda name: (not name.isupper(), name))  # noqa: PLE0605  (type checkers read the stub)


def __getattr__(name: str) -> object:
    """Import a public name, or look up `__version__`, when it is first used."""
    from importlib import import_module  # noqa: PLC0415

    if name == "__version__":
        from urlset._core import VERSION  # noqa: PLC0415

        return VERSION
    if name == "sources":  # the one public package that a plain `import urlset` gives
        return import_module("urlset.sources")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"urlset.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, whether they have been used or not."""
    return [*__all__, "__version__", "sources"]
