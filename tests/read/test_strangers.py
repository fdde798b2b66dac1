"""tests/strangers.py, which people run over their own files: it passes good ones, and sees what is planted."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
import strangers
from support.reading import outcome, urlset_of

PROGRAM = Path(strangers.__file__)


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, PROGRAM, folder, *options], capture_output=True, text=True, check=False, timeout=300
    )


def test_every_file_of_a_folder_is_checked(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    (folder / "deep").mkdir(parents=True)
    (folder / "good.xml").write_bytes(urlset_of("https://a.example/1", "https://a.example/2"))
    (folder / "deep" / "broken.xml").write_bytes(b"<urlset><url><loc>https://a.example/a&b</loc></url>")
    (folder / "nothing.bin").write_bytes(b"\0\1\2")
    done = run(folder, "--json", str(tmp_path / "results.jsonl"))
    assert done.returncode == 0, done.stdout + done.stderr
    results = {found["name"]: found for found in map(json.loads, (tmp_path / "results.jsonl").read_text().splitlines())}
    assert results["good.xml"]["rows"] == 2
    assert set(results["good.xml"]["compared"]) >= {"cost", "well formed", "rows", "objects", "cuts", "fixes end"}
    assert results["deep/broken.xml"]["completeness"] == "truncated"
    assert results["nothing.bin"]["completeness"] == "refused"


def test_a_folder_without_files_is_a_failure(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 2
    assert "has no files" in done.stderr


@pytest.mark.parametrize(
    ("check", "field", "value"),
    [("rows", "rows", []), ("cuts", "completeness", "recovered"), ("objects", "rows", [])],
)
def test_a_result_that_differs_is_seen(
    check: str, field: str, value: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "good.xml"
    path.write_bytes(urlset_of("https://a.example/1"))
    first = True

    def changed(*args: object) -> object:
        nonlocal first
        got = outcome(*args)  # type: ignore[arg-type]
        if first:  # only what the file is compared by, not what it is compared with
            object.__setattr__(got, field, value)
        first = False
        return got

    monkeypatch.setattr(strangers, "outcome", changed)
    assert check in strangers.examine(path, "good.xml").failed


PACKED = gzip.compress(urlset_of("https://a.example/1"), mtime=0)


@pytest.mark.parametrize(
    ("data", "is_intact"),
    [
        (PACKED, True),
        (gzip.compress(PACKED, mtime=0), True),
        (b"".join(gzip.compress(part, mtime=0) for part in (b"<urlset>", b"</urlset>")), True),
        (PACKED + bytes(512), True),
        (PACKED + b"garbage", False),
        (gzip.compress(PACKED + b"garbage", mtime=0), False),
        (PACKED + PACKED[:20], False),
        (PACKED[:-3], False),
        (PACKED[:-8] + bytes(8), False),
    ],
    ids=[
        *("one member", "inside another", "two members", "zeros behind it"),
        *("garbage behind it", "garbage inside", "half a member behind it", "cut off", "a wrong checksum"),
    ],
)
def test_damaged_gzip_is_told_from_valid_gzip(data: bytes, is_intact: bool) -> None:
    assert strangers.unpacked(data)[1] == is_intact


@pytest.mark.parametrize("data", [PACKED + b"garbage", PACKED[:-3], PACKED + PACKED])
def test_a_file_of_damaged_gzip_is_no_false_alarm(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml.gz"
    path.write_bytes(data)
    result = strangers.examine(path, path.name)
    assert result.completeness != "complete"
    assert "well formed" not in result.failed
    assert "well formed" in result.compared


def test_damaged_gzip_that_is_read_as_complete_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "sitemap.xml.gz"
    path.write_bytes(PACKED + b"garbage")
    whole = outcome(PACKED)
    monkeypatch.setattr(strangers, "outcome", lambda *_: whole)
    assert "damaged" in strangers.examine(path, path.name).failed["well formed"]


def test_a_fix_that_changes_a_host_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "good.xml"
    path.write_bytes(urlset_of("https://a.example/1"))
    document = strangers.Document(path.read_bytes())
    assert document.fixed is not None
    object.__setattr__(document.fixed, "data", urlset_of("https://b.example/1"))
    object.__setattr__(document.fixed, "applied", {"LOC003": 1})
    with pytest.raises(AssertionError, match=r"host of row 0 from a\.example to b\.example"):
        strangers.fixes_are_safe(document)
