"""The verb `submit`: send the changes of a published set since the last submit to search engines, by IndexNow."""

from __future__ import annotations

import math
import os
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

from urlset._model.errors import FetchError, InputError
from urlset._model.progress import OnProgress, Progress
from urlset._options.http import Retries, Timeout
from urlset._options.option import Option
from urlset._options.publish import DEST, DryRun
from urlset._options.shared import StoreOptions
from urlset._util.arguments import moment_of
from urlset._util.text import plural

if TYPE_CHECKING:
    from urlset._indexnow.address import Target
    from urlset._indexnow.client import IndexNowClient
    from urlset._indexnow.submission_log import Baseline, PendingChanges, SubmissionLog

__all__ = ["ENDPOINT", "PAGES_PER_POST", "Submission", "submit"]

#: The endpoint that forwards changes to every participating engine. Source: IndexNow FAQ.
ENDPOINT: Final = "https://api.indexnow.org/indexnow"
#: The most pages in one post. Source: IndexNow protocol.
PAGES_PER_POST: Final = 10_000
#: The most changes in `Submission.first`.
SHOWN: Final = 10
#: The largest `retries`, and the largest `timeout` in seconds.
_MAX_RETRIES: Final = 100
_LONGEST_TIMEOUT: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Submission:
    """What was submitted, or would be in a dry run. All numbers but `batches` count locs.

    Attributes:
        endpoint: The URL to which changes are posted, without its query.
        host: The host of the published set, with an unusual port.
        baseline: What the set is compared with: "log", or if this call began the log, the manifest before the
            last publish, "previous", or that of the last publish itself, "manifest".
        added: New pages to submit.
        changed: Changed pages to submit.
        removed: Removed pages to submit.
        sent: Changes that were acknowledged and recorded.
        accepted: Those of `sent` for which the engine has yet to check the key (status 202).
        pending: Changes that were not sent; in a dry run all of them.
        batches: Posts that were needed, or would be.
        other_host: Changes left out because they are on another host than the set.
        outside: Changes left out because they are not below the folder of the key file.
        recorded: Locs in the submission log after this call, or in the one that a dry run would begin.
        dry_run: Whether nothing was sent.
        first: The first 10 changes at most, as pairs of "added", "changed" or "removed" and a loc.
    """

    endpoint: str
    host: str
    baseline: Baseline
    added: int
    changed: int
    removed: int
    sent: int
    accepted: int
    pending: int
    batches: int
    other_host: int
    outside: int
    recorded: int
    dry_run: bool
    first: tuple[tuple[str, str], ...]

    def as_dict(self) -> dict[str, Any]:
        """Return it as values of JSON."""
        return asdict(self) | {"first": [{"change": change, "loc": loc} for change, loc in self.first]}


def submit(
    dest: Annotated[str | os.PathLike[str] | None, DEST] = None,
    *,
    key: str,
    watched: Annotated[
        str | os.PathLike[str] | None,
        Option(
            "State of a watch: submit the changes of the site that it watches, instead of those of a published set.",
            metavar="FILE",
        ),
    ] = None,
    key_location: Annotated[
        str | None,
        Option(
            "URL of the key file, if it is not at the root of the host; the key then covers only that folder.",
            example='"https://example.com/key.txt"',
            metavar="URL",
        ),
    ] = None,
    endpoint: Annotated[
        str,
        Option(
            "IndexNow endpoint, which passes submitted URLs on to the other search engines.",
            example=f'"{ENDPOINT}"',
            metavar="URL",
        ),
    ] = ENDPOINT,
    everything: Annotated[bool, Option("Include pages that were published before the first submit.")] = False,
    dry_run: DryRun = False,
    batch: Annotated[int, Option("Pages per request.", metavar="N")] = PAGES_PER_POST,
    retries: Retries = 5,
    timeout: Timeout = 30.0,
    now: datetime | None = None,
    progress: OnProgress | None = None,
    allow_http: Annotated[bool, Option("Allow an endpoint without TLS, such as a test server.")] = False,
    store: StoreOptions = None,
) -> Submission:
    """Submit the pages that were added, changed or removed since the last submit to search engines, by IndexNow.

    Submitted pages are recorded in `.urlset/indexnow.parquet`, the log. A page is submitted if it is not in the
    log, if its entry or its lastmod differs, or if it was removed. A batch is recorded only after status 200 or 202,
    so the next call continues one that failed or was killed.

    The first call begins the log with the set before the last publish, so only the changes of that publish are
    submitted. After the first publish it begins with the whole set, and nothing is sent, because IndexNow is meant for
    changes. Engines do not promise to crawl or to index what is submitted.

    Args:
        dest: Destination: a folder, or an object store as s3://, gs:// or az://BUCKET/PREFIX. None with `watched`.
        key: The IndexNow key of the site. The file `https://HOST/KEY.txt` must contain it, which is checked before
            anything is sent.
        watched: State of a watch: submit the changes of the site that it watches, instead of those of a published set.
            Pages count that were added or removed or that have another lastmod; what is held back does not.
        key_location: URL of the key file, if it is not at the root of the host; the key then covers only that folder.
            Pages outside it are left out, and counted.
        endpoint: IndexNow endpoint, which passes submitted URLs on to the other search engines.
        everything: Include pages that were published before the first submit.
        dry_run: Show what would be done, and change nothing. The lock is written.
        batch: Pages per request.
        retries: How often a request is repeated after 429, after an error of the server, or without a response. The
            pause is what the server asks for, else 1, 2, 4 … seconds. If it asks for more than 10 minutes, the call
            ends.
        timeout: Seconds that a server may take to accept a connection, or to send its next bytes.
        now: The present, with a time zone; by default that of the system.
        progress: Called with how many pages were submitted so far, of those that have changed.
        allow_http: Allow an endpoint without TLS, such as a test server.
        store: Options of the object store, such as endpoint and region; secrets stay in the environment.

    Returns:
        The numbers of pages that were submitted, or would be in a dry run, and of those left out.

    Raises:
        InputError: An argument is invalid, or nothing was published there.
        DocumentError: The manifest or the submission log cannot be read.
        PublishError: Another submit is running, or the submission log cannot be written.
        FetchError: The key file does not contain the key, or the endpoint refuses or cannot be reached. The message
            says how much was submitted.

    Example:
        >>> import urlset
        >>> _ = urlset.publish(["https://shop.example/"], "public", base_url="https://shop.example/")
        >>> rows = ["https://shop.example/", "https://shop.example/tea"]
        >>> _ = urlset.publish(rows, "public", base_url="https://shop.example/")
        >>> submission = urlset.submit("public", key="0123456789abcdef", dry_run=True)
        >>> submission.pending, submission.first
        (1, (('added', 'https://shop.example/tea'),))

    Source: IndexNow protocol.
    """
    if not 1 <= batch <= PAGES_PER_POST:
        raise InputError(f"batch must be from 1 to {PAGES_PER_POST:,} pages, got {batch}")
    if not 0 <= retries <= _MAX_RETRIES:
        raise InputError(f"retries must be from 0 to {_MAX_RETRIES}, got {retries}")
    if not 0 < timeout <= _LONGEST_TIMEOUT:
        raise InputError(f"timeout must be more than 0 and at most {_LONGEST_TIMEOUT:g} seconds, got {timeout}")
    # A help asks for the signature alone.
    from urlset._indexnow.address import normalize_host, resolve_target, without_query  # noqa: PLC0415
    from urlset._indexnow.client import IndexNowClient  # noqa: PLC0415
    from urlset._indexnow.submission_log import SubmissionLog  # noqa: PLC0415
    from urlset._stores.open import open_store  # noqa: PLC0415

    if (dest is None) == (watched is None):
        raise InputError("one of dest and watched must be given: a published set, or the state of a watch")
    now = moment_of(now)
    with ExitStack() as stack:
        if watched is not None:
            from urlset._indexnow.watched import folder_of  # noqa: PLC0415

            dest = stack.enter_context(folder_of(watched))
        assert dest is not None
        log = stack.enter_context(SubmissionLog.open(open_store(dest, **(store or {})), everything=everything))
        target = resolve_target(log.base_url, key, key_location, endpoint, allow_http=allow_http)
        baseline = log.baseline
        if not dry_run:
            log.begin()
        changes = log.compare(lambda site: normalize_host(site) == target.host, target.scope, now, SHOWN)
        sent = accepted = 0
        if changes.pages and not dry_run:
            with closing(IndexNowClient(key, target, timeout, retries, allow_http=allow_http)) as client:
                sent, accepted = _send(log, client, target, changes, batch, now, progress)
            log.merge()
        return Submission(
            endpoint=without_query(target.endpoint),
            host=target.host,
            baseline=baseline,
            added=changes.added,
            changed=changes.changed,
            removed=changes.removed,
            sent=sent,
            accepted=accepted,
            pending=changes.pages - sent,
            batches=math.ceil(changes.pages / batch),
            other_host=changes.other_host,
            outside=changes.outside,
            recorded=log.recorded(),
            dry_run=dry_run,
            first=changes.first,
        )


def _send(
    log: SubmissionLog,
    client: IndexNowClient,
    target: Target,
    changes: PendingChanges,
    size: int,
    now: datetime,
    progress: OnProgress | None,
) -> tuple[int, int]:
    """Post and record all batches. Return how many locs were acknowledged, and how many of those by status 202."""
    client.check_key_file()
    sent = accepted = 0
    for batch in log.batches(size):
        try:
            is_pending = client.post(batch.locs)
        except FetchError as error:
            log.merge()
            done = f"{sent:,} of {plural(changes.pages, 'change')} submitted and recorded"
            raise FetchError(
                f"{error}; {done}; submit again to continue with the other {changes.pages - sent:,}"
            ) from None
        log.record(batch, target.endpoint, now)
        sent += len(batch.locs)
        accepted += len(batch.locs) if is_pending else 0
        if progress is not None:
            progress(Progress("pages", sent, changes.pages))
    return sent, accepted
