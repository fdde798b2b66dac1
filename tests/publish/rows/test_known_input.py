"""Files whose bytes were read before are not read again, and a publish says and does the same as if they had been."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import pytest
import urlset
from support.cli import Cli
from support.documents import tree
from support.publish import BASE, DAY
from support.publish.row_files import CSV, INPUT, is_read, publish, published, reads, said, slowly
from urlset import EntryError, Publication, Section
from urlset._publish import pipeline
from urlset._publish.rows import ingest, known_input
from urlset._util import row_files
from urlset.sources.files import rows

pytestmark = pytest.mark.usefixtures("small_files_count")


def test_a_rerun_reads_no_rows_and_says_the_same(source: Path, tmp_path: Path) -> None:
    options: dict[str, Any] = {"base_url": BASE + "shop/"}
    source.write_text(CSV.replace("lastmod", "updated"))
    first = publish(source, tmp_path / "set", **options)
    assert (first.plan.normalized, first.plan.outside, first.unused_columns) == (4, 5, ())
    slowly(source, tmp_path / "twin", **options)
    before = tree(tmp_path / "set")
    counted: list[urlset.Progress] = []
    with reads() as found:
        again = publish(source, tmp_path / "set", 2, progress=counted.append, **options)
    assert (found, counted, again.written) == ([], [urlset.Progress("rows", 5, 5)], ())
    assert said(again) == said(slowly(source, tmp_path / "twin", 2, **options))
    assert tree(tmp_path / "set") == before
    assert published(tmp_path / "set") == tree(tmp_path / "twin")


def test_a_dry_run_reads_no_rows_and_stores_nothing(source: Path, tmp_path: Path) -> None:
    publish(source, tmp_path / "new", dry_run=True)
    assert not (tmp_path / "new").exists()
    publish(source, tmp_path / "set")
    before = tree(tmp_path / "set")
    with reads() as found:
        again = publish(source, tmp_path / "set", 2, dry_run=True)
    assert (found, again) == ([], slowly(source, tmp_path / "set", 2, dry_run=True))
    assert tree(tmp_path / "set") == before


def written(path: Path, query: str) -> Path:
    duckdb.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


FORMS: dict[str, Callable[[Path], list[Path]]] = {
    "gzip": lambda folder: [(path := folder / "a.csv.gz", path.write_bytes(gzip.compress(CSV.encode())))[0]],
    "jsonl": lambda folder: [(path := folder / "a.jsonl", path.write_text('{"loc": "/a"}\n'))[0]],
    "parquet": lambda folder: [written(folder / "a.parquet", "SELECT '/a' AS loc")],
    "several": lambda folder: [folder / "rows.csv", written(folder / "b.parquet", "SELECT '/z' AS loc")],
    "a glob": lambda folder: [folder / "*.csv"],
}


@pytest.mark.parametrize("form", FORMS)
def test_tables_in_any_form_are_known(source: Path, tmp_path: Path, form: str) -> None:
    paths = FORMS[form](tmp_path)
    assert source.is_file()
    publish(paths, tmp_path / "set")
    assert not is_read(paths, tmp_path / "set", 2)


def test_the_path_of_a_file_can_decide_what_its_rows_are(tmp_path: Path) -> None:
    """DuckDB makes a column of a folder named `lang=de`."""
    for lang in ("de", "fr"):
        (tmp_path / f"lang={lang}").mkdir()
        written(tmp_path / f"lang={lang}" / "a.parquet", "SELECT * FROM VALUES ('/a', 'p'), ('/b', 'q') t(loc, grp)")
    german, french = (tmp_path / f"lang={lang}" / "a.parquet" for lang in ("de", "fr"))
    options: dict[str, Any] = {"columns": {"content": "grp"}}
    publish(german, tmp_path / "set", **options)
    assert is_read(french, tmp_path / "set", 2, **options)


def test_all_sections_have_to_be_known(source: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("loc\n/x\n")

    def both(day: int, more: Any = None) -> Publication:
        with rows([source]) as one, rows([other]) as two:
            sections = {"one": Section(one), "two": Section(more or two, shard_by="hash:2")}
            return urlset.publish(sections, tmp_path / "set", base_url=BASE, now=DAY[day])

    first = both(0)
    with reads() as found:
        again = both(1)
        assert not found
        assert (again.written, again.shards) == ((), first.shards)
        both(2, ["/x"])
        assert found
        other.write_text("loc\n/y\n")
        assert both(3).plan.added == 1


def spoil(path: Path) -> None:
    """Change a byte, and neither the size nor the time of writing."""
    before = path.stat()
    path.write_text(path.read_text().replace("/a,", "/A,"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size


def test_a_changed_byte_is_published(source: Path, tmp_path: Path) -> None:
    publish(source, tmp_path / "set")
    before = (tmp_path / "set" / INPUT).read_bytes()
    spoil(source)
    assert publish(source, tmp_path / "set", 2).plan.added == 1
    assert (tmp_path / "set" / INPUT).read_bytes() != before
    assert not is_read(source, tmp_path / "set", 3)


def test_the_time_of_a_file_does_not_count(source: Path, tmp_path: Path) -> None:
    publish(source, tmp_path / "set")
    os.utime(source, (1, 1))
    assert not is_read(source, tmp_path / "set", 2)
    copy = tmp_path / "copy"
    copy.write_bytes(source.read_bytes())
    copy.replace(source)
    assert not is_read(source, tmp_path / "set", 2)


def test_the_same_rows_in_another_order_write_no_document(source: Path, tmp_path: Path) -> None:
    publish(source, tmp_path / "set")
    before = published(tmp_path / "set")
    head, *lines = CSV.splitlines(keepends=True)
    source.write_text(head + "".join(reversed(lines)))
    assert is_read(source, tmp_path / "set", 2)
    assert published(tmp_path / "set") == before
    assert not is_read(source, tmp_path / "set", 3)


@pytest.mark.parametrize(
    "options",
    [
        {"base_url": BASE + "shop/"},
        {"scope": BASE},
        {"pretty": True},
        {"stylesheet": True},
        {"compression": "none"},
        {"names": "stable"},
        {"shard_by": "hash:2"},
        {"shard_by": "sequence"},
        {"recent": 3},
        {"zone": "+01:00"},
        {"on_bad_value": "drop"},
        {"x_default": "en"},
        {"columns": {"priority": "lastmod", "lastmod": "priority"}, "on_bad_value": "drop"},
    ],
)
def test_other_options_have_the_rows_read(source: Path, tmp_path: Path, options: dict[str, Any]) -> None:
    for folder in ("set", "twin"):
        publish(source, tmp_path / folder)
    with reads() as found:
        again = publish(source, tmp_path / "set", 2, **options)
    assert found
    assert said(again) == said(slowly(source, tmp_path / "twin", 2, **options))
    assert published(tmp_path / "set") == published(tmp_path / "twin")


@pytest.mark.parametrize("options", [{"shard_by": "sequence"}, {"recent": 3}, {"removed": 3}, {"news": True}])
def test_what_depends_on_more_than_the_rows_is_not_recorded(
    source: Path, tmp_path: Path, options: dict[str, Any]
) -> None:
    for day in (1, 2):
        assert is_read(source, tmp_path / "set", day, **options)
    assert not (tmp_path / "set" / INPUT).exists()


def test_other_programs_have_the_rows_read(source: Path, tmp_path: Path) -> None:
    publish(source, tmp_path / "set")
    with patch.object(known_input, "_programs", lambda: ("0.2.0",)):
        assert is_read(source, tmp_path / "set", 2)
        assert not is_read(source, tmp_path / "set", 3)


def test_small_files_are_read(source: Path, tmp_path: Path) -> None:
    with patch.object(known_input, "_SMALL", len(CSV) + 10):
        for day in (1, 2):
            assert is_read(source, tmp_path / "set", day)
    assert not (tmp_path / "set" / INPUT).exists()


REPORTED: dict[str, tuple[str, dict[str, Any]]] = {
    "refused": ("loc\n/a\n/b\x01\n", {"on_error": "collect"}),
    "left out": ("loc,lastmod\n/a,yesterday\n/b,2024\n", {"on_bad_value": "drop"}),
    "repeated": ("loc\n/a\n/b\n/a\n", {}),
}


@pytest.mark.parametrize("kind", REPORTED)
def test_what_a_publish_reports_of_rows_is_reported_again(source: Path, tmp_path: Path, kind: str) -> None:
    text, options = REPORTED[kind]
    source.write_text(text)
    first = publish(source, tmp_path / "set", **options)
    told: list[EntryError] = []
    again = publish(source, tmp_path / "set", 2, on_refusal=told.append, on_corrected=told.append, **options)
    assert len(told) == 1
    assert said(again)[1] == said(first)[1]
    assert not (tmp_path / "set" / INPUT).exists()


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("how", ["written", "replaced", "gone", "spoiled"])
def test_a_file_that_is_written_while_it_is_read_is_not_known(
    source: Path, tmp_path: Path, how: str, *, is_late: bool
) -> None:
    """Before its hash is computed, or after its rows were read."""

    def act() -> None:
        if how == "written":
            source.write_text(CSV + "/f,,\n")
        elif how == "replaced":
            copy = tmp_path / "copy"
            copy.write_text(CSV)
            copy.replace(source)
        elif how == "gone":
            source.unlink()
        else:
            spoil(source)

    function = "collect" if is_late else "known_files"
    real = getattr(pipeline, function)

    def acting(*arguments: Any, **options: Any) -> Any:
        if not is_late and how != "gone":  # what is gone cannot be read
            act()
        found = real(*arguments, **options)
        if is_late:
            act()
        return found

    with patch.object(pipeline, function, acting):
        publish(source, tmp_path / "set")
    assert (tmp_path / "set" / INPUT).exists() is (how == "gone" and not is_late)


def test_what_not_even_the_time_of_a_file_shows_is_found_by_its_hash(source: Path, tmp_path: Path) -> None:
    """A file that was written just before may be written again in the same tick of its file system's clock."""
    collect = ingest.collect

    def acting(*arguments: Any, **options: Any) -> Any:
        found = collect(*arguments, **options)
        spoil(source)
        return found

    with (
        patch.object(pipeline, "collect", acting),
        patch.object(row_files, "_stamp", lambda path: (0, 0, path.stat().st_size, path.stat().st_mtime_ns, 0)),
    ):
        publish(source, tmp_path / "set")
        assert not (tmp_path / "set" / INPUT).exists()


def test_rows_of_anything_else_are_read(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    publish(source, folder)
    with rows([source]) as found:
        assert isinstance(found, duckdb.DuckDBPyRelation)
        gone = found
        for table in (found.filter("true"), found.to_arrow_table(), found.to_dicts(), iter(["/a"])):
            with reads() as read:
                urlset.publish(table, folder, base_url=BASE, now=DAY[1], checks=urlset.Checks(allow=["shrunk"]))
            assert read
    with pytest.raises(Exception, match=r"(?i)closed"):
        urlset.publish(gone, folder, base_url=BASE)
    with source.open("rb") as file, rows([file]) as found, reads() as read:
        urlset.publish(found, folder, base_url=BASE)
        assert read
    assert is_read(source, folder, encoding="windows-1252")


def test_the_command_line_says_the_same(source: Path, tmp_path: Path) -> None:
    cli, options = Cli(tmp_path), ("--base-url", BASE, "--isolated")
    assert cli("publish", source.name, "--dest", "set", *options).code == 0
    for more in (
        (),
        (
            "--format",
            "json",
        ),
        ("--dry-run",),
        ("--verify",),
    ):
        with reads() as found:
            again = cli("publish", source.name, "--dest", "set", *options, *more)
        assert not found
        with patch.object(pipeline, "known_files", lambda *_: None):
            assert again == cli("publish", source.name, "--dest", "set", *options, *more)
    assert cli("verify", "--dest", "set").code == 0
