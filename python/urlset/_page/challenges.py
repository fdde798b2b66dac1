"""Signs that an answer is not the page, but a bot challenge in its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

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
#: Texts that must all stand in the first bytes of a challenge page, as seen in such pages.
_MARKS: Final = (
    ((b"/cdn-cgi/challenge-platform/", b"_cf_chl_opt"), "Cloudflare"),
    ((b"gokuProps", b"awswaf"), "AWS WAF"),
    ((b"captcha-delivery.com", b"var dd="), "DataDome"),
    ((b"_Incapsula_Resource", b"incident"), "Imperva"),
    ((b"px-captcha", b"_pxAppId"), "HUMAN"),
    ((b"/.well-known/sgcaptcha/",), "SiteGround"),
    ((b"anubis_challenge",), "Anubis"),
)
#: Challenge pages are short, and say what they are at their beginning.
_FIRST: Final = 20_000


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
    first = body[:_FIRST]
    for marks, whose in _MARKS:
        if all(mark in first for mark in marks):
            return whose
    return None
