"""IndexNow: search engines are told which pages of a published set changed since they were last told."""

from __future__ import annotations

import importlib.util
import math
import os
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from urlset._indexnow.address import Target, host_of, shown, target
from urlset._indexnow.client import KEY_CHECK_PENDING, Client, Patience
from urlset._indexnow.ledger import Baseline, Changes, Ledger
from urlset._model.errors import FetchError, InputError
from urlset._stores.open import open_store
from urlset._util.arguments import moment_of

__all__ = ["ENDPOINT", "PAGES_PER_POST", "Submission", "submit"]

#: Passes on what it is told to every engine that takes part. Source: IndexNow FAQ.
ENDPOINT: Final = "https://api.indexnow.org/indexnow"
#: Source: IndexNow protocol.
PAGES_PER_POST: Final = 10_000
#: Changes that a Submission shows.
SHOWN: Final = 10
#: Bounds of what is waited for.
_MOST_RETRIES: Final = 100
_LONGEST_TIMEOUT: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Submission:
    """What was told, or in a dry run would be. All numbers but `batches` count locs.

    `added`, `changed` and `removed` are the changes that are to be told, and `first` the first of them, 10 at most, as
    (change, loc). `sent` of them were acknowledged and booked, by `batches` posts; in a dry run all are `pending`, and
    `batches` is how many posts they would be. `accepted` of those sent wait for the engine to check the key (202).
    `other_host` changes were left out because they are of another host than the set, `outside` because they do not
    lie below the folder of the key file. `baseline` is what changes are told against: the ledger, or, where it began
    with this call, the manifest before the last publish or the last one itself. `booked` locs are in the ledger after
    the call, or would be in the one that a dry run did not begin.
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
    booked: int
    dry_run: bool
    first: tuple[tuple[str, str], ...]


def submit(
    source: str | os.PathLike[str],
    *,
    key: str,
    key_location: str | None = None,
    endpoint: str = ENDPOINT,
    everything: bool = False,
    dry_run: bool = False,
    batch: int = PAGES_PER_POST,
    retries: int = 5,
    timeout: float = 30.0,
    now: datetime | None = None,
    wait: Callable[[float], object] = time.sleep,
    jitter: Callable[[], float] = random.random,
    progress: Callable[[int], object] | None = None,
    allow_http: bool = False,
    store: Mapping[str, Any] | None = None,
) -> Submission:
    """Tells search engines by IndexNow which pages were added, changed or removed since they were last told.

    `source` is where a set was published: a folder, or the URL of an object store, whose options are `store`, as in
    `publish`. What was told is kept in its `.urlset/indexnow.parquet`, the ledger: a page is told
    of when it is not in there, when its entry or its lastmod is another, or when it is gone. The ledger is booked
    batch by batch on the answers 200 and 202 alone, so a call that failed or was killed is continued by the next one.
    Where there is no ledger it begins with what was published before the last publish, so that just what that changed
    is told; on the first publish with all there is, and nothing is sent, as IndexNow is for changes and not for an
    archive. `everything` tells every live page that was never told.

    `key` is the site's own, and has to lie in `https://HOST/KEY.txt`, which is checked before anything is sent, or at
    `key_location`, an https URL on the same host; then pages outside of its folder are left out, and counted. Pages
    of another host than the set's base_url are as well. `batch` is the number of pages in a post.

    A post is tried again `retries` times where the server fails, cannot be reached or is told too much (429), after
    the seconds that it asks for, else after 1, 2, 4 and so on, of which `jitter` (0 to 1) takes up to half. Where it
    asks for more than 10 minutes the call ends. `timeout` is in seconds, for a whole request. `wait` does the waiting,
    `progress` is called with the number of pages told, `now` stands in for the clock. `dry_run` asks nobody and writes
    nothing but its lock. `allow_http` lets the key go over http, for servers of your own.

    Engines do not promise to look at, or to list, what they are told of.

    Raises InputError for what cannot be used, DocumentError where the manifest or the ledger cannot be read,
    PublishError where another submit is running or the ledger cannot be written, FetchError where the key file does
    not say the key, or the endpoint refuses or cannot be reached; it says how much was told. Source: IndexNow protocol.
    """
    if importlib.util.find_spec("httpx2") is None:
        raise InputError("submit needs the extra: pip install 'urlset[indexnow]'")
    if not 1 <= batch <= PAGES_PER_POST:
        raise InputError(f"batch is {batch}; a post has 1 to {PAGES_PER_POST:,} pages")
    if not 0 <= retries <= _MOST_RETRIES:
        raise InputError(f"retries is {retries}; it is 0 to {_MOST_RETRIES}")
    if not 0 < timeout <= _LONGEST_TIMEOUT:
        raise InputError(f"timeout is {timeout}; it is in seconds, more than 0 and {_LONGEST_TIMEOUT:g} at most")
    now = moment_of(now)
    with Ledger.open(open_store(source, **(store or {})), everything=everything) as ledger:
        where = target(ledger.base_url, key, key_location, endpoint, allow_http=allow_http)
        baseline = ledger.baseline
        if not dry_run:
            ledger.begin()
        changes = ledger.compare(lambda site: host_of(site) == where.host, where.scope, now, SHOWN)
        sent = accepted = 0
        if changes.pages and not dry_run:
            client = Client(key, where, Patience(timeout, retries, wait, jitter, now), allow_http=allow_http)
            sent, accepted = _send(ledger, client, where, changes, batch, now, progress)
            ledger.merge()
        return Submission(
            endpoint=shown(where.endpoint),
            host=where.host,
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
            booked=ledger.booked(),
            dry_run=dry_run,
            first=changes.first,
        )


def _send(
    ledger: Ledger,
    client: Client,
    where: Target,
    changes: Changes,
    size: int,
    now: datetime,
    progress: Callable[[int], object] | None,
) -> tuple[int, int]:
    """Posts all batches and books each; how many locs were acknowledged, and how many of them by 202."""
    client.check_key_file()
    sent = accepted = 0
    for batch in ledger.batches(size):
        try:
            status = client.post(batch.locs)
        except FetchError as error:
            ledger.merge()
            done = f"told and booked: {sent:,} of {changes.pages:,} changes"
            raise FetchError(
                f"{error}; {done}; submit again to go on with the other {changes.pages - sent:,}"
            ) from None
        ledger.book(batch, where.endpoint, now)
        sent += len(batch.locs)
        accepted += len(batch.locs) if status == KEY_CHECK_PENDING else 0
        if progress is not None:
            progress(sent)
    return sent, accepted
