"""Text files of rows in other encodings, and the first invalid byte. Python's codecs are the oracle."""

from __future__ import annotations

import gzip
import io
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.cli import Cli
from urlset import InputError
from urlset.sources import _encoding, files

BASE = "https://example.com/"
LOCS = [BASE + name for name in ("a", "thé", "tä", "x")]
FORMS = {
    "csv": "loc,n\r\n" + "".join(f"{loc},1\r\n" for loc in LOCS),
    "jsonl": "".join(f'{{"loc": "{loc}"}}\n' for loc in LOCS),
    "txt": "".join(f"{loc}\n" for loc in LOCS),
}
ENCODINGS = ["windows-1252", "latin-1", "utf-16", "utf-16-be", "utf-8", "utf-8-sig", "cp850", "mac-roman", "utf-32"]


def locs(paths: list[Any], **options: Any) -> list[str]:
    with files.rows(paths, **options) as rows:
        return [row[0] for row in rows.select("loc").fetchall()] if hasattr(rows, "select") else [str(r) for r in rows]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_in_every_encoding(tmp_path: Path, form: str, encoding: str) -> None:
    data = FORMS[form].encode(encoding)
    (tmp_path / f"rows.{form}").write_bytes(data)
    (tmp_path / f"rows.{form}.gz").write_bytes(gzip.compress(data))
    paths: list[Any] = [tmp_path / f"rows.{form}", tmp_path / f"rows.{form}.gz", io.BytesIO(data)]
    for path in paths:
        assert locs([path], encoding=encoding, form=form) == LOCS
    (tmp_path / "utf8").write_text(FORMS[form], newline="")
    assert locs([tmp_path / "utf8"], form=form) == LOCS


def test_formats_that_state_their_own_encoding(tmp_path: Path) -> None:
    urlset.write(LOCS, tmp_path / "sitemap.xml")
    with files.rows([tmp_path / "sitemap.xml"], encoding="utf-16") as rows:
        assert [entry.loc for entry in rows] == LOCS  # type: ignore[union-attr]


@pytest.mark.parametrize("form", FORMS)
def test_the_line_of_the_first_invalid_byte(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"rows.{form}"
    path.write_bytes(FORMS[form].encode("windows-1252"))
    line = 3 if form == "csv" else 2
    said = f"encoding must be that of the file, such as windows-1252: {path}:{line} has the byte 0xE9, which is not"
    with pytest.raises(InputError) as raised:
        locs([path])
    assert str(raised.value) == f"{said} valid in UTF-8"
    with pytest.raises(InputError) as raised:
        locs([path], encoding="shift_jis")
    assert str(raised.value) == f"{said} valid in shift_jis"


def test_what_is_utf16_is_told_from_other_encodings(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(FORMS["csv"].encode("utf-16"))
    with pytest.raises(
        InputError, match=r"such as utf-16: .*rows.csv:1 has the byte 0xFF, which is not valid in UTF-8"
    ):
        locs([path])
    path.write_bytes(FORMS["csv"].encode("utf-16-le"))
    with pytest.raises(InputError, match=r"encoding must name the order of the bytes, such as utf-16-le, because"):
        locs([path], encoding="utf-16")


@pytest.mark.parametrize("encoding", ["x", "", "hex", "idna", "utf-7", "undefined", "unicode_escape", "\0", 5, None])
def test_an_encoding_that_does_not_exist(encoding: Any) -> None:
    with pytest.raises(InputError, match="encoding must be the name of an encoding, such as windows-1252 or utf-16"):
        _encoding.check_encoding(encoding)


@given(
    st.lists(st.sampled_from([b"a", b"\n", "é".encode(), "€".encode(), b"\xe9", b"\xff", b"\xe2\x82"]), max_size=20),
    st.integers(1, 9),
)
def test_pieces_of_any_size_find_the_same_byte(parts: list[bytes], size: int) -> None:
    data = b"".join(parts)
    with patch.object(_encoding, "_PIECE", size):
        try:
            data.decode()
        except UnicodeDecodeError as error:
            line, byte = 1 + data[: error.start].count(b"\n"), data[error.start]
            with pytest.raises(InputError, match=rf" rows:{line} has the byte 0x{byte:02X}, "):
                _encoding.check_utf8(io.BytesIO(data), "rows")
        else:
            _encoding.check_utf8(io.BytesIO(data), "rows")


@given(st.text(), st.sampled_from(["utf-16", "utf-8", "utf-16-le", "utf-32"]), st.integers(1, 9))
def test_pieces_of_any_size_give_the_same_text(text: str, encoding: str, size: int) -> None:
    text = text.lstrip("\ufeff")
    with TemporaryDirectory() as folder, patch.object(_encoding, "_PIECE", size):
        path = Path(folder) / "rows"
        _encoding.transcode(io.BytesIO(text.encode(encoding)), path, encoding, "rows")
        assert path.read_bytes() == text.encode()


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    source = tmp_path / "rows"
    with source.open("wb") as file:
        for _ in range(400):
            file.write(b"https://example.com/\xe9\n" * 2_000)
    with source.open("rb") as file:
        tracemalloc.start()
        _encoding.transcode(file, tmp_path / "utf8", "windows-1252", "rows")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert source.stat().st_size > 15_000_000
    assert peak < 4_000_000


def test_on_the_command_line_and_in_the_file(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    (tmp_path / "rows.csv").write_bytes(FORMS["csv"].encode("windows-1252"))
    arguments = ("publish", "rows.csv", "--dest", "out", "--base-url", BASE)
    ended = cli(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "urlset: --encoding must be that of the file, such as windows-1252: rows.csv:3 has the byte 0xE9, which is not"
        " valid in UTF-8\n"
    )
    assert cli(*arguments, "--encoding", "windows-1252").code == 0
    found = [entry.loc for entry in urlset.read(tmp_path / "out")]
    assert found == [BASE + name for name in ("a", "t%C3%A4", "th%C3%A9", "x")]
    assert cli(*arguments, "--encoding", "nothing").code == 2
    (tmp_path / "urlset.toml").write_text(
        f'[publish]\nbase-url = "{BASE}"\ndest = "out"\nencoding = "cp1252"\nrows = ["rows.csv"]\n'
    )
    assert cli("publish").code == 0
    # An option for the rows replaces all that the file says about how to read its rows.
    (tmp_path / "more.txt").write_text("https://example.com/é\n")
    assert cli("publish", "more.txt", "--allow", "shrunk").code == 0
    assert [entry.loc for entry in urlset.read(tmp_path / "out")] == [BASE + "%C3%A9"]
