"""Errors of file systems and object stores, as one sentence with a remedy and without secrets."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from urlset._model.errors import PublishError

#: Remedies by the number of a system error. The other errors speak for themselves.
_REMEDIES = {
    errno.ENOSPC: "free some space and publish again",
    errno.EFBIG: "free some space and publish again",
    errno.EDQUOT: "the quota is used up: free some space and publish again",
    errno.EROFS: "its file system is read-only: publish elsewhere, or mount it for writing",
    errno.EACCES: "let the user that publishes read and write there",
    errno.EPERM: "let the user that publishes read and write there",
    errno.ENOTDIR: "a part of its path is a file: move that away",
    errno.EEXIST: "a part of its path is a file: move that away",
}
#: The parts of an error that say what happened: the code and message of S3 and Azure, the message of Google, the HTTP
#: status, and the message of the operating system.
_MESSAGES = (
    re.compile(r"<Code>([^<]{1,100})</Code>"),
    re.compile(r"<Message>([^<\n]{1,300})"),
    re.compile(r'"message": ?"([^"]{1,300})"'),
    re.compile(r"status code: (\d{3} [A-Za-z ]{1,40})"),
    re.compile(r'(?:Os|Custom) \{[^}]*?(?:message|error): "([^"]{1,300})"'),
    re.compile(r"source: (TimedOut|BadScheme)"),
)
_URL = re.compile(r"[a-z]+://\S+")


@contextmanager
def os_errors_as_publish_errors(path: Path) -> Iterator[None]:
    """Raise PublishError for an OSError, with the path and a remedy if there is one."""
    try:
        yield
    except OSError as error:
        remedy = _REMEDIES.get(error.errno or 0)
        raise PublishError(f"{path}: {error.strerror or error}{f'; {remedy}' if remedy else ''}") from error


#: What the credentials of a publish, or of reading, need permission to do.
TO_PUBLISH, TO_READ = "get, put, delete and list objects", "get and list objects"


def describe_store_error(error: BaseException, secrets: Iterable[Any], needs: str = TO_PUBLISH) -> str:
    """Return what went wrong and what to do, without the URLs in the error, because they may contain keys."""
    text = str(error)
    head = text.partition("\n\nDebug source")[0]
    host = re.search(r"Error performing [A-Z]+ https?://(?:[^/\s@]*@)?([^/\s@?]+)", head)
    found = [match[1].strip() for pattern in _MESSAGES if (match := pattern.search(text))]
    sentence = ": ".join(found[:2]) or _URL.sub("…", head.partition("\n")[0])[:300]
    for secret in secrets:
        if isinstance(secret, str) and len(secret) > 7:
            sentence = sentence.replace(secret, "…")
    if host:
        sentence = f"{sentence} (from {host[1]})"
    return sentence + _remedy(text, sentence, needs)


def _remedy(text: str, reason: str, needs: str) -> str:
    if re.search(r"NoSuchBucket|ContainerNotFound|bucket does not exist", reason):
        return "; create it, or correct its name"
    if "169.254.169.254" in reason or "metadata.google" in reason:
        public = ", or pass skip_signature=True for a bucket that everybody can read" if needs == TO_READ else ""
        return f"; no credentials were found: set those of the provider in the environment{public}"
    if re.search(r"status code: 40[13]|Access ?Denied", text):
        return f"; the credentials need permission to {needs}"
    if re.search("Not ?Implemented", reason):
        return (
            "; without conditional writes it cannot be locked: make sure that only one publish runs at a time, and "
            "pass locking=False"
        )
    if "BadScheme" in reason:
        return "; its endpoint is http: pass allow_http=True if that is intended"
    return ""
