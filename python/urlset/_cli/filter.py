"""The filter of the verbs that read, and what is reported of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from urlset import Filter, Sample, Skipped
from urlset._cli.console import remark
from urlset._cli.options import value_of
from urlset._util.text import plural


def filter_of(options: Mapping[str, Any]) -> Filter | None:
    """Return what the options of a filter mean; None if none of them was given."""
    found = value_of(Filter, options)
    return None if found == Filter() else found


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
