"""A set that is written in parts: the documents of `publish`, committed at once, which `publish` continues."""

from __future__ import annotations

import gzip
import pickle
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import duckdb
import pytest
import urlset
from lxml import etree
from support.documents import tree
from support.jobs import job, own_files, sections, write, written
from support.publish import BASE, DAY, index, locs, names, publish, read_back
from support.publish.model import small
from urlset import EntryError, GuardError, InputError, PublishError
from urlset.jobs import WriteJob

pa: Any = import_module("pyarrow")
PARTS = [locs(8, "a"), locs(3, "b"), [], locs(1, "c")]
SITEMAPS = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def documents(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in tree(folder).items() if not name.startswith(".urlset/")}


def by_lxml(folder: Path) -> dict[str, list[str]]:
    """The locs of each shard, read by another library."""
    return {
        path.name.rpartition("-")[0]: [
            loc.text or "" for loc in etree.fromstring(gzip.decompress(path.read_bytes())).iter(f"{SITEMAPS}loc")
        ]
        for path in sorted(folder.glob("sitemap-*.xml.gz"))
    }


# --- what it writes -----------------------------------------------------------------------------------------


def test_each_part_is_a_series_of_its_own_within_the_limits(tmp_path: Path) -> None:
    with small(3):
        published = write(PARTS, tmp_path)
    a = PARTS[0]
    expected = {"00000-0001": a[:3], "00000-0002": a[3:6], "00000-0003": a[6:], "00001-0001": PARTS[1]}
    assert by_lxml(tmp_path) == {f"sitemap-{name}": rows for name, rows in {**expected, "00003-0001": PARTS[3]}.items()}
    assert (published.entries, len(published.shards), published.plan.added) == (12, 5, 12)
    assert names(tmp_path) == {"sitemap.xml", *(shard.name for shard in published.shards)}
    assert list(index(tmp_path)) == [shard.url for shard in published.shards]
    assert own_files(tmp_path) == ["manifest.parquet"]


def test_it_is_the_set_of_one_publish_byte_by_byte(tmp_path: Path) -> None:
    options: dict[str, Any] = {"pretty": True, "stylesheet": True, "update_robots": True}
    rows = [[{"loc": loc, "lastmod": "2023-05-01", "images": [loc + ".jpg"]} for loc in part] for part in PARTS]
    with small(3):
        write(rows, tmp_path / "job", **options)
        publish(sections(rows), tmp_path / "one", **options)  # type: ignore[arg-type]
    assert documents(tmp_path / "job") == documents(tmp_path / "one")
    columns = "loc, section, shard, entry_hash, lastmod, lastmod_source, content"
    columns += ", first_seen::TEXT, last_seen::TEXT, gone::TEXT"
    manifest = "read_parquet('{}/.urlset/{}')"
    parts, one = (
        manifest.format(tmp_path / "job", "parts/*.parquet"),
        manifest.format(tmp_path / "one", "manifest.parquet"),
    )
    found, expected = (duckdb.execute(f"SELECT {columns} FROM {each} ORDER BY loc").fetchall() for each in (parts, one))
    assert found == expected


def test_it_is_intact_and_clean_for_others(tmp_path: Path) -> None:
    with small(3):
        write(PARTS, tmp_path)
    assert urlset.verify(tmp_path).is_intact
    assert not urlset.lint(tmp_path, rules=urlset.Rules(profile="google")).diagnostics
    assert read_back(tmp_path) == [loc for part in PARTS for loc in part]


def test_rows_in_any_order_give_the_same_bytes_and_then_nothing_is_written(tmp_path: Path) -> None:
    chance = random.Random(1)
    with small(3):
        write(PARTS, tmp_path)
        before = tree(tmp_path)
        again = write([chance.sample(part, len(part)) for part in PARTS], tmp_path, day=2)
    assert tree(tmp_path) == before
    assert (again.written, again.plan.same, again.plan.added, again.plan.count("keep")) == ((), 12, 0, 5)
    assert len(again.unchanged) == 6


def test_what_was_lost_is_written_again(tmp_path: Path) -> None:
    with small(3):
        published = write(PARTS, tmp_path)
        before = tree(tmp_path)
        (tmp_path / "sitemap.xml").unlink()
        (tmp_path / published.shards[1].name).write_bytes(b"damaged")
        again = write(PARTS, tmp_path, day=2)
    assert tree(tmp_path) == before
    assert again.written == (published.shards[1].name, "sitemap.xml")


def test_a_document_that_stays_keeps_its_lastmod(tmp_path: Path) -> None:
    with small(3):
        write(PARTS, tmp_path)
        again = write([PARTS[0], [*PARTS[1], BASE + "new"], [], PARTS[3]], tmp_path, day=2)
    assert [shard.lastmod for shard in again.shards] == [*[DAY[0]] * 4, DAY[1], DAY[0]]
    assert [shard.action for shard in again.plan.shards] == [*["keep"] * 4, "new", "keep"]
    assert again.written == (again.shards[4].name, "sitemap.xml")


def test_several_indexes(tmp_path: Path) -> None:
    with small(1, index=4):
        published = write(PARTS, tmp_path, update_robots=True)
    assert len(published.urls) == 3
    indexes = [tmp_path / url.removeprefix(BASE) for url in published.urls]
    assert [entry.loc for entry in urlset.read(indexes)] == [loc for part in PARTS for loc in part]
    lines = (tmp_path / "robots.txt").read_text().splitlines()
    assert lines == [f"Sitemap: {url}" for url in published.urls]
    assert urlset.verify(tmp_path).is_intact


def test_arrow_batches_of_any_schema_that_publish_takes(tmp_path: Path) -> None:
    table = pa.table({"url": ["/b", "/a"], "text": ["1", "2"]})
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    published = write([reader], tmp_path, columns={"loc": "url", "content": "text"})
    assert (read_back(tmp_path), published.unused_columns) == ([BASE + "a", BASE + "b"], ())
    [part] = (tmp_path / ".urlset" / "parts").iterdir()
    assert duckdb.execute(f"SELECT content FROM '{part}' ORDER BY loc").fetchall() == [("2",), ("1",)]


# --- tasks in other processes, attempts ---------------------------------------------------------------------


def test_job_and_facts_travel_to_other_processes(tmp_path: Path) -> None:
    work = pickle.loads(pickle.dumps(job(tmp_path)))
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        facts = list(pool.map(work.write_part, PARTS, range(len(PARTS))))
    assert sum(len(pickle.dumps(each)) for each in facts) < 10_000
    assert work.commit(facts).entries == 12
    assert own_files(tmp_path) == ["manifest.parquet"]


def test_only_the_attempt_that_is_committed_counts(tmp_path: Path) -> None:
    work = job(tmp_path)
    first = work.write_part(PARTS[0], 0, attempt=0)
    work.write_part(locs(2, "other"), 0, attempt=1)
    work.commit([first])
    assert read_back(tmp_path) == PARTS[0]
    assert own_files(tmp_path) == ["manifest.parquet"]
    with pytest.raises(InputError, match="part 0 twice"):
        work.commit([first, first])


def test_an_attempt_with_the_number_of_a_killed_one_begins_anew(tmp_path: Path) -> None:
    work = job(tmp_path)
    left = Path(tmp_path / work.write_part(locs(2, "other"), 0).folder)
    assert len(list(left.iterdir())) == 2
    work.commit([work.write_part(PARTS[1], 0)])
    assert read_back(tmp_path) == PARTS[1]


def test_a_failed_attempt_leaves_nothing(tmp_path: Path) -> None:
    work = job(tmp_path)
    with pytest.raises(EntryError, match=r"row 2 of section 00007 .* LOC"):
        work.write_part(["/a", "https://other.example/"], 7)
    assert not list(tmp_path.rglob("sitemap*"))
    work.abort()
    assert not list(tmp_path.rglob("*.parquet"))
    assert not (tmp_path / ".urlset" / "jobs").exists()


def test_abort_leaves_the_set_in_force(tmp_path: Path) -> None:
    write(PARTS, tmp_path)
    before = tree(tmp_path)
    work = job(tmp_path, day=2)
    written(work, [locs(4, "z"), locs(5, "y")])
    assert tree(tmp_path) != before
    work.abort()
    work.abort()
    assert tree(tmp_path) == before
    assert own_files(tmp_path) == ["manifest.parquet"]


@pytest.mark.parametrize("ends", ["before it begins", "while it writes"])
def test_an_attempt_that_outlives_its_job_leaves_nothing(ends: str, tmp_path: Path) -> None:
    urlset.publish(["/old"], tmp_path, base_url=BASE)
    before = tree(tmp_path)
    work = WriteJob(tmp_path, base_url=BASE)
    work.make_folder()

    def rows() -> Iterator[str]:
        yield "/a"
        work.abort()
        yield "/b"

    if ends == "before it begins":
        work.abort()
        with pytest.raises(PublishError, match="the job has ended, or this task does not share that folder"):
            work.write_part(["/a"], 0)
    else:
        with pytest.raises(PublishError):
            work.write_part(rows(), 0)
    assert tree(tmp_path) == before


def test_what_a_killed_driver_has_left_is_removed_by_a_later_job(tmp_path: Path) -> None:
    written(job(tmp_path, day=1), PARTS)
    written(recent := job(tmp_path, day=4), PARTS)
    # This one was killed before it had any file.
    (tmp_path / ".urlset" / "jobs" / "20240101T120000Z-0123456789abcdef" / "00000-0").mkdir(parents=True)
    write(PARTS, tmp_path, day=4)
    assert len(list((tmp_path / ".urlset" / "jobs").iterdir())) == 3
    publish(PARTS[0], tmp_path, day=5)
    later = urlset.jobs.WriteJob(
        tmp_path, base_url=BASE, now=DAY[0].replace(day=9), checks=urlset.Checks(allow=["shrunk"])
    )
    later.commit(written(later, PARTS))
    assert [path.name for path in (tmp_path / ".urlset" / "jobs").iterdir()] == [recent.id]


# --- what is refused ----------------------------------------------------------------------------------------


def test_a_loc_in_two_parts_is_refused(tmp_path: Path) -> None:
    write(PARTS, tmp_path)
    before = tree(tmp_path)
    for parts in ([locs(3), [BASE + "p000001"]], [[*locs(3), BASE + "z"], locs(4)]):
        with pytest.raises(PublishError, match=r"is in another part too, such as https://example.com/p00000\d: drop"):
            write(parts, tmp_path, day=2)
        assert tree(tmp_path) == before
    # The same loc within a part counts once, as in `publish`.
    assert write([locs(3) * 2], tmp_path, day=2).plan.duplicates == 3


def test_a_page_in_two_parts_is_refused_however_it_is_written(tmp_path: Path) -> None:
    for parts in ([["%7Ea", "%7Eb"], ["~b", "~c"]], [["%7Ea"], ["~a"]]):
        with pytest.raises(PublishError, match=r"the loc of 1 row is in another part too, such as .*%7E"):
            write([[BASE + loc for loc in part] for part in parts], tmp_path)
    assert write([[BASE + "%7Ea"], [BASE + "%7Eb", BASE + "0"]], tmp_path).entries == 3


def test_parts_that_overlap_may_have_different_locs(tmp_path: Path) -> None:
    both = locs(10)
    write([both[::2], both[1::2]], tmp_path)
    assert sorted(read_back(tmp_path)) == both


def test_a_folder_that_tasks_do_not_share_is_explained(tmp_path: Path) -> None:
    """The tasks have written to another machine's folder of the same name."""
    for lost in ("sitemap-00001-*", "manifest.parquet"):
        work = job(tmp_path)
        facts = written(work, PARTS[:2])
        next((tmp_path / facts[1].folder).glob(lost)).unlink()
        with pytest.raises(PublishError, match=r"is missing: dest must be an object store, or a folder that .* share"):
            work.commit(facts)
        assert not documents(tmp_path)
        assert own_files(tmp_path) == []


@pytest.mark.parametrize(
    ("parts", "options", "guard"),
    [
        ([[], []], {}, "empty"),
        ([PARTS[0]], {"allow": []}, "shrunk"),
        (PARTS, {"base_url": "https://other.example/", "on_error": "collect", "allow": ["empty", "shrunk"]}, "foreign"),
        ([[{"loc": loc, "lastmod": "2023-01-01"} for loc in locs(12, mark)] for mark in "ab"], {}, "one-lastmod"),
        ([[*PARTS[0], {"loc": "/z", "lastmod": "2034-01-01"}], PARTS[1]], {}, "future"),
    ],
)
def test_guards_look_at_all_parts(parts: Any, options: dict[str, Any], guard: str, tmp_path: Path) -> None:
    write(PARTS, tmp_path)
    before = tree(tmp_path)
    with pytest.raises(GuardError) as error:
        write(parts, tmp_path, day=2, **options)
    assert guard in [each.name for each in error.value.guards]
    assert tree(tmp_path) == before
    assert own_files(tmp_path) == ["manifest.parquet"]


def test_refused_rows_are_counted_over_all_parts(tmp_path: Path) -> None:
    published = write([[*PARTS[0], "mailto:a"], [{"loc": "/x", "priority": 2}]], tmp_path, on_error="collect")
    assert (published.entries, published.refused) == (8, 2)
    assert [(each.section, each.row) for each in published.refusals] == [("00000", 9), ("00001", 1)]
    corrected = write([[{"loc": "/x", "priority": 2}]], tmp_path, day=2, on_bad_value="drop")
    assert (corrected.entries, corrected.corrected) == (1, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base_url": "shop"}, "base_url must be an absolute"),
        ({"columns": {"group": "a", "lang": "b"}}, "the pages of a group can be in different parts"),
        ({"columns": {"lok": "a"}}, "unknown key 'lok'"),
        ({"threads": 0}, "threads must be a number from 1 up"),
        ({"on_error": "no"}, "on_error must be"),
        ({"allow": ["no"]}, r"Checks\.allow must be one of"),
        ({"store": {"region": "x"}}, "region is for object stores"),
        ({"update_robots": True, "base_url": BASE + "maps/"}, "update_robots needs a set at the root"),
    ],
)
def test_invalid_options_are_refused_before_any_task(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        job(tmp_path, **options)
    assert not list(tmp_path.iterdir())


def test_translations_by_group_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be linked as translations .* give each row its alternates"):
        job(tmp_path).write_part([{"loc": "/a", "group": "1", "lang": "de"}], 0)
    for part in (-1, 1_000_000):
        with pytest.raises(InputError, match="part must be a number from 0 to 999,999"):
            job(tmp_path).write_part(["/a"], part)
