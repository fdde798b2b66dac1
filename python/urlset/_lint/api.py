"""The verb that checks documents."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from urlset._fetch.options import Http
from urlset._lint.linter import Linter
from urlset._lint.options import FOLD, Robots, resolve_options
from urlset._lint.report import Report
from urlset._model.errors import InputError
from urlset._model.limits import Budget
from urlset._read.source import SourceLike, SourcesLike, resolve_all


def lint(
    source: SourceLike | SourcesLike,
    *,
    location: str | None = None,
    follow: bool = True,
    strict: bool = False,
    profile: str = "protocol",
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    per_file_ignores: Mapping[str, Sequence[str]] | None = None,
    root: str | os.PathLike[str] | None = None,
    preview: bool = False,
    now: datetime | None = None,
    zone: str | None = None,
    robots: Robots | None = None,
    fold: int = FOLD,
    content_encoding: str | None = None,
    http: Http | None = None,
    store: Mapping[str, Any] | None = None,
    budget: Budget | None = None,
) -> Report:
    """Check documents as they were written, one by one and all together.

    An index or robots.txt on disk leads to the children in its folder. Whatever is wrong with a document is a finding,
    even if it is cut off or is not a sitemap. A child that is missing or cannot be opened is among the `failures` of
    the report, and the others are checked.

    Args:
        source: As in `scan`. A folder without a sitemap stands for all its documents.
        location: Public URL of the document, or of the folder of all documents, with a slash at its end. Children have
            the URLs by which their index lists them. With a location, locs on other hosts and in other folders are
            found.
        follow: Whether to check the children of an index or a robots.txt on disk, from the same folder.
        strict: Whether to raise the first failure. Otherwise documents that cannot be read are among the `failures`,
            and the others are checked; only if no document could be read, the first failure is raised.
        profile: Whose rules count: protocol, google, bing, yandex, baidu, naver or seznam.
        select: Codes, beginnings of codes such as `"LOC"`, or names of the rules to enable, instead of those of the
            profile.
        ignore: Rules to disable, in the same form.
        per_file_ignores: Rules to disable for some files, by globs of their paths.
        root: Folder that those globs are relative to; the working folder if None.
        preview: Whether to enable rules that are new.
        now: Aware datetime to compare dates with; the present if None.
        zone: Offset of times that are written without one, such as `"+01:00"`: with it, MOD002 can be fixed.
        robots: The robots.txt of hosts, as paths or bytes, by their URLs or hosts. They can allow pages of their host
            in sitemaps of another, or disallow what a sitemap lists. Those of the hosts of documents that are fetched
            need not be given.
        fold: How many findings of one rule are kept for one document; all are counted.
        content_encoding: As in `scan`.
        http: As in `scan`.
        store: As in `scan`.
        budget: As in `scan`; its `findings` do not apply, because `fold` does.

    Returns:
        The findings, exact counts of them, and the failures.

    Raises:
        InputError: An argument is invalid.
        FileNotFoundError: There is nothing at a path.
        FetchError: No document could be read, or one of them with `strict`.

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
    linter = Linter(options, fold, content_encoding, follow=follow, strict=strict, http=http)
    linter.run(resolve_all(source, any_document=True, store=store), location)
    return linter.report()
