"""Globs. The oracle is `glob` of Python, where no link leads back."""

from __future__ import annotations

import glob
import os
import time
from pathlib import Path

import pytest
import urlset
from urlset._util.globs import glob_files

PATTERNS = [
    "*.xml",
    "**/*.xml",
    "**",
    "**/**/*.xml",
    "a/**/b/*",
    "**/b/**/*.xml",
    "?/[bc]/*.xml",
    "*/",
    "a/b/c.xml",
    "**/.h/*.xml",
    ".*/*",
    "gone/*.xml",
    "a/b/c.xml/*",
    "../*/a/*.xml",
]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with folders, hidden ones too, which is the working folder."""
    for name in ("1.xml", "a/2.xml", "a/b/c.xml", "a/b/b/d.xml", "a/b/c/3.txt", ".h/e.xml", "a/.h/f.xml", "[x].xml"):
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    monkeypatch.chdir(tmp_path / "tree")
    return tmp_path / "tree"


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("is_absolute", [False, True])
def test_a_glob_means_what_it_means_to_python(tree: Path, pattern: str, is_absolute: bool) -> None:
    if is_absolute:
        pattern = f"{glob.escape(str(tree))}/{pattern}"
    expected = {Path(name) for name in glob.glob(pattern, recursive=True) if Path(name).is_file()}  # noqa: PTH207
    assert set(glob_files(pattern)) == expected
    assert sorted(map(str, glob_files(pattern))) == list(map(str, glob_files(pattern)))


def test_what_cannot_be_looked_at_matches_nothing(tree: Path) -> None:
    (tree / "closed").mkdir()
    (tree / "closed" / "5.xml").touch()
    for pattern in ("*/" + "x" * 300, "**/" + "x" * 300 + "/*.xml", "x" * 300 + "/*"):
        assert glob_files(pattern) == []
    if os.geteuid():  # the superuser can look into every folder
        (tree / "closed").chmod(0o400)
        assert Path("closed/5.xml") not in glob_files("**/*.xml")
        (tree / "closed").chmod(0o700)


def test_links_of_a_folder_to_itself_do_not_multiply(tree: Path) -> None:
    for name in ("one", "other"):
        (tree / "a" / name).symlink_to(tree / "a", target_is_directory=True)
    (tree / "a" / "2.xml").write_text("https://shop.example/\n")
    begin = time.monotonic()
    assert [str(path) for path in glob_files("**/2.xml")] == ["a/2.xml"]
    # A link that the glob itself names, or that one wildcard matches, is followed.
    assert [str(path) for path in glob_files("a/*/2.xml")] == ["a/one/2.xml", "a/other/2.xml"]
    assert len(urlset.read("**/2.xml")) == 1
    assert time.monotonic() - begin < 5
