"""When each file of a git work tree last changed, from one pass over its history.

Which date: the committer's. The content entered this line of history at that time, so the date is never older than the
content. The author's date survives an amend, a rebase and a cherry-pick, so a page could seem older than its content; a
crawler that visited in between would not return. A rebase makes the committer's date newer than the content, which
costs one needless visit.

Which commit: the newest that gave the file its current content, as `git log -1 -- FILE` finds it, with two exceptions
that leave the content as it was: a pure rename is followed to the old name, anywhere in the repository, and a change of
mode is ignored. A rename that also changes the content is a change.

Merges: a merge adds only what differs from all of its parents. So the log shows each merge against its first parent.
What is the same there came from the first parent. What differs came from another parent, if a commit on that line gave
the file this content, and otherwise from the merge itself, such as a resolved conflict.
DIFFERENCE: for an edit on one line and a pure rename on that of the first parent, the date is that of the merge.

Which configuration: a repository may come from anywhere, with its `.git/config`. Programs that this file would run are
turned off, and nothing is fetched. The user's own configuration stays in force, because it says which repositories the
user trusts (`safe.directory`).
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
from urlset.sources._git_log import LOG_ARGUMENTS, HistoryWalk

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: The first git that can show merges against their first parent alone, and takes settings from the environment.
_OLDEST = (2, 31)
#: The most files in a folder, filters in a configuration, bytes of one name, and bytes of an error message.
_MAX_FILES, _MAX_FILTERS, _MAX_BYTES, _MAX_MESSAGE = 1_000_000, 100, 1 << 20, 1 << 12
_PIECE = 1 << 18
#: Variables of git that say which repositories the user trusts and where git is installed. The others select a
#: repository, or what to do with it, and are set when a git hook runs this program.
_KEPT = re.compile(r"GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|CEILING_DIRECTORIES|EXEC_PATH)")
#: No prompts, no locks, no transport, and messages in English.
_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
#: Settings that override what the configuration of a repository could run or change.
_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.untrackedCache": "false",
    "log.showRoot": "true",
}
_STATUS = ("status", "-z", "--porcelain=v1", "--untracked-files=all", "--no-renames", "--ignore-submodules=all")


@dataclass(frozen=True, slots=True, eq=False)
class GitDates(Mapping[str, datetime]):
    """When files last changed: a mapping from their paths below the folder to times in UTC.

    Paths have forward slashes; bytes that are not UTF-8 are surrogates, as from `os.fsdecode`. Each file without a date
    is counted once:

    Attributes:
        dates: The times by path, which the mapping itself has too.
        dirty: Files with uncommitted changes.
        untracked: Files that git does not track.
        skipped: Symbolic links and submodules, whose content is elsewhere.
        undated: Files whose commit has a time outside the years 1 to 9999.
    """

    dates: Mapping[str, datetime] = field(repr=False)
    dirty: int
    untracked: int
    skipped: int
    undated: int

    def __getitem__(self, path: str) -> datetime:
        """Return the date of a file."""
        return self.dates[path]

    def __iter__(self) -> Iterator[str]:
        """Iterate the paths of the files."""
        return iter(self.dates)

    def __len__(self) -> int:
        """Return how many files have a date."""
        return len(self.dates)


def dates(
    folder: str | os.PathLike[str],
    *,
    paths: Iterable[str] | None = None,
    ignore: Sequence[str] = (),
    git: str = "git",
    timeout: float = 600.0,
) -> GitDates:
    """Return when each file below a folder got its current content: the committer's date, in UTC.

    Args:
        folder: Any folder in a work tree.
        paths: The files to date, relative to `folder` and with forward slashes; all of them by default. Those that git
            does not track are counted as `untracked`.
        ignore: Full hashes of commits to ignore, such as those in a `.git-blame-ignore-revs`: for example one that
            reformatted everything. A file that such a commit added still gets its date, and merges are not ignored.
        git: The git program, version 2.31 or later.
        timeout: Seconds that one run of git may take.

    Returns:
        The times by path, and counts of the files without one.

    Raises:
        InputError: There is no git, no repository, no commit or no tracked file; the repository is not trusted or
            cannot be read; or it is a shallow clone, whose oldest commit would be the date of everything older.

    Example:
        >>> import subprocess
        >>> from pathlib import Path
        >>> from urlset.sources import git
        >>> def run(*arguments):
        ...     settings = ("-c", "user.name=Ann", "-c", "user.email=ann@shop.example")
        ...     environment = {"GIT_COMMITTER_DATE": "2026-11-20T08:00:00Z"}
        ...     _ = subprocess.run(("git", "-C", "pages", *settings, *arguments), env=environment, check=True)
        >>> Path("pages").mkdir()
        >>> _ = Path("pages/tea.md").write_text("Green tea")
        >>> run("init", "--quiet")
        >>> run("add", "tea.md")
        >>> run("commit", "--quiet", "--message", "Add tea")
        >>> git.dates("pages")["tea.md"].isoformat()
        '2026-11-20T08:00:00+00:00'
    """
    requested = None if paths is None else _check_paths(paths)
    ignored = frozenset(_commit_hash(revision) for revision in ignore)
    repository = _Repository(Path(folder), git, timeout)
    head, prefix = repository.check()
    files, skipped, untracked = repository.files(requested)
    dirty: set[bytes] = set()
    for state, name in repository.changes(prefix):
        if state == b"??":
            untracked += requested is None
        elif name in files:
            dirty.add(name)
    walk = HistoryWalk(head, {prefix + name: blob for name, blob in files.items() if name not in dirty}, ignored)
    if walk.left:
        with closing(repository.records(*LOG_ARGUMENTS, head.decode())) as log:
            walk.run(log)
    found = {_text(name[len(prefix) :]): _moment(when) for name, when in walk.found.items()}
    dated = {name: moment for name, moment in found.items() if moment is not None}
    return GitDates(dated, len(dirty), untracked, skipped, len(found) - len(dated))


def _check_paths(paths: Iterable[str]) -> set[str]:
    if isinstance(paths, str):
        raise InputError(f"paths must be a list of strings, got the string {paths!r}")
    requested = set(paths)
    for path in requested:
        plain = PurePosixPath(path)
        if not plain.parts or plain.is_absolute() or ".." in plain.parts or str(plain) != path:
            raise InputError(f"paths must be relative to the folder, such as a/b.md, got {path!r}")
    return requested


def _commit_hash(revision: str) -> bytes:
    if not re.fullmatch(r"[0-9a-fA-F]{40}|[0-9a-fA-F]{64}", revision):
        raise InputError(f"ignore must have full hashes of 40 or 64 hexadecimal digits, got {revision[:80]!r}")
    return revision.lower().encode()


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _moment(when: bytes) -> datetime | None:
    """Return the time of a commit; None if it is out of range or cannot be parsed."""
    try:
        return _EPOCH + timedelta(seconds=int(when))
    except (OverflowError, ValueError):
        return None


class _Repository:
    """The repository that contains a folder, read by running git."""

    def __init__(self, folder: Path, git: str, timeout: float) -> None:
        if not folder.is_dir():
            raise InputError(f"{folder} is not a folder")
        self.folder = folder
        self._command = [git, "--no-pager", "-C", str(folder)]
        self._timeout = timeout
        self._variables = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
        self._variables |= {name: text for name, text in os.environ.items() if _KEPT.fullmatch(name)} | _VARIABLES
        self._override(_SETTINGS)

    def _override(self, settings: Mapping[str, str]) -> None:
        """Override settings by the environment, where, unlike on a command line, a name may have any character."""
        count = self._variables.get("GIT_CONFIG_COUNT", "")
        start = int(count) if count.isdecimal() else 0
        for number, (name, text) in enumerate(settings.items(), start):
            self._variables |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": text}
        self._variables["GIT_CONFIG_COUNT"] = str(start + len(settings))

    def check(self) -> tuple[bytes, bytes]:
        """Return the commit that is checked out, and the folder's path in the repository, with a slash at its end."""
        version = self._output("--version")
        numbers = re.search(rb"(\d+)\.(\d+)", version)
        if numbers is None or (int(numbers[1]), int(numbers[2])) < _OLDEST:
            oldest = ".".join(map(str, _OLDEST))
            raise InputError(f"{_message_line(version)} is too old: git {oldest} or later is needed")
        output = self._output("rev-parse", "--is-inside-work-tree", "--is-shallow-repository", "--show-prefix")
        inside, shallow, prefix = output.split(b"\n", 2)
        if inside != b"true":
            raise InputError(f"{self.folder} is not in a git work tree: name a folder of files that are checked out")
        if shallow == b"true":
            raise InputError(
                f"{self.folder} is in a shallow clone, which has only the newest commits: every older file would get "
                "the date of the oldest one. Fetch the others with `git fetch --unshallow`, on Cloudflare Pages before "
                "the build; set `fetch-depth: 0` for actions/checkout on GitHub, VERCEL_DEEP_CLONE=true on Vercel, "
                "GIT_DEPTH: 0 on GitLab"
            )
        self._disable_filters()
        try:
            head = self._output("rev-parse", "--verify", "HEAD^{commit}")
        except InputError as error:
            raise InputError(f"{self.folder} is in a repository without a commit, or with a broken one") from error
        return head, prefix

    def _disable_filters(self) -> None:
        """Turn off the filters that the repository's own configuration would run to compare a file."""
        records = self.records("config", "--list", "--show-scope", "-z")
        drivers: set[str] = set()
        for scope, setting in zip(records, records, strict=False):
            name = setting.partition(b"\n")[0]
            if scope in (b"local", b"worktree") and name.startswith(b"filter."):
                drivers.add(_text(name.rpartition(b".")[0]))
            if len(drivers) > _MAX_FILTERS:
                raise InputError(f"the repository of {self.folder} configures more than {_MAX_FILTERS} filters")
        for driver in drivers:
            self._override({f"{driver}.clean": "", f"{driver}.process": "", f"{driver}.required": "false"})

    def files(self, requested: set[str] | None) -> tuple[dict[bytes, bytes], int, int]:
        """Return the tracked files below the folder, as blobs by name; how many are not files, or not tracked."""
        blobs: dict[bytes, bytes] = {}
        others: set[bytes] = set()
        for count, record in enumerate(self.records("ls-files", "-z", "--stage"), 1):
            if count > _MAX_FILES:
                raise InputError(f"git tracks more than {_MAX_FILES} files in {self.folder}")
            entry, _, name = record.partition(b"\t")
            mode, blob, _ = entry.split(b" ")
            if requested is not None and _text(name) not in requested:
                continue
            if mode in (b"120000", b"160000"):
                others.add(name)
            else:
                blobs[name] = blob
        if not blobs and not others and requested is None:
            raise InputError(f"git tracks no file in {self.folder}: name the folder of the sources, not of a build")
        untracked = 0 if requested is None else len(requested) - len(blobs.keys() | others)
        return blobs, len(others), untracked

    def changes(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yield what differs from the commit that is checked out: its status in two letters, and its name."""
        for record in self.records(*_STATUS, "--", "."):
            yield record[:2], record[3 + len(prefix) :]

    def _output(self, *arguments: str) -> bytes:
        """Return the whole output of git without the last line end."""
        return b"\0".join(self.records(*arguments)).removesuffix(b"\n")

    def records(self, *arguments: str) -> Generator[bytes, None, None]:
        """Yield the records of git's output, which NUL separates. Closing the generator ends git."""
        with TemporaryFile() as errors, self._start(arguments, errors) as process:
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
                errors.seek(0)
                raise self._refusal(errors.read(_MAX_MESSAGE))

    def _start(self, arguments: tuple[str, ...], errors: IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(  # noqa: S603  (the program is the caller's, the arguments are ours)
                [*self._command, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=self._variables,
            )
        except OSError as error:
            program = self._command[0]
            raise InputError(
                f"{program} cannot be run ({error.strerror}): install git, or pass its path as git"
            ) from error

    def _split(self, stream: IO[bytes] | None) -> Iterator[bytes]:
        rest = b""
        while stream is not None and (piece := stream.read(_PIECE)):
            *complete, rest = (rest + piece).split(b"\0")
            if len(rest) > _MAX_BYTES:
                raise InputError(f"a name in the repository of {self.folder} is longer than {_MAX_BYTES} bytes")
            yield from complete
        if rest:
            yield rest

    def _refusal(self, message: bytes) -> InputError:
        """Return an error for what git reported, with a remedy if the cause is known."""
        if b"dubious ownership" in message or b"unsafe repository" in message:
            return InputError(
                f"git does not trust the repository of {self.folder}, because another user owns it. If you trust it: "
                "git config --global --add safe.directory FOLDER, where FOLDER is the top folder of the repository"
            )
        if b"not a git repository" in message:
            return InputError(f"{self.folder} is not in a git repository")
        if any(word in message for word in (b"promisor", b"lazy fetch", b"' not allowed")):
            return InputError(
                f"{self.folder} is in a partial clone that lacks more than the content of old files. Clone it in full, "
                f"or with --filter=blob:none. git reports: {_message_line(message)}"
            )
        line = _message_line(message) or "git gives no reason"
        return InputError(f"git cannot read the repository of {self.folder}: {line}")


def _message_line(message: bytes) -> str:
    """Return the relevant line of a message of git, without control characters and without passwords in URLs."""
    lines = [line for line in message.decode("utf-8", "replace").splitlines() if line.strip()]
    line = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0] if lines else "")
    shown = "".join(character if character.isprintable() else "�" for character in line[:300])
    return re.sub(r"//[^/@\s]*@", "//***@", shown)
