"""The source of each page that a generator has built, by its naming rules; and real builds, whose lastmods show it."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote

import pytest
import urlset
from lxml import etree
from support.html_site import Skips
from support.sources.generator_cases import Case, cases, change
from support.sources.repository import Repository, day
from urlset.sources import generators
from urlset.sources._generators.known import GENERATORS

CASES = {case.name: case for case in cases()}
#: Those whose generators are installed for the long tests. `make generators` installs the others.
SMALL = [name for name, case in CASES.items() if not case.has_packages or name == "eleventy"]
LARGE = [name for name in CASES if name not in SMALL]


@pytest.mark.parametrize("name", CASES)
def test_each_page_has_the_source_that_made_it(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    for file, text in case.built.items():
        (tmp_path / file).write_text(text)
    found = generators.sources(case.project, output=tmp_path)
    assert found.generator == name.partition("-")[0]
    assert {page: found.of_page(page) for page in case.pages} == {
        page: (source,) if source else () for page, source in case.pages.items()
    }


def _key(page: str) -> str:
    """The path of a page, or of its URL, without what generators and servers choose."""
    return unquote(page).removesuffix("index.html").removesuffix(".html").strip("/")


class _Built:
    """A site in a repository in which each source was committed on a day of its own."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.case = case
        self.project = case.copy(folder / "project")
        self._repository = Repository(self.project)
        self._repository("init", "--quiet")
        self._dest = folder / "sets"
        self._day = 0
        self.days: dict[str, datetime] = {}
        for file in sorted(each for each in case.project.rglob("*") if each.is_file()):
            self._commit(file.relative_to(case.project).as_posix())

    def _commit(self, file: str) -> None:
        self._day += 1
        self._repository("add", "--force", file)
        self._repository("commit", "--quiet", "--message=x", at=self._day)
        self.days[file] = day(self._day)

    def change(self, file: str) -> None:
        """Change a file, commit that, and build anew."""
        change(self.project / file)
        self._commit(file)
        self.build()

    def build(self) -> dict[str, bytes]:
        """Build the site, and return its pages."""
        self.output = self.case.run(self.project)
        return {page.relative_to(self.output).as_posix(): page.read_bytes() for page in self.output.rglob("*.html")}

    def lastmods(self) -> dict[str, datetime | None]:
        """Publish the pages to a new folder as their owner does, and return the lastmods by the keys of the pages."""
        dest = self._dest / str(self._day)
        settings = self.project / "urlset.toml"
        settings.write_text(
            f'[publish]\nhtml = "{self.case.output}"\nbase-url = "{self.case.url}"\nlastmod-from = ["git"]\n'
            f'dest = "{dest}"\nallow = ["one-lastmod"]\n'
        )
        notes: list[str] = []
        with urlset.configured(settings, on_note=notes.append) as site:
            urlset.publish(site.entries, site.dest, **site.options)
        assert not notes
        found: dict[str, datetime | None] = {}
        for url in etree.parse(dest / "sitemap.xml").getroot():
            lastmod = url.findtext("{*}lastmod")
            loc = str(url.findtext("{*}loc")).removeprefix(self.case.url)
            found[_key(loc)] = None if lastmod is None else datetime.fromisoformat(lastmod)
        return found


def _check(case: Case, folder: Path) -> None:
    """Check a site as it was built at first, and then after a page, a template and the theme have changed."""
    site = _Built(case, folder)
    pages = site.build()
    assert sorted(pages) == sorted(case.pages)
    found = site.lastmods()
    sources = {_key(page): source for page, source in case.pages.items()}
    assert len(found) > 3
    # A list has no source of its own, but it may state when the pages on it were published.
    assert {page: found[page] for page in found if sources[page]} == {
        page: site.days[sources[page]] for page in found if sources[page]
    }
    of_page = [page for page in found if sources[page] == case.changes["page"]]
    assert of_page
    site.change(case.changes["page"])
    changed = site.lastmods()
    assert changed == found | dict.fromkeys(of_page, site.days[case.changes["page"]])
    for each in ("template", "theme"):
        site.change(case.changes[each])
        assert site.lastmods() == changed


@pytest.mark.long
@pytest.mark.parametrize("name", SMALL)
def test_a_real_build_has_the_lastmods_of_its_sources(name: str, tmp_path: Path) -> None:
    _check(CASES[name], tmp_path)


@pytest.mark.generators
@pytest.mark.parametrize("name", LARGE)
def test_a_real_build_of_a_large_generator_has_the_lastmods_of_its_sources(name: str, tmp_path: Path) -> None:
    _check(CASES[name], tmp_path)


@pytest.mark.parametrize(
    ("file", "text", "generator"),
    [
        ("hugo.toml", "", None),  # an empty file says nothing
        ("config.toml", 'base_url = "https://a.example"', None),  # Zola's
        ("config.toml", 'baseURL = "https://a.example"', "hugo"),
        ("config/_default/hugo.toml", 'baseURL = "https://a.example"', "hugo"),
        ("_config.yml", "source_dir: source\npublic_dir: public", None),  # Hexo's
        ("_config.yml", "title: Tea", "jekyll"),
        ("conf.py", "BLOG_TITLE = 'Tea'", None),  # Nikola's
        ("docs/conf.py", "project = 'Tea'", "sphinx"),
        (".eleventy.js", "", "eleventy"),
        ("zensical.toml", "[project]", "zensical"),
        ("package.json", "{}", None),
    ],
)
def test_a_generator_is_recognized_by_its_settings(tmp_path: Path, file: str, text: str, generator: str | None) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert generators.sources(tmp_path).generator == generator


def test_the_project_is_the_nearest_folder_with_settings(tmp_path: Path) -> None:
    (tmp_path / "docs/_build/html").mkdir(parents=True)
    assert generators.project_of(tmp_path / "docs/_build/html") is None
    (tmp_path / "docs/conf.py").write_text("project = 'Tea'")
    (tmp_path / "mkdocs.yml").write_text("site_name: Tea")
    assert generators.project_of(tmp_path / "docs/_build/html") == (tmp_path / "docs").resolve()
    assert generators.project_of(tmp_path / "site") == tmp_path.resolve()


def test_the_search_for_a_project_ends_at_the_top_of_a_repository(tmp_path: Path) -> None:
    (tmp_path / "mkdocs.yml").write_text("site_name: Tea")
    (tmp_path / "clone/public").mkdir(parents=True)
    (tmp_path / "clone/.git").mkdir()
    assert generators.project_of(tmp_path / "clone/public") is None


def test_a_page_of_two_sources_has_no_lastmod_and_says_so(tmp_path: Path) -> None:
    for name in ("content/a/tea.md", "content/b/tea.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("---\nurl: /tea/\nlastmod: 2024-01-02\n---\n")
    (tmp_path / "hugo.toml").write_text('baseURL = "https://a.example/"')
    notes, rows = _publish(tmp_path, "tea/index.html", lastmod_from=["front-matter"])
    assert rows == {"https://a.example/tea/": None}
    assert notes == [
        "no lastmod from the source of tea/index.html, which may be made of content/a/tea.md or content/b/tea.md"
    ]


def test_pages_without_any_source_are_reported(tmp_path: Path) -> None:
    (tmp_path / "hugo.toml").write_text('baseURL = "https://a.example/"')
    notes, rows = _publish(tmp_path, "tea/index.html", lastmod_from=["front-matter"])
    assert rows == {"https://a.example/tea/": None}
    assert notes == [f"none of 1 page has a source by the naming rules of hugo in {tmp_path.resolve()}"]


def test_drafts_are_left_out_on_request(tmp_path: Path) -> None:
    (tmp_path / "hugo.toml").write_text('baseURL = "https://a.example/"')
    (tmp_path / "content").mkdir()
    (tmp_path / "content/tea.md").write_text("---\ndraft: true\n---\n")
    (tmp_path / "content/mate.md").write_text("---\ndraft: false\n---\n")
    skips = Skips()
    _, rows = _publish(tmp_path, "tea/index.html", "mate/index.html", omit=["drafts"], on_skip=skips)
    assert rows == {"https://a.example/mate/": None}
    assert skips.details == {"tea/index.html": "content/tea.md is a draft"}
    assert skips.reasons == {"tea/index.html": "draft"}
    _, rows = _publish(tmp_path, "tea/index.html", "mate/index.html")
    assert len(rows) == 2


@pytest.mark.parametrize(
    "bad", ["---\n{{{{\n---\n", "+++\n[[[\n+++\n", '{"slug": [[[', "---\nslug: [a, {b: c}]\n---\n", "\0"]
)
@pytest.mark.parametrize("name", ["hugo", "jekyll", "pelican", "docusaurus", "mkdocs", "eleventy", "astro", "nuxt"])
def test_what_cannot_be_read_makes_no_page_and_no_error(tmp_path: Path, name: str, bad: str) -> None:
    case = CASES[name]
    project = case.project
    for file in sorted(each for each in project.rglob("*") if each.is_file()):
        to = tmp_path / file.relative_to(project)
        to.parent.mkdir(parents=True, exist_ok=True)
        is_source = file.relative_to(project).as_posix() in case.pages.values()
        to.write_text(bad if is_source else file.read_text())
    found = generators.sources(tmp_path, generator=generators.sources(project).generator)
    assert {source for page in case.pages for source in found.of_page(page)} <= set(found)


@pytest.mark.parametrize("name", CASES)
def test_settings_that_cannot_be_read_are_as_good_as_none(tmp_path: Path, name: str) -> None:
    generator = next(each for each in GENERATORS.values() if each.name == name.partition("-")[0])
    for number, bad in enumerate(
        ("\0", "{" * 10_000, "[" * 10_000, "a: &a [*a]\n" * 100, "permalinks = 1\nlanguages = 2")
    ):
        folder = tmp_path / str(number)
        for glob in generator.configs:
            path = folder / glob.replace("y*ml", "yml").replace("*", "js")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(bad)
        (folder / "content").mkdir()
        (folder / "content/tea.md").write_text("Tea")
        list(generators.sources(folder, generator=generator.name))


def _publish(
    folder: Path, *pages: str, on_skip: Callable[[str, str, str], object] | None = None, **settings: list[str]
) -> tuple[list[str], dict[str, str | None]]:
    """Publish pages below folder/public, and return the notes and the lastmods by URL."""
    for page in pages:
        (folder / "public" / page).parent.mkdir(parents=True, exist_ok=True)
        (folder / "public" / page).write_text(f"<title>T</title><p>About {page}")
    lines = [f"{name.replace('_', '-')} = {value}" for name, value in settings.items()]
    (folder / "urlset.toml").write_text(
        "\n".join(['[publish]\nhtml = "public"\ndest = "out"\nbase-url = "https://a.example/"', *lines])
    )
    notes: list[str] = []
    with urlset.configured(folder / "urlset.toml", on_note=notes.append, on_skip=on_skip) as site:
        urlset.publish(site.entries, site.dest, **site.options)
    entries = etree.parse(folder / "out/sitemap.xml").getroot()
    return notes, {str(url.findtext("{*}loc")): url.findtext("{*}lastmod") for url in entries}


def test_a_pipe_among_the_sources_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    (tmp_path / "pelicanconf.py").write_text("PATH = 'content'")
    (tmp_path / "content/tea.md").write_text("Title: Tea\n\nGreen")
    os.mkfifo(tmp_path / "content/pipe.md")
    assert generators.sources(tmp_path).of_page("tea.html") == ("content/tea.md",)
