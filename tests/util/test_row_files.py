"""Files that rows are read from are known by their bytes, and only while nobody writes them."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from unittest.mock import patch

import pytest
from urlset._util import row_files
from urlset._util.row_files import RowFiles, files_of, provenance, stamped


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "rows"
    path.write_bytes(b"one")
    return path


def look(*paths: Path) -> RowFiles:
    found = stamped(paths, "way")
    assert found is not None
    return found


def test_files_are_hashed(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"")
    files = look(path, other)
    assert (files.paths, files.way, files.size) == ((path, other), "way", 3)
    hashes = files.hashes()
    assert hashes == [hashlib.sha256(data).hexdigest() for data in (b"one", b"")]
    assert files.still_have(hashes)


def test_a_file_that_is_written_has_no_hash(path: Path) -> None:
    files = look(path)
    hashes = files.hashes()
    path.write_bytes(b"three")
    assert files.hashes() is None
    assert hashes is not None
    assert not files.still_have(hashes)
    path.unlink()
    assert files.hashes() is None
    assert not files.still_have(hashes)


def test_what_was_just_written_is_hashed_once_more(path: Path) -> None:
    files = look(path)
    hashes = files.hashes()
    assert hashes is not None
    with patch.object(row_files, "_sha256", lambda path: "other"):
        assert not files.still_have(hashes)
        with patch.object(row_files, "_JUST_WRITTEN", -(10**18)):  # written long ago
            assert files.still_have(hashes)
            path.write_bytes(b"two")
            assert not files.still_have(hashes)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_what_can_be_read_only_once_is_not_read(path: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for other in (tmp_path / "pipe", tmp_path, tmp_path / "missing", Path(os.devnull)):
        assert stamped([path, other], "way") is None


def test_a_table_is_known_while_it_is_in_use(path: Path) -> None:
    table, files = object(), look(path)
    with provenance(table, files, lambda _: None):
        assert files_of(table) is files
        assert files_of(object()) is None
    assert files_of(table) is None
    with provenance(table, None, lambda _: None):
        assert files_of(table) is None
