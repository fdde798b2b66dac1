"""Who else hears about the changes of a run: a file or a named pipe that gets lines of JSON, or a web server."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol

from urlset._model.errors import FetchError, InputError, UrlsetError
from urlset._model.instants import rfc3339
from urlset._options.http import Http
from urlset._read.source import is_url
from urlset._util.urls import origin
from urlset._watch.changes import SiteChange
from urlset._watch.holding import HeldSitemap

#: Changes in one post.
MAX_CHANGES: Final = 1_000
#: The environment variable with a token for web servers: it is sent as `Authorization: Bearer`.
TOKEN_ENV: Final = "URLSET_HOOK_TOKEN"  # noqa: S105  (the name of one)


class ToldRun(Protocol):
    """What hooks learn about a run."""

    number: int
    sitemaps: int
    entries: int
    counts: Mapping[str, int]
    held: tuple[HeldSitemap, ...]
    failures: tuple[UrlsetError, ...]
    newest: datetime | None
    is_stale: bool

    def __len__(self) -> int:
        """Return how many changes there are."""

    def __iter__(self) -> Iterator[SiteChange]:
        """Iterate them."""


def check_hooks(hooks: Sequence[str | os.PathLike[str]]) -> tuple[str, ...]:
    """Return the hooks as texts.

    Raises:
        InputError: One cannot be told anything: a URL that no request can be sent to, or a file in no folder. The
            message does not show the path of a URL, which may be a secret.
    """
    if isinstance(hooks, str | os.PathLike):
        raise InputError(f"hooks must be a list of files and URLs, got one, {_shown(os.fspath(hooks))}")
    named = tuple(os.fspath(hook) for hook in hooks)
    for hook in named:
        if "://" in hook and not is_url(hook):
            raise InputError(f"hooks must be files and http or https URLs, got {_shown(hook)}")
        if is_url(hook) and origin(hook) is None:
            raise InputError("a hook must be a URL without a user name; a token goes into " + TOKEN_ENV)
        if not is_url(hook) and not Path(hook).absolute().parent.is_dir():
            raise InputError(f"there is no folder for the hook {hook}")
    return named


def tell(hooks: Sequence[str], run: ToldRun, http: Http) -> None:
    """Tell hooks of a run in which anything has changed, is held back, or has grown old.

    Each is told at least once: a run is confirmed only afterwards, so after a failure all of them are told again. The
    number of the run, the loc and the change tell a reader what it has had before.

    Raises:
        FetchError: A web server did not take it.
        OSError: A file cannot be written.
    """
    if not (len(run) or run.held or run.is_stale):
        return
    for hook in hooks:
        if is_url(hook):
            _post(hook, run, http)
        else:
            _append(Path(hook), run)


def _append(path: Path, run: ToldRun) -> None:
    """Append the changes to a file, or write them to a named pipe, as lines of JSON."""
    with path.open("ab") as file:
        for change in run:
            file.write((json.dumps(_row(change), ensure_ascii=False) + "\n").encode("utf-8", "replace"))


def _post(url: str, run: ToldRun, http: Http) -> None:
    from urlset._fetch.calling import Caller  # noqa: PLC0415  (few runs have such a hook)

    token = os.environ.get(TOKEN_ENV)
    # The headers are for the site that is watched.
    options = Http(
        headers={"Authorization": f"Bearer {token}"} if token else {},
        user_agent=http.user_agent,
        timeout=http.timeout,
        retries=http.retries,
        proxy=http.proxy,
        ca_file=http.ca_file,
        private_addresses=http.private_addresses,
        obey_robots=False,
    )
    with closing(Caller(options, [url])) as caller:
        for body in _bodies(run):
            reply = caller.post(url, json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))
            status = None if reply.answer is None else reply.answer.status
            if status is None or not 200 <= status < 300:
                problem = (
                    f"status {status}"
                    if status is not None
                    else _quoted(reply.fault.problem if reply.fault else "", url)
                )
                raise FetchError(
                    f"the hook at {_shown(url)} did not take the changes of run {run.number}: {problem};"
                    " the next run tells it again"
                )


def _bodies(run: ToldRun) -> Iterator[dict[str, Any]]:
    """Yield what is posted: each body says what the run was, and has the next changes."""
    changes, left = iter(run), len(run)
    facts = {
        "run": run.number,
        "sitemaps": run.sitemaps,
        "entries": run.entries,
        "counts": dict(run.counts),
        "held": [asdict(each) for each in run.held],
        "failures": len(run.failures),
        "newest": None if run.newest is None else rfc3339(run.newest),
        "is_stale": run.is_stale,
    }
    while True:
        part = [_row(change) for change in islice(changes, MAX_CHANGES)]
        left -= len(part)
        yield {**facts, "changes": part, "more": left}
        if left <= 0:
            return


def _row(change: SiteChange) -> dict[str, Any]:
    return asdict(change) | {"seen": rfc3339(change.seen)}


def _shown(hook: str) -> str:
    """Return what of a hook can be shown: the path and the query of a URL are often all of its secret."""
    return (
        f"{hook.partition('://')[0]}://{hook.partition('://')[2].partition('/')[0].rpartition('@')[2]}/…"
        if "://" in hook
        else hook
    )


def _quoted(problem: str, url: str) -> str:
    return problem.replace(url, _shown(url)) or "no answer"
