"""Damage that a look at names and sizes does not show: it is healed, reported, and never committed."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.cli import Cli
from support.documents import tree
from support.publish import BASE, DAY, locs, names, publish, read_back, shards
from support.publish.grouped import grouped
from support.publish.model import small
from urlset import PublishError


def spoil(path: Path, *, unnoticed: bool = False) -> None:
    """Change one byte in the middle of a file, which keeps its size, and with `unnoticed` its time and its inode."""
    before = path.stat()
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    times = before.st_mtime_ns if unnoticed else before.st_mtime_ns + 1_000_000
    os.utime(path, ns=(times, times))
    assert path.stat().st_size == before.st_size


@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_same_rows_heal_what_kept_its_size(folder: Path, place: int) -> None:
    good = tree(folder)
    spoil(shards(folder)[place])
    with small():
        again = publish(locs(7), folder, day=2)
        assert again.written == (shards(folder)[place].name,)
        assert tree(folder) == good
        assert publish(locs(7), folder, day=3).written == ()


def test_what_not_even_the_time_shows_is_found_by_its_hash(folder: Path) -> None:
    good = tree(folder)
    spoil(shards(folder)[1], unnoticed=True)
    with small():
        assert publish(locs(7), folder, day=2).written == ()  # the price of being cheap
        assert publish(locs(7), folder, day=2, verify=True).written == (shards(folder)[1].name,)
    assert tree(folder) == good


def test_a_new_index_names_only_what_is_proved(folder: Path) -> None:
    spoil(shards(folder)[0], unnoticed=True)
    with small():
        publish(locs(8), folder, day=2)
    assert read_back(folder) == locs(8)
    assert urlset.verify(folder).is_intact


def test_further_indexes_are_compared_too(tmp_path: Path) -> None:
    with small(shard=1, index=2):
        publish(locs(7), tmp_path)
        good = tree(tmp_path)
        [index, *_] = sorted(tmp_path.glob("sitemap-index-*"))
        spoil(index)
        assert publish(locs(7), tmp_path, day=2).written == (index.name,)
        assert tree(tmp_path) == good


@pytest.mark.parametrize("stamps", [None, b"", b"[]", b"[" * 100_000, b'{"a": 1}', b"\xff", b'{"a": [1, 2]}'])
def test_stamps_that_are_lost_cost_only_time(folder: Path, stamps: bytes | None) -> None:
    good, path = tree(folder), folder / ".urlset" / "stamps.json"
    path.unlink() if stamps is None else path.write_bytes(stamps)
    with small():
        spoil(shards(folder)[0], unnoticed=True)
        assert publish(locs(7), folder, day=2).written == (shards(folder)[0].name,)
    assert tree(folder) == good
    assert len(json.loads(path.read_text())) == 3


def test_a_copied_set_is_not_published_again(folder: Path, tmp_path: Path) -> None:
    """As by a checkout, which gives every file another time and another inode."""
    copy = tmp_path / "copy"
    for name, data in tree(folder).items():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes(data)
    with small():
        assert publish(locs(7), copy, day=2).written == ()
    assert tree(copy) == tree(folder)


def test_a_dry_run_writes_no_stamps(folder: Path) -> None:
    path = folder / ".urlset" / "stamps.json"
    path.unlink()
    with small():
        publish(locs(7), folder, day=2, dry_run=True)
    assert not path.exists()


def test_a_single_document_needs_no_stamps(tmp_path: Path) -> None:
    publish(locs(3), tmp_path)
    assert not (tmp_path / ".urlset" / "stamps.json").exists()
    spoil(tmp_path / "sitemap.xml", unnoticed=True)
    publish(locs(3), tmp_path, day=2)
    assert read_back(tmp_path) == locs(3)


# --- rollback ---------------------------------------------------------------------------------------------------

DAMAGES: dict[str, Callable[[Path], object]] = {
    "changed": lambda path: spoil(path, unnoticed=True),
    "empty": lambda path: path.write_bytes(b""),
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-5]),
    "gone": Path.unlink,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_rollback_refuses_a_damaged_set(folder: Path, damage: str) -> None:
    before = names(folder)
    with small():
        publish(locs(7, "other"), folder, day=2)
    victim = folder / sorted(name for name in before if name != "sitemap.xml")[1]
    DAMAGES[damage](victim)
    state = tree(folder)
    with pytest.raises(PublishError, match=f"cannot be restored, and the current one stays: {victim.name} (has|is)"):
        urlset.rollback(folder)
    assert tree(folder) == state
    assert read_back(folder) == locs(7, "other")
    found = urlset.verify(folder)
    assert [(each.name, each.is_previous) for each in found.damage] == [(victim.name, True)]


def test_a_rollback_refuses_a_damaged_index(tmp_path: Path) -> None:
    with small(shard=1, index=2):
        publish(locs(7), tmp_path)
        indexes = set(tmp_path.glob("sitemap-index-*"))
        publish(locs(7, "other"), tmp_path, day=2)
    spoil(min(indexes), unnoticed=True)
    with pytest.raises(PublishError, match=r"sitemap-index-0002-.* has other bytes than were published"):
        urlset.rollback(tmp_path)


# --- verify -----------------------------------------------------------------------------------------------------


def test_verify_changes_nothing_and_names_what_is_damaged(folder: Path) -> None:
    good = tree(folder)
    assert urlset.verify(folder) == urlset.Verification(
        str(folder / "sitemap.xml"), 3, sum(path.stat().st_size for path in shards(folder)), ()
    )
    spoil(shards(folder)[0], unnoticed=True)
    shards(folder)[2].unlink()
    left = tree(folder)
    found = urlset.verify(folder)
    assert [(each.reason, each.is_previous) for each in found.damage] == [
        ("has other bytes than were published", False),
        ("is missing", False),
    ]
    assert tree(folder) == left != good


STATES: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "another entry point": ("sitemap.xml", spoil, "has other bytes than were published"),
    "no entry point": ("sitemap.xml", Path.unlink, "is missing"),
    "no manifest": (".urlset/manifest.parquet", Path.unlink, "is missing or damaged"),
    "a broken manifest": (".urlset/manifest.parquet", lambda path: path.write_bytes(b"x"), "is missing or damaged"),
    "no stylesheet": ("sitemap.css", Path.unlink, "is missing"),
    "another stylesheet": ("sitemap.css", lambda path: path.write_text("x"), "was not made by urlset"),
}


@pytest.mark.parametrize("state", STATES)
def test_verify_looks_at_every_file(tmp_path: Path, state: str) -> None:
    with small():
        publish(locs(7), tmp_path, stylesheet=True)
    assert urlset.verify(tmp_path).is_intact
    name, damage, reason = STATES[state]
    damage(tmp_path / name)
    assert urlset.verify(tmp_path).damage == (urlset.Damage(name, reason),)


def test_verify_without_a_set(tmp_path: Path) -> None:
    with pytest.raises(PublishError, match="there is no published set in"):
        urlset.verify(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_verify_on_the_command_line(cli: Cli, folder: Path) -> None:
    ended = cli("verify", "--dest", str(folder))
    assert (ended.code, ended.out) == (0, "Verified 3 documents: everything is as it was published\n")
    spoil(shards(folder)[0], unnoticed=True)
    ended = cli("verify", "--dest", str(folder))
    assert ended.code == 1
    assert ended.err == f"urlset: {shards(folder)[0].name} has other bytes than were published\n"
    ended = cli("verify", "--dest", str(folder), "--format", "json")
    summary = json.loads(ended.out)
    assert (ended.code, summary["is_intact"], len(summary["damage"])) == (1, False, 1)
    ended = cli("verify", "--dest", "nothing")
    assert (ended.code, ended.out) == (2, "")
    assert cli("verify").code == 2


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """The script, run in the test's own folder."""
    return Cli(tmp_path)


# --- all of it ----------------------------------------------------------------------------------------------------

SPELLINGS = [BASE, BASE.rstrip("/"), "HTTPS://Example.COM", "https://example.com:443/"]
STEPS = st.one_of(
    st.tuples(st.just("publish"), st.integers(1, 9), st.sampled_from(SPELLINGS)),
    st.tuples(st.just("damage"), st.integers(0, 9), st.booleans()),
    st.tuples(st.just("rollback"), st.just(0), st.just(0)),
)


@given(st.lists(STEPS, min_size=2, max_size=8))
def test_no_history_of_damage_puts_a_damaged_set_into_force(history: list[tuple[str, int, Any]]) -> None:
    """After every publish and every rollback that is not refused, the set says what a plain list says it should.

    A publish that rewrites nothing trusts the stamps, so damage that keeps even these may stay until one rewrites.
    """
    with TemporaryDirectory() as name, small():
        folder = Path(name)
        now: list[str] | None = None
        before: list[str] | None = None
        hidden = False
        for step, (kind, number, how) in enumerate(history):
            if kind == "publish":
                rows, was = locs(number), now
                random.Random(step).shuffle(rows)
                options = {"base_url": how, "now": DAY[min(step, 6)], "allow": ["shrunk"]}
                done = urlset.publish(rows, folder, **grouped(options))
                if now != locs(number):
                    now, before, hidden = locs(number), was, False
                elif done.written:
                    assert read_back(folder) == now or hidden
                if not hidden:
                    assert read_back(folder) == now
            elif kind == "damage" and (found := shards(folder)):
                spoil(found[number % len(found)], unnoticed=how)
                hidden |= how
            elif kind == "rollback":
                try:
                    urlset.rollback(folder)
                except PublishError:
                    continue
                now, before = before, now
                assert read_back(folder) == now
                hidden = False
