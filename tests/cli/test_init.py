"""`urlset init`: what it finds, what it writes, and that the file means what it says."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import urlset
from support.cli import Cli
from urlset._cli.init import UNKNOWN, configuration, guessed
from urlset._config.file import NAME, load
from urlset._config.lint_settings import LintSettings
from urlset._config.publish_settings import IndexNowSettings, PublishSettings
from urlset._config.section_settings import SectionSettings
from urlset._config.setting import keys_of

Put = Callable[[str, str | bytes], Path]

PAGE = "<!doctype html><title>Home</title><main>Home</main>"
KEY = re.compile(r'^#(?=[a-z"\[])', re.MULTILINE)


def written(folder: Path) -> PublishSettings:
    return load(folder / NAME).publish


# --- what is written -----------------------------------------------------------------------------------------------


def test_a_site_is_described_and_then_published(cli: Cli, put: Put) -> None:
    put("CNAME", "www.example.com\n")
    put("public/index.html", PAGE)
    put("public/robots.txt", "User-agent: *\nDisallow:\n")
    ended = cli("init")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        "Wrote urlset.toml",
        "  base-url  https://www.example.com/ (from CNAME)",
        "  to        public",
        "  html      public (it contains pages)",
        "Next: urlset publish --dry-run",
    ]
    published = cli("publish")
    assert (published.code, published.err) == (0, "")
    assert [entry.loc for entry in urlset.read(cli.folder / "public")] == ["https://www.example.com/"]


def test_what_is_written_means_what_was_found(cli: Cli, put: Put) -> None:
    put("dist/index.html", PAGE)
    put("dist/robots.txt", "")
    assert cli("init", "--base-url", "https://example.com/docs").code == 0
    assert written(cli.folder) == PublishSettings(
        base_url="https://example.com/docs/",
        to=str(cli.folder / "dist"),
        html=cli.folder / "dist",
        robots_txt=cli.folder / "dist" / "robots.txt",
    )


def test_a_key_behind_a_hash_is_one_too(tmp_path: Path) -> None:
    text = configuration(guessed(tmp_path, None))
    path = tmp_path / NAME
    path.write_text(KEY.sub("", text), "utf-8")
    assert isinstance(load(path).publish, PublishSettings)
    table = tomllib.loads(path.read_text("utf-8"))
    # The file has every key; those of a section are explained where the site has them.
    assert sorted(table["publish"]) == sorted(keys_of(PublishSettings))
    assert sorted(table["publish"]["indexnow"]) == sorted(keys_of(IndexNowSettings))
    assert set(table["publish"]["section"][0]) <= set(keys_of(SectionSettings))
    assert sorted(table["lint"]) == sorted(keys_of(LintSettings))


def test_each_key_alone_is_known(tmp_path: Path) -> None:
    text = configuration(guessed(tmp_path, None))
    path = tmp_path / NAME
    lines = text.splitlines()
    keys = [number for number, line in enumerate(lines[: lines.index("#[publish.indexnow]")]) if KEY.match(line)]
    assert len(keys) > 35
    for number in keys:
        path.write_text("\n".join([*lines[:number], lines[number][1:], *lines[number + 1 :]]), "utf-8")
        load(path)


def test_every_line_is_short(tmp_path: Path) -> None:
    assert all(len(line) <= 120 for line in configuration(guessed(tmp_path, None)).splitlines())


def test_a_path_that_has_to_be_quoted(tmp_path: Path) -> None:
    guess = guessed(tmp_path, "https://example.com/")
    text = configuration(type(guess)(guess.base_url, None, html='a"b\\c\x7f'))
    assert tomllib.loads(text)["publish"]["html"] == 'a"b\\c\x7f'


# --- what is found -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("build", ["public", "dist", "_site", "build", "site", "out", "."])
def test_a_build_is_found(tmp_path: Path, put: Put, build: str) -> None:
    put(f"{build}/index.html", PAGE)
    guess = guessed(tmp_path, None)
    assert (guess.html, guess.to, guess.set) == (build, build, None)


def test_a_page_next_to_a_package_is_built_first(tmp_path: Path, put: Put) -> None:
    put("index.html", PAGE)
    put("package.json", "{}")
    assert guessed(tmp_path, None).html is None


@pytest.mark.parametrize("place", ["sitemap.xml", "public/sitemap.xml"])
def test_init_takes_the_site_from_an_existing_set(tmp_path: Path, put: Put, place: str) -> None:
    put("public/x", "")
    urlset.write(["http://shop.example:8080/a/b?c"], tmp_path / place)
    guess = guessed(tmp_path, None)
    assert (guess.set, guess.to) == (place, str(Path(place).parent))
    assert (guess.base_url, guess.base_from) == ("http://shop.example:8080/", place)


def test_pages_count_more_than_the_set_next_to_them(tmp_path: Path, put: Put) -> None:
    put("public/index.html", PAGE)
    urlset.write(["https://shop.example/a"], tmp_path / "public" / "sitemap.xml")
    guess = guessed(tmp_path, None)
    assert (guess.html, guess.set, guess.base_url) == ("public", None, "https://shop.example/")


@pytest.mark.parametrize("content", ["", "not/a/host\n", "a b", "<html>"])
def test_a_cname_that_is_no_host_is_ignored(tmp_path: Path, put: Put, content: str) -> None:
    put("CNAME", content)
    guess = guessed(tmp_path, None)
    assert (guess.base_url, guess.base_from) == (UNKNOWN, None)


@pytest.mark.parametrize("content", [b"<html></html>", b"", b"\xff\xfe", b"https://[broken\n"])
def test_a_sitemap_that_cannot_be_read_is_ignored(tmp_path: Path, put: Put, content: bytes) -> None:
    put("sitemap.xml", content)
    assert guessed(tmp_path, None).base_from is None


def test_nothing_may_be_found(cli: Cli) -> None:
    ended = cli("init")
    assert (ended.code, ended.err) == (0, "")
    assert "a placeholder: replace it" in ended.out
    assert "set one of rows, html, set and database" in ended.out
    assert written(cli.folder) == PublishSettings(base_url=UNKNOWN, to=str(cli.folder / "public"))
    refused = cli("publish")
    assert refused.code == 2
    assert refused.err.startswith("urlset: the source of the rows is missing")


# --- what is there already -----------------------------------------------------------------------------------------


def test_a_file_that_is_there_stays(cli: Cli, put: Put) -> None:
    put(NAME, "# mine\n")
    ended = cli("init")
    assert (ended.code, ended.err) == (2, "urlset: urlset.toml exists already: --force replaces it\n")
    assert (cli.folder / NAME).read_text() == "# mine\n"
    assert cli("init", "--force").code == 0
    assert written(cli.folder).base_url == UNKNOWN


def test_a_table_that_is_now_ignored_is_reported(cli: Cli, put: Put) -> None:
    put("pyproject.toml", "[tool.urlset.lint]\nfold = 3\n")
    ended = cli("init")
    assert ended.code == 0
    assert (
        ended.err
        == "urlset: urlset.toml takes the place of the table tool.urlset in pyproject.toml, which is now ignored\n"
    )


def test_another_folder_can_be_meant(cli: Cli, put: Put) -> None:
    put("web/_site/index.html", PAGE)
    ended = cli("init", "web")
    assert ended.code == 0
    assert ended.out.splitlines()[-1] == "Next: urlset publish --dry-run --config web/urlset.toml"
    assert written(cli.folder / "web").html == cli.folder / "web" / "_site"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere is not a folder"),
        (["--base-url", "example.com"], "--base-url must be an absolute http(s) URL, got 'example.com'"),
    ],
)
def test_invalid_arguments_are_reported(cli: Cli, arguments: list[str], said: str) -> None:
    ended = cli("init", *arguments)
    assert (ended.code, ended.err) == (2, f"urlset: {said}\n")
    assert not list(cli.folder.iterdir())
