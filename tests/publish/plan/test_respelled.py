"""Pages whose loc is written in another way than at the last publish: all that is known of them stays known."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.documents import ENTRY, FOOT, HEAD
from support.properties import times
from support.publish import BASE, known_rows, locs, publish, read_back
from support.publish.model import small
from urlset import _core

#: Pages, each in all spellings in which it is listed; the first is the normal form.
PAGES = [
    [f"{BASE}{name}", *(f"{BASE}{other}" for other in others)]
    for name, *others in (
        ["~a", "%7Ea", "%7ea"],
        ["%D7%A9", "%d7%a9", "%d7%A9"],
        ["b-c", "b%2Dc"],
        ["x%20y", "x%20%79"],
        ["m.html", "m%2ehtml"],
        ["plain"],
        ["plain/2"],
    )
]


def first_seen(folder: Path) -> dict[str, tuple[str, bool]]:
    """When each page that is known was first seen, and whether it is gone, by the normal form of its URL."""
    found = {_core.normalized_url(row[0]): (row[-3], row[-1] is not None) for row in known_rows(folder)}
    assert len(found) == len(known_rows(folder))
    return found


@pytest.mark.parametrize("shard_by", ["sticky", "hash:3", "date:month"])
@times(15)
@given(st.lists(st.lists(st.sampled_from(range(len(PAGES))), unique=True), min_size=2, max_size=4), st.randoms())
def test_any_history_is_that_of_normal_forms(shard_by: str, history: list[list[int]], chance: random.Random) -> None:
    """What is known of pages does not depend on how they are written."""
    with TemporaryDirectory() as folder, small(3):
        written, normal = Path(folder, "written"), Path(folder, "normal")
        before: dict[str, str] = {}
        for day, pages in enumerate(history, 1):
            spelled = [chance.choice(PAGES[page]) for page in pages]
            rows = [{"loc": loc, "lastmod": "2023-05-06"} for loc in [*spelled, *locs(4, "always")]]
            usual = [{**row, "loc": _core.normalized_url(row["loc"])} for row in rows]
            options: dict[str, Any] = {"shard_by": shard_by, "allow": ["shrunk", "one-lastmod"]}
            found, expected = (
                publish(each, to, day, **options).plan for each, to in ((rows, written), (usual, normal))
            )
            kept = {_core.normalized_url(loc): loc for loc in spelled}
            changed = sum(before.get(form, loc) != loc for form, loc in kept.items())
            assert (found.added, found.removed, found.moved) == (expected.added, expected.removed, expected.moved)
            assert (found.changed, found.same) == (changed, expected.same - changed)
            assert sorted(read_back(written)) == sorted(row["loc"] for row in rows)
            assert first_seen(written) == first_seen(normal)
            assert urlset.verify(written).is_intact
            before = kept


def test_a_lastmod_that_rests_on_the_content_is_kept(tmp_path: Path) -> None:
    for day, (loc, content) in enumerate([("%7Ea", "old"), ("%7Ea", "new"), ("~a", "new")], 1):
        plan = publish([{"loc": BASE + loc, "content": content}, BASE + "b"], tmp_path, day).plan
    assert (plan.changed, plan.added, plan.removed) == (1, 0, 0)
    [page, _] = sorted(urlset.read(tmp_path), key=lambda entry: entry.loc != BASE + "~a")
    assert page.lastmod is not None
    assert (page.loc, page.lastmod.day) == (BASE + "~a", 2)


def test_only_its_shard_is_written_anew(tmp_path: Path) -> None:
    rows = [BASE + "%7Ea", *locs(40)]
    with small(3):
        first = publish(rows, tmp_path)
        second = publish([BASE + "~a", *locs(40)], tmp_path, 2)
    assert second.plan.count("keep") == len(first.shards) - 1
    assert (second.plan.changed, second.plan.same) == (1, 40)


def test_a_page_that_is_listed_as_before_is_not_taken_for_another(tmp_path: Path) -> None:
    """A set of another program lists one page twice: the entry whose text is still there goes on, the other is gone."""
    spelled = [BASE + "%7Ea", BASE + "~a", BASE + "b"]
    (tmp_path / "sitemap.xml").write_text(HEAD + "".join(map(ENTRY.format, spelled)) + FOOT)
    plan = publish(spelled[1:], tmp_path).plan
    assert (plan.same, plan.changed, plan.added, plan.removed) == (2, 0, 0, 1)
    assert publish([BASE + "%7ea", BASE + "b"], tmp_path, 2).plan.changed == 1


def test_a_large_set_is_compared_in_its_file(tmp_path: Path) -> None:
    """Of more than 10,000 rows the tables move to a file."""
    many = locs(10_500)
    publish([BASE + "%7Ea", *many], tmp_path)
    plan = publish([BASE + "~a", BASE + "%7Ea", *many], tmp_path, 2).plan
    assert (plan.duplicates, plan.same, plan.removed, plan.added) == (1, 10_501 - plan.changed, 0, 0)
    assert publish([BASE + "%7ea", *many], tmp_path, 3).plan.changed == 1
