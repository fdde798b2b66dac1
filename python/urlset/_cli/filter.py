"""Options of the verbs that read: which sitemaps, and which of their entries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, cast

import typer

from urlset import Filter, InputError, Kind, Sample, Skipped, UnknownLastmod
from urlset._cli.console import remark
from urlset._cli.groups import option_group
from urlset._cli.options import words
from urlset._util.text import plural

CHOICE = "What to read"

_FORMS = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%z"]


def _options(
    *,
    include_sitemaps: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Sitemaps to read, such as 'sitemap-products-*' or '/blog/*'; repeat it for more.",
            rich_help_panel=CHOICE,
        ),
    ] = None,
    exclude_sitemaps: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="Sitemaps not to fetch; repeat it for more.", rich_help_panel=CHOICE),
    ] = None,
    include: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Entries to read, by their loc, such as '/blog/*'; repeat it for more.",
            rich_help_panel=CHOICE,
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN", help="Entries to leave out, by their loc; repeat it for more.", rich_help_panel=CHOICE
        ),
    ] = None,
    modified_since: Annotated[
        datetime | None,
        typer.Option(
            metavar="TIME",
            formats=_FORMS,
            help="Leave out entries with an earlier lastmod, and sitemaps to which their index gives one.",
            rich_help_panel=CHOICE,
        ),
    ] = None,
    modified_before: Annotated[
        datetime | None,
        typer.Option(
            metavar="TIME",
            formats=_FORMS,
            help="Leave out entries whose lastmod is not earlier.",
            rich_help_panel=CHOICE,
        ),
    ] = None,
    unknown_lastmod: Annotated[
        UnknownLastmod,
        typer.Option(help="Keep or skip what has no valid lastmod.", rich_help_panel=CHOICE),
    ] = "keep",
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KINDS",
            show_default="all",
            help="Kinds of documents to take entries from, such as urlset,rss.",
            rich_help_panel=CHOICE,
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Read only so many sitemaps, drawn evenly.", rich_help_panel=CHOICE),
    ] = None,
    sample_entries: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Read all sitemaps, and keep only so many of their entries, drawn evenly.",
            rich_help_panel=CHOICE,
        ),
    ] = None,
    max_entries: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Begin no further sitemap after so many entries.", rich_help_panel=CHOICE
        ),
    ] = None,
) -> Filter | None:
    """Return what the options mean; None if all of them have their defaults."""
    try:
        chosen = Filter(
            include_sitemaps=include_sitemaps or (),
            exclude_sitemaps=exclude_sitemaps or (),
            include=include or (),
            exclude=exclude or (),
            modified_since=_in_utc(modified_since),
            modified_before=_in_utc(modified_before),
            unknown_lastmod=unknown_lastmod,
            kinds=cast("list[Kind]", words(kinds) or []),
            sample=sample,
            sample_entries=sample_entries,
            max_entries=max_entries,
        )
    except InputError as error:
        # It names fields of the filter, which are called as the options are.
        message = re.sub(r"Filter\.(?=\w)", "", str(error))
        message = re.sub(
            r"\b(?:\w+_sitemaps|modified_\w+|unknown_lastmod|kinds|sample(?:_entries)?)\b",
            lambda m: _option(m[0]),
            message,
        )
        raise typer.BadParameter(message) from None
    return None if chosen == Filter() else chosen


#: Gives a verb the options of a filter behind its own. They reach it as its keyword `wanted`.
filtered = option_group("wanted", _options)


def note_choice(skipped: Skipped, sample: Sample | None) -> None:
    """Say on standard error what a filter left out, and what a sample stands for."""
    if skipped.sitemaps:
        remark(f"skipped {plural(sum(skipped.sitemaps.values()), 'sitemap')} ({_reasons(skipped.sitemaps)})")
    if skipped.entries:
        total = sum(skipped.entries.values())
        remark(f"skipped {plural(total, 'entry', 'entries')} ({_reasons(skipped.entries)})")
    if sample is not None:
        remark(f"read a sample of {sample}")


def _reasons(counts: Mapping[str, int]) -> str:
    """Return how many there are by option."""
    return ", ".join(f"{_option(field)}: {count:,}" for field, count in counts.items())


def _option(field: str) -> str:
    """Return the option of a field of the filter."""
    return f"--{field.replace('_', '-')}"


def _in_utc(moment: datetime | None) -> datetime | None:
    return moment if moment is None or moment.tzinfo is not None else moment.replace(tzinfo=UTC)
