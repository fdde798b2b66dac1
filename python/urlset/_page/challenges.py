"""Signs that an answer is not the page, but a bot challenge in its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from urlset import _core

#: Statuses with which servers keep clients away that they have no reason to trust, or no time for.
CHALLENGE_STATUSES: Final = (403, 429, 503)
#: Headers that only a bot challenge sends, and what stands in them.
#: Sources: Cloudflare, detect a challenge page response; AWS WAF, CAPTCHA and challenge actions; DataDome, API.
_HEADERS: Final = (
    ("cf-mitigated", "challenge", "Cloudflare"),
    ("x-amzn-waf-action", "challenge", "AWS WAF"),
    ("x-amzn-waf-action", "captcha", "AWS WAF"),
    ("x-dd-b", "", "DataDome"),
)


def challenge(headers: Sequence[tuple[str, str]], body: bytes) -> str | None:
    """Return whose challenge page an answer is, whatever its status; None if it is none.

    Args:
        headers: Headers with their names in small letters.
        body: The body, or its beginning.

    Example:
        >>> challenge([("cf-mitigated", "challenge")], b"")
        'Cloudflare'
    """
    for name, value in headers:
        for known, part, whose in _HEADERS:
            if name == known and part in value.lower():
                return whose
    return _core.challenger(body)
