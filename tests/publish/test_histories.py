"""Random histories of publishes, settings, damage, rollbacks and interruptions, judged without a line of the package.

After each publish, the set says what its rows say, whatever was damaged before it. Every lastmod is that of its row or
follows from what the manifest knew of the page's content; what another program wrote is never one. Rows in another
order give the same bytes. `verify` finds damage and nothing else, and `rollback` restores the previous set as it was,
or refuses.

The long run has 300 histories in five parts, which run beside each other.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
import urlset
from hypothesis import given, settings
from hypothesis import strategies as st
from support.documents import tree
from support.properties import times
from support.publish import BASE, DAY
from support.publish.damage import BUILT, WAYS, overwrite
from support.publish.grouped import grouped
from support.publish.judge import (
    MANIFEST,
    PREVIOUS,
    Found,
    Memory,
    damaged_files,
    digest,
    memory_of,
    names_of,
    read_set,
)
from support.publish.manifests import said
from support.publish.model import small
from urlset import PublishError, Section
from urlset._stores.folder import FolderStore

NEXT = ".urlset/next.parquet"
RECENT = 5


@dataclass(frozen=True, slots=True)
class Page:
    """A row: where it is, and what it says of its lastmod."""

    path: str
    lastmod: str | None
    source: str | None
    content: str | None
    priority: float | None

    @property
    def loc(self) -> str:
        return BASE + self.path

    def as_dict(self) -> dict[str, Any]:
        """As it is given to publish."""
        return {
            "loc": self.loc,
            "lastmod": self.lastmod,
            "lastmod_source": self.source,
            "content": self.content,
            "priority": self.priority,
        }

    def lastmod_after(self, memory: Memory, now: str) -> tuple[str | None, str | None]:
        """The lastmod that it has to get, and the source of it, if so much was known of the pages."""
        content, lastmod, source = memory.get(self.loc, (None, None, None))
        if self.lastmod is not None and self.source != "git":
            return self.lastmod, self.source or "column"
        if self.content is not None and content is not None and self.content != content:
            return now, "content"
        if self.content is not None and source is not None and (self.lastmod is None or source == "content"):
            return lastmod, source
        return self.lastmod, self.source if self.lastmod else None


PATHS = [f"{section}/{number}" for section in "ab" for number in range(4)]
PAGES = st.lists(
    st.builds(
        lambda path, dated, content, priority: Page(path, dated[0], dated[1], content, priority),
        st.sampled_from(PATHS),
        st.sampled_from([(None, None), (None, None), ("2023-05-06", None), ("2024-01-08", "page"), ("2023-11", "git")]),
        st.sampled_from([None, "one", "two", "three"]),
        st.sampled_from([None, 0.5]),
    ),
    min_size=1,
    unique_by=lambda page: page.path,
)
SETTINGS = st.fixed_dictionaries(
    {"sections": st.booleans()},
    optional={
        "names": st.sampled_from(["content", "stable"]),
        "compression": st.sampled_from(["gzip", "none"]),
        "recent": st.just(RECENT),
        "removed": st.just(30),
        "pretty": st.booleans(),
        "verify": st.booleans(),
    },
)
STEPS = st.one_of(
    st.tuples(st.just("publish"), PAGES, SETTINGS),
    st.tuples(st.just("again"), st.integers(0, 99), st.just(None)),
    st.tuples(st.just("damage"), st.sampled_from(sorted(WAYS)), st.tuples(*[st.integers(0, 1 << 20)] * 3)),
    st.tuples(st.just("overwrite"), st.just(None), st.just(None)),
    st.tuples(st.just("rollback"), st.just(None), st.just(None)),
    st.tuples(st.just("verify"), st.just(None), st.just(None)),
    st.tuples(st.just("interrupt"), PAGES, st.integers(1, 14)),
)
HISTORIES = st.tuples(PAGES, SETTINGS, st.lists(STEPS, min_size=2, max_size=8))


class Killed(BaseException):
    """Ends a publish, as a signal would."""


@contextmanager
def killed(step: int) -> Iterator[None]:
    """End a publish before its n-th change of the store."""
    left = step

    def dying(method: Any) -> Any:
        def called(*arguments: Any, **options: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                raise Killed
            return method(*arguments, **options)

        return called

    with patch.multiple(
        FolderStore, **{name: dying(getattr(FolderStore, name)) for name in ("put", "put_file", "rename", "delete")}
    ):
        yield


@dataclass(slots=True)
class History:
    """A folder, and what is known of it."""

    folder: Path
    twin: Path
    now: datetime = DAY[0] + timedelta(days=9)
    rows: list[Page] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    #: What each manifest knows, and what readers see of each set, by the hash of the manifest and of the entry point.
    memories: dict[str | None, Memory] = field(default_factory=dict)
    sets: dict[str | None, Found] = field(default_factory=dict)
    #: Every lastmod that a page has had.
    ever: dict[str, set[str | None]] = field(default_factory=dict)
    #: The files as the last publish or rollback has left them; None if it was interrupted.
    good: dict[str, bytes] | None = None
    #: Whether everything was as it should be at the last publish, so that nothing can be left over.
    is_clean: bool = True
    #: The hashes of manifests that were damaged.
    hurt: set[str | None] = field(default_factory=set)
    #: Whether a publish was interrupted, whose set may have become the current one.
    is_interrupted: bool = False

    def publish(self, rows: list[Page], options: dict[str, Any], folder: Path, seed: int = 0) -> Any:
        """Publish rows in an order of their own."""
        given = {name: value for name, value in options.items() if name != "sections"}
        shuffled = [page.as_dict() for page in rows]
        random.Random(seed).shuffle(shuffled)
        entries: Any = shuffled
        if options["sections"]:
            parts = {name: [row for row in shuffled if row["loc"].startswith(f"{BASE}{name}/")] for name in "ab"}
            entries = {name: Section(part) for name, part in parts.items() if part}
        columns = {name: name for name in ("content", "lastmod_source")}
        more = {"base_url": BASE, "now": self.now, "allow": ["shrunk"], "columns": columns, **given}
        return urlset.publish(entries, folder, **grouped(more))

    def check_publish(self, rows: list[Page], options: dict[str, Any]) -> None:
        """Publish, and judge what is there then."""
        self.now += timedelta(days=1)
        # What may be known: by the manifest, or by that of an interrupted publish.
        known = [
            self.memories[found]
            for found in (digest(self.folder / name) for name in (MANIFEST, NEXT))
            if found in self.memories
        ]
        is_certain = digest(self.folder / MANIFEST) in self.memories and self.good is not None
        entry_point = digest(self.folder / "sitemap.xml")
        try:
            done = self.publish(rows, options, self.folder, 1)
        except PublishError as error:
            # Nothing proves any more that a file under a stable name is ours. After a rollback of a set whose manifest
            # was damaged, the set that is there is known, and what that manifest named is left over.
            if (is_certain and self.is_clean) or "was not published by urlset" not in str(error):
                raise
            self.good, self.is_clean = None, False
            return
        self.publish(rows, options, self.twin, 2)
        assert tree(self.folder) == tree(self.twin)
        found = read_set(self.folder, BASE)
        assert found.pages.keys() == {page.loc for page in rows}
        now = self.now.isoformat(timespec="seconds").replace("+00:00", "Z")
        memory = memory_of(self.folder / MANIFEST)
        for page in rows:
            lastmod, priority = found.pages[page.loc]
            assert priority == (None if page.priority is None else str(page.priority))
            may = [page.lastmod_after(each, now) for each in known]
            if not is_certain:
                may += [(each, "published" if each else None) for each in self.ever.get(page.loc, ())]
                may += [page.lastmod_after({}, now)]
            assert lastmod in {each for each, _ in may}, (page, lastmod, may)
            assert lastmod != BUILT
            source = memory[page.loc][2]
            assert memory[page.loc] == (page.content, lastmod, source)
            assert (lastmod, source) in may, (page, lastmod, source, may)
            self.ever.setdefault(page.loc, set()).add(lastmod)
        if "recent" in options:
            since = self.now - timedelta(days=RECENT)
            recent = {loc: said for loc, said in found.pages.items() if said[0] and _moment(said[0]) >= since}
            assert found.derived.get("sitemap-recent-", {}) == recent
        if entry_point == digest(self.folder / "sitemap.xml") and entry_point in self.sets:
            assert found == self.sets[entry_point] or options.get("names") == "stable"
        self.rows, self.options = rows, options
        self.is_clean = self.is_clean and is_certain
        assert done.location
        self.settle(found)
        if self.is_clean:
            kept = names_of(self.folder / MANIFEST) | names_of(self.folder / PREVIOUS)
            left = {path.name for path in self.folder.glob("sitemap*") if path.suffix != ".css"}
            assert left - {"sitemap.xml"} <= kept

    def settle(self, found: Found) -> None:
        """Remember the set that is there now."""
        self.remember()
        self.sets[digest(self.folder / "sitemap.xml")] = found
        self.good = tree(self.folder)

    def remember(self) -> None:
        """Remember what the manifests know that a publish has written."""
        for path in (self.folder / name for name in (MANIFEST, NEXT, PREVIOUS)):
            if path.is_file() and digest(path) not in self.memories.keys() | self.hurt:
                self.memories[digest(path)] = memory_of(path)

    def damaged(self) -> set[str]:
        """The files of the current set and of the previous one that are not as they were published."""
        manifest, previous = (digest(self.folder / name) in self.memories for name in (MANIFEST, PREVIOUS))
        found = damaged_files(self.folder, MANIFEST, "sitemap.xml") if manifest else {MANIFEST}
        if previous:
            found |= damaged_files(self.folder, PREVIOUS, ".urlset/previous.xml", MANIFEST if manifest else None)
        elif (self.folder / PREVIOUS).is_file() or (self.folder / ".urlset/previous.xml").is_file():
            found.add(PREVIOUS)
        return found

    def check_verify(self) -> None:
        """Verify finds what is damaged, and nothing in a set that is intact."""
        if self.good is None:
            return
        before = tree(self.folder)
        damaged = self.damaged()
        if MANIFEST in damaged and not (self.folder / "sitemap.xml").is_file():
            return  # there is nothing
        found = urlset.verify(self.folder)
        assert tree(self.folder) == before
        assert found.is_intact == (not damaged), (damaged, found.damage)

    def check_rollback(self) -> None:
        """A rollback restores what was there, or refuses and changes nothing."""
        damaged = self.damaged() if self.good is not None else None
        before = tree(self.folder)
        ended: list[str | None] = []
        for folder in (self.folder, self.twin):
            try:
                urlset.rollback(folder)
                ended.append(None)
            except PublishError as error:
                ended.append(str(error).replace(str(folder), ""))
        assert ended[0] == ended[1]
        assert tree(self.folder) == tree(self.twin)
        if ended[0] is not None:
            assert self.good is None or tree(self.folder) == before
            is_possible = damaged == set() and (self.folder / PREVIOUS).is_file()
            assert not is_possible or "stable name" in ended[0], ended
            return
        found = read_set(self.folder, BASE)
        expected = self.sets.get(digest(self.folder / "sitemap.xml"))
        if expected is None:  # an interrupted publish has made it, or it was recovered when nothing proved it any more
            assert self.is_interrupted or said(self.folder / MANIFEST)["urlset.layout"] == ""
        else:
            assert found == expected or self.options.get("names") == "stable"
            assert digest(self.folder / MANIFEST) in self.memories
        self.is_clean = self.is_clean and damaged == set()
        self.settle(found)

    def damage(self, way: str, numbers: tuple[int, int, int]) -> None:
        """Damage a file, in both folders alike."""
        names = [name for name in tree(self.folder) if not name.startswith(".urlset/stage")]
        one, other = names[numbers[0] % len(names)], names[numbers[1] % len(names)]
        for folder in (self.folder, self.twin):
            WAYS[way](folder / one, folder / other, numbers[2])
        # What only a lost manifest names is left over.
        self.is_clean = self.is_clean and not {one, other} & {MANIFEST, PREVIOUS, ".urlset/previous.xml"}
        self.hurt |= {digest(self.folder / each) for each in (MANIFEST, PREVIOUS)} - self.memories.keys()

    def interrupt(self, rows: list[Page], step: int) -> None:
        """Kill a publish."""
        self.now += timedelta(days=1)
        is_whole = self.good is not None and not self.damaged()
        before = read_set(self.folder, BASE) if is_whole else None
        for folder, seed in ((self.folder, 1), (self.twin, 1)):
            try:
                with killed(step):
                    self.publish(rows, self.options, folder, seed)
            except Killed:
                pass
            except PublishError as error:
                if "was not published by urlset" not in str(error):
                    raise
        if before is not None and self.options.get("names") != "stable":
            found = read_set(self.folder, BASE)
            assert found == before or found.pages.keys() == {page.loc for page in rows}
        self.remember()
        for page in rows:  # it may be published by now
            self.ever.setdefault(page.loc, set()).update({page.lastmod, _instant(self.now)})
        self.good, self.is_clean, self.is_interrupted = None, False, True


def _instant(now: datetime) -> str:
    return now.isoformat(timespec="seconds").replace("+00:00", "Z")


def _moment(lastmod: str) -> datetime:
    date = lastmod.replace("Z", "+00:00") if "T" in lastmod else f"{lastmod}-01"[:10] + "T00:00:00+00:00"
    return datetime.fromisoformat(date)


def run(first: list[Page], options: dict[str, Any], steps: list[tuple[str, Any, Any]]) -> None:
    """Run a history."""
    with TemporaryDirectory() as name, small(shard=2, expiring=3):
        history = History(Path(name) / "set", Path(name) / "twin")
        history.check_publish(first, options)
        for kind, what, how in steps:
            match kind:
                case "publish":
                    history.check_publish(what, how)
                case "again":
                    history.check_publish(history.rows, history.options)
                case "damage":
                    history.damage(what, how)
                case "overwrite":
                    for folder in (history.folder, history.twin):
                        overwrite(folder, [page.loc for page in history.rows])
                case "rollback":
                    history.check_rollback()
                case "verify":
                    history.check_verify()
                case "interrupt":
                    history.interrupt(what, how)
        history.check_publish(history.rows, {**history.options, "verify": True})
        history.check_verify()
        shutil.rmtree(history.folder)


@times(12)
@given(HISTORIES)
def test_no_history_ends_in_another_set_than_that_of_its_rows(
    history: tuple[list[Page], dict[str, Any], list[tuple[str, Any, Any]]],
) -> None:
    run(*history)


@pytest.mark.long
@pytest.mark.parametrize("part", range(3))
@settings(max_examples=40, deadline=None)
@given(history=HISTORIES)
def test_no_history_of_many_ends_in_another_set(
    part: int, history: tuple[list[Page], dict[str, Any], list[tuple[str, Any, Any]]]
) -> None:
    assert part < 3  # the histories of each part are drawn anew
    run(*history)
