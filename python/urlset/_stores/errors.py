"""What an object store's refusal says, in a sentence and without what could be secret."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

#: Where errors say what happened: the code and sentence of S3 and Azure, that of Google, the status, the system's own.
_SAID = (
    re.compile(r"<Code>([^<]{1,100})</Code>"),
    re.compile(r"<Message>([^<\n]{1,300})"),
    re.compile(r'"message": ?"([^"]{1,300})"'),
    re.compile(r"status code: (\d{3} [A-Za-z ]{1,40})"),
    re.compile(r'(?:Os|Custom) \{[^}]*?(?:message|error): "([^"]{1,300})"'),
    re.compile(r"source: (TimedOut|BadScheme)"),
)
_URL = re.compile(r"[a-z]+://\S+")


def reason_of(error: BaseException, secrets: Iterable[Any]) -> str:
    """What went wrong and what to do, out of an error that also has URLs, and keys where they are part of them."""
    text = str(error)
    head = text.partition("\n\nDebug source")[0]
    host = re.search(r"Error performing [A-Z]+ https?://(?:[^/\s@]*@)?([^/\s@?]+)", head)
    found = [match[1].strip() for pattern in _SAID if (match := pattern.search(text))]
    said = ": ".join(found[:2]) or _URL.sub("…", head.partition("\n")[0])[:300]
    for secret in secrets:
        if isinstance(secret, str) and len(secret) > 7:
            said = said.replace(secret, "…")
    if host:
        said = f"{said} (from {host[1]})"
    return said + _remedy(text, said)


def _remedy(text: str, reason: str) -> str:
    if re.search(r"NoSuchBucket|ContainerNotFound|bucket does not exist", reason):
        return "; create it, or correct its name"
    if "169.254.169.254" in reason or "metadata.google" in reason:
        return "; no credentials were found: set those of the provider in the environment"
    if re.search(r"status code: 40[13]|Access ?Denied", text):
        return "; its credentials need the rights to get, put, delete and list objects"
    if re.search("Not ?Implemented", reason):
        return (
            "; without conditional writes it cannot be locked: see to it that one publish runs, and give locking=False"
        )
    if "BadScheme" in reason:
        return "; its endpoint is http: give allow_http=True where that is meant"
    return ""
