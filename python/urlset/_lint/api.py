"""The verb that checks documents."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

from urlset._lint.linter import Linter
from urlset._lint.options import FOLD, Robots, resolve_options
from urlset._lint.report import Report
from urlset._model.errors import InputError
from urlset._model.limits import Budget
from urlset._options import kinds
from urlset._options.http import Http
from urlset._options.option import Option
from urlset._options.rules import RULES, Ignore, Profile, Select
from urlset._options.shared import Follow, StoreOptions, Zone
from urlset._read.source import SourceLike, SourcesLike, resolve_all


def lint(
    source: SourceLike | SourcesLike,
    *,
    location: Annotated[
        str | None,
        Option(
            "Public URL of the document, or of its folder if it ends with /.",
            example='"https://example.com/"',
            metavar="URL",
        ),
    ] = None,
    follow: Follow = True,
    profile: Profile = "protocol",
    select: Select = None,
    ignore: Ignore = (),
    per_file_ignores: Annotated[
        Mapping[str, Sequence[str]] | None,
        Option(
            "Rules to disable in documents whose path matches a glob.",
            kind=kinds.IGNORES,
            example='{ "legacy/*.xml" = ["MOD", "PRI002"] }',
            metavar="GLOB:CODES",
            panel=RULES,
        ),
    ] = None,
    root: Annotated[
        str | os.PathLike[str] | None,
        Option(
            "Folder that the globs of per-file-ignores are relative to.",
            example='"public"',
            default="the folder of the configuration file",
            flags="",
            panel=RULES,
        ),
    ] = None,
    preview: Annotated[bool, Option("Enable preview rules.", example="true", panel=RULES)] = False,
    now: Annotated[
        datetime | None,
        Option("Time to compare dates with, such as 2026-01-31T08:00:00Z.", default="now", metavar="TIME", panel=RULES),
    ] = None,
    zone: Zone = None,
    robots: Annotated[
        Robots | None,
        Option(
            "Local copy of the robots.txt of a site.",
            kind=kinds.COPIES,
            example='{ "https://example.com/robots.txt" = "public/robots.txt" }',
            metavar="URL=FILE",
            panel=RULES,
        ),
    ] = None,
    fold: Annotated[int, Option("Findings to list per rule and document.", example="50", metavar="N")] = FOLD,
    content_encoding: str | None = None,
    http: Http | None = None,
    store: StoreOptions = None,
    budget: Budget | None = None,
) -> Report:
    """Check documents as they were written, one by one and all together.

    An index or robots.txt on disk leads to the children in its folder. Whatever is wrong with a document is a finding,
    even if it is cut off or is not a sitemap. A child that is missing or cannot be opened is among the `failures` of
    the report, and the others are checked.

    Args:
        source: As in `scan`. A folder without a sitemap stands for all its documents.
        location: Public URL of the document, or of its folder if it ends with /. Children have
            the URLs by which their index lists them. With a location, locs on other hosts and in other folders are
            found.
        follow: Read the children of an index or a robots.txt too, or only what it lists itself.
        profile: Search engine whose rules apply, or the protocol. One of protocol, google, bing, yandex, baidu, naver
            or seznam.
        select: Rules to enable, by code, code prefix or name. They count instead of those of the profile.
        ignore: Rules to disable, by code, code prefix or name.
        per_file_ignores: Rules to disable in documents whose path matches a glob.
        root: Folder that the globs of per-file-ignores are relative to. The working folder if None.
        preview: Enable preview rules.
        now: Time to compare dates with, such as 2026-01-31T08:00:00Z. It has a time zone; the present if None.
        zone: Time zone of times that state none: Z, or an offset such as +01:00. With it, MOD002 can be fixed.
        robots: Local copy of the robots.txt of a site. Paths or bytes, by URL or host. They can allow pages of their
            host in sitemaps of another, or disallow what a sitemap lists. Those of the hosts of documents that are
            fetched need not be given.
        fold: Findings to list per rule and document. All are counted.
        content_encoding: As in `scan`.
        http: As in `scan`.
        store: As in `scan`.
        budget: As in `scan`; its `findings` do not apply, because `fold` does.

    Returns:
        The findings, exact counts of them, and the failures.

    Raises:
        InputError: An argument is invalid.
        FileNotFoundError: There is nothing at a path.
        FetchError: The only document cannot be fetched.

    Example:
        >>> import urlset
        >>> sitemap = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/tea</loc></url></urlset>'
        >>> report = urlset.lint(sitemap, select=["LOC"])
        >>> report.counts, report.errors
        ({'LOC002': 1}, 1)
    """
    if fold < 1:
        raise InputError(f"fold must be a whole number from 1 up, got {fold}")
    options = resolve_options(
        profile_name=profile,
        select=select,
        ignore=ignore,
        preview=preview,
        now=now,
        zone=zone,
        per_file_ignores=per_file_ignores,
        root=root,
        robots=robots,
        budget=budget,
    )
    linter = Linter(options, fold, content_encoding, follow=follow, http=http)
    linter.run(resolve_all(source, any_document=True, store=store), location)
    return linter.report()
