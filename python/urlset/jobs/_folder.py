"""The folder of a job, in which its tasks write until the driver commits or aborts the job.

    .urlset/jobs/<job>/<part>-<attempt>/   the documents and the part of the manifest that one attempt of a task made

Attempts never meet: a task that is tried again, or twice at once, writes into another folder. The driver takes the
files of the attempts that it has facts of, and removes the folder of the job with everything else that is in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex
from shutil import rmtree

from urlset._model.errors import PublishError
from urlset._stores.errors import os_errors_as_publish_errors
from urlset._stores.folder import FolderStore
from urlset._stores.store import Store
from urlset._util.files import sync_file, sync_folder
from urlset._util.tempdirs import temporary_folder

_JOBS = ".urlset/jobs/"
_STARTED = "%Y%m%dT%H%M%SZ"
_ID = re.compile(r"(\d{8}T\d{6}Z)-[0-9a-f]{16}(?:\.gone)?", re.ASCII)
#: How long a job can take. What a killed driver has left behind for longer is removed by the next job.
LIFETIME = timedelta(days=7)


def new_id(now: datetime) -> str:
    """Return the id of a job that starts now."""
    return f"{now.astimezone(UTC):{_STARTED}}-{token_hex(8)}"


def attempt_name(job: str, part: int, attempt: int) -> str:
    """Return the name of the folder of one attempt, below the folder of the set."""
    return f"{_JOBS}{job}/{part:05}-{attempt}"


def make_job_folder(store: Store, job: str) -> None:
    """Make the folder of a job, if the set is in a folder. Without it, a late attempt knows that the job has ended."""
    if isinstance(store, FolderStore):
        store.size(f"{_JOBS}{job}/x")  # no link leads out of the folder of the set
        with os_errors_as_publish_errors(store.folder / _JOBS):
            (store.folder / _JOBS / job).mkdir(parents=True, exist_ok=True)


@contextmanager
def attempt_folder(store: Store, name: str, *, has_folder: bool = False) -> Iterator[Path]:
    """Make an empty local folder for the files of one attempt, which are in the store, durably, at the end.

    After an error there is nothing of it. With `has_folder`, the folder of the job was made by `make_job_folder`.

    Raises:
        PublishError: The job has ended, or its folder is not shared.
    """
    _remove(store, name)  # of an attempt with the same number
    if not isinstance(store, FolderStore):
        with os_errors_as_publish_errors(Path("the temporary folder")), temporary_folder() as local:
            folder = local / "attempt"
            folder.mkdir()
            yield folder
            for path in sorted(folder.iterdir()):
                store.put_file(f"{name}/{path.name}", path)
        return
    store.size(f"{name}/x")  # no link leads out of the folder of the set
    folder = store.folder / name
    with os_errors_as_publish_errors(folder):
        try:
            folder.mkdir(parents=not has_folder, exist_ok=True)
        except FileNotFoundError:
            raise PublishError(
                f"{folder.parent} is missing: the job has ended, or this task does not share that folder with the"
                " driver"
            ) from None
        try:
            yield folder
            for path in folder.iterdir():
                sync_file(path)
            sync_folder(folder)
        except BaseException:
            rmtree(folder, ignore_errors=True)
            raise


def remove_job(store: Store, job: str) -> None:
    """Remove the folder of a job with everything in it, if there is one."""
    _remove(store, _JOBS + job)
    if isinstance(store, FolderStore):
        with suppress(OSError):  # another job is in there
            (store.folder / _JOBS).rmdir()


def remove_expired(store: Store, now: datetime) -> None:
    """Remove the folders of jobs whose driver was killed."""
    for job in _jobs(store):
        found = _ID.fullmatch(job)
        if found and now - datetime.strptime(found[1], _STARTED).replace(tzinfo=UTC) > LIFETIME:
            remove_job(store, job)


def _jobs(store: Store) -> set[str]:
    """Return the ids of the jobs that have a folder."""
    if isinstance(store, FolderStore):  # a job that was killed early has a folder without any file
        folder = store.folder / _JOBS
        with os_errors_as_publish_errors(folder):
            return {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    return {name.removeprefix(_JOBS).partition("/")[0] for name in store.list(_JOBS)}


def _remove(store: Store, name: str) -> None:
    if isinstance(store, FolderStore):
        store.size(f"{name}/x")  # no link leads out of the folder of the set
        folder = store.folder / name
        gone = folder.with_name(f"{folder.name.removesuffix('.gone')}.gone")
        rmtree(gone, ignore_errors=True)  # of a process that was killed between the two next steps
        # A task that still runs could put a file into it meanwhile. Under another name it finds nothing.
        with suppress(OSError):
            folder.rename(gone)
        rmtree(gone, ignore_errors=True)
    else:
        store.delete(store.list(name + "/"))
