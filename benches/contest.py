"""Measure several programs on the same work in one run: one process each, taking turns.

Machines are noisy and differ, so a benchmark here is a contest: what counts is a ratio within one
run. Every contestant lives in a process of its own, which imports, loads and waits; the parent asks
one after the other for a round, so that a slow minute of the machine hits them all. The clock runs
in the contestant around the work alone, and what the work found is checked outside it, every time.
"""

from __future__ import annotations

import gc
import hashlib
import importlib.metadata
import json
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

ROUND = 0.5
"""Seconds a contestant repeats its work for in one round; work that takes longer is done once."""


class Found(NamedTuple):
    """What a piece of work found; equal to what was to be found, or its time does not count."""

    number: int
    """Entries, or whatever else the contestant counts."""
    checksum: str
    """SHA-256 (hex) of the locs joined by newlines, or of what else was found; empty for a bare count."""


class Sample(NamedTuple):
    """One repetition."""

    seconds: float
    found: Found
    size: int
    """Bytes produced; 0 where the work produces none."""
    page_faults: int | None
    """Pages of memory that the system had to hand out for it; None where the system does not say."""


def found_locs(locs: Iterable[str | None]) -> Found:
    """Return the count and checksum of `locs`; an absent loc counts and hashes as an empty one."""
    texts = [loc or "" for loc in locs]
    return Found(len(texts), hashlib.sha256("\n".join(texts).encode()).hexdigest())


def serve(
    work: Callable[[], Any],
    found: Callable[[Any], Found],
    *,
    package: str,
    size: Callable[[Any], int] = lambda result: 0,
    given: bytes = b"",
) -> None:
    """Be a contestant: a round for every line on stdin, its samples as a line of JSON on stdout.

    `found` and `size` look at the result of `work` off the clock. How much that leaves of the input in the processor's
    cache would be part of the result: all of it behind a bare count, nothing behind fifty thousand texts. So the bytes
    `given` are passed over before each repetition, which finds them as what has just arrived is found. The first line
    out says which version of `package` ("" is Python itself) is at work.
    """
    answers, sys.stdout = sys.stdout, sys.stderr  # nothing that a library prints gets between the answers
    version = importlib.metadata.version(package) if package else platform.python_version()
    print(json.dumps({"version": version, "python": platform.python_version()}), file=answers, flush=True)
    for line in sys.stdin:
        budget = float(line)
        samples: list[Sample] = []
        while not samples or sum(sample.seconds for sample in samples) < budget:
            gc.collect()  # the last repetition's rubbish is not this one's to sweep
            given.count(b"\0")
            faults, start = _page_faults(), time.perf_counter()
            result = work()
            seconds, faults_after = time.perf_counter() - start, _page_faults()
            new = None if faults is None or faults_after is None else faults_after - faults
            samples.append(Sample(seconds, found(result), size(result), new))
            del result
        print(json.dumps(samples), file=answers, flush=True)


def _page_faults() -> int | None:
    """Return how many pages of memory this process got so far."""
    return None if resource is None else resource.getrusage(resource.RUSAGE_SELF).ru_minflt


class Contestant:
    """The parent's end of one contestant."""

    def __init__(self, name: str, command: Sequence[str | Path], expected: Found) -> None:
        self.name = name
        self.expected = expected
        self.samples: list[Sample] = []
        """The samples that may count: those of every round but the first, which warms up."""
        self.wrong: str | None = None
        """Why no sample of this contestant counts."""
        self.version = self.python = "?"
        self._process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        hello = self._answer()
        if hello is not None:
            self.version, self.python = hello["version"], hello["python"]

    def round(self, budget: float, *, warm_up: bool = False) -> None:
        """Ask for one round of `budget` seconds and check every repetition of it."""
        if self.wrong is not None:
            return
        assert self._process.stdin is not None
        self._process.stdin.write(f"{budget}\n")
        self._process.stdin.flush()
        answer = self._answer()
        for seconds, found, size, faults in answer or ():
            if Found(*found) != self.expected:
                self.wrong = f"found {_brief(Found(*found))}, expected {_brief(self.expected)}"
                return
            if not warm_up:
                self.samples.append(Sample(seconds, self.expected, size, faults))

    @property
    def best(self) -> Sample | None:
        """The quickest sample, None when none counts."""
        return None if self.wrong or not self.samples else min(self.samples, key=lambda sample: sample.seconds)

    def close(self) -> None:
        """End the contestant's process: it leaves when its input does."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process.stdin.close()
        self._process.wait()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self.wrong = f"ended with exit code {self._process.wait()}; its error is above"
            return None
        return json.loads(line)


def _brief(found: Found) -> str:
    return f"{found.number:,} {found.checksum[:12]}".rstrip()


def compete(contestants: Sequence[Contestant], *, rounds: int, label: str) -> None:
    """Let every contestant warm up, then measure it in `rounds` rounds by turns; ends them all."""
    try:
        for turn in range(rounds + 1):
            for contestant in contestants:
                progress(f"{label}: {f'round {turn}/{rounds}' if turn else 'warm-up'}: {contestant.name}")
                contestant.round(ROUND if turn else 0, warm_up=not turn)
    finally:
        for contestant in contestants:
            contestant.close()


def progress(text: str) -> None:
    """Say on stderr what is going on."""
    print(text, file=sys.stderr, flush=True)
