"""When each file of a git work tree last changed, from one pass over its history.

Which date: the committer's. It is when the content came to this line of history, so it is never older than the content.
The author's date outlives an amend, a rebase and a cherry-pick, and would call a page older than what it says; a
crawler that came in between would not come again. A rebase makes the committer's date newer than the content, which
costs one needless visit.

Which commit: the newest that gave the file the content it has now, as `git log -1 -- FILE` finds it, but for two that
change nothing of it: a pure rename is followed to the old name, wherever in the repository that was, and a change of
mode is passed over. A rename that changes the content as well is a change.

Merges: a merge has no content of its own but what differs from all its parents. So the log shows each merge against
its first parent. What is the same there came from there. What differs came from another parent, if a commit of that
line gave the file this content, and is else the work of the merge itself (a conflict that was resolved, or more).
DIFFERENCE: of an edit on one line and a pure rename on the first parent's, the date is that of their merge.

Whose word counts: a repository may come from anywhere, its `.git/config` too. What that file would run is turned off,
and nothing is fetched. The user's own configuration stays in force, for it says whom the user trusts
(`safe.directory`).
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile
from threading import Event, Timer
from typing import IO

from urlset._model.errors import InputError
from urlset.sources._git_log import LOG, Walk

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: The first git that shows merges against their first parent alone, and that takes settings from the environment.
_OLDEST = (2, 31)
#: Bounds of what a repository may cost: its files here, what its configuration may run, one name, and one complaint.
_MOST_FILES, _MOST_FILTERS, _MOST_BYTES, _MOST_SAID = 1_000_000, 100, 1 << 20, 1 << 12
_PIECE = 1 << 18
#: Variables of git that say whom the user trusts and where git lies. The others say which repository is meant, or what
#: to do with it, and a hook that runs us would have set them.
_KEPT = re.compile(r"GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|CEILING_DIRECTORIES|EXEC_PATH)")
#: No question, no lock, no transport, and messages that we can read.
_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
#: Against what a repository's own configuration would run or bend.
_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.untrackedCache": "false",
    "log.showRoot": "true",
}
_STATUS = ("status", "-z", "--porcelain=v1", "--untracked-files=all", "--no-renames", "--ignore-submodules=all")


@dataclass(frozen=True, slots=True, eq=False)
class GitDates(Mapping[str, datetime]):
    """When files last changed, in UTC, by their paths below the folder that was asked about.

    Paths have forward slashes; bytes that are no UTF-8 are surrogates, as `os.fsdecode` makes them. A file without a
    date is counted, once: `dirty` has changes that are in no commit, `untracked` is not git's, `skipped` is a symbolic
    link or a submodule, whose content lies elsewhere, `undated` has a commit with no time between the years 1 and 9999.
    """

    dates: Mapping[str, datetime] = field(repr=False)
    dirty: int
    untracked: int
    skipped: int
    undated: int

    def __getitem__(self, path: str) -> datetime:
        return self.dates[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self.dates)

    def __len__(self) -> int:
        return len(self.dates)


def dates(
    folder: str | os.PathLike[str],
    *,
    paths: Iterable[str] | None = None,
    ignore: Sequence[str] = (),
    git: str = "git",
    timeout: float = 600.0,
) -> GitDates:
    """When each file below `folder` got the content that it has now: the committer's date, in UTC.

    `folder` lies anywhere in a work tree. `paths` asks for some of its files only (relative to it, with forward
    slashes); those that git does not know are counted as `untracked`. `ignore` has the full hashes of commits that are
    passed over, such as a `.git-blame-ignore-revs` lists: one that reformatted everything. What such a commit added is
    dated by it all the same, and merges are judged as ever. `git` is the program, 2.31 or newer, and `timeout` the
    seconds that one run of it may take.

    Raises InputError where there is no repository, no commit, no tracked file, no git, or no trust, for a shallow
    clone, whose oldest commit would date all that is older, and for what git cannot read.
    """
    wanted = None if paths is None else _checked(paths)
    ignored = frozenset(_hash(revision) for revision in ignore)
    repository = _Repository(Path(folder), git, timeout)
    head, prefix = repository.check()
    files, skipped, untracked = repository.files(wanted)
    dirty: set[bytes] = set()
    for state, name in repository.changes(prefix):
        if state == b"??":
            untracked += wanted is None
        elif name in files:
            dirty.add(name)
    walk = Walk(head, {prefix + name: blob for name, blob in files.items() if name not in dirty}, ignored)
    if walk.left:
        with closing(repository.records(*LOG, head.decode())) as log:
            walk.run(log)
    found = {_text(name[len(prefix) :]): _moment(when) for name, when in walk.found.items()}
    dated = {name: moment for name, moment in found.items() if moment is not None}
    return GitDates(dated, len(dirty), untracked, skipped, len(found) - len(dated))


def _checked(paths: Iterable[str]) -> set[str]:
    if isinstance(paths, str):
        raise InputError("paths is a str; it is a list of paths")
    wanted = set(paths)
    for path in wanted:
        plain = PurePosixPath(path)
        if not plain.parts or plain.is_absolute() or ".." in plain.parts or str(plain) != path:
            raise InputError(f"{path!r} is no plain path below the folder: give it relative to the folder, as a/b.md")
    return wanted


def _hash(revision: str) -> bytes:
    if not re.fullmatch(r"[0-9a-fA-F]{40}|[0-9a-fA-F]{64}", revision):
        raise InputError(f"the commit to ignore, {revision[:80]!r}, is no full hash: 40 or 64 hexadecimal digits")
    return revision.lower().encode()


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _moment(when: bytes) -> datetime | None:
    """The time of a commit, which is any number, or none where its line cannot be read."""
    try:
        return _EPOCH + timedelta(seconds=int(when))
    except (OverflowError, ValueError):
        return None


class _Repository:
    """The repository that a folder lies in, asked by running git."""

    def __init__(self, folder: Path, git: str, timeout: float) -> None:
        if not folder.is_dir():
            raise InputError(f"{folder} is no folder")
        self.folder = folder
        self._command = [git, "--no-pager", "-C", str(folder)]
        self._timeout = timeout
        self._variables = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
        self._variables |= {name: text for name, text in os.environ.items() if _KEPT.fullmatch(name)} | _VARIABLES
        self._set(_SETTINGS)

    def _set(self, settings: Mapping[str, str]) -> None:
        """Puts settings over all others. In the environment a name may have any character, on a command line not."""
        count = self._variables.get("GIT_CONFIG_COUNT", "")
        start = int(count) if count.isdecimal() else 0
        for place, (name, text) in enumerate(settings.items(), start):
            self._variables |= {f"GIT_CONFIG_KEY_{place}": name, f"GIT_CONFIG_VALUE_{place}": text}
        self._variables["GIT_CONFIG_COUNT"] = str(start + len(settings))

    def check(self) -> tuple[bytes, bytes]:
        """The commit that is checked out, and the folder's path in the repository, empty or with a slash at its end."""
        version = self._line("--version")
        numbers = re.search(rb"(\d+)\.(\d+)", version)
        if numbers is None or (int(numbers[1]), int(numbers[2])) < _OLDEST:
            raise InputError(f"{_line(version)} is too old: git {_OLDEST[0]}.{_OLDEST[1]} or newer is needed")
        told = self._line("rev-parse", "--is-inside-work-tree", "--is-shallow-repository", "--show-prefix")
        inside, shallow, prefix = told.split(b"\n", 2)
        if inside != b"true":
            raise InputError(f"{self.folder} is in no work tree of git: give a folder of files that are checked out")
        if shallow == b"true":
            raise InputError(
                f"{self.folder} is in a shallow clone, which has only the newest commits: every older file would seem "
                "to be as old as the oldest of them. Get the rest with `git fetch --unshallow`, before the build on "
                "Cloudflare Pages; set `fetch-depth: 0` for actions/checkout on GitHub, VERCEL_DEEP_CLONE=true on "
                "Vercel, GIT_DEPTH: 0 on GitLab"
            )
        self._disarm()
        try:
            head = self._line("rev-parse", "--verify", "HEAD^{commit}")
        except InputError as error:
            raise InputError(f"{self.folder} is in a repository without a commit, or with a broken one") from error
        return head, prefix

    def _disarm(self) -> None:
        """Turns off the filters that the repository's own configuration would run to compare a file."""
        records = self.records("config", "--list", "--show-scope", "-z")
        drivers: set[str] = set()
        for scope, setting in zip(records, records, strict=False):
            name = setting.partition(b"\n")[0]
            if scope in (b"local", b"worktree") and name.startswith(b"filter."):
                drivers.add(_text(name.rpartition(b".")[0]))
            if len(drivers) > _MOST_FILTERS:
                raise InputError(f"the repository of {self.folder} configures more than {_MOST_FILTERS} filters")
        for driver in drivers:
            self._set({f"{driver}.clean": "", f"{driver}.process": "", f"{driver}.required": "false"})

    def files(self, wanted: set[str] | None) -> tuple[dict[bytes, bytes], int, int]:
        """What git tracks below the folder, as blobs by name; how many are no files, and how many are not tracked."""
        blobs: dict[bytes, bytes] = {}
        others: set[bytes] = set()
        for count, record in enumerate(self.records("ls-files", "-z", "--stage"), 1):
            if count > _MOST_FILES:
                raise InputError(f"git tracks more than {_MOST_FILES} files in {self.folder}")
            entry, _, name = record.partition(b"\t")
            mode, blob, _ = entry.split(b" ")
            if wanted is not None and _text(name) not in wanted:
                continue
            if mode in (b"120000", b"160000"):
                others.add(name)
            else:
                blobs[name] = blob
        if not blobs and not others and wanted is None:
            raise InputError(f"git tracks no file in {self.folder}: give the folder of the sources, not of a build")
        untracked = 0 if wanted is None else len(wanted) - len(blobs.keys() | others)
        return blobs, len(others), untracked

    def changes(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """What differs from the commit that is checked out: two letters of state, and the name below the folder."""
        for record in self.records(*_STATUS, "--", "."):
            yield record[:2], record[3 + len(prefix) :]

    def _line(self, *arguments: str) -> bytes:
        """All that git says, without the last line end."""
        return b"\0".join(self.records(*arguments)).removesuffix(b"\n")

    def records(self, *arguments: str) -> Generator[bytes, None, None]:
        """What git says, from NUL to NUL, and ends it where nobody listens to the end."""
        with TemporaryFile() as said, self._started(arguments, said) as process:
            is_late = Event()

            def end() -> None:
                is_late.set()
                process.kill()

            timer = Timer(self._timeout, end)
            timer.daemon = True
            timer.start()
            try:
                yield from self._split(process.stdout)
                process.wait()
            finally:
                timer.cancel()
                process.kill()
            if process.returncode != 0:
                if is_late.is_set():
                    raise InputError(f"git {arguments[0]} took longer than {self._timeout:g} seconds in {self.folder}")
                said.seek(0)
                raise self._fault(said.read(_MOST_SAID))

    def _started(self, arguments: tuple[str, ...], said: IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(  # noqa: S603  (the program is the caller's, the arguments are ours)
                [*self._command, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
                env=self._variables,
            )
        except OSError as error:
            program = self._command[0]
            raise InputError(f"{program} cannot be run ({error.strerror}): install git, or say where it is") from error

    def _split(self, stream: IO[bytes] | None) -> Iterator[bytes]:
        rest = b""
        while stream is not None and (piece := stream.read(_PIECE)):
            *whole, rest = (rest + piece).split(b"\0")
            if len(rest) > _MOST_BYTES:
                raise InputError(f"a name in the repository of {self.folder} is longer than {_MOST_BYTES} bytes")
            yield from whole
        if rest:
            yield rest

    def _fault(self, said: bytes) -> InputError:
        """What git complains of, in our words where we know it."""
        if b"dubious ownership" in said or b"unsafe repository" in said:
            return InputError(
                f"git does not trust the repository of {self.folder}, for another user owns it. If you do: "
                "git config --global --add safe.directory FOLDER, where FOLDER is the top of the repository"
            )
        if b"not a git repository" in said:
            return InputError(f"{self.folder} is in no git repository")
        if any(word in said for word in (b"promisor", b"lazy fetch", b"' not allowed")):
            return InputError(
                f"{self.folder} is in a partial clone that lacks more than the content of old files. Clone it in full, "
                f"or with --filter=blob:none. git says: {_line(said)}"
            )
        return InputError(f"git cannot read the repository of {self.folder}: {_line(said) or 'it does not say why'}")


def _line(said: bytes) -> str:
    """The line that matters of what git said, fit to be shown: no control, no password of an address."""
    lines = [line for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    line = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0] if lines else "")
    shown = "".join(character if character.isprintable() else "�" for character in line[:300])
    return re.sub(r"//[^/@\s]*@", "//***@", shown)
