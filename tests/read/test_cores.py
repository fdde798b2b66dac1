"""Documents are read on several cores at once, and the result is that of reading one after the other."""

from __future__ import annotations

import gzip
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.reading import index_of, lay, urlset_of
from urlset._read import opening

HOST = "https://a.example/"
THREADS = (1, 2, 5)


@pytest.fixture(params=THREADS)
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many cores this machine has, for once."""
    monkeypatch.setattr(opening, "cores", lambda: request.param)
    return int(request.param)


def documents() -> dict[str, bytes]:
    """Small ones and large ones, whole and broken ones, in an order that mixes them."""
    found = {}
    for number in range(60):
        name = f"{number:02}"
        match number % 6:
            case 0:  # more than a batch
                found[name] = urlset_of(*(f"{HOST}{name}/{entry}" for entry in range(8_000)))
            case 1:
                found[name] = urlset_of(f"{HOST}{name}")
            case 2:
                found[name] = urlset_of(f"{HOST}{name}/1", f"{HOST}{name}/2")[:-20]
            case 3:
                found[name] = gzip.compress(urlset_of(f"{HOST}{name}"), mtime=0)
            case 4:
                found[name] = b"<html><title>Nothing here</title></html>"
            case 5:
                found[name] = urlset_of(f"{HOST}{name}/ok").replace(b"/ok", b"/a&b\n")
    return found


def is_failed(path: Path) -> bool:
    """Whether a document is missing, cut off, or something else."""
    return path.stem == "missing" or int(path.stem) % 6 in (2, 4)


def test_the_result_is_that_of_each_document_alone(tmp_path: Path, threads: int) -> None:
    paths = sorted(lay(tmp_path, **documents()).iterdir())
    missing = tmp_path / "missing.xml"
    paths.insert(7, missing)
    missing.touch()
    scan = urlset.scan(paths)
    missing.unlink()
    entries = scan.collect()
    alone = []
    for path in paths:
        with suppress(urlset.NotASitemapError, FileNotFoundError):
            alone.append(urlset.parse(path.read_bytes(), location=str(path)))
    assert [entry.loc for entry in entries] == [entry.loc for document in alone for entry in document]
    read = [document for document in entries.documents if document.completeness != "refused"]
    assert [(each.location, each.rows, each.completeness, each.diagnostics) for each in read] == [
        (each.location, each.rows, each.completeness, each.diagnostics) for each in alone
    ]
    assert [[entry.loc for entry in document] for document in read] == [[e.loc for e in each] for each in alone]
    failed = [Path(str(failure).partition(":")[0]) for failure in entries.failures]
    assert failed == [path for path in paths if is_failed(path)]


def test_the_first_error_in_the_order_of_the_documents_is_raised(tmp_path: Path, threads: int) -> None:
    large = urlset_of(*(f"{HOST}{entry}" for entry in range(20_000)))
    folder = lay(tmp_path, a=large, b=large[:-5_000], c=b"<html/>", d=large)
    paths, found = sorted(folder.iterdir()), list[str | None]()
    with pytest.raises(urlset.MalformedError, match=r"b\.xml"):
        found.extend(entry.loc for entry in urlset.scan(paths, strict=True))


def test_nested_indexes_are_read_level_by_level(tmp_path: Path, threads: int) -> None:
    middle = {f"index{number}": index_of(*(f"{HOST}{number}-{leaf}.xml" for leaf in range(9))) for number in range(9)}
    leaves = {f"{n}-{leaf}": urlset_of(f"{HOST}{n}/{leaf}") for n in range(9) for leaf in range(9)}
    lay(tmp_path, sitemap=index_of(*(f"{HOST}{name}.xml" for name in middle)), **middle, **leaves)
    found = [entry.loc for entry in urlset.read(tmp_path / "sitemap.xml")]
    assert found == [f"{HOST}{n}/{leaf}" for n in range(9) for leaf in range(9)]


def test_rows_of_many_small_documents_make_few_batches(tmp_path: Path, threads: int) -> None:
    for number in range(1_500):
        (tmp_path / f"sitemap-{number:04}.xml").write_bytes(urlset_of(f"{HOST}{number}"))
    scan = urlset.scan(tmp_path)
    assert [len(batch) for batch in scan.batches()] == [1_500]
    frame = scan.to_pandas()
    assert list(frame["kind"].unique()) == ["urlset"]
    assert frame["document"].nunique() == 1_500
    assert list(frame["loc"]) == [f"{HOST}{number}" for number in range(1_500)]


def test_batches_that_are_joined_keep_one_dictionary_of_words(tmp_path: Path, threads: int) -> None:
    for number in range(8):
        pages = (f"{HOST}{number}/{page}" for page in range(500))
        (tmp_path / f"sitemap-{number}.xml").write_bytes(urlset_of(*pages))
    table = urlset.read(tmp_path).to_arrow()
    assert (table["kind"].num_chunks, len(table["kind"].chunk(0).dictionary)) == (1, 6)
    assert len(table["changefreq"].chunk(0).dictionary) == 7


def test_rows_stay_sitemaps_where_batches_are_joined(tmp_path: Path, threads: int) -> None:
    for number in range(300):
        make = index_of if number % 3 == 1 else urlset_of
        (tmp_path / f"sitemap-{number:03}.xml").write_bytes(make(f"{HOST}{number}"))
    paths = sorted(tmp_path.iterdir())
    entries = urlset.read(paths, follow=False)
    kinds = [urlset.SitemapEntry if number % 3 == 1 else urlset.UrlEntry for number in range(300)]
    assert [type(entry) for entry in entries] == kinds


def test_a_scan_that_is_left_leaves_no_thread(tmp_path: Path, threads: int) -> None:
    folder = lay(tmp_path, **{f"d{n}": urlset_of(*(f"{HOST}{entry}" for entry in range(20_000))) for n in range(12)})
    before, paths = running(), sorted(folder.iterdir())
    scan = urlset.scan(paths)
    batches = scan.batches()
    next(batches)
    del batches, scan
    end = time.monotonic() + 30
    while running() > before and time.monotonic() < end:
        time.sleep(0.01)
    assert running() <= before


def running() -> int:
    """How many threads of the core read documents."""
    found = 0
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            found += (task / "comm").read_text().strip() == "urlset-read"
    return found


def test_files_and_bytes_are_read_in_their_order(tmp_path: Path, threads: int) -> None:
    large = urlset_of(*(f"{HOST}{entry}" for entry in range(10_000)))
    folder = lay(tmp_path, a=large, b=urlset_of(f"{HOST}b"), c=large)
    with (folder / "b.xml").open("rb") as file:
        sources: list[Any] = [folder / "a.xml", file, folder / "c.xml"]
        scan = urlset.scan(sources)
        found = [entry.loc for entry in scan]
    assert found.index(f"{HOST}b") == 10_000
    assert len(found) == 20_001
