"""The plugin for Pelican, in builds of a small blog that git knows."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import urlset
from support.contrib.built import alternates, commit, lastmods, write

pytestmark = pytest.mark.long

BASE = "https://tea.example/blog"
CONFIGURATION = f"""
SITENAME = "Tea"
SITEURL = "{BASE}"
TIMEZONE = "UTC"
DEFAULT_LANG = "en"
DEFAULT_PAGINATION = 2
THEME = "simple"
PATH = "content"
PLUGINS = ["urlset.contrib.pelican"]
ARTICLE_URL = "posts/{{slug}}/"
ARTICLE_SAVE_AS = "posts/{{slug}}/index.html"
ARTICLE_LANG_URL = "{{lang}}/posts/{{slug}}/"
ARTICLE_LANG_SAVE_AS = "{{lang}}/posts/{{slug}}/index.html"
FEED_ALL_ATOM = CATEGORY_FEED_ATOM = TRANSLATION_FEED_ATOM = AUTHOR_FEED_ATOM = AUTHOR_FEED_RSS = None
"""
CONTENTS = {
    "green.md": "Title: Green tea\nLang: en\nDate: 2024-01-02\nCategory: Leaf\nTags: leaf\n\nTwo minutes.\n",
    "gruen.md": "Title: Grüner Tee\nSlug: green-tea\nLang: de\nDate: 2024-01-03\n\nZwei Minuten.\n",
    "oolong.rst": "Oolong\n======\n\n:date: 2024-02-03\n:modified: 2024-04-05 06:07\n:slug: blue tea\n:lang: en\n",
    "puer.md": "Title: Puer\nLang: en\nDate: 2024-03-04\n\nThirty years old.\n",
    "matcha.md": "Title: Matcha\nDate: 2024-05-06\nStatus: draft\n\nNot finished.\n",
    "secret.md": "Title: Secret\nDate: 2024-06-07\nStatus: hidden\n\nFor friends.\n",
    "pages/about.md": "Title: About\nLang: en\n\nWe drink it.\n",
    "pages/ueber.md": "Title: Über uns\nSlug: about\nLang: de\n\nWir trinken ihn.\n",
}
#: The newest version, and a plugin for sites in other languages, which `make test-long` installs there.
OTHERS = Path(sys.prefix) / "other-generators"
#: A site whose pages are known, and their sources.
CASE = Path(__file__).parents[1] / "support" / "sources" / "generators" / "pelican"
LISTED = {
    "/": None,
    "/pages/about.html": "2024-05-01T08:00:00Z",
    "/pages/about-de.html": "2024-05-01T08:00:00Z",
    "/posts/green-tea/": "2024-05-01T08:00:00Z",
    "/de/posts/green-tea/": "2024-05-01T08:00:00Z",
    "/posts/blue%20tea/": "2024-04-05T06:07:00Z",
    "/posts/puer/": "2024-05-01T08:00:00Z",
}


@pytest.fixture
def blog(tmp_path: Path) -> Path:
    """A blog with translations, a draft and a hidden article, in one commit."""
    write(tmp_path, "pelicanconf.py", CONFIGURATION)
    for name, text in CONTENTS.items():
        write(tmp_path, f"content/{name}", text)
    commit(tmp_path / "content", "2024-05-01")
    return tmp_path


def build(blog: Path, *options: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Build the blog, as wide as messages are long."""
    environment = os.environ | {"COLUMNS": "1000"} | ({"PYTHONPATH": str(path)} if path else {})
    command = [sys.executable, "-m", "pelican", "--verbose", *options]
    return subprocess.run(command, cwd=blog, env=environment, capture_output=True, text=True, check=False, timeout=120)


def listed(blog: Path) -> dict[str, str | None]:
    """The lastmod of each path below the base URL."""
    return {loc.removeprefix(BASE): lastmod for loc, lastmod in lastmods(blog / "output").items()}


def configure(blog: Path, *lines: str) -> None:
    """Write the configuration with further lines."""
    write(blog, "pelicanconf.py", "\n".join([CONFIGURATION, *lines, ""]))


@pytest.mark.parametrize("path", [None, OTHERS], ids=["installed", "newest"])
def test_articles_pages_and_the_home_page_are_listed(blog: Path, path: Path | None) -> None:
    assert path is None or path.is_dir(), "run `make test-long`, which installs the newest version"
    ended = build(blog, path=path)
    assert ended.returncode == 0, ended.stderr
    assert f"urlset: {BASE}/sitemap.xml lists 7 pages" in ended.stdout + ended.stderr
    assert listed(blog) == LISTED
    assert not urlset.lint(blog / "output" / "sitemap.xml")
    # What is not listed was built.
    for page in ("index2.html", "tag/leaf.html", "category/leaf.html", "drafts/matcha.html", "archives.html"):
        assert (blog / "output" / page).exists(), page
    assert (blog / "output" / "posts" / "secret" / "index.html").exists()


def test_translations_have_links_to_each_other_and_to_themselves(blog: Path) -> None:
    # The time of a clone, which this setting makes the date of everything without another one, does not count.
    configure(blog, 'DEFAULT_DATE = "fs"')
    build(blog)
    assert listed(blog) == LISTED
    tea = {"de": f"{BASE}/de/posts/green-tea/", "en": f"{BASE}/posts/green-tea/"}
    about = {"de": f"{BASE}/pages/about-de.html", "en": f"{BASE}/pages/about.html"}
    assert alternates(blog / "output") == {loc: links for links in (tea, about) for loc in links.values()}
    # pelican-sitemap writes `ref` for `href`, and no link of a page to itself.
    text = (blog / "output" / "sitemap.xml").read_text()
    assert " ref=" not in text
    # Nor what search engines do not read.
    assert "priority" not in text
    assert "changefreq" not in text


def test_articles_in_one_language_with_the_same_slug_are_no_translations(blog: Path) -> None:
    configure(blog, 'ARTICLE_SAVE_AS = "{category}/{slug}.html"', 'ARTICLE_URL = "{category}/{slug}.html"')
    write(blog, "content/other.md", "Title: Green tea\nLang: en\nDate: 2024-01-02\nCategory: Cake\n\nWith tea.\n")
    ended = build(blog)
    assert ended.returncode == 0, ended.stderr
    assert {"/leaf/green-tea.html", "/cake/green-tea.html"} < set(listed(blog))
    assert f"{BASE}/cake/green-tea.html" not in alternates(blog / "output")


def test_lists_are_listed_if_they_are_asked_for(blog: Path) -> None:
    configure(blog, 'URLSET_INCLUDE = ["category/l*.html", "index2.html"]', 'URLSET_EXCLUDE = ["de/**"]')
    with (blog / "pelicanconf.py").open("a") as file:
        file.write('TEMPLATE_PAGES = {"shop.html": "shop/index.html"}\nREADERS = {"html": None}\n')
    write(blog, "content/shop.html", "<title>Shop</title>")
    commit(blog / "content", "2024-08-01")
    # What a URL, or XML, may not have is escaped.
    write(blog, "content/pair.md", "Title: Pair\nDate: 2024-07-08\nSlug: milk & <thé>\n\nTwo.\n")
    build(blog)
    asked = {"/category/leaf.html", "/index2.html"}
    assert set(listed(blog)) == set(LISTED) - {"/de/posts/green-tea/"} | asked | {
        "/shop/",
        "/posts/milk%20&%20%3Cth%C3%A9%3E/",
    }
    assert {listed(blog)[page] for page in asked} == {None}
    assert listed(blog)["/shop/"] == "2024-08-01T08:00:00Z"
    # What is not listed is linked by none.
    assert f"{BASE}/posts/green-tea/" not in alternates(blog / "output")


def test_only_the_page_that_changes_gets_another_date(blog: Path) -> None:
    kept = ("DELETE_OUTPUT_DIRECTORY = True", 'OUTPUT_RETENTION = [".urlset"]')
    configure(blog, *kept)
    build(blog)
    before = (blog / "output" / "sitemap.xml").read_bytes()
    configure(blog, *kept, 'MENUITEMS = [("Shop", "https://shop.example/")]')
    assert build(blog).returncode == 0
    assert (blog / "output" / "sitemap.xml").read_bytes() == before
    write(blog, "content/puer.md", CONTENTS["puer.md"].replace("Puer", "Aged puer", 1) + "Or older.\n")
    commit(blog / "content", "2024-09-01")
    assert build(blog).returncode == 0
    # The home page has no source, and gets the time at which its list was seen to change.
    home = listed(blog)["/"]
    assert home is not None
    assert home > "2024-09-01"
    puer = listed(blog).keys() - LISTED.keys()
    assert puer == {"/posts/aged-puer/"}
    assert listed(blog)["/posts/aged-puer/"] == "2024-09-01T08:00:00Z"


def test_the_plugin_for_sites_in_other_languages_makes_one_set(blog: Path) -> None:
    plugins = 'PLUGINS = ["urlset.contrib.pelican", "pelican.plugins.i18n_subsites"]'
    configure(blog, plugins, 'I18N_SUBSITES = {"de": {"SITENAME": "Tee"}}')
    ended = build(blog, path=OTHERS)
    assert ended.returncode == 0, ended.stderr
    assert set(listed(blog)) == {
        *("/", "/posts/green-tea/", "/posts/blue%20tea/", "/posts/puer/", "/pages/about.html"),
        *("/de/", "/de/posts/green-tea/", "/de/pages/about.html"),
    }
    assert alternates(blog / "output")[f"{BASE}/pages/about.html"] == {
        "de": f"{BASE}/de/pages/about.html",
        "en": f"{BASE}/pages/about.html",
    }
    assert not (blog / "output" / "de" / "sitemap.xml").exists()


def test_pages_that_ask_for_it_are_left_out(blog: Path) -> None:
    template = '{% extends "!simple/article.html" %}{% block head %}{{ super() }}<meta name="robots" content="noindex">'
    write(blog, "templates/secret.html", template + "{% endblock %}")
    configure(blog, 'THEME_TEMPLATES_OVERRIDES = ["templates"]')
    write(blog, "content/puer.md", CONTENTS["puer.md"].replace("\n\n", "\nTemplate: secret\n\n", 1))
    ended = build(blog)
    assert f"{BASE}/sitemap.xml lists 6 pages; left out: 1 noindex" in ended.stdout + ended.stderr
    assert "/posts/puer/" not in listed(blog)


def test_a_set_that_is_most_likely_a_mistake_ends_the_build(blog: Path) -> None:
    build(blog)
    before = listed(blog)
    configure(blog, 'IGNORE_FILES = ["*u*.md"]')
    ended = build(blog)
    assert ended.returncode == 1
    assert "urlset: no sitemap: " in ended.stdout + ended.stderr
    assert "shrunk" in ended.stdout + ended.stderr
    assert listed(blog) == before
    configure(blog, 'IGNORE_FILES = ["*u*.md"]', 'URLSET_ALLOW = ["shrunk"]')
    assert build(blog).returncode == 0
    assert set(listed(blog)) < set(before)


def test_what_is_missing_is_said(blog: Path) -> None:
    configure(blog, 'SITEURL = ""')
    ended = build(blog)
    assert "urlset: no sitemap, because SITEURL is empty" in ended.stdout + ended.stderr
    assert ended.returncode == 0
    assert not (blog / "output" / "sitemap.xml").exists()
    shutil.rmtree(blog / "content" / ".git")
    configure(blog)
    ended = build(blog)
    assert "urlset: no lastmod from git:" in ended.stdout + ended.stderr
    assert set(listed(blog).values()) == {None, "2024-04-05T06:07:00Z"}
    configure(blog, "URLSET_GIT = False")
    assert build(blog, "--fatal", "warnings").returncode == 0


def test_every_page_that_has_a_source_is_listed_under_its_url(tmp_path: Path) -> None:
    case = tomllib.loads((CASE / "case.toml").read_text())
    shutil.copytree(CASE / "project", tmp_path / "tea")
    with (tmp_path / "tea" / "pelicanconf.py").open("a") as file:
        file.write('PLUGINS = ["urlset.contrib.pelican"]\n')
    assert build(tmp_path / "tea").returncode == 0
    pages = {page for page, source in case["pages"].items() if source and not page.startswith("drafts/")}
    # The home page is a list, and one article is hidden.
    pages = pages - {"posts/2024/Oct/secret/index.html"} | {"index.html"}
    locs = {f"https://tea.example/{page.removesuffix('index.html')}" for page in pages}
    assert set(lastmods(tmp_path / "tea" / case["output"])) == locs


def test_a_build_that_fails_does_not_stop_the_next_in_the_same_process(blog: Path) -> None:
    # As with --autoreload, after which pelican-sitemap writes nothing more.
    program = (
        "from pathlib import Path\n"
        "from pelican import Pelican\n"
        "from pelican.settings import read_settings\n"
        "settings = read_settings('pelicanconf.py')\n"
        "try:\n"
        "    Pelican(settings | {'INDEX_SAVE_AS': '../outside.html'}).run()\n"
        "except RuntimeError:\n"
        "    Pelican(settings).run()\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=blog, check=True, timeout=120)
    assert set(listed(blog)) == set(LISTED)


def test_settings_that_cannot_be_used_end_the_build(blog: Path) -> None:
    configure(blog, 'URLSET_INCLUDE = "tag/*"')
    ended = build(blog)
    assert ended.returncode == 1
    message = "urlset: no sitemap: include must be a list of strings, got the string 'tag/*'"
    assert message in ended.stdout + ended.stderr
