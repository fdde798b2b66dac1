"""Dates from the source files of pages: which file is the source, and which date it has."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.sources.repository import Repository, day
from urlset import InputError
from urlset.sources import generators
from urlset.sources._lastmods import Lastmods

DATED = "---\nlastmod: 2024-01-02\n---\n"


def put(folder: Path, *names: str, text: str = DATED) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def found(folder: Path, page: str, *, are_built: bool = True) -> bool:
    """Whether the page got a date."""
    sources = generators.sources(folder) if are_built else None
    lastmods = Lastmods(folder, ["front-matter"], lambda _: None, sources=sources)
    [row] = lastmods.add_to([{"loc": "/", "file": page}])
    assert "file" not in row
    return "lastmod" in row


@pytest.mark.parametrize(
    ("page", "source"),
    [
        ("index.html", "index.md"),
        ("index.html", "_index.md"),
        ("index.html", "README.md"),
        ("index.html", "index.njk"),
        ("a.html", "a.mdx"),
        ("a/index.html", "a.md"),
        ("a/index.html", "a/index.rst"),
        ("a/index.html", "a/_index.md"),
        ("a/b/index.html", "a/b.md"),
        ("a/b.htm", "a/b.adoc"),
        ("a.b.html", "a.b.md"),
        ("a.html", "a.html"),
    ],
)
def test_a_built_page_is_matched_to_the_source_of_its_name(tmp_path: Path, page: str, source: str) -> None:
    put(tmp_path, source)
    assert found(tmp_path, page)


@pytest.mark.parametrize(
    ("page", "source"),
    [
        ("a.html", "b.md"),
        ("a.html", "a/b.md"),
        ("a.html", ".a.md"),
        ("a.html", "node_modules/a.md"),
        ("a/index.html", "index.md"),
        ("../a.html", "a.md"),
    ],
)
def test_a_page_is_not_matched_to_any_other_source(tmp_path: Path, page: str, source: str) -> None:
    put(tmp_path, source)
    assert not found(tmp_path, page)


def test_a_row_names_its_file_itself(tmp_path: Path) -> None:
    put(tmp_path / "in", "a.md", "b/c.txt")
    put(tmp_path, "out.md")
    (tmp_path / "in" / "link.md").symlink_to(tmp_path / "out.md")
    (tmp_path / "in" / "folder").symlink_to(tmp_path)
    folder = tmp_path / "in"
    assert found(folder, "a.md", are_built=False)
    assert found(folder, "b/c.txt", are_built=False)
    outside = ("a.html", "../out.md", "b/../a.md", str(folder / "a.md"), "link.md", "folder/out.md", "", "a.md\0")
    assert not any(found(folder, name, are_built=False) for name in outside)


def test_a_lastmod_in_the_row_counts_more(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    lastmods = Lastmods(tmp_path, ["front-matter"], lambda _: None)
    rows: list[dict[str, object]] = [
        {"loc": "/a", "file": "a.md", "lastmod": "2020", "lastmod_source": "column"},
        {"loc": "/b", "file": "a.md", "lastmod": None},
        {"loc": "/c", "file": None},
        {"loc": "/d"},
    ]
    assert list(lastmods.add_to(rows)) == [
        {"loc": "/a", "lastmod": "2020", "lastmod_source": "column"},
        {"loc": "/b", "lastmod": "2024-01-02", "lastmod_source": "front matter"},
        {"loc": "/c"},
        {"loc": "/d"},
    ]


def test_the_first_invalid_date_is_reported(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "b.md", text="---\nlastmod: soon\n---\n")
    notes: list[str] = []
    lastmods = Lastmods(tmp_path, ["front-matter"], notes.append)
    assert len(list(lastmods.add_to([{"file": "a.md"}, {"file": "b.md"}]))) == 2
    assert notes == ["a.md: lastmod must be a date, got 'soon', and 1 more like it"]


def test_the_folder_must_exist(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere is not a folder"):
        Lastmods(tmp_path / "nowhere", ["front-matter"], lambda _: None)


def test_a_date_of_publication_counts_only_if_there_is_no_other(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository("init", "--quiet")
    repository.write("new.md", "---\ndate: 2020-01-02\n---\n")
    repository.write("changed.md", "---\ndate: 2020-01-02\nlastmod: 2021-01-02\n---\n")
    repository.commit(1)
    stated = {"lastmod": "2019-01-01", "lastmod_source": "publication"}
    rows: list[dict[str, object]] = [
        {"file": "new.md"},
        {"file": "new.md", **stated},
        {"file": "changed.md", **stated},
        {"file": "none.md", **stated},
        {"file": "new.md", "lastmod": "2019-01-01", "lastmod_source": "page"},
    ]

    def dated(*origins: str) -> list[tuple[object, object]]:
        found = Lastmods(tmp_path, origins, lambda _: None).add_to(rows)
        return [(row["lastmod"], row["lastmod_source"]) for row in found]

    other = [("2019-01-01", "publication"), ("2019-01-01", "page")]
    changed = ("2021-01-02", "front matter")
    assert dated("front-matter") == [*[("2020-01-02", "publication")] * 2, changed, *other]
    assert dated("git") == [*[(day(1), "git")] * 3, *other]
    assert dated("front-matter", "git") == [*[(day(1), "git")] * 2, changed, *other]
