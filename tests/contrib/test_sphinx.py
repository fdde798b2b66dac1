"""The extension for Sphinx, in builds of a small project that git knows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import urlset
from lxml import etree
from support.contrib.built import commit, lastmods, write

pytestmark = pytest.mark.long

URL = "https://docs.example.com/en/1.0"
CONFIGURATION = f"""
project = "Tea"
extensions = ["urlset.contrib.sphinx", "sphinx.ext.viewcode"]
html_theme = "alabaster"
html_baseurl = "{URL}"
"""
PAGES = {"index": "2024-05-01", "guide/tea": "2024-06-01", "drafts/next": "2024-07-01"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of three documents, each of a commit of its own."""
    project = tmp_path / "docs"
    write(project, "conf.py", CONFIGURATION)
    for name, date in PAGES.items():
        tree = "\n".join(f"   {each}" for each in PAGES if each != "index")
        text = f"Tea\n===\n\n.. toctree::\n\n{tree}\n" if name == "index" else f"{name}\n===========\n\nGreen tea.\n"
        write(project, f"{name}.rst", text)
        commit(project, date, f"Write {name}")
    return project


def build(project: Path, builder: str = "html", *options: str, out: str = "out") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sphinx", "--builder", builder, *options, str(project), str(project.parent / out)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def listed(project: Path, out: str = "out") -> dict[str, str | None]:
    return lastmods(project.parent / out)


def canonical(project: Path) -> set[str]:
    """The canonical URLs that Sphinx writes into the pages of documents."""
    out = project.parent / "out"
    pages = [path for page in PAGES for path in (out / f"{page}.html", out / page / "index.html") if path.exists()]
    return {
        str(etree.parse(page, etree.HTMLParser()).xpath("string(//link[@rel='canonical']/@href)")) for page in pages
    }


def test_documents_are_listed_with_the_dates_of_git(project: Path) -> None:
    ended = build(project, "html", "--fail-on-warning")
    assert ended.returncode == 0, ended.stderr
    # The search page, the indexes and the pages of sources are not listed, and the base URL ends with a slash.
    assert listed(project) == {f"{URL}/{page}.html": f"{date}T08:00:00Z" for page, date in PAGES.items()}
    assert set(listed(project)) == canonical(project)
    assert (project.parent / "out" / "genindex.html").exists()
    assert f"{URL}/sitemap.xml lists 3 pages" in ended.stdout
    assert not urlset.lint(str(project.parent / "out" / "sitemap.xml"))


def test_only_the_page_that_changes_gets_another_date(project: Path) -> None:
    build(project)
    before = (project.parent / "out" / "sitemap.xml").read_bytes()
    write(project, "conf.py", CONFIGURATION + 'html_theme_options = {"description": "Every kind"}\n')
    commit(project, "2024-08-01", "Describe the project")
    assert build(project).returncode == 0
    assert (project.parent / "out" / "sitemap.xml").read_bytes() == before
    write(project, "guide/tea.rst", "guide/tea\n===========\n\nBlack tea.\n")
    commit(project, "2024-09-01", "Prefer black tea")
    assert build(project, out="fresh").returncode == 0
    assert listed(project, "fresh")[f"{URL}/guide/tea.html"] == "2024-09-01T08:00:00Z"
    assert listed(project, "fresh")[f"{URL}/index.html"] == "2024-05-01T08:00:00Z"


def test_folders_and_exclusions(project: Path) -> None:
    write(project, "conf.py", CONFIGURATION + 'urlset_exclude = ["drafts/**"]\n')
    ended = build(project, "dirhtml", "--fail-on-warning")
    assert ended.returncode == 0, ended.stderr
    assert set(listed(project)) == {f"{URL}/", f"{URL}/guide/tea/"}
    assert set(listed(project)) < canonical(project)


def test_a_page_that_must_not_be_indexed_is_left_out_and_counted(project: Path) -> None:
    write(project, "guide/tea.rst", "guide/tea\n===========\n\n.. meta::\n   :robots: noindex\n\nGreen tea.\n")
    ended = build(project)
    assert f"{URL}/sitemap.xml lists 2 pages; left out: 1 noindex" in ended.stdout
    assert set(listed(project)) == {f"{URL}/index.html", f"{URL}/drafts/next.html"}


def test_a_set_that_is_most_likely_a_mistake_ends_the_build(project: Path) -> None:
    build(project)
    before = listed(project)
    write(project, "conf.py", CONFIGURATION + 'exclude_patterns = ["drafts", "guide"]\n')
    ended = build(project)
    assert ended.returncode == 2
    assert "shrunk" in ended.stderr
    assert listed(project) == before
    write(project, "conf.py", CONFIGURATION + 'exclude_patterns = ["drafts", "guide"]\nurlset_allow = ["shrunk"]\n')
    assert build(project).returncode == 0
    assert set(listed(project)) == {f"{URL}/index.html"}


@pytest.mark.parametrize("builder", ["epub", "text"])
def test_other_builders_get_none(project: Path, builder: str) -> None:
    assert build(project, builder).returncode == 0
    assert not (project.parent / "out" / "sitemap.xml").exists()


def test_what_is_missing_is_said(project: Path) -> None:
    write(project, "conf.py", CONFIGURATION.replace("html_baseurl", "other"))
    ended = build(project)
    assert "urlset: no sitemap, because conf.py has no html_baseurl" in ended.stderr
    assert ended.returncode == 0
    assert not (project.parent / "out" / "sitemap.xml").exists()
    clone = project.parent / "clone"
    subprocess.run(("git", "clone", "--quiet", "--depth", "1", f"file://{project}", str(clone)), check=True)
    ended = build(clone)
    assert ended.returncode == 0
    assert "urlset: no lastmod from git:" in ended.stderr
    assert "shallow" in ended.stderr
    assert set(listed(clone).values()) == {None}
    assert build(clone, "html", "--fail-on-warning", "-D", "suppress_warnings=urlset.git").returncode == 0


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ('urlset_exclude = ["[z-a]"]', "'[z-a]' is not a valid glob"),
        ('urlset_allow = ["everything"]', "everything"),
        ('html_baseurl = "docs"', "base_url must be an absolute http(s) URL"),
    ],
)
def test_settings_that_cannot_be_used_end_the_build(project: Path, setting: str, message: str) -> None:
    write(project, "conf.py", f"{CONFIGURATION}\n{setting}\n")
    ended = build(project)
    assert ended.returncode == 2
    assert "urlset: no sitemap: " in ended.stderr
    assert message in ended.stderr
