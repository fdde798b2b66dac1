"""What is damaged is found although no row is read, and every history is that of reading the rows each time."""

from __future__ import annotations

import json
from contextlib import ExitStack, suppress
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.documents import tree
from support.properties import times
from support.publish import BASE
from support.publish.row_files import CSV, INPUT, is_read, publish, published, reads, said, slowly
from urlset import EntryError, InputError, PublishError
from urlset._publish.rows.known_input import InputRecord, checksum
from urlset._stores.folder import FolderStore

pytestmark = pytest.mark.usefixtures("small_files_count")


def test_a_deleted_document_is_made_again(source: Path, tmp_path: Path) -> None:
    publish(source, tmp_path / "set")
    before = tree(tmp_path / "set")
    shard = next((tmp_path / "set").glob("sitemap-*"))
    for damage in (shard.unlink, lambda: shard.write_bytes(b"x" * shard.stat().st_size)):
        damage()
        assert publish(source, tmp_path / "set", 2).written == (shard.name,)
        assert tree(tmp_path / "set") == before
        assert not is_read(source, tmp_path / "set", 3)


def test_the_files_beside_a_set_are_looked_after(source: Path, tmp_path: Path) -> None:
    options = {"update_robots": True, "stylesheet": True}
    publish(source, tmp_path / "set", **options)
    before = tree(tmp_path / "set")
    for name in ("robots.txt", "sitemap.css"):
        (tmp_path / "set" / name).unlink()
        with reads() as found:
            assert publish(source, tmp_path / "set", 2, **options).written == (name,)
        assert not found
        assert tree(tmp_path / "set") == before


@pytest.mark.parametrize("name", ["sitemap.xml", ".urlset/manifest.parquet"])
def test_a_set_whose_entry_point_or_manifest_is_lost_is_recovered(source: Path, tmp_path: Path, name: str) -> None:
    for folder in ("set", "twin"):
        publish(source, tmp_path / folder)
        (tmp_path / folder / name).unlink()
    again = publish(source, tmp_path / "set", 2)
    assert said(again) == said(slowly(source, tmp_path / "twin", 2))
    assert published(tmp_path / "set") == published(tmp_path / "twin")


@pytest.mark.parametrize("name", ["sitemap.xml", ".urlset/next.parquet", ".urlset/manifest.parquet"])
def test_a_torn_commit_is_ended_or_undone_first(source: Path, tmp_path: Path, name: str) -> None:
    for folder in ("set", "twin"):
        source.write_text(CSV)
        publish(source, tmp_path / folder)
        source.write_text(CSV + "/f,,\n/g,,\n")
        with ExitStack() as stack:
            for method in ("put", "put_file", "rename"):
                stack.enter_context(patch.object(FolderStore, method, torn(getattr(FolderStore, method), name)))
            with pytest.raises(PublishError):
                publish(source, tmp_path / folder, 2)
    for text in (CSV, CSV + "/f,,\n/g,,\n"):
        source.write_text(text)
        found = publish(source, tmp_path / "set", 3)
        assert said(found) == said(slowly(source, tmp_path / "twin", 3))
        assert published(tmp_path / "set") == published(tmp_path / "twin")


def torn(method: Any, name: str) -> Any:
    """A method of a store that fails where it would make the file of that name."""

    def failing(self: FolderStore, *arguments: Any) -> None:
        if name in arguments[:2]:
            raise PublishError("the power is gone")
        method(self, *arguments)

    return failing


def test_a_rollback_is_not_mistaken_for_the_set_of_the_file(source: Path, tmp_path: Path) -> None:
    publish(source, tmp_path / "set")
    source.write_text(CSV + "/f,,\n")
    publish(source, tmp_path / "set", 2)
    urlset.rollback(tmp_path / "set")
    assert publish(source, tmp_path / "set", 3).plan.added == 1


@pytest.mark.parametrize("damage", [None, b"", b"[]", b"[" * 100_000, b'{"a": 1}', b"\xff", b"x" * 1_000_001])
def test_a_record_that_is_lost_costs_only_time(source: Path, tmp_path: Path, damage: bytes | None) -> None:
    publish(source, tmp_path / "set")
    good, path = tree(tmp_path / "set"), tmp_path / "set" / INPUT
    path.unlink() if damage is None else path.write_bytes(damage)
    with reads() as found:
        assert publish(source, tmp_path / "set", 2).written == ()
    assert found
    assert tree(tmp_path / "set") == good  # it was learned again
    assert urlset.verify(tmp_path / "set").is_intact


@pytest.mark.parametrize(
    "change",
    [
        {"input": "0" * 64},
        {"input": None},
        {"fingerprints": []},
        {"fingerprints": [1]},
        {"fingerprints": ["5:0:0"]},
        {"rows": -1},
        {"rows": True},
        {"normalized": "1"},
        {"outside": None},
        {"unused_columns": [None]},
        {"unused_columns": 7},
    ],
)
def test_a_record_that_says_something_else_is_not_believed(
    source: Path, tmp_path: Path, change: dict[str, Any]
) -> None:
    publish(source, tmp_path / "set")
    path = tmp_path / "set" / INPUT
    told = json.loads(path.read_text()) | change
    with suppress(TypeError):  # what is not a list has no checksum
        told["sha256"] = checksum(InputRecord(**{name: told[name] for name in told if name != "sha256"}))
    path.write_text(json.dumps(told))
    assert is_read(source, tmp_path / "set", 2)


def test_a_record_with_another_digit_is_not_believed(source: Path, tmp_path: Path) -> None:
    publish(source, tmp_path / "set")
    path = tmp_path / "set" / INPUT
    told = json.loads(path.read_text())
    path.write_text(json.dumps(told | {"rows": told["rows"] + 1}))
    assert is_read(source, tmp_path / "set", 2)


LINE = st.sampled_from(
    ["/a,2024-01-02,", "/a,2023-05-06,0.5", "/b,,0.5", "/B/../b,,0.5", "/c,,2", "/é,2024,", "https://other.example/,,"]
)
STEP = st.tuples(
    st.one_of(st.none(), st.lists(LINE, min_size=1, max_size=6)),
    st.one_of(
        st.just({}),
        st.fixed_dictionaries(
            {},
            optional={
                "pretty": st.booleans(),
                "names": st.sampled_from(["content", "stable"]),
                "on_bad_value": st.sampled_from(["refuse", "drop"]),
                "shard_by": st.sampled_from(["hash:2", "sequence"]),
                "base_url": st.just(BASE + "shop/"),
                "removed": st.just(2),
                "update_robots": st.booleans(),
                "verify": st.booleans(),
                "dry_run": st.booleans(),
            },
        ),
    ),
    st.sampled_from([None, None, "sitemap-*", "sitemap.xml", "robots.txt", ".urlset/*.json", ".urlset/manifest*"]),
    st.booleans(),
)


@times(40)
@given(steps=st.lists(STEP, min_size=2, max_size=6))
def test_every_history_is_that_of_reading_the_rows(steps: list[tuple[Any, dict[str, Any], str | None, bool]]) -> None:
    with TemporaryDirectory() as name:
        folder, now = Path(name), datetime.fromisoformat("2024-01-10T12:00Z")
        source = folder / "rows.csv"
        source.write_text(CSV)
        for lines, options, damaged, is_back in steps:
            now += timedelta(days=1)
            if lines is not None:
                source.write_text("loc,lastmod,priority\n" + "".join(f"{line}\n" for line in lines))
            for each in ("set", "twin"):
                for path in sorted((folder / each).glob(damaged))[:1] if damaged else ():
                    path.write_bytes(path.read_bytes()[:-1] + b" ")
            given = {"now": now, "on_error": "collect", "allow": ["shrunk", "base-url", "empty"], **options}
            assert ended(publish, source, folder / "set", given) == ended(slowly, source, folder / "twin", given)
            assert published(folder / "set") == published(folder / "twin")
            if is_back:
                outcomes = [rolled_back(folder / each) for each in ("set", "twin")]
                assert outcomes[0] == outcomes[1]


def ended(publishing: Any, source: Path, folder: Path, options: dict[str, Any]) -> tuple[Any, list[str]]:
    """What came of a publish, and what it said of single rows."""
    told: list[str] = []

    def tell(error: EntryError) -> None:
        told.append(str(error))

    try:
        found = publishing(source, folder, on_refusal=tell, on_corrected=tell, **options)
    except (InputError, PublishError) as error:
        return str(error).replace(str(folder), ""), told
    return said(found), told


def rolled_back(folder: Path) -> Any:
    try:
        return urlset.rollback(folder)
    except PublishError as error:
        return str(error).replace(str(folder), "")
