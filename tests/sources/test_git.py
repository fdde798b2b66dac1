"""When a file last changed: real repositories made by git, which is also the oracle."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest
from support.sources.repository import Commit, Repository, day, imported, made, script
from urlset import InputError
from urlset.sources import git
from urlset.sources.git import GitDates, dates

# --- a line of commits --------------------------------------------------------------------------------------


def test_a_file_has_the_date_of_the_commit_that_last_changed_it(repository: Repository) -> None:
    repository.commit(1, a__md="1", b__md="1", c__md="1")
    repository.commit(2, b__md="2")
    repository.commit(3, b__md="3", c__md="2")
    repository.commit(4)
    found = dates(repository.folder)
    assert found == {"a.md": day(1), "b.md": day(3), "c.md": day(3)}
    assert (found.dirty, found.untracked, found.skipped, found.undated) == (0, 0, 0, 0)
    assert all(moment.tzinfo is UTC for moment in found.values())


def test_a_file_that_was_changed_back_has_the_date_of_that_commit(repository: Repository) -> None:
    for at, text in enumerate("121", 1):
        repository.commit(at, a__md=text)
    assert dates(repository.folder) == {"a.md": day(3)}


def test_a_file_that_was_deleted_and_added_again_has_the_date_of_that_commit(repository: Repository) -> None:
    repository.commit(1, a__md="1")
    (repository.folder / "a.md").unlink()
    repository.commit(2)
    repository.commit(3, a__md="1")
    assert dates(repository.folder) == {"a.md": day(3)}


def test_a_rename_is_followed_and_a_change_of_mode_is_ignored(repository: Repository) -> None:
    repository.commit(1, a__md="1", b__md="2", c__md="3\n" * 100)
    repository("mv", "a.md", "d.md")
    (repository.folder / "b.md").chmod(0o755)
    repository("mv", "c.md", "e.md")
    repository.write("e.md", "3\n" * 100 + "4\n")
    repository.commit(2)
    repository("mv", "d.md", "f.md")
    repository.commit(3)
    assert dates(repository.folder) == {"f.md": day(1), "b.md": day(1), "e.md": day(2)}


def test_a_file_that_became_two_is_followed_as_one(repository: Repository) -> None:
    repository.commit(1, a__md="1")
    repository.write("b.md", "1")
    repository("mv", "a.md", "c.md")
    repository.commit(2)
    assert sorted(dates(repository.folder).values()) == [day(1), day(2)]


def test_a_copy_is_new(repository: Repository) -> None:
    repository.commit(1, a__md="1")
    repository.commit(2, b__md="1")
    assert dates(repository.folder) == {"a.md": day(1), "b.md": day(2)}


def test_two_files_that_swapped_names_have_both_changed(repository: Repository) -> None:
    repository.commit(1, a__md="1", b__md="2")
    repository.commit(2, a__md="2", b__md="1")
    assert dates(repository.folder) == {"a.md": day(2), "b.md": day(2)}


def test_an_ignored_commit_is_not_counted(repository: Repository) -> None:
    repository.commit(1, a__md="1", b__md="1")
    repository.commit(2, b__md="2")
    reformatted = repository.commit(3, a__md="1;", b__md="2;", c__md="1;")
    again = repository.commit(4, a__md="1;;")
    assert dates(repository.folder) == {"a.md": day(4), "b.md": day(3), "c.md": day(3)}
    ignored = dates(repository.folder, ignore=[reformatted.upper(), again])
    # It added c, which had no earlier content.
    assert ignored == {"a.md": day(1), "b.md": day(2), "c.md": day(3)}


@pytest.mark.parametrize("revision", ["HEAD", "abc1234", "", "g" * 40, "a" * 41])
def test_a_commit_to_ignore_must_be_a_full_hash(repository: Repository, revision: str) -> None:
    repository.commit(1, a__md="1")
    with pytest.raises(InputError, match="must have full hashes of 40 or 64 hexadecimal digits"):
        dates(repository.folder, ignore=[revision])


def test_a_time_outside_the_calendar_is_not_a_date(repository: Repository) -> None:
    repository.commit(1, a__md="1")
    repository.write("b.md", "1")
    repository("add", "--all")
    repository("commit", "--quiet", "--message=x", GIT_COMMITTER_DATE="@99999999999999 +0000")
    found = dates(repository.folder)
    assert found == {"a.md": day(1)}
    assert found.undated == 1


def test_sha_256_hashes_are_supported(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository("init", "--quiet", "--initial-branch=main", "--object-format=sha256")
    repository.commit(1, a__md="1", b__md="1")
    reformatted = repository.commit(2, a__md="2")
    assert dates(tmp_path, ignore=[reformatted]) == {"a.md": day(1), "b.md": day(1)}


# --- which files --------------------------------------------------------------------------------------------


def test_a_folder_inside_the_repository_has_paths_of_its_own(repository: Repository) -> None:
    repository.commit(1, a__md="1", content_a__md="1", drafts_b__md="1")
    repository("mv", "drafts/b.md", "content/b.md")
    repository.commit(2, a__md="2")
    repository.write("content/b.md", "changed")
    repository.write("content/new.md", "1")
    repository.write("new.md", "1")
    repository("config", "diff.relative", "true")
    found = dates(repository.folder / "content")
    assert found == {"a.md": day(1)}
    assert (found.dirty, found.untracked) == (1, 1)
    repository("checkout", "--quiet", "--", ".")
    # A file moved from another folder keeps its date.
    assert dates(repository.folder / "content") == {"a.md": day(1), "b.md": day(1)}


def test_only_the_requested_paths_are_returned(repository: Repository) -> None:
    repository.commit(1, a__md="1", b__md="1", c__md="1")
    repository.write("b.md", "2")
    repository.write("c.md", "2")
    repository.write("new.md", "1")
    found = dates(repository.folder, paths=["a.md", "b.md", "new.md", "missing.md"])
    assert found == {"a.md": day(1)}
    assert (found.dirty, found.untracked) == (1, 2)
    assert dates(repository.folder, paths=[]) == {}


@pytest.mark.parametrize("path", ["/etc/passwd", "../a.md", "a/../../b", "./a.md", "a//b", "a/", "", ".", ".."])
def test_a_path_must_be_below_the_folder(repository: Repository, path: str) -> None:
    with pytest.raises(InputError, match="paths must be relative to the folder"):
        dates(repository.folder, paths=[path])


def test_a_single_string_is_not_a_list_of_paths(repository: Repository) -> None:
    with pytest.raises(InputError, match="paths must be a list of strings"):
        dates(repository.folder, paths="a.md")


def test_uncommitted_files_have_no_date_and_are_counted(repository: Repository) -> None:
    names = ("kept", "edited", "staged", "deleted", "removed", "moved")
    repository.commit(1, **{f"{name}__md": name for name in names})
    repository.write(".gitignore", "ignored.md\n")
    repository.write("?? moved.md", "of a name that looks like a state")
    repository.commit(2)
    for name in ("edited.md", "staged.md", "new.md", "added.md", "ignored.md", "deep/new.md"):
        repository.write(name, "2")
    repository("add", "staged.md", "added.md")
    repository("rm", "--quiet", "removed.md")
    repository("mv", "moved.md", "here.md")
    repository("mv", "?? moved.md", "there.md")
    (repository.folder / "deleted.md").unlink()
    found = dates(repository.folder)
    assert found == {"kept.md": day(1), ".gitignore": day(2)}
    # edited, staged, added, deleted, here, there; what was removed or moved is git's no more.
    assert (found.dirty, found.untracked) == (6, 2)


def test_a_conflict_has_no_date(repository: Repository) -> None:
    repository.commit(1, a__md="1", b__md="1")
    repository("checkout", "--quiet", "-b", "side")
    repository.commit(2, a__md="2")
    repository("checkout", "--quiet", "main")
    repository.commit(3, a__md="3")
    with pytest.raises(AssertionError):
        repository("merge", "--quiet", "side")
    found = dates(repository.folder)
    assert found == {"b.md": day(1)}
    assert found.dirty == 1


def test_links_and_submodules_are_skipped(repository: Repository, tmp_path: Path) -> None:
    other = made(tmp_path / "other")
    other.commit(1, a__md="1")
    repository.commit(2, a__md="1")
    (repository.folder / "link.md").symlink_to("a.md")
    (repository.folder / "escape.md").symlink_to("/etc/passwd")
    repository("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.folder), "sub")
    repository.commit(3)
    found = dates(repository.folder)
    assert found == {"a.md": day(2), ".gitmodules": day(3)}
    assert found.skipped == 3
    assert dates(repository.folder, paths=["a.md", "link.md", "sub"]).skipped == 2
    assert dates(repository.folder / "sub") == {"a.md": day(1)}


def test_any_file_name_is_returned_unchanged(repository: Repository) -> None:
    names = [
        b"a\nb.md",
        b'"q".md',
        b"tab\t.md",
        b"\xff\xfe.md",
        "ü 名.md".encode(),
        b":x.md",
        b"-x.md",
        b"back\\slash.md",
    ]
    decoded = [name.decode("utf-8", "surrogateescape") for name in names]
    for text in decoded:
        (repository.folder / text).write_text(ascii(text))
    repository.commit(1)
    for text in decoded[:4]:
        repository("mv", "--", text, "moved " + text)
    repository.commit(2)
    expected = {"moved " + text for text in decoded[:4]} | set(decoded[4:])
    assert dates(repository.folder) == dict.fromkeys(expected, day(1))
    assert dates(repository.folder, paths=[decoded[4]]) == {decoded[4]: day(1)}


def test_a_repository_with_too_many_files_is_refused(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit(1, a__md="1", b__md="1")
    monkeypatch.setattr(git, "_MAX_FILES", 1)
    with pytest.raises(InputError, match="more than 1 files"):
        dates(repository.folder)


def test_a_name_that_is_too_long_is_refused(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit(1, a__md="1")
    (repository.folder / ("n" * 200)).write_text("1")
    repository.commit(2)
    monkeypatch.setattr(git, "_MAX_BYTES", 100)
    monkeypatch.setattr(git, "_PIECE", 64)
    with pytest.raises(InputError, match="longer than 100 bytes"):
        dates(repository.folder)


# --- how git is run ----------------------------------------------------------------------------------------


def runs(repository: Repository, folder: Path) -> int:
    """Return how often one call runs git."""
    log = folder / "runs"
    log.unlink(missing_ok=True)
    dates(repository.folder, git=str(script(folder / "counting", f'echo run >> "{log}"; exec git "$@"')))
    return log.read_text(encoding="utf-8").count("run")


def test_the_number_of_git_runs_does_not_depend_on_the_files(repository: Repository, tmp_path: Path) -> None:
    repository.commit(1, a__md="1")
    few = runs(repository, tmp_path)
    for number in range(50):
        repository.write(f"{number}.md", str(number))
        repository.commit(2 + number)
    assert runs(repository, tmp_path) == few == 7


def test_the_log_is_read_no_further_than_needed(tmp_path: Path) -> None:
    repository = imported(
        tmp_path, [Commit([number - 1] * (number > 0), {"a.md": (644, str(number))}) for number in range(6_000)]
    )
    log = tmp_path / "log"
    counting = script(
        tmp_path / "counting", f'case "$*" in *" log "*) git "$@" | tee "{log}";; *) exec git "$@";; esac'
    )
    assert dates(repository.folder, git=str(counting), paths=["a.md"]) == {"a.md": day(5_999)}
    whole = len(repository("log", "--raw", "--no-abbrev", "--format=%H %ct %P"))
    assert log.stat().st_size < whole / 2


def test_the_result_is_an_immutable_mapping(repository: Repository) -> None:
    repository.commit(1, a__md="1")
    found = dates(repository.folder)
    assert isinstance(found, GitDates)
    assert (len(found), list(found), found.get("b.md")) == (1, ["a.md"], None)
    assert repr(found) == "GitDates(dirty=0, untracked=0, skipped=0, undated=0)"
    with pytest.raises(AttributeError):
        found.dirty = 1  # type: ignore[misc]
