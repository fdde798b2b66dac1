"""The manifest as a stranger's file: whoever wrote it, no page of the site is deleted or published because of it."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.cli import Cli, unwrapped
from support.documents import tree
from support.publish import BASE, index, locs, publish, read_back
from support.publish.manifests import rewritten, said
from support.publish.model import small
from urlset import PublishError, UrlsetError, _core
from urlset._stores.seal import seal

MANIFEST = ".urlset/manifest.parquet"


def tampered(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the metadata of a manifest; its lists and objects are changed as such."""
    found: dict[str, Any] = {name.removeprefix("urlset."): text for name, text in said(path).items()}
    nested = ("shards", "indexes", "lastmod_sources")
    found |= {name: json.loads(found[name]) for name in nested}
    change(found)
    found |= {name: found[name] if isinstance(found[name], str) else json.dumps(found[name]) for name in nested}
    rewritten(path, {f"urlset.{name}": str(text) for name, text in found.items()})


def of_shard(**values: Any) -> Callable[[dict[str, Any]], object]:
    """Change the first document that a manifest lists."""
    return lambda said: said["shards"][0].update(values)


TAMPERED: dict[str, Callable[[dict[str, Any]], object]] = {
    "a page": of_shard(name="index.html", url=BASE + "index.html"),
    "a page of another program": of_shard(name="index.html", url=BASE + "index.html", is_ours=False),
    "a file outside": of_shard(name="../index.html"),
    "an absolute file": of_shard(name="/etc/passwd"),
    "the manifest named as a document": of_shard(name=".urlset/manifest.parquet"),
    "another shard's name": of_shard(name="sitemap-9999-0123456789abcdef.xml.gz"),
    "a stable name without a number": of_shard(
        shard="posts", name="sitemap-posts.xml", url=BASE + "sitemap-posts.xml", part=1
    ),
    "a number that its name does not have": of_shard(part=7),
    "a foreign URL": of_shard(url="https://evil.example/sitemap.xml"),
    "a foreign URL of another program": of_shard(url="https://evil.example/sitemap.xml", is_ours=False),
    "a URL that does not fit": of_shard(url=BASE + "sitemap-0001-aaaaaaaaaaaaaaaa.xml.gz"),
    "a number as a name": of_shard(name=5),
    "a list as a name": of_shard(name=["index.html"]),
    "no hash": of_shard(sha256="x"),
    "a text as a count": of_shard(entries="3"),
    "true as a count": of_shard(entries=True),
    "a negative count": of_shard(size=-1),
    "a huge count": of_shard(bytes=10**30),
    "a fraction": of_shard(part=1.5),
    "no number": of_shard(entries=float("nan")),
    "an invalid lastmod": of_shard(lastmod="soon"),
    "a local lastmod": of_shard(lastmod="2024-01-01T00:00:00"),
    "half a character": of_shard(group="\ud800"),
    "an unknown field": of_shard(extra=1),
    "no field": lambda said: said["shards"][0].pop("url"),
    "one shard twice": lambda said: said["shards"].append(said["shards"][0]),
    "no list": lambda said: said.update(shards={}),
    "no objects": lambda said: said.update(shards=[1]),
    "deep": lambda said: said.update(shards="[" * 100_000),
    "an index that is a page": lambda said: said.update(indexes=["index.html"]),
    "an index that is a number": lambda said: said.update(indexes=[1]),
    "lastmod_sources": lambda said: said.update(lastmod_sources={"column": "many"}),
    "an invalid base URL": lambda said: said.update(base_url="here"),
    "an invalid time": lambda said: said.update(published="now"),
    "a layout": lambda said: said.update(layout="gzip <x>"),
}


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set and the one before it, next to files of others. Tests work on copies of it."""
    folder = tmp_path_factory.mktemp("published")
    (folder / "index.html").write_text("<html></html>")
    (folder / "sitemap-posts.xml").write_text("of another program")
    with small():
        publish(locs(7), folder)
        publish(locs(8), folder, day=2)
    return folder


@pytest.mark.parametrize("name", TAMPERED)
def test_a_manifest_that_names_anything_else_is_lost(published: Path, tmp_path: Path, name: str) -> None:
    """No file that it names is deleted or published, and the set is recovered from its documents."""
    shutil.copytree(published, tmp_path, dirs_exist_ok=True)
    with small():
        for manifest_name in (MANIFEST, ".urlset/previous.parquet"):
            tampered(tmp_path / manifest_name, TAMPERED[name])
        publish(locs(9), tmp_path, day=3)
        publish(locs(10), tmp_path, day=4)
        publish(locs(11), tmp_path, day=5)
    assert (tmp_path / "index.html").read_text() == "<html></html>"
    assert (tmp_path / "sitemap-posts.xml").read_text() == "of another program"
    assert sorted(read_back(tmp_path)) == locs(11)
    assert {str(loc).removeprefix(BASE)[:8] for loc in index(tmp_path)} == {"sitemap-"}


ROWS = {
    "a foreign scheme": "'javascript:alert(1)' AS loc",
    "no loc": "NULL AS loc",
    "markup for a lastmod": "'<x>' AS lastmod",
    "another type": "[loc] AS loc",
    "no hash": "NULL::UBIGINT AS entry_hash",
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_rows_that_no_publish_wrote(tmp_path: Path, row: str) -> None:
    rows = [{"loc": loc, "content": "x"} for loc in locs(3)]
    publish(rows, tmp_path)
    rewritten(tmp_path / MANIFEST, query=f"SELECT * REPLACE ({row}) FROM known")
    publish([*rows, locs(4)[3]], tmp_path, day=2, removed=30)
    assert "<x>" not in (tmp_path / "sitemap.xml").read_text()
    assert read_back(tmp_path) == locs(4)


def doubled(path: Path, row: str) -> None:
    """List a loc of a manifest twice; `row` is a condition."""
    rewritten(path, query=f"FROM known UNION ALL (FROM known WHERE {row} LIMIT 1)")


@pytest.fixture(scope="module", params=[None, 30], ids=["", "with those that are removed"])
def shrunk(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> tuple[Path, int | None]:
    """A set that has lost a loc, and for how long it lists removed ones. Tests work on copies of it."""
    folder = tmp_path_factory.mktemp("shrunk")
    with small():
        publish(locs(8), folder, removed=request.param)
        publish(locs(7), folder, day=2, removed=request.param)
    return folder, request.param


@pytest.mark.parametrize("rows", [locs(9), locs(4), locs(9, "q")], ids=["more", "fewer", "others"])
@pytest.mark.parametrize("row", ["gone IS NULL", "gone IS NOT NULL"], ids=["live", "gone"])
def test_a_manifest_that_lists_a_loc_twice_is_lost(
    shrunk: tuple[Path, int | None], tmp_path: Path, row: str, rows: list[str]
) -> None:
    """It ends as if there were no manifest, and the plan says so."""
    good, bad = tmp_path / "good", tmp_path / "bad"
    removed = shrunk[1]
    for folder in (good, bad):
        shutil.copytree(shrunk[0], folder)
    with small():
        doubled(bad / MANIFEST, row)
        assert urlset.verify(bad).damage == (urlset.Damage(MANIFEST, "is missing or damaged"),)
        (good / MANIFEST).unlink()
        found = [publish(rows, folder, day=3, removed=removed) for folder in (bad, good)]
    assert found[0].plan == found[1].plan
    assert found[0].plan.recovered
    assert tree(bad) == tree(good)
    assert read_back(bad)[: len(rows)] == rows or removed
    assert urlset.verify(bad).is_intact
    assert not publish([*rows, "/x"], bad, day=4).plan.recovered


def damaged(manifest: bytes, seed: int) -> bytes:
    """Return a manifest of which some bytes, mostly of its own metadata, are others."""
    numbers, data = random.Random(seed), bytearray(manifest)
    begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for _ in range(numbers.choice([1, 1, 2, 4])):
        place = numbers.randrange(numbers.choice([4, begin]), len(data) - 8)
        data[place] = numbers.choice([numbers.randrange(256), 0, 0x7F, 0xFF, data[place] ^ 1 << numbers.randrange(8)])
    return bytes(data)


@pytest.mark.parametrize("seeds", [range(400), pytest.param(range(400, 6_000), marks=pytest.mark.long)])
def test_the_core_reads_any_bytes_or_refuses_them(tmp_path: Path, seeds: range) -> None:
    """Of some, the library that reads Parquet panics."""
    publish([{"loc": loc, "lastmod": f"2023-01-{day % 28 + 1:02}"} for day, loc in enumerate(locs(60))], tmp_path)
    manifest, path = (tmp_path / MANIFEST).read_bytes(), tmp_path / "damaged.parquet"
    refused = 0
    for seed in seeds:
        path.write_bytes(damaged(manifest, seed))
        try:
            _core.compare_rows(_core.RowStore([]), [path], "", ["0001"], urlset.Layout(), 0, 1 << 20, str)
        except ValueError:
            refused += 1
    assert len(seeds) // 2 < refused < len(seeds)


@pytest.mark.parametrize("seed", [7, 77, pytest.param(777, marks=pytest.mark.long)])
def test_a_manifest_of_any_bytes_loses_no_page(tmp_path: Path, seed: int) -> None:
    rows: list[Any] = [{"loc": loc, "lastmod": f"2023-01-{day % 28 + 1:02}"} for day, loc in enumerate(locs(9))]
    for number in range(seed, seed + 12):
        folder = tmp_path / str(number)
        publish(rows, folder)
        path = folder / MANIFEST
        path.write_bytes(damaged(path.read_bytes(), number))
        try:
            seal(path)
        except (AssertionError, ValueError, PublishError):  # the place of the checksum is damaged
            continue
        try:
            publish([*rows, "/new"], folder, day=2)
        except UrlsetError:
            assert read_back(folder) == locs(9)
        else:
            assert sorted(read_back(folder)) == sorted([*locs(9), f"{BASE}new"])


def test_the_command_line_says_that_a_manifest_is_lost(tmp_path: Path) -> None:
    (tmp_path / "rows.txt").write_text("".join(f"{loc}\n" for loc in locs(3)))
    arguments = ("publish", "rows.txt", "--dest", "out", "--base-url", BASE)
    cli = Cli(tmp_path)
    assert "recovered" not in cli(*arguments).out
    doubled(tmp_path / "out" / MANIFEST, "true")
    (tmp_path / "rows.txt").write_text("".join(f"{loc}\n" for loc in locs(4)))
    assert "recovered the current set has no intact manifest, so its documents were read" in unwrapped(
        cli(*arguments).out
    )


def test_a_foreign_page_is_not_listed_as_removed(tmp_path: Path) -> None:
    publish(locs(3), tmp_path)
    more = "SELECT * REPLACE ('https://evil.example/' AS loc) FROM known LIMIT 1"
    rewritten(tmp_path / MANIFEST, query=f"FROM known UNION ALL ({more})")
    publish(locs(2), tmp_path, day=2, removed=30)
    assert sorted(map(str, read_back(tmp_path))) == locs(3)


def test_a_full_disk_is_explained(tmp_path: Path) -> None:
    """The file system refuses to let any file grow beyond some bytes, as a full one does."""
    program = f"""
import resource, signal, sys
from hashlib import sha256
import urlset
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
rows = [{{"loc": f"/{{number}}", "content": sha256(b"%d" % number).hexdigest()}} for number in range(4000)]
urlset.publish(["/"], sys.argv[1], base_url="{BASE}")
before = open(sys.argv[1] + "/sitemap.xml", "rb").read()
resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, resource.RLIM_INFINITY))
try:
    sections = {{"a": urlset.Section(rows[:2000]), "b": urlset.Section(rows[2000:])}}
    urlset.publish(sections, sys.argv[1], base_url="{BASE}")
except urlset.PublishError as error:
    print(error)
assert open(sys.argv[1] + "/sitemap.xml", "rb").read() == before
"""
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r".*next\.parquet: File too large; free some space and publish again\n", done.stdout)


@pytest.mark.parametrize("digits", ["1234567890123", "0000000000001", "99999999999999999999"])
def test_a_document_of_another_program_with_a_long_number(tmp_path: Path, digits: str) -> None:
    name = f"sitemap-{digits}-0123456789abcdef.xml"
    urlset.write(locs(3), tmp_path / name)
    urlset.write([urlset.SitemapEntry(BASE + name)], tmp_path / "sitemap.xml")
    publish(locs(4), tmp_path)
    assert read_back(tmp_path) == locs(4)
    publish(locs(5), tmp_path, day=2)
    assert read_back(tmp_path) == locs(5)
    assert (tmp_path / name).exists()
