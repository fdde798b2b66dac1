"""Histories with merges: some made by hand, and random ones, dated as git dates each file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sources.repository import Commit, Repository, day, imported
from urlset import InputError
from urlset.sources import _git_log
from urlset.sources.git import dates

# --- merges -------------------------------------------------------------------------------------------------


def test_a_change_on_a_branch_has_its_own_date_and_not_that_of_the_merge(repository: Repository) -> None:
    repository.commit(1, a__md="1", b__md="1", c__md="1")
    repository("checkout", "--quiet", "-b", "side")
    repository.commit(2, a__md="2")
    repository("checkout", "--quiet", "main")
    repository.commit(3, b__md="2")
    repository("merge", "--quiet", "--no-edit", "side", at=4)
    assert dates(repository.folder) == {"a.md": day(2), "b.md": day(3), "c.md": day(1)}


def test_a_change_made_by_a_merge_has_the_date_of_the_merge(repository: Repository) -> None:
    repository.commit(1, conflict__md="1", evil__md="1", taken__md="1")
    repository("checkout", "--quiet", "-b", "side")
    repository.commit(2, conflict__md="2", taken__md="2")
    repository("checkout", "--quiet", "main")
    repository.commit(3, conflict__md="3", taken__md="3")
    repository("merge", "--quiet", "--no-commit", "--strategy=ours", "side")
    repository.commit(4, conflict__md="2 and 3", evil__md="2", taken__md="2")
    assert dates(repository.folder) == {"conflict.md": day(4), "evil.md": day(4), "taken.md": day(2)}


def test_a_branch_that_a_merge_discarded_changed_nothing(repository: Repository) -> None:
    repository.commit(1, a__md="1")
    repository("checkout", "--quiet", "-b", "side")
    repository.commit(2, a__md="2")
    repository("checkout", "--quiet", "main")
    repository("merge", "--quiet", "--no-edit", "--strategy=ours", "side", at=3)
    assert dates(repository.folder) == {"a.md": day(1)}


def merged_four(repository: Repository) -> None:
    """Merge three branches into main, and add a file in the merge."""
    repository.commit(1, base__md="1")
    for at in (2, 3, 4):
        repository("checkout", "--quiet", "-b", f"side{at}", "main")
        repository.commit(at, **{f"side{at}__md": "1"})
    repository("checkout", "--quiet", "main")
    repository("merge", "--quiet", "--no-commit", "--no-ff", "side2", "side3", "side4")
    repository.commit(5, evil__md="1")


def test_a_merge_of_many_branches_leads_to_each(repository: Repository) -> None:
    merged_four(repository)
    sides = {"side2.md": day(2), "side3.md": day(3), "side4.md": day(4)}
    assert dates(repository.folder) == {"base.md": day(1), "evil.md": day(5)} | sides


def test_the_newest_branch_counts_if_several_merged_ones_agree(repository: Repository) -> None:
    repository.commit(1, a__md="1", b__md="1")
    for at in (2, 3):
        repository("checkout", "--quiet", "-b", f"side{at}", "main")
        repository.commit(at, a__md="2")
    repository("checkout", "--quiet", "main")
    repository("merge", "--quiet", "--no-commit", "--no-ff", "side2", "side3")
    repository.commit(4)
    assert dates(repository.folder) == {"a.md": day(3), "b.md": day(1)}


def test_beyond_the_limit_a_merge_of_many_branches_leads_to_the_first(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_git_log, "_MAX_LINES", 0)
    merged_four(repository)
    sides = {"side2.md": day(2), "side3.md": day(5), "side4.md": day(5)}
    assert dates(repository.folder) == {"base.md": day(1), "evil.md": day(5)} | sides


def test_a_rename_on_a_branch_is_followed_through_the_merge(repository: Repository) -> None:
    repository.commit(1, a__md="1", b__md="1")
    repository("checkout", "--quiet", "-b", "side")
    repository("mv", "a.md", "c.md")
    repository("mv", "b.md", "d.md")
    repository.commit(2)
    repository("checkout", "--quiet", "main")
    repository.commit(3, a__md="2")
    repository("merge", "--quiet", "--no-edit", "side", at=4)
    assert dates(repository.folder) == {"c.md": day(3), "d.md": day(1)}


def test_an_edit_of_a_file_that_the_other_branch_renamed_has_the_date_of_the_merge(repository: Repository) -> None:
    repository.commit(1, a__md="1\n" * 9)
    repository("checkout", "--quiet", "-b", "side")
    repository.commit(2, a__md="1\n" * 9 + "2\n")
    repository("checkout", "--quiet", "main")
    repository("mv", "a.md", "c.md")
    repository.commit(3)
    repository("merge", "--quiet", "--no-edit", "side", at=4)
    assert dates(repository.folder) == {"c.md": day(4)}


def test_unrelated_histories_are_all_read(repository: Repository) -> None:
    repository.commit(1, a__md="1")
    repository("checkout", "--quiet", "--orphan", "other")
    repository("rm", "--quiet", "-rf", ".")
    repository.commit(2, b__md="1")
    repository("merge", "--quiet", "--no-edit", "--allow-unrelated-histories", "main", at=3)
    assert dates(repository.folder) == {"a.md": day(1), "b.md": day(2)}


# --- against git, file by file ------------------------------------------------------------------------------

NAMES = ("a.md", "b/c.md", "b/d e.md", "ü.md")


@st.composite
def histories(draw: st.DrawFn) -> list[Commit]:
    """Generate commits, oldest first, without renames: no two names ever have the same text."""
    commits: list[Commit] = []
    for number in range(draw(st.integers(1, 14))):
        parents = draw(st.lists(st.integers(0, number - 1), max_size=2, unique=True)) if number else []
        changes = draw(st.dictionaries(st.sampled_from(NAMES), st.none() | st.integers(0, 2), max_size=3))
        files = {name: None if text is None else (644, f"{name} {text}") for name, text in changes.items()}
        commits.append(Commit(parents, files))
    return commits


@given(histories())
def test_any_history_is_read_as_git_reads_it_for_each_file(commits: list[Commit]) -> None:
    with TemporaryDirectory() as folder:
        repository = imported(Path(folder), commits)
        there = [name for name in NAMES if (repository.folder / name).is_file()]
        if not there:
            with pytest.raises(InputError, match="git tracks no file"):
                dates(folder)
            return
        oracle = {name: repository("log", "-1", "--format=%cI", "--", name) for name in there}
        assert dates(folder) == {name: datetime.fromisoformat(when) for name, when in oracle.items()}


@dataclass(slots=True)
class Known:
    """A file of the model: its content, and when it last changed."""

    mode: int
    text: str
    when: datetime


@given(st.data())
def test_any_sequence_of_edits_renames_and_deletions_is_dated(data: st.DataObject) -> None:
    files: dict[str, Known] = {}
    commits: list[Commit] = []
    ignored: list[int] = []
    for number in range(data.draw(st.integers(1, 8))):
        if data.draw(st.booleans()):
            ignored.append(number)
        before = sorted(files)
        for step, name in enumerate(before):
            what = data.draw(st.sampled_from(["keep", "keep", "edit", "rename", "mode", "delete"]))
            known = files[name]
            if what == "edit":
                known.text = f"{number} {step}"
                known.when = known.when if number in ignored else day(number)
            elif what == "mode":
                known.mode = 644 + 755 - known.mode
            elif what == "rename":
                files[f"moved/{number}-{step}.md"] = files.pop(name)
            elif what == "delete":
                del files[name]
        files[f"new/{number}.md"] = Known(644, f"{number} new", day(number))
        changes: dict[str, tuple[int, str] | None] = {name: None for name in before if name not in files}
        changes |= {name: (known.mode, known.text) for name, known in files.items()}
        commits.append(Commit([number - 1] * (number > 0), changes))
    with TemporaryDirectory() as folder:
        repository = imported(Path(folder), commits)
        hashes = repository("rev-list", "--reverse", "HEAD").splitlines()
        found = dates(folder, ignore=[hashes[number] for number in ignored])
        assert found == {name: known.when for name, known in files.items()}
