"""The verb that checks documents."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from urlset._lint.options import FOLD, resolve_options
from urlset._lint.report import Report
from urlset._model.errors import InputError
from urlset._model.limits import Budget
from urlset._model.progress import OnProgress
from urlset._options.http import Http
from urlset._options.option import Option
from urlset._options.rules import RULES, Rules
from urlset._options.shared import Follow, StoreOptions, Strict
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
    strict: Strict = False,
    rules: Rules | None = None,
    now: Annotated[
        datetime | None,
        Option("Time to compare dates with, such as 2026-01-31T08:00:00Z.", default="now", metavar="TIME", panel=RULES),
    ] = None,
    fold: Annotated[int, Option("Findings to list per rule and document.", example="50", metavar="N")] = FOLD,
    content_encoding: str | None = None,
    http: Http | None = None,
    store: StoreOptions = None,
    budget: Budget | None = None,
    progress: OnProgress | None = None,
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
        strict: Stop at the first document that fails, instead of going on with the others.
            Otherwise documents that cannot be read are among the `failures`, and the others are checked. If not one
            could be read, the first failure is raised.
        rules: Which rules apply, and what they go by; `Rules()` if None.
        now: Time to compare dates with, such as 2026-01-31T08:00:00Z. It has a time zone; the present if None.
        fold: Findings to list per rule and document. All are counted.
        content_encoding: As in `scan`.
        http: As in `scan`.
        store: As in `scan`.
        budget: As in `scan`; its `findings` do not apply, because `fold` does.
        progress: Called with how many documents were checked so far, of those that are known, and of how many entries.

    Returns:
        The findings, exact counts of them, and the failures.

    Raises:
        InputError: An argument is invalid.
        FileNotFoundError: There is nothing at a path.
        FetchError: No document could be read, or one of them with `strict`.

    Example:
        >>> import urlset
        >>> sitemap = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/tea</loc></url></urlset>'
        >>> report = urlset.lint(sitemap, rules=urlset.Rules(select=["LOC"]))
        >>> report.counts, report.errors
        ({'LOC002': 1}, 1)
    """
    from urlset._lint.linter import Linter  # noqa: PLC0415  (a help asks for the signature alone)

    if fold < 1:
        raise InputError(f"fold must be a whole number from 1 up, got {fold}")
    options = resolve_options(rules, now=now, budget=budget)
    linter = Linter(options, fold, content_encoding, follow=follow, strict=strict, http=http, progress=progress)
    linter.run(resolve_all(source, any_document=True, store=store), location)
    return linter.report()
