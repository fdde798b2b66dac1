"""The plugin for MkDocs, in builds of a small project that git knows, and of those of tests/support/sources."""

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

BASE = "https://docs.example.com/en/1.0/"
CONFIGURATION = f"""
site_name: Tea
site_url: {BASE}
theme:
  name: null
  custom_dir: ../theme
not_in_nav: "*"
"""
PLUGIN = "plugins:\n  - urlset"
TEMPLATE = """<title>{{ page.title }}</title>
{% if page.meta.robots %}<meta name="robots" content="{{ page.meta.robots }}">{% endif %}
<link rel="canonical" href="{{ page.canonical_url }}">
<main>{{ page.content }}</main>
"""
PAGES = {"index.md": "2024-05-01", "guide/README.md": "2024-06-01", "guide/Green Tea.md": "2024-07-01"}
LISTED = {
    BASE: "2024-05-01T08:00:00Z",
    f"{BASE}guide/": "2024-06-01T08:00:00Z",
    f"{BASE}guide/Green%20Tea/": "2024-07-01T08:00:00Z",
}
#: The oldest version, which `make test-long` installs there.
OTHERS = Path(sys.prefix) / "other-generators"
#: Sites of generators, and which source became which page.
CASES = Path(__file__).parents[1] / "support" / "sources" / "generators"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of three documents, each of a commit of its own, with its theme beside it."""
    project = tmp_path / "project"
    configure(project, PLUGIN)
    # MkDocs writes its own sitemap if a theme asks for it, as nearly all do.
    write(tmp_path, "theme/mkdocs_theme.yml", "static_templates: [sitemap.xml]\n")
    write(tmp_path, "theme/main.html", TEMPLATE)
    for name, date in PAGES.items():
        write(project, f"docs/{name}", f"# {Path(name).stem}\n\nGreen tea.\n")
        commit(project, date)
    return project


def configure(project: Path, *lines: str) -> None:
    """Write the configuration with further lines."""
    write(project, "mkdocs.yml", "\n".join([CONFIGURATION, *lines, ""]))


def build(project: Path, *options: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"} | ({"PYTHONPATH": str(path)} if path else {})
    command = [sys.executable, "-m", "mkdocs", "build", *options]
    return subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


def listed(project: Path, folder: str = "site") -> dict[str, str | None]:
    return lastmods(project / folder)


@pytest.mark.parametrize("path", [None, OTHERS], ids=["installed", "oldest"])
def test_documents_are_listed_with_the_dates_of_git(project: Path, path: Path | None) -> None:
    assert path is None or path.is_dir(), "run `make test-long`, which installs the oldest version"
    configure(project)
    assert build(project, path=path).returncode == 0
    assert len(set(listed(project).values())) == 1, "MkDocs itself writes the date of the build on every page"
    packed = project / "site" / "sitemap.xml.gz"
    assert packed.exists()
    configure(project, PLUGIN)
    build(project, "--dirty", path=path)  # which keeps the files of the build before
    assert not packed.exists()
    ended = build(project, "--strict", path=path)
    assert ended.returncode == 0, ended.stderr
    assert f"urlset: {BASE}sitemap.xml lists 3 pages" in ended.stderr
    assert listed(project) == LISTED
    assert not packed.exists()
    assert not urlset.lint(project / "site" / "sitemap.xml")


def test_only_the_page_that_changes_gets_another_date(project: Path) -> None:
    build(project)
    before = (project / "site" / "sitemap.xml").read_bytes()
    write(project.parent, "theme/main.html", TEMPLATE + "<footer>Every kind of tea</footer>")
    assert build(project).returncode == 0
    assert (project / "site" / "sitemap.xml").read_bytes() == before
    write(project, "docs/guide/README.md", "# Guide\n\nBlack tea.\n")
    commit(project, "2024-09-01")
    shutil.rmtree(project / "site")
    assert build(project).returncode == 0
    assert listed(project) == LISTED | {f"{BASE}guide/": "2024-09-01T08:00:00Z"}


def test_files_without_folders_and_exclusions(project: Path) -> None:
    write(project, "docs/secret.md", "---\nrobots: noindex\n---\n# Secret\n")
    configure(project, "use_directory_urls: false", PLUGIN + ":\n      exclude: ['guide/G*']")
    ended = build(project)
    assert set(listed(project)) == {f"{BASE}index.html", f"{BASE}guide/index.html"}
    assert f"urlset: {BASE}sitemap.xml lists 2 pages; left out: 1 noindex" in ended.stderr


def test_a_set_that_is_most_likely_a_mistake_ends_the_build(project: Path) -> None:
    build(project)
    configure(project, "exclude_docs: /guide/", PLUGIN)
    ended = build(project)
    assert ended.returncode == 1
    assert "urlset: no sitemap: " in ended.stderr
    assert "shrunk" in ended.stderr
    configure(project, "exclude_docs: /guide/", PLUGIN + ":\n      allow: [shrunk]")
    assert build(project).returncode == 0
    assert set(listed(project)) == {BASE}


def test_what_is_missing_is_said(project: Path) -> None:
    shutil.rmtree(project / ".git")
    ended = build(project, "--strict")
    assert ended.returncode == 1
    assert "urlset: no lastmod from git:" in ended.stderr
    assert set(listed(project).values()) == {None}
    configure(project, PLUGIN + ":\n      git: false")
    assert build(project, "--strict").returncode == 0
    configure(project, "site_url: ''", PLUGIN)
    ended = build(project)
    assert "urlset: no sitemap, because mkdocs.yml has no site_url" in ended.stderr
    assert ended.returncode == 0


def test_a_page_that_a_plugin_makes_gets_the_time_of_its_change(project: Path) -> None:
    hook = (
        "from mkdocs.structure.files import File\n"
        "def on_files(files, *, config):\n"
        "    files.append(File.generated(config, 'api.md', content='# API\\n\\n{}'))\n"
    )
    write(project, "hook.py", hook)
    configure(project, "hooks: [hook.py]", PLUGIN)
    assert build(project).returncode == 0
    assert listed(project) == LISTED | {f"{BASE}api/": None}
    write(project, "hook.py", hook.replace("{}", "More."))
    assert build(project).returncode == 0
    changed = listed(project)[f"{BASE}api/"]
    assert changed is not None
    assert changed > "2024-09-01"
    assert listed(project) == LISTED | {f"{BASE}api/": changed}


def test_a_preview_has_the_sitemap_of_mkdocs(project: Path) -> None:
    program = (
        "from mkdocs.commands.build import build\n"
        "from mkdocs.config import load_config\n"
        "config = load_config('mkdocs.yml')\n"
        "config.plugins.on_startup(command='serve', dirty=False)\n"
        "build(config)\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=project, check=True, timeout=120)
    assert (project / "site" / "sitemap.xml.gz").exists()
    assert not (project / "site" / ".urlset").exists()


@pytest.mark.parametrize("name", ["mkdocs", "mkdocs-i18n"])
def test_the_plugins_for_blogs_and_languages(name: str, tmp_path: Path) -> None:
    case = tomllib.loads((CASES / name / "case.toml").read_text())
    project = tmp_path / name
    shutil.copytree(CASES / name / "project", project)
    text = (project / "mkdocs.yml").read_text()
    write(project, "mkdocs.yml", text.replace("plugins:\n", f"{PLUGIN}:\n      include: ['news/category/**']\n"))
    commit(project, "2024-05-01")
    ended = build(project)
    assert ended.returncode == 0, ended.stderr
    # Every page that has a source, and what was asked for.
    sitemap = listed(project, case["output"])
    pages = {page for page, source in case["pages"].items() if source}
    asked = {page for page in case["pages"] if page.startswith("news/category/")}
    assert len(sitemap) == len(pages | asked)
    assert len([loc for loc in sitemap if "/news/category/" in loc]) == len(asked)
    assert [lastmod for lastmod in sitemap.values() if lastmod is None] == [None] * len(asked)
    if name == "mkdocs-i18n":
        base = "https://tea.example/"
        found = alternates(project / case["output"])
        assert found[f"{base}de/guide/water.html"] == {
            "de": f"{base}de/guide/water.html",
            "en": f"{base}guide/water.html",
        }
        # What is not translated is built for both languages, and no translation of itself.
        assert f"{base}de/guide/Only%20English.html" not in found
