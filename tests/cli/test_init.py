"""`urlset init`: what it finds, what it writes, and that the file means what it says."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import urlset
from support.cli import Cli
from support.sources.repository import Repository, day
from urlset._cli.init import configuration, guessed
from urlset._config.file import load
from urlset._config.lint_settings import LintSettings
from urlset._config.location import NAME
from urlset._config.publish_settings import IndexNowSettings, PublishSettings, SiteSettings
from urlset._config.section_settings import SectionSettings
from urlset._config.settings import keys_of

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
        "  dest      public",
        "  html      public (it contains pages)",
        "Next: urlset publish --dry-run",
    ]
    published = cli("publish")
    assert (published.code, published.err) == (0, "")
    assert [entry.loc for entry in urlset.read(cli.folder / "public")] == ["https://www.example.com/"]


def test_a_site_of_a_generator_is_dated_by_git(cli: Cli, put: Put) -> None:
    put("hugo.toml", 'baseURL = "https://tea.shop/"')
    put("public/tea/index.html", PAGE)
    put("public/index.html", PAGE)
    put("content/tea.md", "Green tea")
    assert "lastmod" not in cli("init").out
    repository = Repository(cli.folder)
    repository("init", "--quiet")
    repository.commit(1)
    ended = cli("init", "--force")
    assert ended.out.splitlines()[-3:] == [
        "  html      public (it contains pages of hugo)",
        "  lastmod   from git, by the naming rules of hugo",
        "Next: urlset publish --dry-run",
    ]
    assert written(cli.folder).lastmod_from == ("git",)
    assert cli("publish").code == 0
    found = {entry.loc: entry.lastmod for entry in urlset.read(cli.folder / "public")}
    assert found == {"https://tea.shop/": None, "https://tea.shop/tea/": day(1)}


@pytest.mark.parametrize(
    ("file", "text", "base"),
    [
        ("docusaurus.config.js", 'export default {\n  url: "https://tea.shop",\n  baseUrl: "/docs/",\n};', "/docs/"),
        ("publishconf.py", 'SITEURL = "https://tea.shop"', "/"),
        ("zensical.toml", '[project]\nsite_url = "https://tea.shop/a/"', "/a/"),
    ],
)
def test_the_settings_of_a_generator_state_the_base_url(cli: Cli, put: Put, file: str, text: str, base: str) -> None:
    put(file, text)
    assert cli("init").code == 0
    assert written(cli.folder).base_url == f"https://tea.shop{base}"


def test_what_is_written_means_what_was_found(cli: Cli, put: Put) -> None:
    put("dist/index.html", PAGE)
    put("dist/robots.txt", "")
    assert cli("init", "--base-url", "https://example.com/docs").code == 0
    assert written(cli.folder) == PublishSettings(
        base_url="https://example.com/docs/",
        dest=str(cli.folder / "dist"),
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
    assert sorted(table["publish"]["site"]) == sorted(keys_of(SiteSettings))
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
    assert (guess.html, guess.dest, guess.set) == (build, build, None)


def test_a_page_next_to_a_package_is_built_first(tmp_path: Path, put: Put) -> None:
    put("index.html", PAGE)
    put("package.json", "{}")
    assert guessed(tmp_path, None).html is None


@pytest.mark.parametrize("place", ["sitemap.xml", "public/sitemap.xml"])
def test_init_takes_the_site_from_an_existing_set(tmp_path: Path, put: Put, place: str) -> None:
    put("public/x", "")
    urlset.write(["http://shop.example:8080/a/b?c"], tmp_path / place)
    guess = guessed(tmp_path, None)
    assert (guess.set, guess.dest) == (place, str(Path(place).parent))
    assert (guess.base_url, guess.base_from) == ("http://shop.example:8080/", place)


@pytest.mark.parametrize("place", [".", "public", "dist"])
def test_init_does_not_take_what_urlset_has_published_for_a_source(tmp_path: Path, put: Put, place: str) -> None:
    """Each publish of it would change nothing."""
    urlset.publish(["/a"], tmp_path / place, base_url="https://shop.example/")
    guess = guessed(tmp_path, None)
    assert (guess.set, guess.dest, guess.base_url) == (None, place, "https://shop.example/")
    ended = Cli(tmp_path)("init")
    name = f"{place}/sitemap.xml".removeprefix("./")
    assert f"set       {name} is not the source: urlset has published it\n" in ended.out
    assert "set" not in tomllib.loads((tmp_path / NAME).read_text("utf-8"))["publish"]


def test_pages_count_more_than_the_set_next_to_them(tmp_path: Path, put: Put) -> None:
    put("public/index.html", PAGE)
    urlset.write(["https://shop.example/a"], tmp_path / "public" / "sitemap.xml")
    guess = guessed(tmp_path, None)
    assert (guess.html, guess.set, guess.base_url) == ("public", None, "https://shop.example/")


@pytest.mark.parametrize("content", ["", "not/a/host\n", "a b", "<html>"])
def test_a_cname_that_is_no_host_is_ignored(tmp_path: Path, put: Put, content: str) -> None:
    put("CNAME", content)
    guess = guessed(tmp_path, None)
    assert (guess.base_url, guess.base_from) == (None, None)


@pytest.mark.parametrize("content", [b"<html></html>", b"", b"\xff\xfe", b"https://[broken\n"])
def test_a_sitemap_that_cannot_be_read_is_ignored(tmp_path: Path, put: Put, content: bytes) -> None:
    put("sitemap.xml", content)
    assert guessed(tmp_path, None).base_from is None


def test_nothing_may_be_found(cli: Cli) -> None:
    ended = cli("init")
    assert (ended.code, ended.err) == (0, "")
    assert "base-url  was not found: set it to the public URL of the site" in ended.out
    assert "set one of rows, html, set and database" in ended.out
    assert written(cli.folder) == PublishSettings(dest=str(cli.folder / "public"))
    refused = cli("publish")
    assert refused.code == 2
    assert refused.err.startswith("urlset: base-url is missing")
    refused = cli("publish", "--base-url", "https://shop.example/")
    assert refused.err.startswith("urlset: the source of the rows is missing")


def test_no_placeholder_is_published(cli: Cli, put: Put) -> None:
    put("public/index.html", PAGE)
    assert cli("init").code == 0
    refused = cli("publish")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == "urlset: base-url is missing: pass --base-url, or set it in urlset.toml\n"
    assert not (cli.folder / "public" / "sitemap.xml").exists()


GENERATORS = [
    ("hugo.toml", 'title = "x"\nbaseURL = "https://shop.test/"\n', "https://shop.test/"),
    ("config.toml", "baseurl = 'https://shop.test/blog'\n", "https://shop.test/blog/"),
    ("hugo.yaml", "baseURL: https://shop.test # live\n", "https://shop.test/"),
    ("_config.yml", 'url: "https://shop.test"\nbaseurl: "/docs"\n', "https://shop.test/docs/"),
    ("_config.yml", "title: x\nurl: https://shop.test\n", "https://shop.test/"),
    ("mkdocs.yml", "site_name: x\nsite_url: https://Shop.test:443/\n", "https://shop.test/"),
    ("astro.config.mjs", "export default defineConfig({\n  site: 'https://shop.test',\n})\n", "https://shop.test/"),
    ("astro.config.ts", 'x({\n  site: "https://shop.test",\n  base: "/docs",\n})\n', "https://shop.test/docs/"),
    ("conf.py", 'project = "x"\nhtml_baseurl = "https://shop.test/"\n', "https://shop.test/"),
    ("package.json", '{"name": "x", "homepage": "https://shop.test"}', "https://shop.test/"),
]


@pytest.mark.parametrize(("name", "text", "url"), GENERATORS)
def test_the_generator_knows_the_site(tmp_path: Path, put: Put, name: str, text: str, url: str) -> None:
    put(name, text)
    guess = guessed(tmp_path, None)
    assert (guess.base_url, guess.base_from) == (url, name)
    put("CNAME", "www.shop.test")
    assert guessed(tmp_path, None).base_url == "https://www.shop.test/"


NOT_PLAIN: list[tuple[str, str | bytes]] = [
    ("hugo.toml", "baseURL = "),
    ("hugo.toml", 'baseURL = "/"\n'),
    ("hugo.toml", 'baseURL = "https://example.org/"\n'),
    ("hugo.toml", b"\xff\xfe"),
    ("_config.yml", "nested:\n  url: https://shop.test\n"),
    ("_config.yml", "url: http://localhost:4000\n"),
    ("mkdocs.yml", "site_url: !ENV [SITE_URL, 'https://shop.test']\n"),
    ("astro.config.mjs", "x({ site: process.env.SITE })\n"),
    ("conf.py", 'html_baseurl = os.environ["URL"]\n'),
    ("package.json", '{"homepage": "https://github.com/shop/shop#readme"}'),
    ("package.json", '{"homepage": "https://user:hunter2@shop.test/"}'),
    ("package.json", '{"homepage": 5}'),
    ("package.json", "[" * 100_000),
    ("package.json", "[]"),
]


@pytest.mark.parametrize(("name", "content"), NOT_PLAIN)
def test_what_is_not_plain_is_not_guessed(tmp_path: Path, put: Put, name: str, content: str | bytes) -> None:
    put(name, content)
    guess = guessed(tmp_path, None)
    assert (guess.base_url, guess.base_from) == (None, None)


# --- what is there already -----------------------------------------------------------------------------------------


def test_a_file_that_is_there_stays(cli: Cli, put: Put) -> None:
    put(NAME, "# mine\n")
    ended = cli("init")
    assert (ended.code, ended.err) == (2, "urlset: urlset.toml exists already: --force replaces it\n")
    assert (cli.folder / NAME).read_text() == "# mine\n"
    assert cli("init", "--force").code == 0
    assert written(cli.folder).base_url is None


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
