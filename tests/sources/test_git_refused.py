"""Repositories that cannot be dated, and attacks by a hostile repository."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.sources.repository import PLAIN, Repository, day, made, script
from urlset import InputError
from urlset.sources import git
from urlset.sources.git import dates

# --- what cannot be answered --------------------------------------------------------------------------------


def test_a_shallow_clone_is_refused(repository: Repository, tmp_path: Path) -> None:
    repository.commit(1, a__md="1")
    repository.commit(2, b__md="1")
    clone = Repository(tmp_path)
    clone("clone", "--quiet", "--depth=1", repository.folder.as_uri(), "shallow")
    shallow = Repository(tmp_path / "shallow")
    # Without the check, all files would get the newest date.
    assert shallow("log", "-1", "--format=%cI", "--", "a.md") == shallow("log", "-1", "--format=%cI")
    with pytest.raises(InputError, match=r"git fetch --unshallow.*fetch-depth: 0.*VERCEL_DEEP_CLONE=true"):
        dates(shallow.folder)
    shallow("fetch", "--quiet", "--unshallow")
    assert dates(shallow.folder) == {"a.md": day(1), "b.md": day(2)}


def served(repository: Repository, tmp_path: Path, kind: str) -> Path:
    """Make a partial clone, and remove its origin."""
    repository.commit(1, a__md="1", b__md="1", old_c__md="1")
    repository.commit(2, a__md="2")
    repository("mv", "old", "new")
    repository.commit(3)
    repository("config", "uploadpack.allowFilter", "true")
    Repository(tmp_path)("clone", "--quiet", f"--filter={kind}", repository.folder.as_uri(), "partial")
    repository.folder.rename(tmp_path / "gone")
    return tmp_path / "partial"


def test_a_clone_without_old_content_is_enough(repository: Repository, tmp_path: Path) -> None:
    folder = served(repository, tmp_path, "blob:none")
    assert dates(folder) == {"a.md": day(2), "b.md": day(1), "new/c.md": day(1)}


def test_a_clone_without_old_folders_is_refused_and_fetches_nothing(repository: Repository, tmp_path: Path) -> None:
    folder = served(repository, tmp_path, "tree:0")
    ran = tmp_path / "ran"
    Repository(folder)("config", "remote.origin.uploadpack", str(script(tmp_path / "pack", f"touch {ran}; exit 1")))
    (tmp_path / "gone").rename(repository.folder)
    with pytest.raises(InputError, match="filter=blob:none"):
        dates(folder)
    assert not ran.exists()


def test_a_folder_outside_a_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not in a git repository"):
        dates(tmp_path)


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        dates(tmp_path / "missing")


def test_a_repository_without_a_commit_is_refused(repository: Repository) -> None:
    repository.write("a.md", "1")
    with pytest.raises(InputError, match="a repository without a commit"):
        dates(repository.folder)


def test_a_repository_without_files_is_refused(repository: Repository, tmp_path: Path) -> None:
    repository.commit(1, a__md="1")
    Repository(tmp_path)("clone", "--quiet", "--bare", str(repository.folder), "bare.git")
    for folder in (repository.folder / ".git", tmp_path / "bare.git"):
        with pytest.raises(InputError, match="is not in a git work tree"):
            dates(folder)


def test_a_folder_without_tracked_files_is_refused(repository: Repository) -> None:
    repository.write(".gitignore", "public/\n")
    repository.commit(1)
    repository.write("public/index.html", "1")
    with pytest.raises(InputError, match="not of a build"):
        dates(repository.folder / "public")


@pytest.mark.parametrize("program", ["no-such-git", "/dev/null"])
def test_a_missing_git_is_reported(repository: Repository, program: str) -> None:
    with pytest.raises(InputError, match=f"{program} cannot be run"):
        dates(repository.folder, git=program)


@pytest.mark.parametrize("version", ["git version 2.30.9", "git version 1.8.3.1", "hg 6"])
def test_an_old_git_is_reported(repository: Repository, tmp_path: Path, version: str) -> None:
    with pytest.raises(InputError, match=r"is too old: git 2\.31"):
        dates(repository.folder, git=str(script(tmp_path / "git", f"echo '{version}'")))


def test_a_git_that_hangs_is_ended(repository: Repository, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"took longer than 0\.2 seconds"):
        dates(repository.folder, git=str(script(tmp_path / "git", "exec sleep 60")), timeout=0.2)


@pytest.fixture
def foreign(tmp_path: Path) -> str:
    """Write a git that takes every repository for that of another user."""
    return str(script(tmp_path / "foreign", 'GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec git "$@"'))


def test_a_repository_that_git_does_not_trust_is_refused(
    repository: Repository, foreign: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(1, a__md="1")
    with pytest.raises(InputError, match=r"git config --global --add safe\.directory"):
        dates(repository.folder, git=foreign)
    trust = tmp_path / "trust"
    trust.write_text(f"[safe]\n\tdirectory = {repository.folder}\n", encoding="utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(trust))
    assert dates(repository.folder, git=foreign) == {"a.md": day(1)}


def test_trust_can_come_from_the_environment(
    repository: Repository, foreign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(1, a__md="1")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.directory")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "*")
    assert dates(repository.folder, git=foreign) == {"a.md": day(1)}


def objects(repository: Repository, kind: str) -> Iterator[Path]:
    """Return the files of all objects of a kind, those of the newest commit first."""
    for line in repository("rev-list", "--objects", "HEAD").splitlines():
        name = line.split()[0]
        if repository("cat-file", "-t", name) == kind:
            yield repository.folder / ".git" / "objects" / name[:2] / name[2:]


@pytest.mark.parametrize("kind", ["commit", "tree"])
@pytest.mark.parametrize("is_old", [False, True])
def test_a_broken_repository_is_reported(repository: Repository, kind: str, is_old: bool) -> None:
    for at in (1, 2, 3):
        repository.commit(at, a__md="1", b__md=str(at))
    broken = list(objects(repository, kind))[-1 if is_old else 0]
    broken.chmod(0o644)
    broken.write_bytes(b"broken")
    with pytest.raises(InputError, match=r"cannot read|a broken one"):
        dates(repository.folder)


def test_a_broken_index_is_reported(repository: Repository) -> None:
    repository.commit(1, a__md="1")
    (repository.folder / ".git" / "index").write_bytes(b"broken")
    with pytest.raises(InputError, match=r"cannot read the repository of .*: (fatal|error): "):
        dates(repository.folder)


def test_an_error_of_git_shows_no_password_and_no_control_characters() -> None:
    message = b"warning: x\nfatal: unable to access 'https://me:secret@example.com/r.git': \x1b[31mno\n"
    assert git._message_line(message) == "fatal: unable to access 'https://***@example.com/r.git': �[31mno"


# --- a repository that means harm ---------------------------------------------------------------------------


def seem_new(repository: Repository, name: str) -> None:
    """Make git compare the content of a file, not only its time."""
    os.utime(repository.folder / name, (1, 1))


@pytest.mark.parametrize(
    ("trap", "command"),
    [
        ("core.fsmonitor", ["status"]),
        ("filter.x.clean", ["status"]),
        ("filter.x.process", ["status"]),
        ("filter.y=z.w.clean", ["status"]),
        ("core.hooksPath", ["status"]),
        ("diff.x.textconv", ["log", "-p"]),
        ("diff.x.command", ["diff", "HEAD~1"]),
        ("diff.external", ["diff", "HEAD~1"]),
        ("gpg.program", ["log", "--show-signature"]),
    ],
)
def test_nothing_that_a_repository_configures_is_run(
    repository: Repository, tmp_path: Path, trap: str, command: list[str]
) -> None:
    repository.write(".gitattributes", "*.md diff=x filter=x\n*.txt filter=y=z.w\n")
    repository.commit(1, a__md="1", b__txt="1")
    repository.commit(2, a__md="2")
    if trap == "gpg.program":
        signed = repository("cat-file", "commit", "HEAD").replace(
            "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n\n", 1
        )
        (repository.folder / ".git" / "signed").write_text(signed + "\n", encoding="utf-8")
        revision = repository("hash-object", "-t", "commit", "-w", ".git/signed")
        repository("reset", "--quiet", revision)
    ran = tmp_path / "ran"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    evil = script(hooks / "post-index-change", f'touch "{ran}"; cat')
    repository("config", trap, str(hooks if trap == "core.hooksPath" else evil))
    repository("config", "log.showSignature", "true")
    if trap.startswith("filter.x"):
        repository("config", "filter.x.required", "true")
    for name in ("a.md", "b.txt"):
        seem_new(repository, name)
    assert dates(repository.folder) == {"a.md": day(2), "b.txt": day(1), ".gitattributes": day(1)}
    assert not ran.exists()
    # Without the protection, the trap works.
    subprocess.run(["git", "-C", str(repository.folder), *command], env=PLAIN, capture_output=True, check=False)
    assert ran.exists()


def test_nothing_that_a_submodule_configures_is_run(repository: Repository, tmp_path: Path) -> None:
    other = made(tmp_path / "other")
    other.commit(1, a__md="1")
    repository("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.folder), "sub")
    repository.commit(2)
    ran = tmp_path / "ran"
    Repository(repository.folder / "sub")("config", "core.fsmonitor", str(script(tmp_path / "evil", f"touch {ran}")))
    dates(repository.folder)
    assert not ran.exists()
    repository("status")
    assert ran.exists()


def test_the_configuration_of_a_repository_cannot_change_the_result(repository: Repository, tmp_path: Path) -> None:
    repository.commit(1, a__md="1", z_a__md="1")
    repository("mv", "a.md", "b.md")
    repository.commit(2)
    order = tmp_path / "order"
    order.write_text("z/*\n", encoding="utf-8")
    for name, value in {
        "diff.orderFile": str(order),
        "diff.renames": "false",
        "diff.relative": "true",
        "log.showRoot": "false",
        "log.follow": "true",
        "log.diffMerges": "off",
        "format.pretty": "oneline",
        "color.ui": "always",
        "status.branch": "true",
        "status.showUntrackedFiles": "no",
        "status.relativePaths": "true",
        "core.quotePath": "true",
    }.items():
        repository("config", name, value)
    repository.write("z/new.md", "1")
    found = dates(repository.folder)
    assert found == {"b.md": day(1), "z/a.md": day(1)}
    assert found.untracked == 1
    assert dates(repository.folder / "z").untracked == 1


def test_too_many_filters_are_refused(repository: Repository) -> None:
    repository.commit(1, a__md="1")
    with (repository.folder / ".git" / "config").open("a", encoding="utf-8") as config:
        config.writelines(f'[filter "f{number}"]\n\tclean = cat\n' for number in range(101))
    with pytest.raises(InputError, match="more than 100 filters"):
        dates(repository.folder)


def test_a_filter_that_the_user_configured_is_run(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "settings"
    settings.write_text('[filter "caps"]\n\tclean = tr a-z A-Z\n', encoding="utf-8")
    repository.write(".gitattributes", "*.md filter=caps\n")
    repository.write("a.md", "text")
    repository("add", "--all", GIT_CONFIG_GLOBAL=str(settings))
    repository("commit", "--quiet", "--message=x", at=1, GIT_CONFIG_GLOBAL=str(settings))
    seem_new(repository, "a.md")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    assert dates(repository.folder, paths=["a.md"]) == {"a.md": day(1)}


def test_a_work_tree_elsewhere_is_refused(repository: Repository, tmp_path: Path) -> None:
    repository.commit(1, a__md="1")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    repository("config", "core.worktree", str(elsewhere))
    with pytest.raises(InputError, match="is not in a git work tree"):
        dates(repository.folder)


def test_variables_that_a_hook_sets_do_not_select_the_repository(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(1, a__md="1")
    other = made(tmp_path / "other")
    other.commit(2, b__md="1")
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.folder))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.folder / ".git" / "index"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    assert dates(repository.folder) == {"a.md": day(1)}
