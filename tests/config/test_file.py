"""The configuration file: which file applies, what it means, and how invalid files are refused."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from urlset import InputError
from urlset._config.file import ConfigFile, load
from urlset._config.lint_settings import FORMATS, LintSettings
from urlset._config.location import find
from urlset._config.publish_settings import PublishSettings
from urlset._config.settings import keys_of
from urlset._output import FORMATS as RENDERERS

FULL = """
[lint]
profile = "google"
select = ["LOC", "missing-timezone"]
ignore = []
preview = true
zone = "+01:00"
location = "https://www.example.com/sitemap.xml"
exit-zero = false
fail-on = "error"
format = "json"
unsafe-fixes = true
fold = 10
root = "public"

[lint.per-file-ignores]
"legacy/*.xml" = ["MOD", "ALL"]
"old.xml" = []

[lint.robots]
"https://www.example.com/robots.txt" = "public/robots.txt"
"tea.example.com" = "/srv/tea/robots.txt"
"""


def write(folder: Path, text: str, name: str = "urlset.toml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def refusal(path: Path) -> str:
    """The message about the file, without its folder."""
    with pytest.raises(InputError) as raised:
        load(path)
    message = str(raised.value)
    assert message.startswith(str(path))
    return message.removeprefix(f"{path.parent}/")


# --- what a file says ----------------------------------------------------------------------------------------------


def full(folder: Path) -> LintSettings:
    return LintSettings(
        profile="google",
        select=("LOC", "missing-timezone"),
        ignore=(),
        per_file_ignores={"legacy/*.xml": ("MOD", "ALL"), "old.xml": ()},
        preview=True,
        zone="+01:00",
        location="https://www.example.com/sitemap.xml",
        robots={
            "https://www.example.com/robots.txt": folder / "public" / "robots.txt",
            "tea.example.com": Path("/srv/tea/robots.txt"),
        },
        exit_zero=False,
        fail_on="error",
        format="json",
        unsafe_fixes=True,
        fold=10,
        root=folder / "public",
    )


def test_every_key(tmp_path: Path) -> None:
    path = write(tmp_path, FULL)
    assert load(path) == ConfigFile(path, full(tmp_path), PublishSettings())
    table = tomllib.loads(FULL)["lint"]
    assert sorted(table) == sorted(keys_of(LintSettings))


def test_the_same_in_a_pyproject(tmp_path: Path) -> None:
    text = FULL.replace("[lint", "[tool.urlset.lint") + '\n[project]\nname = "shop"\n[tool.other]\nlint = 1\n'
    path = write(tmp_path, text, "pyproject.toml")
    assert load(path) == ConfigFile(path, full(tmp_path), PublishSettings())


def test_paths_begin_at_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "site", '[lint]\nroot = "."\nrobots = { "a.example" = "../robots.txt" }')
    monkeypatch.chdir(tmp_path)
    found = load(Path("site/urlset.toml")).lint
    assert found.root == tmp_path / "site"
    assert found.robots == {"a.example": tmp_path / "site" / ".." / "robots.txt"}


@pytest.mark.parametrize("text", ["", "# nothing\n", "[lint]\n"])
def test_absent_settings_are_none(tmp_path: Path, text: str) -> None:
    assert load(write(tmp_path, text)).lint == LintSettings()
    assert all(getattr(LintSettings(), field.name) is None for field in fields(LintSettings))


@pytest.mark.parametrize("text", ["", "[tool.other]\n", "[tool.urlset]\n", "[tool.urlset.lint]\n", "[lint]\nx = 1\n"])
def test_a_pyproject_may_have_no_settings(tmp_path: Path, text: str) -> None:
    assert load(write(tmp_path, text, "pyproject.toml")).lint == LintSettings()


def test_any_name_is_read_as_urlset_toml(tmp_path: Path) -> None:
    assert load(write(tmp_path, "[lint]\nfold = 3\n", "ci.toml")).lint.fold == 3


def test_a_byte_order_mark_and_line_ends_mean_nothing(tmp_path: Path) -> None:
    path = tmp_path / "urlset.toml"
    path.write_bytes(b'\xef\xbb\xbf[lint]\r\nprofile = "bing"\r\n')
    assert load(path).lint == LintSettings(profile="bing")


def test_the_formats_are_the_renderers() -> None:
    assert list(FORMATS) == sorted(RENDERERS)


# --- what cannot be meant ------------------------------------------------------------------------------------------

REFUSED = [
    # Keys that nobody knows, at every level.
    ("[lint]\nselct = []", "urlset.toml: lint.selct: unknown key; did you mean select?"),
    (
        "[lint]\nper_file_ignores = {}",
        "urlset.toml: lint.per_file_ignores: unknown key; did you mean per-file-ignores?",
    ),
    ("[lnt]", "urlset.toml: lnt: unknown key; did you mean lint?"),
    ("[scan]", "urlset.toml: scan: unknown key; known: lint, publish"),
    ('profile = "google"', "urlset.toml: profile: unknown key; known: lint, publish"),
    ('[lint]\n"a b" = 1', 'urlset.toml: lint."a b": unknown key; known: format, exit-zero, '),
    # Types.
    ("lint = 3", "urlset.toml: lint: expected a table, found 3"),
    ("[[lint]]", "urlset.toml: lint: expected a table, found a list"),
    ('[lint]\nselect = "LOC"', 'urlset.toml: lint.select: expected a list of strings, found the string "LOC"'),
    ("[lint]\nignore = [1]", "urlset.toml: lint.ignore: expected a list of strings, found 1 in it"),
    ("[lint]\nignore = [[]]", "urlset.toml: lint.ignore: expected a list of strings, found a list in it"),
    ("[lint]\nprofile = true", "urlset.toml: lint.profile: expected a string, found true"),
    ("[lint]\npreview = 1", "urlset.toml: lint.preview: expected true or false, found 1"),
    ('[lint]\nexit-zero = "no"', 'urlset.toml: lint.exit-zero: expected true or false, found the string "no"'),
    ("[lint]\nunsafe-fixes = {}", "urlset.toml: lint.unsafe-fixes: expected true or false, found a table"),
    ("[lint]\nfold = true", "urlset.toml: lint.fold: expected a positive integer, found true"),
    ("[lint]\nfold = 0", "urlset.toml: lint.fold: expected a positive integer, found 0"),
    ("[lint]\nfold = 1.5", "urlset.toml: lint.fold: expected a positive integer, found 1.5"),
    ("[lint]\nlocation = 2026-01-01", "urlset.toml: lint.location: expected a string, found 2026-01-01"),
    ("[lint]\nroot = []", "urlset.toml: lint.root: expected a string, found a list"),
    ('[lint]\nrobots = "robots.txt"', 'urlset.toml: lint.robots: expected a table, found the string "robots.txt"'),
    ('[lint.robots]\n"a.example" = 1', 'urlset.toml: lint.robots."a.example": expected a string, found 1'),
    ("[lint]\nper-file-ignores = []", "urlset.toml: lint.per-file-ignores: expected a table, found a list"),
    (
        '[lint.per-file-ignores]\n"*.xml" = "LOC"',
        'urlset.toml: lint.per-file-ignores."*.xml": expected a list of strings, found the string "LOC"',
    ),
    # Values.
    ('[lint]\nprofile = "gogle"', "urlset.toml: lint.profile: unknown value 'gogle'; did you mean google?"),
    ('[lint]\nselect = ["LOCC"]', "urlset.toml: lint.select: no rule has the code 'LOCC'; did you mean LOC0"),
    ('[lint]\nignore = ["relative"]', "urlset.toml: lint.ignore: no rule has the code 'relative'"),
    (
        '[lint.per-file-ignores]\n"*.xml" = ["X1"]',
        "urlset.toml: lint.per-file-ignores.\"*.xml\": no rule has the code 'X1'",
    ),
    (
        '[lint.per-file-ignores]\n"[z-a]" = []',
        "urlset.toml: lint.per-file-ignores.\"[z-a]\": '[z-a]' is not a valid glob: bad character range",
    ),
    ('[lint]\nformat = "jsn"', "urlset.toml: lint.format: unknown value 'jsn'; did you mean json?"),
    ('[lint]\nformat = "pdf"', "urlset.toml: lint.format: unknown value 'pdf'; known: "),
    ('[lint]\nzone = "MEZ"', "urlset.toml: lint.zone must be a name such as 'Europe/Berlin', "),
    # Invalid TOML, with the line and the column.
    ("[lint]\nselect = [", "urlset.toml:2:11: "),
    ("[lint]\n\npreview true", "urlset.toml:3:9: "),
    ("[lint]\nfold = 1\nfold = 2\n", "urlset.toml:3:9: "),
    ("[lint]\nselect = [\n", "urlset.toml:3:1: "),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_what_cannot_be_meant_is_refused(tmp_path: Path, text: str, message: str) -> None:
    said = refusal(write(tmp_path, text))
    assert said.startswith(message)
    assert not re.search(r"\(at |\n", said)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.urlset.lint]\nselct = []", "tool.urlset.lint.selct: unknown key; did you mean select?"),
        ("[tool.urlset]\nlnt = {}", "tool.urlset.lnt: unknown key; did you mean lint?"),
        ("[tool]\nurlset = 1", "tool.urlset: expected a table, found 1"),
        ("tool = 1", "tool: expected a table, found 1"),
    ],
)
def test_in_a_pyproject_the_message_has_the_whole_key(tmp_path: Path, text: str, message: str) -> None:
    assert refusal(write(tmp_path, text, "pyproject.toml")) == f"pyproject.toml: {message}"


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "urlset.toml") == "urlset.toml: No such file or directory"
    assert refusal(tmp_path) == f"{tmp_path.name}: Is a directory"
    path = tmp_path / "latin.toml"
    path.write_bytes(b"# caf\xe9\n[lint]\n")
    assert refusal(path) == "latin.toml: not UTF-8 at byte 5"
    assert refusal(write(tmp_path, f"a = {'9' * 5000}")).startswith("urlset.toml: Exceeds the limit")


LINES = st.sampled_from(
    ["[lint]", "fold = 3", "fold = ", "select = [", '"LOC"', "]", "'", "é = 1", "#", "", "a.b=2", "="]
)


@given(lines=st.lists(LINES, max_size=6))
def test_any_text_is_accepted_or_refused_with_its_line_and_column(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    path = write(tmp_path_factory.getbasetemp() / "any", "\n".join(lines))
    message = f"{path}: "
    try:
        load(path)
    except InputError as error:
        message = str(error)
    position = re.match(rf"{re.escape(str(path))}:(\d+):(\d+): ", message)
    assert message.startswith(str(path))
    if position is not None:
        line, column = map(int, position.groups())
        assert 1 <= line <= max(1, len(lines))
        assert 1 <= column <= len((lines or [""])[line - 1]) + 1


# --- finding -------------------------------------------------------------------------------------------------------

OURS = "[tool.urlset.lint]\n"


def test_the_nearest_file_is_found(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    top = write(tmp_path, "")
    assert find(deep) == top
    middle = write(tmp_path / "a" / "b", OURS, "pyproject.toml")
    assert find(deep) == middle
    near = write(deep, "")
    assert find(deep) == near
    assert find(deep.parent) == middle
    assert find(tmp_path / "a") == top


def test_a_file_is_found_from_a_document_too(tmp_path: Path) -> None:
    settings, document = write(tmp_path, ""), write(tmp_path / "public", "", "sitemap.xml")
    assert find(document) == settings
    assert find(tmp_path / "public" / "not-there.xml") == settings


def test_a_file_is_found_from_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = write(tmp_path, "")
    (tmp_path / "public").mkdir()
    monkeypatch.chdir(tmp_path / "public")
    assert find(Path()) == settings
    assert find(Path("sitemap.xml")) == settings


def test_our_own_file_comes_before_a_pyproject(tmp_path: Path) -> None:
    write(tmp_path, OURS, "pyproject.toml")
    own = write(tmp_path, "")
    assert find(tmp_path) == own


OTHERS: list[Callable[[Path], object]] = [
    lambda folder: write(folder, '[project]\nname = "urlset-shop"\n[tool.ruff]\n', "pyproject.toml"),
    lambda folder: write(folder, 'tool = "urlset"\n', "pyproject.toml"),
    lambda folder: write(folder, "[broken\n", "pyproject.toml"),
    lambda folder: (folder / "urlset.toml").mkdir(),
    lambda folder: (folder / "pyproject.toml").write_bytes(b"# caf\xe9\n"),
]


@pytest.mark.parametrize("make", OTHERS)
def test_what_is_not_about_us_is_passed_over(tmp_path: Path, make: Callable[[Path], object]) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    make(inner)
    outer = write(tmp_path, "")
    assert find(inner) == outer


def test_a_broken_pyproject_with_a_urlset_table_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path, "[tool.urlset.lint]\nselect = \n", "pyproject.toml")
    with pytest.raises(InputError, match=rf"^{re.escape(str(path))}:2:10: "):
        find(tmp_path)


def test_no_configuration_file_is_found_where_there_is_none(tmp_path: Path) -> None:
    assert find(tmp_path) is None
