"""What a folder, a glob and a list stand for, in the same way for every verb."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.reading import index_of, lay, locs, urlset_of
from urlset import FetchError, InputError, NotASitemapError
from urlset._read.entry_points import NAMES
from urlset.sources import files

HOST = "https://example.com/"


def documents(found: Any) -> list[str]:
    """The names of the documents that were read or checked."""
    each = found.documents
    return [Path(document if isinstance(document, str) else document.location).name for document in each]


def _diffed(folder: Path) -> list[str]:
    """The locs that a folder has and an empty list has not."""
    with urlset.diff(urlset_of(), folder) as found:
        return [change.loc for change in found]


def _rows(folder: Path) -> list[Any]:
    rows: Any
    with files.rows([folder]) as rows:
        return [entry.loc for entry in rows]


# --- folders ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_verb_finds_the_same_entry_point(tmp_path: Path, name: str) -> None:
    index = index_of(HOST + "pages.xml") if "index" in name else urlset_of(HOST)
    data = (HOST + "\n").encode() if name.endswith(".txt") else index
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    lay(tmp_path, pages=urlset_of(HOST), feed=urlset_of(HOST + "feed"))
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow:\n")
    (tmp_path / "humans.txt").write_text("We are people.\n")
    expected = [name, "pages.xml"] if "index" in name else [name]
    assert documents(urlset.read(tmp_path)) == documents(urlset.lint(tmp_path)) == expected
    assert locs(urlset.scan(tmp_path)) == _diffed(tmp_path) == _rows(tmp_path) == [HOST]


def test_the_first_of_the_names_counts(tmp_path: Path) -> None:
    for name in reversed(NAMES):
        (tmp_path / name).write_bytes(urlset_of(HOST) if not name.endswith(".txt") else HOST.encode())
        assert documents(urlset.read(tmp_path)) == [name]


@pytest.mark.parametrize("line", ["Sitemap: ", "sitemap:", " SITEMAP :", "\ufeffSitemap: "])
def test_a_robots_txt_with_a_sitemap_line_is_an_entry_point(tmp_path: Path, line: str) -> None:
    lay(tmp_path, deep=urlset_of(HOST), sitemap_old=urlset_of("old"))
    (tmp_path / "robots.txt").write_text(f"{line}{HOST}deep.xml\n", "utf-8")
    assert documents(urlset.read(tmp_path)) == documents(urlset.lint(tmp_path)) == ["robots.txt", "deep.xml"]


def test_without_an_entry_point_all_sitemaps_count(tmp_path: Path) -> None:
    lay(tmp_path, feed=urlset_of(HOST + "feed"), my_Sitemap=urlset_of(HOST + "1"), sitemap_2=urlset_of(HOST + "2"))
    (tmp_path / "robots.txt").write_text("User-agent: *\n# Sitemap: none\nDisallow:\n")
    (tmp_path / "sitemap.html").write_text("<html>")
    names = ["my_Sitemap.xml", "sitemap_2.xml"]
    assert documents(urlset.read(tmp_path)) == documents(urlset.lint(tmp_path)) == names
    lay(tmp_path, the_sitemap_index=index_of(HOST + "sitemap_2.xml"))
    assert documents(urlset.scan(tmp_path).collect()) == ["the_sitemap_index.xml", *names]


READS: list[Callable[[Path], object]] = [urlset.read, urlset.scan, lambda folder: urlset.diff(folder, folder), _rows]


@pytest.mark.parametrize("read", READS, ids=["read", "scan", "diff", "rows"])
def test_a_folder_without_a_sitemap_says_what_was_looked_for(tmp_path: Path, read: Callable[[Path], object]) -> None:
    with pytest.raises(InputError) as raised:
        read(tmp_path)
    assert str(raised.value) == (
        f"{tmp_path}: no sitemap in this folder; looked for {', '.join(NAMES)}, a robots.txt with a Sitemap line, "
        "and files with sitemap in their name"
    )
    lay(tmp_path, feed=urlset_of(HOST), other=urlset_of(HOST))
    with pytest.raises(InputError, match=r"; it has 2 other \.xml or \.txt files: name those to use$"):
        read(tmp_path)


# --- lists and globs ----------------------------------------------------------------------------------------


def test_a_list_is_read_as_one_set(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "a.xml"), a=urlset_of("A"), b=urlset_of("B"))
    paths = [tmp_path / name for name in ("sitemap.xml", "a.xml", "b.xml")]
    sources: list[Any] = [
        paths,
        [str(path) for path in paths],
        tuple(paths),
        [tmp_path, paths[2]],
        str(tmp_path / "*.xml"),
    ]
    for source in sources:
        entries = urlset.read(source)
        assert {entry.loc for entry in entries} == {"A", "B"}
        assert len(entries) == 2
        assert sorted(documents(entries)) == ["a.xml", "b.xml", "sitemap.xml"]
    # Opened again, it is the same.
    scan = urlset.scan(paths)
    assert locs(scan) == locs(scan) == ["A", "B"]
    assert (scan.location, repr(scan)) == (None, "<Scan of 3 sources: 3 documents, 0 failures so far>")
    with urlset.diff([paths[1]], paths[1:]) as found:
        assert [change.loc for change in found] == ["B"]
    with (tmp_path / "b.xml").open("rb") as file:
        mixed: list[Any] = [paths[1], file]
        assert locs(urlset.scan(mixed)) == ["A", "B"]


def test_pieces_are_one_document_and_paths_are_several(tmp_path: Path) -> None:
    lay(tmp_path, a=urlset_of("A"))
    data = urlset_of("A")
    in_pieces: list[Any] = [[data[:9], data[9:]], [bytearray(data)], (memoryview(data),)]
    for pieces in in_pieces:
        assert len(urlset.read(pieces).documents) == 1
        assert urlset.lint(pieces).entries == 1
    with pytest.raises(InputError, match="the list of sources must not be empty"):
        urlset.read([])


def test_a_glob_without_a_match_and_a_file_that_looks_like_a_glob(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file matches .*\*\.xml"):
        urlset.read(str(tmp_path / "*.xml"))
    (tmp_path / "[a].xml").write_bytes(urlset_of("A"))
    assert locs(urlset.scan(tmp_path / "[a].xml")) == ["A"]
    (tmp_path / "deep").mkdir()
    lay(tmp_path / "deep", b=urlset_of("B"))
    assert locs(urlset.scan(str(tmp_path / "**" / "b.xml"))) == ["B"]


def test_one_of_a_list_that_fails_is_a_failure_among_the_others(tmp_path: Path) -> None:
    lay(tmp_path, a=urlset_of("A"), b=urlset_of("B"))
    (tmp_path / "page.xml").write_text("<html>")
    paths = [tmp_path / name for name in ("page.xml", "a.xml", "b.xml")]
    with pytest.raises(NotASitemapError):
        urlset.read(paths, strict=True)
    entries = urlset.read(paths)
    assert (locs(entries), len(entries.failures), entries.completeness) == (["A", "B"], 1, "refused")
    scan = urlset.scan(paths)
    paths[1].unlink()
    assert locs(scan) == ["B"]
    assert [type(failure) for failure in scan.failures] == [NotASitemapError, FetchError]


def test_the_location_of_several_is_their_folder(tmp_path: Path) -> None:
    lay(tmp_path, a=urlset_of("/1"), b=urlset_of("/2"))
    paths = [tmp_path / "a.xml", tmp_path / "b.xml"]
    assert locs(urlset.scan(paths, location=HOST)) == [HOST + "1", HOST + "2"]
    assert [each.location for each in urlset.read(paths, location=HOST).documents] == [HOST + "a.xml", HOST + "b.xml"]
    with pytest.raises(InputError, match="location must be the URL of a folder, with a slash at its end"):
        urlset.scan(paths, location=HOST + "a.xml")


def test_a_stream_with_children_among_files_is_a_failure(tmp_path: Path) -> None:
    lay(tmp_path, a=urlset_of("A"))
    sources: list[Any] = [tmp_path / "a.xml", io.BytesIO(index_of(HOST + "b.xml"))]
    with pytest.raises(FetchError, match="it lists 1 sitemap, which could not be followed"):
        urlset.read(sources, strict=True)
    sources[1].seek(0)
    assert len(urlset.read(sources, follow=False)) == 2
