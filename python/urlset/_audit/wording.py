"""What a finding of an audit says, and the one change that mends it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from urlset._util.text import plural

#: What a finding says: after the number of pages, for one of them and for several, and what to do.
_WORDS: Final[Mapping[str, tuple[str, str, str]]] = {
    "LIVE001": ("answers", "answer", "remove the entries, or bring the pages back"),
    "LIVE002": ("fails", "fail", "look for the error in the log of the server"),
    "LIVE003": ("redirects", "redirect", "list the URLs that they redirect to"),
    "LIVE004": ("has noindex", "have noindex", "remove the entries, or the noindex"),
    "LIVE005": ("names another canonical URL", "name another canonical URL", "list the canonical URLs"),
    "LIVE006": ("has no link to it", "have no link to them", "link to the pages, or remove them and their entries"),
    "LIVE007": ("is not listed", "are not listed", "add the pages to the sitemap, or give them a noindex"),
    "LIVE008": (
        "has a lastmod more than 7 days older than the page says",
        "have lastmods more than 7 days older than the pages say",
        "take the lastmod from where the page takes its date",
    ),
    "LIVE009": (
        "lists an image that cannot be shown",
        "list images that cannot be shown",
        "correct the URLs of the images",
    ),
    "LIVE010": (
        "has other hreflang links than its entry",
        "have other hreflang links than their entries",
        "make both from the same data, or state them in one place",
    ),
    "LIVE011": ("cannot be judged", "cannot be judged", "see whether the server refuses only this client"),
    "LIVE012": (
        "redirects without an end",
        "redirect without an end",
        "correct the rules of the server that redirect",
    ),
    "LIVE013": ("is most likely an error page", "are most likely error pages", "answer 404 for what does not exist"),
    "LIVE014": (
        "gives another answer when asked again",
        "give another answer when asked again",
        "compare the servers behind the address",
    ),
    "LIVE015": (
        "has a lastmod more than 30 days newer than the page says",
        "have lastmods more than 30 days newer than the pages say",
        "take the lastmod from the time of the change, and not from a build",
    ),
    "LIVE016": (
        "has a newer lastmod and the same content",
        "have newer lastmods and the same content",
        "move the lastmod only when the content changes",
    ),
    "LIVE017": (
        "has changed, and its lastmod is the same",
        "have changed, and their lastmods are the same",
        "move the lastmod whenever the content changes",
    ),
    "LIVE018": (
        "has changed and answers 304",
        "have changed and answer 304",
        "make the ETag from the bytes of the answer, and look for a cache that keeps old ones",
    ),
    "LIVE019": (
        "has another ETag for the same bytes",
        "have another ETag for the same bytes",
        "make the ETag from the content",
    ),
    "LIVE020": (
        "is sent again to those who have it",
        "are sent again to those who have them",
        "answer 304 if If-None-Match has the present ETag",
    ),
    "LIVE021": (
        "has neither ETag nor Last-Modified",
        "have neither ETag nor Last-Modified",
        "send an ETag made from the content",
    ),
    "LIVE022": (
        "has the text of another listed page",
        "have the text of another listed page",
        "list one of them, and name it as the canonical URL on the others",
    ),
    "LIVE023": ("names several canonical URLs", "name several canonical URLs", "keep one canonical link"),
    "LIVE024": (
        "names a canonical URL that does not answer 200",
        "name a canonical URL that does not answer 200",
        "name a URL that answers 200",
    ),
    "LIVE025": (
        "names a canonical URL that names another",
        "name a canonical URL that names another",
        "name the last URL of the chain",
    ),
    "LIVE026": (
        "names one canonical URL in its head and another in its header",
        "name one canonical URL in their heads and another in their headers",
        "state it in one place",
    ),
    "LIVE027": (
        "is disallowed by robots.txt",
        "are disallowed by robots.txt",
        "remove the entries, or allow the pages in robots.txt",
    ),
}
#: What to do about pages that cannot be judged, by the beginning of their pattern.
_REASONS: Final[Mapping[str, tuple[str, str]]] = {
    "robots": ("robots.txt disallows it for this client", "allow it, or pass --ignore-robots on a site of your own"),
    "robots unread": ("robots.txt cannot be read", "answer 200 or 404 for robots.txt: crawlers stay away until then"),
    "wall": (
        "the server refuses this client",
        "allow the client, or name one that is allowed: --user-agent, --headers",
    ),
    "timeout": ("the server took too long", "ask again when the server has less to do"),
    "dns": ("the name of the host has no address", "see whether the name is right, and asked for from the right place"),
    "tls": ("the certificate is not valid for this client", "renew it, or name its authority: --ca-file"),
    "private address": ("the address is private", "name a location on that host yourself"),
    "connection": ("there is no connection", "see whether the server is up"),
    "bound": ("the run has reached a bound", "raise the bound that the detail names"),
    "browser": ("the page is only finished by a browser", "send the content with the page, or check it in a browser"),
    "not usable": ("the answer cannot be used", "see what the detail says"),
}


def words(code: str, verdict: str, pattern: str, count: int, loc: str, detail: str | None) -> tuple[str, str]:
    """Return the message and the help of a finding.

    Args:
        code: Its rule.
        verdict: `"found"` or `"inconclusive"`.
        pattern: What its pages have in common.
        count: How many pages it has.
        loc: The first of them.
        detail: What the finding is for that one.
    """
    pages = plural(count, "page" if code == "LIVE007" else "listed page")
    shown = f", such as {loc}" if count > 1 else f", {loc}"
    if code == "LIVE011" and pattern == "robots":
        # What is wrong with a robots.txt is only in the detail. If it was read, the detail repeats the reason.
        is_unread = "cannot be read" in (detail or "")
        pattern, detail = ("robots unread", detail) if is_unread else (pattern, None)
    shown += f" ({detail})" if detail and detail not in pattern else ""
    if code == "LIVE011":
        known = max((name for name in _REASONS if pattern.startswith(name)), key=len, default="not usable")
        reason, help_text = _REASONS[known]
        return f"not judged: {pages}, because {reason} ({pattern}){shown}", help_text
    if verdict == "inconclusive" and code in ("LIVE006", "LIVE007"):
        return f"not judged: {pattern}", "crawl the whole site into the same file: urlset crawl SITE --state FILE"
    one, many, help_text = _WORDS[code]
    prefix = "not judged: " if verdict == "inconclusive" else ""
    return f"{prefix}{pages} {one if count == 1 else many}: {pattern}{shown}", help_text
