"""What ends a crawl before all that its links lead to was requested."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a crawl may cost, and whether it goes on after a failure."""

    pages: int
    clicks: int
    follows_traps: bool
    is_strict: bool
