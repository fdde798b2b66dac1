"""Follow files through the log of git, from the newest commit back to those that gave them their content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

#: The most lines of history, beyond one for each file, that merges of many parents may open.
_MAX_LINES = 1_000_000
LOG_ARGUMENTS = (
    *("log", "-z", "--date-order", "--diff-merges=first-parent", "--raw", "--no-abbrev", "--format=%H %ct %P"),
    *("-M100%", "--no-relative", "--no-ext-diff", "--no-textconv", "--no-show-signature"),
)


class _Trace:
    """One file being followed: the number of lines of history to search, and its date if none of them has it."""

    __slots__ = ("lines", "name", "when")

    def __init__(self, name: bytes) -> None:
        self.name = name
        self.lines = 1
        self.when = b""


#: The files to look for at one commit: by the name there, each file with the blob that it has there.
_Names = dict[bytes, list[tuple[_Trace, bytes]]]


class HistoryWalk:
    """Follows files from the newest commit to those that gave them their content, children before parents.

    Only commits with files left to find are examined, and a line of history passes all of them to its first parent at
    once. So memory grows with the number of files, not with the length of the history.
    """

    def __init__(self, head: bytes, wanted: Mapping[bytes, bytes], ignored: frozenset[bytes]) -> None:
        self.found: dict[bytes, bytes] = {}
        self.left = len(wanted)
        self._ignored = ignored
        self._extra = 0
        self._waiting: dict[bytes, _Names] = {head: {name: [(_Trace(name), blob)] for name, blob in wanted.items()}}
        self._commit, self._when = b"", b""
        self._parents: list[bytes] = []
        self._names: _Names = {}
        self._moved: list[tuple[bytes, tuple[_Trace, bytes]]] = []

    def run(self, records: Iterator[bytes]) -> None:
        """Read a log written with `LOG_ARGUMENTS` until every file is found or the log ends."""
        for record in records:
            if not record.startswith((b":", b"\n:")):
                self._leave()
                if not self.left:
                    return
                self._enter(record)
                continue
            before = after = next(records)
            if record.endswith(b" R100"):  # it has two names, the old and the new
                after = next(records)
            if after in self._names:
                self._change(record, before, after)
        self._leave()

    def _enter(self, record: bytes) -> None:
        self._commit, self._when, *parents = record.split(b" ")
        self._parents = [parent for parent in parents if parent]
        self._names = self._waiting.pop(self._commit, {})

    def _change(self, record: bytes, before: bytes, after: bytes) -> None:
        """Handle one name that this commit changed against its first parent."""
        old, new = record.split(b" ")[2:4]
        for trace, blob in self._names.pop(after):
            if trace.lines == 0:  # found on another line meanwhile
                continue
            if new != blob:
                self._lose(trace)
            elif old == new:
                self._moved.append((before, (trace, blob)))
            elif len(self._parents) > 1:
                self._fork(trace, after, blob)
            elif self._commit in self._ignored and old.strip(b"0"):
                self._moved.append((before, (trace, old)))
            else:
                self._find(trace, self._when)

    def _fork(self, trace: _Trace, name: bytes, blob: bytes) -> None:
        """Search all parents but the first: a merge took the file from one of them, or made its content itself."""
        trace.when = self._when
        others = self._parents[1:] if self._extra < _MAX_LINES else self._parents[1:2]
        self._extra += len(others) - 1
        trace.lines += len(others) - 1
        for parent in others:
            self._waiting.setdefault(parent, {}).setdefault(name, []).append((trace, blob))

    def _leave(self) -> None:
        """Pass the files that the commit did not change to its first parent."""
        for name, trace_and_blob in self._moved:
            self._names.setdefault(name, []).append(trace_and_blob)
        self._moved.clear()
        if self._parents and self._names:
            self._join(self._parents[0], self._names)
        else:  # there is no older commit
            for traces in self._names.values():
                for trace, _ in traces:
                    self._lose(trace)
        self._names, self._parents = {}, []

    def _join(self, commit: bytes, names: _Names) -> None:
        waiting = self._waiting.setdefault(commit, names)
        if waiting is names:
            return
        small, large = sorted((waiting, names), key=len)
        for name, traces in small.items():
            large.setdefault(name, []).extend(traces)
        self._waiting[commit] = large

    def _lose(self, trace: _Trace) -> None:
        """Note that a line of history lacks the file; if it was the last one, a merge made the content."""
        if trace.lines == 1:
            self._find(trace, trace.when)
        elif trace.lines:
            trace.lines -= 1

    def _find(self, trace: _Trace, when: bytes) -> None:
        trace.lines = 0
        self.found[trace.name] = when
        self.left -= 1
