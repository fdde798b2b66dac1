"""Front matter in each format: where it begins and ends in a file, and how unreadable front matter is reported."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from urlset import InputError
from urlset.sources import front_matter
from urlset.sources.front_matter import MAX_BYTES, FrontMatter, of_file, of_text

# --- formats ------------------------------------------------------------------------------------------------

EXPECTED = FrontMatter("2026-01-31T10:00:00+01:00", "lastmod", is_draft=True)


@pytest.mark.parametrize(
    "text",
    [
        "---\nlastmod: 2026-01-31T10:00:00+01:00\ndraft: true\n---\nText\n",
        "---\r\nlastmod: 2026-01-31T10:00:00+01:00\r\ndraft: true\r\n---\r\nText\r\n",
        "\ufeff---  \nlastmod: 2026-01-31 10:00:00 +01:00\ndraft: True\n...\nText\n",
        "---yaml\nlastmod: 2026-01-31T10:00:00+01:00\ndraft: yes\n---",
        "+++\nlastmod = 2026-01-31T10:00:00+01:00\ndraft = true\n+++\nText\n",
        "+++\r\nlastmod = 2026-01-31T10:00:00+01:00\r\ndraft = true\r\n+++\r\nText\r\n",
        "--- toml\nlastmod = '2026-01-31T10:00:00+01:00'\ndraft = true\n---\n",
        '{"lastmod": "2026-01-31T10:00:00+01:00", "draft": true}\nText',
        '{\n  "lastmod": "2026-01-31T10:00+01:00",\n  "nested": {"a": "}"},\n  "draft": true\n}\nText {}',
        '---json\n{"lastmod": "2026-01-31T10:00:00+01:00", "draft": true}\n---\n',
    ],
)
def test_each_format_gives_the_same_values(text: str, tmp_path: Path) -> None:
    assert of_text(text) == EXPECTED
    path = tmp_path / "page.md"
    path.write_bytes(text.encode())
    assert of_file(path) == EXPECTED


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Text",
        "\n---\nlastmod: 2026-01-31\n---\n",
        " ---\nlastmod: 2026-01-31\n---\n",
        "----\nlastmod: 2026-01-31\n----\n",
        "---js\nlastmod: 2026-01-31\n---\n",
        "- lastmod: 2026-01-31\n",
        "---\nA rule across the page, and no second one.\nlastmod: 2026-01-31\n",
        "{% raw %}",
        "{{< name lastmod=2026-01-31 >}}",
        "{/* lastmod: 2026-01-31 */}",
        "{",
        "{}",
        "{ \n }\n",
        "---\n---\n",
        "---\ntitle: A page\n---\nlastmod: 2026-01-31\n",
        "+++\n+++\n",
    ],
)
def test_a_file_without_front_matter_has_no_values(text: str, tmp_path: Path) -> None:
    assert of_text(text) == FrontMatter()
    path = tmp_path / "page.md"
    path.write_bytes(text.encode())
    assert of_file(path) == FrontMatter()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("+++\nlastmod = 2026-01-31\n", "has no end"),
        ("---json\n{}\n", "has no end"),
        ("+++\nlastmod: 2026-01-31\n+++\n", "is invalid TOML: Expected"),
        ("+++\nlastmod = 2026-02-30\n+++\n", "is invalid TOML: Invalid date"),
        ('{"lastmod": "2026-01-31",}\n', "is invalid JSON: "),
        ('---json\n["lastmod"]\n---\n', "is invalid JSON: it is not an object"),
        ("+++\n" + "a." * 101 + "a = 1\n+++\n", "is invalid TOML: a key has more than 100 parts"),
        ("+++\n[" + "a." * 101 + "a]\n+++\n", "is invalid TOML: a key has more than 100 parts"),
        ("---\n{lastmod: 2026-01-31}\n---\n", "is invalid YAML: it is a single mapping in braces"),
        ("+++\na = " + "[" * 50_000 + "\n+++\n", "is invalid TOML"),
        ('{"a": ' + "[" * 50_000, "is invalid JSON"),
        ('{"a": ' + "9" * 5_000 + "}", "is invalid JSON"),
    ],
)
def test_unreadable_front_matter_is_reported(text: str, why: str) -> None:
    found = of_text(text)
    assert (found.lastmod, found.key) == (None, None)
    assert found.bad is not None
    assert f"the front matter {why}" in found.bad
    assert len(found.bad) < 200


def test_invalid_utf_8_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_bytes(b"---\ntitle: \xff\xe9\nlastmod: 2026-01-31\n---\n\xff")
    assert of_file(path).lastmod == "2026-01-31"
    path.write_bytes(b"---\nlastmod: 2026-01-31\xff\n---\n")
    assert of_file(path).bad == "lastmod must be a date, got '2026-01-31�'"


# --- files --------------------------------------------------------------------------------------------------


def test_no_more_of_a_file_is_read_than_its_front_matter(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("---\nlastmod: 2026-01-31\n---\n", encoding="utf-8")
    os.truncate(path, 1 << 40)  # a file with a hole: all of it would fit no memory
    assert of_file(path).lastmod == "2026-01-31"
    for text in ("Text\n", "Text " * 20, "{% raw %}\n", "+++\nlastmod = 2026-01-31\n+++\n"):
        path.write_text(text, encoding="utf-8")
        os.truncate(path, 1 << 40)
        assert of_file(path).bad is None


@pytest.mark.parametrize(
    ("head", "is_enough"),
    [
        *(
            ("Text\n", True),
            ("Text", True),
            ("{% raw %}\n", True),
            ("{", False),
            ("{\n", False),
            ('{"a": "b"}\n', False),
        ),
        *(("---", False), ("--", False), ("---\n", False), ("---\n---\n", True), ("---\n---", False), ("+", False)),
        *(("+++\na = 1\n---\n", False), ("+++\na = 1\n+++\n", True), ("---toml\n...\n", False), ("----\n", True)),
    ],
)
def test_reading_ends_with_the_front_matter(head: str, is_enough: bool) -> None:
    assert front_matter._is_enough(head) is is_enough


@pytest.mark.parametrize(
    ("head", "end"),
    [("---\n", "\n---\n"), ("+++\n", "\n+++\n"), ('{"a": "b",\n"lastmod": "2026-01-31",\n"c": "', '"}')],
)
def test_front_matter_is_read_up_to_its_bound(head: str, end: str, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    line = {"-": "lastmod: 2026-01-31\n#", "+": "lastmod = 2026-01-31\n#", "{": ""}[head[0]]
    for letter in "xü":
        room = MAX_BYTES - len((head + line + end).encode())
        filling = letter * (room // len(letter.encode()))
        path.write_text(head + line + filling + end, encoding="utf-8")
        assert path.stat().st_size <= MAX_BYTES
        assert of_file(path).lastmod == "2026-01-31"
        path.write_text(head + line + filling + "xxxx" + end + "Text", encoding="utf-8")
        found = of_file(path)
        assert (found.lastmod, found.bad) == (None, f"the front matter is longer than {MAX_BYTES} bytes")
    assert of_text(head + line + "x" * MAX_BYTES + end).bad == f"the front matter is longer than {MAX_BYTES} bytes"


@given(
    st.integers(4, 40),
    st.sampled_from(
        [
            "---\nlastmod: 2026-01-31\n---\n",
            "+++\nlastmod=2026-01-31\n+++\n",
            "---\n----\nlastmod: 2026-01-31\n---\n",
            '{"lastmod":"2026-01-31"}',
        ]
    ),
)
def test_the_result_does_not_depend_on_where_pieces_end(piece: int, text: str) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(front_matter, "_PIECE", piece)
        path = Path(folder, "page.md")
        path.write_text("\ufeff" + text + "Text\n", encoding="utf-8")
        assert of_file(path).lastmod == "2026-01-31"


def test_the_fence_of_an_astro_component_is_code(tmp_path: Path) -> None:
    path = tmp_path / "page.astro"
    path.write_text("---\nconst a = 1\nlastmod: 2026-01-31\n---\n<html></html>", encoding="utf-8")
    assert of_file(path) == FrontMatter()


def test_a_path_that_is_not_a_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "missing.md", tmp_path / "pipe", Path(os.devnull)):
        with pytest.raises(InputError, match="is not a file"):
            of_file(path)


@pytest.mark.parametrize(
    "text",
    [
        "---\na" + " " * 65_000 + "\n---\n",
        "---" + " " * 65_000 + "x\n",
        "---\nlastmod: 2026-01-31" + " " * 65_000 + "x\n---\n",
        "---\nlastmod: 2026-01-31 10:00" + " " * 65_000 + "x\n---\n",
        "---\nlastmod: " + "'\" " * 21_000 + "\n---\n",
        "---\nlastmod: " + "[" * 65_000 + "\n---\n",
        "---\n" + "a: [\n" * 13_000 + "---\n",
        "---\n" + "[\n" * 32_000 + "---\n",
        "---\nlastmod: " + "&! " * 21_000 + "\n---\n",
        "---\nlastmod: x" + " #" * 32_000 + "\n---\n",
        "---\n" + "a:\n" * 21_000 + "---\n",
        "---\n" + " \n" * 32_000 + "---\n",
        "+++\n" + "a." * 32_000 + "a=1\n+++\n",
        "+++\n[" + "a." * 32_000 + "a]\n+++\n",
        "+++\nb = {" + "a." * 32_000 + "a=1}\n+++\n",
        "+++\n" + ("a." * 99 + "a=1\n") * 300 + "+++\n",
        "+++\n" + "".join(f"[{'a.' * 50}a{number}]\n" for number in range(600)) + "+++\n",
        "{" + " " * 65_000,
        '{"a":' * 13_000,
    ],
)
def test_no_front_matter_takes_long(text: str, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(text, encoding="utf-8")
    begin = time.process_time()
    of_file(path)
    assert time.process_time() - begin < 2
