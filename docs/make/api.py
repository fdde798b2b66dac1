"""Makes the pages of the Python API, which mkdocstrings fills from the docstrings."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator

import urlset
from cells import cell, table

HEAD = """\
# The Python API

`import urlset` gives everything here but the [jobs](jobs.md) and what is for [other frameworks](frameworks.md).
A verb of the command line is a function of the same name, and takes the same options.
"""

#: The pages, each with its title and what stands on it: verbs first, then what they take and return.
PAGES = {
    "reading": ("Reading", "parse scan read aread Entries Scan Document Filter UnknownLastmod Budget Limits PROTOCOL"),
    "entries": (
        "Entries",
        "UrlEntry SitemapEntry Alternate Image News Video VideoId ContentSegment Price TvShow Kind",
    ),
    "checking": ("Checking", "lint fix rules Rules Rule Report Fixed Diagnostic Severity Fix Safety Edit"),
    "publishing": (
        "Writing and publishing",
        "write Written publish rollback verify feed llms submit configured Site Section ShardBy Checks Derived Layout"
        " Publication Shard Plan PlannedShard Guard Verification Damage PageList Submission",
    ),
    "comparing": ("Comparing and counting", "diff Diff Change stats Stats"),
    "sites": (
        "Sites",
        "discover Discovery Found robots RobotsTable RobotsLine Disallowed watch WatchRun SiteChange crawl Crawl Page"
        " rates Rates PageRate SectionRates SectionTable"
        " schedule Schedule Visits DueVisits DueVisit FreshnessCurve CurvePoint"
        " simulate Simulation PolicyOutcome drawn_pages",
    ),
    "auditing": ("Auditing", "audit Audit Finding Coverage Trust report RunTable"),
    "http": ("Fetching", "Http Hosts PrivateAddresses Fetch Savings Sample Skipped Progress"),
    "errors": (
        "Errors",
        "UrlsetError InputError DocumentError NotASitemapError MalformedError LimitError FetchError EntryError"
        " PublishError GuardError",
    ),
}
#: Public modules, and the options of mkdocstrings for each.
MODULES = {
    "sources": (
        "Sources of rows",
        ["urlset.sources." + name for name in ("files", "html", "generators", "database", "front_matter", "git")],
    ),
    "jobs": ("Jobs", ["urlset.jobs"]),
    "frameworks": (
        "Other frameworks",
        [
            f"urlset.contrib.{name}"
            for name in (
                *("asgi", "wsgi", "django.views", "django.stale"),
                *("wagtail", "wagtail.views", "mkdocs", "pelican", "scrapy", "spark", "sphinx"),
            )
        ],
    ),
}


def api_pages() -> Iterator[tuple[str, str]]:
    """Yield the name of each page, and its Markdown.

    Raises:
        LookupError: A public name is on no page, or on two.
    """
    named = {page: names.split() for page, (_, names) in PAGES.items()}
    differing = Counter(name for names in named.values() for name in names) - Counter(urlset.__all__)
    differing += Counter(urlset.__all__) - Counter(name for names in named.values() for name in names)
    if differing:
        raise LookupError(f"the pages of the API do not have each public name once: {', '.join(differing)}")
    lines = [HEAD]
    for page, (title, _) in PAGES.items():
        rows = ([f"[`{name}`]({page}.md#urlset.{name})", cell(_summary(name))] for name in named[page])
        lines += [f"## [{title}]({page}.md)", "", *table(["name", "what it is"], rows), ""]
        yield f"{page}.md", "\n".join([f"# {title}", "", *(f"::: urlset.{name}" for name in named[page]), ""])
    for page, (title, modules) in MODULES.items():
        lines += [f"## [{title}]({page}.md)", ""]
        yield f"{page}.md", "\n".join([f"# {title}", "", *(f"::: {module}" for module in modules), ""])
    yield "index.md", "\n".join(lines)


def _summary(name: str) -> str:
    """Return the first sentence about a public name."""
    value = getattr(urlset, name)
    if not (inspect.isroutine(value) or inspect.isclass(value) or hasattr(value, "__wrapped__")):
        return ""
    return re.split(r"(?<=[.:]) ", " ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split()), maxsplit=1)[0]
