"""The manifest: what is in it, that the same rows make the same bytes, and that anything else is as good as none."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.documents import tree
from support.publish import BASE, DAY, locs, names, publish
from support.publish.manifests import rewritten, said
from support.publish.model import small
from urlset._publish import stages
from urlset._publish.api import Section
from urlset._publish.rows import database
from urlset._publish.rows.schema import create
from urlset._publish.stored import manifest
from urlset._publish.values.header import Header, ShardRecord
from urlset._stores.seal import KEY, is_sealed

from publish.plan.test_assign import stamps

pa: Any = import_module("pyarrow")
parquet: Any = import_module("pyarrow.parquet")
MANIFEST = ".urlset/manifest.parquet"
COLUMNS = [
    *("loc", "section", "shard", "entry_hash", "lastmod", "lastmod_source", "content"),
    *("first_seen", "last_seen", "gone"),
]


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a manifest."""
    return parquet.read_table(path).to_pylist()  # type: ignore[no-any-return]


def test_the_manifest_records_each_loc(tmp_path: Path) -> None:
    rows: list[Any] = [{"loc": "/a", "lastmod": "2023-05", "text": "1"}, {"loc": "/b", "text": "2"}, "/c"]
    publish(rows, tmp_path, columns={"content": "text"})
    publish(rows[:2], tmp_path, day=2, columns={"content": "text"})
    found = {row["loc"].removeprefix(BASE): row for row in rows_of(tmp_path / MANIFEST)}
    times = {"first_seen": DAY[0], "last_seen": DAY[1], "gone": None}
    known = {name: {**row, "entry_hash": 0} for name, row in found.items()}
    assert known == {
        "a": {**known["a"], "shard": "0001", "lastmod": "2023-05", "lastmod_source": "column", "content": "1", **times},
        "b": {**known["b"], "shard": "0001", "lastmod": None, "lastmod_source": None, "content": "2", **times},
        "c": {**known["c"], "shard": None, "content": None, **times, "last_seen": DAY[0], "gone": DAY[1]},
    }
    # Of what they say but their lastmod they are the same.
    assert len({row["entry_hash"] for row in found.values()}) == 1
    assert {row["section"] for row in found.values()} == {""}


def test_the_manifest_records_the_set_and_its_shards(tmp_path: Path) -> None:
    with small():
        publication = publish(locs(7), tmp_path, pretty=True)
    found = said(tmp_path / MANIFEST)
    assert (found["urlset.manifest"], found["urlset.base_url"], found["urlset.layout"]) == ("1", BASE, "gzip pretty")
    assert found["urlset.published"] == DAY[0].isoformat()
    shards = json.loads(found["urlset.shards"])
    assert [(shard["name"], shard["bytes"], shard["size"]) for shard in shards] == [
        (shard.name, shard.bytes, shard.size) for shard in publication.shards
    ]
    assert all(shard["is_ours"] and shard["url"] == BASE + shard["name"] for shard in shards)


# More rows than are planned in memory. DuckDB gives each thread a row group, which has 122,880 of them.
@pytest.mark.parametrize(("count", "cores"), [(15_000, (1, 3)), pytest.param(130_000, (1, 5), marks=pytest.mark.long)])
def test_the_same_rows_make_the_same_bytes_on_any_number_of_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, cores: tuple[int, ...]
) -> None:
    rows = [{"loc": loc, "lastmod": f"2023-{number % 12 + 1:02}"} for number, loc in enumerate(locs(count))]
    found = []
    for threads in cores:
        monkeypatch.setattr(stages, "planning_database", partial(database.planning_database, threads=threads))
        folder = tmp_path / str(threads)
        publish(rows, folder, shard_by="hash:3")
        publish(rows[5_000:], folder, day=2, shard_by="hash:3")
        rows.reverse()
        found.append(tree(folder))
        rows.reverse()
    assert all(each == found[0] for each in found)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "lost": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "cut off": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "no Parquet": lambda path: path.write_text("loc,shard\n"),
    "broken inside": lambda path: path.write_bytes(b"PAR1" + b"\xff" * 300 + path.read_bytes()[304:]),
    "another bit": lambda path: path.write_bytes(flipped(path.read_bytes(), path.stat().st_size // 2)),
    "without metadata": lambda path: rewritten(path, {"x": "y"}),
    "without a seal": lambda path: rewritten(path, {key: text for key, text in said(path).items() if key != KEY}),
    "of another version": lambda path: rewritten(path, said(path) | {"urlset.manifest": "2"}),
    "of another URL": lambda path: rewritten(path, said(path) | {"urlset.base_url": "https://example.org/"}),
    "without its shards": lambda path: rewritten(path, said(path) | {"urlset.shards": "{"}),
    "with strange shards": lambda path: rewritten(path, said(path) | {"urlset.shards": '[{"name": 5}]'}),
    "without a column": lambda path: rewritten(path, query="SELECT * EXCLUDE (entry_hash) FROM known"),
    "with another type": lambda path: rewritten(path, query="SELECT * REPLACE ('x' AS first_seen) FROM known"),
}


def flipped(data: bytes, place: int, bit: int = 0) -> bytes:
    """The bytes with another bit."""
    return data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]


@pytest.mark.parametrize("shard_by", ["sticky", "hash:3", "key:brand"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_manifest_is_rebuilt_from_the_set(tmp_path: Path, damage: str, shard_by: str) -> None:
    rows = [{"loc": loc, "lastmod": "2023-05"} for loc in locs(7)]
    if shard_by.startswith("key"):
        rows = [{**row, "brand": ["x", "Y z", "ÄÖ"][number % 3]} for number, row in enumerate(rows)]
    with small():
        publish([row for row in rows if row["loc"] != BASE + "p000001"], tmp_path, shard_by=shard_by)
        # Its shard is not the one that it would be in if all were new.
        publish(rows, tmp_path, day=2, shard_by=shard_by)
        expected, before = rows_of(tmp_path / MANIFEST), tree(tmp_path)
        DAMAGES[damage](tmp_path / MANIFEST)
        # Asked for otherwise, so that the rows are looked at, though they are the same.
        again = publish(rows, tmp_path, day=3, shard_by=shard_by, x_default="en")
        found = rows_of(tmp_path / MANIFEST)
        # No loc has moved, and not a byte of what is served was written.
        assert (again.written, again.removed) == ((), ())
        assert (again.plan.same, again.plan.moved, again.plan.added) == (7, 0, 0)
        kept = [{name: row[name] for name in ("loc", "shard", "entry_hash", "lastmod")} for row in found]
        assert kept == [{name: row[name] for name in ("loc", "shard", "entry_hash", "lastmod")} for row in expected]
        served = {name: data for name, data in tree(tmp_path).items() if not name.startswith(".urlset/")}
        assert served == {name: data for name, data in before.items() if not name.startswith(".urlset/")}
        # It is as good as the lost one from then on.
        once_more = stamps(tmp_path)
        assert publish(rows, tmp_path, day=4, shard_by=shard_by, x_default="en").written == ()
        assert stamps(tmp_path) == once_more


def test_of_several_sections_a_lost_manifest_moves_nothing(tmp_path: Path) -> None:
    pages = [{"loc": f"/p{number}", "images": [BASE + "i.png"]} for number in range(5)]
    posts = [{"loc": f"/n{number}", "lastmod": f"2023-{number % 2 + 1:02}-01"} for number in range(5)]
    sections = {
        "Pages!": Section(pages),
        "posts": Section(posts, "date:month"),
        "rows": Section(["/z", "/y"], "sequence"),
    }
    with small():
        publish(sections, tmp_path)
        (tmp_path / MANIFEST).unlink()
        again = publish(sections, tmp_path, day=2)
    assert again.written == ()
    assert (again.plan.same, again.plan.moved) == (12, 0)


def test_expiring_documents_of_a_lost_manifest_are_no_shards(tmp_path: Path) -> None:
    article = {"publication_name": "N", "publication_language": "en", "publication_date": "2024-01-01", "title": "T"}
    rows: list[Any] = [{"loc": loc, "lastmod": "2023-12-31"} for loc in locs(5)] + [{"loc": "/n", "news": article}]
    options: dict[str, Any] = {"recent": 5, "news": True, "removed": 50}
    with small():
        publish([*rows, *locs(2, "gone")], tmp_path, **options)
        second = publish(rows, tmp_path, day=2, **options)
        before = {name for name in names(tmp_path) if name.startswith("sitemap")}
        (tmp_path / MANIFEST).unlink()
        third = publish(rows, tmp_path, day=2, **options)
        assert third.written == ()
        assert {shard.shard for shard in second.plan.shards} == {shard.shard for shard in third.plan.shards}
        assert (third.plan.moved, third.plan.added, third.plan.removed) == (0, 0, 0)
        assert {name for name in names(tmp_path) if name.startswith("sitemap")} == before
        # What is gone is so since then.
        gone = [row for row in rows_of(tmp_path / MANIFEST) if row["gone"]]
        assert {(row["loc"].removeprefix(BASE), row["gone"], row["shard"]) for row in gone} == {
            *(("gone000000", DAY[1], None), ("gone000001", DAY[1], None)),
        }
        fourth = publish(rows, tmp_path, day=3, **options)
        [removed] = [shard for shard in fourth.plan.shards if shard.section == "removed"]
        assert (removed.action, removed.entries) == ("keep", 2)


def test_content_of_a_lost_manifest_begins_anew(tmp_path: Path) -> None:
    """What the pages said is forgotten, and a single document does not say whose lastmods it has."""
    columns = {"content": "text"}

    def rows(*texts: str) -> list[dict[str, Any]]:
        return [{"loc": f"/{number}", "text": text} for number, text in enumerate(texts)]

    publish(rows("1", "1"), tmp_path, columns=columns)
    publish(rows("1", "2"), tmp_path, day=2, columns=columns)
    (tmp_path / MANIFEST).unlink()
    again = publish(rows("1", "2"), tmp_path, day=3, columns=columns)
    assert again.plan.lastmod_sources == {"none": 2}
    fourth = publish(rows("3", "2"), tmp_path, day=4, columns=columns)
    assert fourth.plan.lastmod_sources == {"content": 1, "none": 1}


def test_a_lost_manifest_does_not_leave_documents_behind(tmp_path: Path) -> None:
    with small():
        publish(locs(7), tmp_path)
        (tmp_path / MANIFEST).unlink()
        second = publish(locs(7, "other"), tmp_path, day=2)
        third = publish(locs(7, "third"), tmp_path, day=3)
    assert names(tmp_path) == {"sitemap.xml"} | {shard.name for shard in (*second.shards, *third.shards)}


def test_a_lost_entry_point_is_put_back(tmp_path: Path) -> None:
    for count in (2, 7):
        folder = tmp_path / str(count)
        with small():
            publish([*locs(count)[1:]], folder)
            publish(locs(count), folder, day=2)
            before = tree(folder)
            (folder / "sitemap.xml").unlink()
            again = publish(locs(count), folder, day=3)
        assert (again.written, tree(folder)) == (("sitemap.xml",), before)


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A manifest as it was written."""
    folder = tmp_path_factory.mktemp("sealed")
    publish(locs(3), folder)
    return folder / MANIFEST


@given(st.data())
def test_any_other_bytes_break_the_seal(sealed: Path, data: st.DataObject) -> None:
    good = sealed.read_bytes()
    assert is_sealed(sealed)
    bad = data.draw(
        st.one_of(
            st.builds(partial(flipped, good), st.integers(0, len(good) - 1), st.integers(0, 7)),
            st.integers(0, len(good) - 1).map(lambda place: good[:place]),
            st.integers(1, len(good) - 1).map(lambda place: good[place:]),
            st.binary(min_size=1, max_size=9).map(lambda more: good + more),
            st.integers(0, len(good)).map(lambda place: good[:place] + b"\0" + good[place:]),
            st.binary(max_size=300),
        )
    )
    with NamedTemporaryFile() as file:
        file.write(bad)
        file.flush()
        assert not is_sealed(Path(file.name))


# --- as values ----------------------------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
WORDS = st.text("abc-012", min_size=1).map(lambda word: f"x{word}")
DIGESTS = st.text("0123456789abcdef", min_size=64, max_size=64)
COUNTS = st.integers(0, 2**40)
MOMENTS = st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat)


@st.composite
def records(draw: st.DrawFn) -> ShardRecord:
    """Documents as a publish lists them, its own and those of other programs."""
    part, is_ours, digest = draw(st.integers(1, 20_000)), draw(st.booleans()), draw(DIGESTS)
    shard, content = f"{draw(WORDS)}-{part:04}", draw(st.sampled_from([f"-{digest[:16]}", ""]))
    name = f"sitemap-{shard}{content}.xml.gz" if is_ours else f"{shard}.xml"
    return ShardRecord(
        shard=shard,
        section=draw(TEXTS),
        group=draw(TEXTS),
        part=part,
        name=name,
        url=BASE + name,
        entries=draw(COUNTS),
        bytes=draw(COUNTS),
        size=draw(COUNTS),
        sha256=digest,
        lastmod=draw(st.none() | MOMENTS),
        fingerprint=draw(st.none() | TEXTS),
        is_ours=is_ours,
    )


INDEXES = st.tuples(DIGESTS.map(lambda digest: f"sitemap-index-0002-{digest[:16]}.xml"))
HEADERS = st.builds(
    Header,
    st.just(BASE),
    MOMENTS,
    DIGESTS,
    st.sampled_from(["", "gzip dense", "none pretty", "gzip dense sitemap.css", "none dense stable"]),
    st.lists(records(), max_size=3, unique_by=lambda record: record.shard).map(tuple),
    INDEXES,
    TEXTS,
    st.dictionaries(TEXTS, st.integers(0, 2**40)),
)


@given(HEADERS)
def test_the_header_of_a_manifest_is_read_back_equal(header: Header) -> None:
    with TemporaryDirectory() as folder, duckdb.connect() as connection:
        create(connection, "known")
        path = Path(folder) / "a ' b.parquet"
        manifest.write(path, header, manifest.sorted_rows(connection, "FROM known"))
        assert manifest.header_of(path) == header
        assert manifest.load(connection, [path])


INSTANTS = st.none() | st.datetimes(timezones=st.just(UTC))
VALUES = st.none() | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
ROWS = st.lists(
    st.tuples(VALUES, VALUES, VALUES, st.none() | st.integers(0, 2**64 - 1), *[VALUES] * 3, *[INSTANTS] * 3),
    max_size=20,
)


def table_of(rows: list[tuple[Any, ...]]) -> Any:
    """Rows of a manifest as a table."""
    moment = pa.timestamp("us", "UTC")
    kinds = [*[pa.string()] * 3, pa.uint64(), *[pa.string()] * 3, *[moment] * 3]
    columns = zip(*rows, strict=True) if rows else [[]] * len(kinds)
    return pa.table([pa.array(list(each), kind) for each, kind in zip(columns, kinds, strict=True)], names=COLUMNS)


@given(st.lists(ROWS, max_size=3))
def test_other_programs_read_what_the_core_writes(tables: list[list[tuple[Any, ...]]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        manifest.write(path, None, *map(table_of, tables))
        expected = table_of([row for rows in tables for row in rows])
        assert parquet.read_table(path).equals(expected)
        with duckdb.connect() as connection:
            connection.execute("SET TimeZone = 'UTC'")
            assert connection.read_parquet(str(path)).fetchall() == [
                tuple(row.values()) for row in expected.to_pylist()
            ]
        # It says nothing beside the rows and the checksum.
        assert [*parquet.read_schema(path).metadata] == [KEY.encode()]


@pytest.mark.parametrize("count", [122_880, 122_881])
def test_rows_of_several_groups_are_read_back(tmp_path: Path, count: int) -> None:
    seen = datetime(2024, 1, 1, tzinfo=UTC)
    rows = [
        (f"{BASE}{number:07}", "", f"{number // 50_000}", number, None, None, None, seen, seen, None)
        for number in range(count)
    ]
    manifest.write(tmp_path / "rows.parquet", None, table_of(rows))
    assert parquet.read_table(tmp_path / "rows.parquet").equals(table_of(rows))


def test_moments_are_in_utc(tmp_path: Path) -> None:
    now = datetime(2024, 1, 1, 12, tzinfo=UTC)
    publish(locs(1), tmp_path, now=now)
    [row] = rows_of(tmp_path / MANIFEST)
    assert (row["first_seen"], row["last_seen"]) == (now, now)
