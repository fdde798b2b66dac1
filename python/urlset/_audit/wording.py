"""The message of a finding, and what to do about it."""

from __future__ import annotations

from urlset._audit.judging import Basis
from urlset._audit.rules import RULES
from urlset._util.text import plural


def words(code: str, verdict: str, pattern: str, count: int) -> tuple[str, str]:
    """Return the message and the help of a finding.

    Args:
        code: Its rule.
        verdict: `"found"` or `"inconclusive"`.
        pattern: What its pages have in common.
        count: How many pages it has.
    """
    rule = RULES[code]
    if verdict == "inconclusive" and rule.inconclusive is None:
        missing = [need for need in rule.needs if need.otherwise is not None]
        stated = next((need for need in missing if need.reason == pattern), missing[0])
        return f"not judged: {pattern}", stated.remedy
    pages = plural(count, rule.words.subject)
    if rule.reasons and verdict == "inconclusive":
        start = max((start for start in rule.reasons if pattern.startswith(start)), key=len)
        reason, remedy = rule.reasons[start]
        more = pattern.removeprefix(start).strip()
        return f"not judged: {pages}, because {reason}" + (f" ({more})" if more else ""), remedy
    prefix = "not judged: " if verdict == "inconclusive" else ""
    predicate, rest = rule.words.said(pattern, count)
    return f"{prefix}{pages} {predicate}: {rest}", rule.words.remedy


def of_what(basis: Basis, estimate: tuple[int, int] | None, asked: tuple[int, int] | None) -> str:
    """Return what the message of a finding adds if its count is not that of all pages.

    Args:
        basis: What the count is of.
        estimate: Between how many pages of all there are.
        asked: How many questions were asked, and of how many.
    """
    if estimate is not None:
        return f"; between {estimate[0]:,} and {estimate[1]:,} of all listed pages (95 %)"
    if basis == "asked" and asked is not None:
        return f"; found by {asked[0]:,} of {asked[1]:,} requests, so there may be more"
    return "; in the sample, and at least as many of all listed pages" if basis == "sample" else ""
