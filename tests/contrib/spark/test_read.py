"""`spark.read.format("sitemap")` on a real Spark: the same rows as `urlset.read`, in Spark's types."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import urlset
from jobs.test_archives import CRAWL
from jobs.test_reading import broken, index, pages
from lxml import etree
from support.s3 import S3Server
from support.warc import archive

pytestmark = pytest.mark.long

SITEMAPS = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
MEDIA = """<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml"
xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">
<url><loc>https://shop.example/a</loc><lastmod>2026-11-20T10:00:00.123456+02:00</lastmod><changefreq>daily</changefreq>
<priority>0.7</priority><image:image><image:loc>https://shop.example/a.png</image:loc></image:image>
<xhtml:link rel="alternate" hreflang="de" href="https://shop.example/de/a"/>
<news:news><news:publication><news:name>Tea</news:name><news:language>en</news:language></news:publication>
<news:publication_date>2026-11-20</news:publication_date><news:title>Pots</news:title></news:news>
<video:video><video:title>Pour</video:title><video:tag>tea</video:tag><video:tag>pot</video:tag></video:video></url>
<url><loc>https://shop.example/b</loc><lastmod>yesterday</lastmod></url></urlset>"""

#: Reads the same in two ways: through the data source of Spark 4, and through `mapInArrow`, as of Spark 3.5.
Reads = Callable[..., Any]


def by_source(spark: Any, paths: Any, **options: Any) -> Any:
    from urlset.contrib.spark.tables import table_schema

    columns, reader = options.pop("columns", None), spark.read.format("sitemap")
    for name, value in options.items():
        reader = reader.option(name, value)
    if columns is not None:
        from pyspark.sql.pandas.types import from_arrow_schema

        reader = reader.schema(from_arrow_schema(table_schema(options.get("table", "entries"), columns)))
    return reader.load(paths)


def by_arrow(spark: Any, paths: Any, **options: Any) -> Any:
    from urlset.contrib.spark import read

    return read(spark, paths, **options)


@pytest.fixture(params=[by_source, by_arrow])
def reads(request: pytest.FixtureRequest) -> Reads:
    found: Reads = request.param
    return found


@contextmanager
def setting(spark: Any, name: str, value: str) -> Iterator[None]:
    before = spark.conf.get(name)
    spark.conf.set(name, value)
    try:
        yield
    finally:
        spark.conf.set(name, before)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of three shards with an index."""
    folder = tmp_path_factory.mktemp("set") / "site"
    rows = [
        {"loc": f"https://shop.example/p{number}", "lastmod": f"2026-11-{1 + number % 20:02}"}
        for number in range(120_000)
    ]
    urlset.publish(rows, folder, base_url="https://shop.example/")
    return folder


def locs_by_lxml(folder: Path) -> list[str]:
    found = []
    for path in sorted(folder.glob("sitemap-*.xml.gz")):
        tree = etree.fromstring(gzip.decompress(path.read_bytes()))
        found += [loc.text or "" for loc in tree.iter(f"{SITEMAPS}loc")]
    return found


def test_a_set_is_read_as_by_others(spark: Any, site: Path, reads: Reads) -> None:
    frame = reads(spark, str(site), min_partitions=4)
    assert frame.rdd.getNumPartitions() == 4
    assert [row.loc for row in frame.select("loc").collect()] == locs_by_lxml(site)


def plain(value: Any) -> Any:
    """A value of a row as Python has it in `to_pylist`."""
    if hasattr(value, "asDict"):
        return {name: plain(each) for name, each in value.asDict().items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value


def test_every_column_has_the_values_of_read(spark: Any, tmp_path: Path, reads: Reads) -> None:
    (tmp_path / "media.xml").write_text(MEDIA)
    (tmp_path / "list.txt").write_text("https://shop.example/c\n")
    (tmp_path / "robots.txt").write_text("Sitemap: https://shop.example/media.xml\n")
    for paths in (str(tmp_path / "*.*"), [str(tmp_path / "media.xml"), str(tmp_path / "list.txt")]):
        frame = reads(spark, paths, follow=False)
        table = urlset.read(paths, follow=False).to_arrow()
        assert frame.columns == table.column_names
        assert [plain(row) for row in frame.collect()] == table.to_pylist()


def test_a_schema_reads_only_its_columns(spark: Any, site: Path) -> None:
    frame = spark.read.format("sitemap").schema("line bigint, loc string").load(str(site / "sitemap.xml"))
    first = frame.first()
    assert first.asDict() == {"line": urlset.read(site)[0].line, "loc": "https://shop.example/p0"}
    assert frame.count() == 120_000


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("locc string", "did you mean loc"),
        ("loc int", "has the type string in Arrow, got int"),
        ("loc string NOT NULL", "cannot be declared NOT NULL"),
    ],
)
def test_a_wrong_schema_is_refused(spark: Any, site: Path, schema: str, message: str) -> None:
    with pytest.raises(Exception, match=message):
        spark.read.format("sitemap").schema(schema).load(str(site)).collect()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stric": "true"}, "did you mean strict"),
        ({"table": "rows"}, "table must be 'entries', 'documents' or 'diagnostics'"),
        ({"target_bytes": "64MB"}, "target_bytes must be a whole number"),
        ({"kind": "html"}, "kinds must be one of"),
    ],
)
def test_a_wrong_option_is_refused(spark: Any, site: Path, options: dict[str, str], message: str) -> None:
    with pytest.raises(Exception, match=message):
        by_source(spark, str(site), **options).collect()


def test_a_folder_without_an_entry_point_stands_for_its_documents(spark: Any, tmp_path: Path, reads: Reads) -> None:
    for name in ("a.xml", "b.txt", "notes.md", "below/c.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"https://shop.example/{name}")
    assert locs(reads(spark, str(tmp_path))) == ["a.xml", "b.txt"]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"recursiveFileLookup": "true"}, ["below/c.txt", "d.txt", "sitemap.xml"]),
        ({"pathGlobFilter": "*.txt"}, ["d.txt"]),
        ({"pathGlobFilter": "*.txt", "recursiveFileLookup": "true"}, ["below/c.txt", "d.txt"]),
        ({"pathGlobFilter": "*.md"}, ["notes.md"]),
    ],
)
def test_options_that_spark_has_for_files(
    spark: Any, tmp_path: Path, options: dict[str, str], names: list[str]
) -> None:
    folder = tmp_path / "[x]"
    for name in ("sitemap.xml", "d.txt", "notes.md", "below/c.txt"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"https://shop.example/{name}")
    assert locs(by_source(spark, str(folder), **options)) == names
    with pytest.raises(Exception, match="no file matches"):
        by_source(spark, str(folder), pathGlobFilter="*.rss").collect()


def test_options_for_files_reach_below_a_prefix(spark: Any, s3_server: S3Server) -> None:
    bucket = s3_server.new_bucket()
    for name in ("sitemap.xml", "below/c.txt"):
        s3_server.put(bucket, f"set/{name}", f"https://shop.example/{name}".encode())
    options = {
        f"store.{name}": str(value).lower() if value is True else value for name, value in s3_server.options.items()
    }
    frame = by_source(spark, f"s3://{bucket}/set/", recursiveFileLookup="true", **options)
    assert locs(frame) == ["below/c.txt", "sitemap.xml"]


def locs(frame: Any) -> list[str]:
    """The locs without their host, in order."""
    return sorted(row.loc.removeprefix("https://shop.example/") for row in frame.select("loc").collect())


def test_without_a_path_there_is_a_hint(spark: Any) -> None:
    with pytest.raises(Exception, match=r"load\('s3://bucket/'\)"):
        spark.read.format("sitemap").load()


def test_broken_documents_are_rows_and_fail_only_if_asked(spark: Any, tmp_path: Path, reads: Reads) -> None:
    found = broken(tmp_path)
    paths = [str(path) for name, path in found.items() if name not in ("missing", "folder")]
    assert reads(spark, paths).count() == len(urlset.read(paths))
    documents = {Path(row.document).stem: row for row in reads(spark, paths, table="documents").collect()}
    assert {name: row.completeness for name, row in documents.items()} == {
        "page": "refused",
        "cut": "truncated",
        "empty": "refused",
        "whole": "complete",
    }
    assert {name for name, row in documents.items() if row.errors} == {"page", "cut", "empty"}
    assert documents["cut"].counts == dict(urlset.read(found["cut"]).counts)
    diagnostics = reads(spark, paths, table="diagnostics").collect()
    mine = urlset.read(paths).diagnostics
    assert [(row.code, row.document, row.line, row.message) for row in diagnostics] == [
        (each.code, each.location, each.line, each.message) for each in mine
    ]
    with pytest.raises(Exception, match=r"page\.xml:1:1: not a sitemap"):
        reads(spark, paths, strict="true").count()


def test_a_document_that_is_removed_after_planning_is_an_error_of_its_own(spark: Any, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.xml").write_bytes(pages(0, 3))
    documents = by_arrow(spark, str(tmp_path / "*.xml"), table="documents")
    (tmp_path / "a.xml").unlink()
    rows = {Path(row.document).stem: row for row in documents.collect()}
    assert rows["a"].completeness is None
    assert len(rows["a"].errors) == 1
    assert rows["a"].errors[0].startswith(f"{tmp_path / 'a.xml'}: No such file or directory")
    assert (rows["b"].rows, rows["b"].errors) == (3, [])


def test_filters_leave_out_what_filters_of_read_do(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_bytes(index("a.xml", "b.xml"))
    (tmp_path / "a.xml").write_bytes(pages(0, 20))
    (tmp_path / "b.xml").write_bytes(pages(50, 20))
    options = {"include_sitemaps": "b.xml *c.xml", "exclude": "/51 /52", "kind": "urlset text"}
    frame = by_source(spark, str(tmp_path), **options)
    wanted = urlset.Filter(include_sitemaps=["b.xml"], exclude=["/51", "/52"])
    assert [row.loc for row in frame.collect()] == [entry.loc for entry in urlset.read(tmp_path, filter=wanted)]
    assert by_arrow(spark, str(tmp_path), filter=wanted).count() == 18


QUERIES = [
    "loc like 'https://shop.example/p11%'",
    "loc = 'https://shop.example/p119999'",
    "loc in ('https://shop.example/p7', 'https://shop.example/p8') and kind = 'urlset'",
    "lastmod >= '2026-11-19'",
    "lastmod > '2026-11-03' and lastmod < '2026-11-05'",
    "lastmod is null",
    "kind in ('text', 'rss')",
    "loc like 'https://shop.example/*%'",
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_has_the_same_rows_with_filters_pushed_down(spark: Any, site: Path, query: str) -> None:
    expected = by_source(spark, str(site)).where(query).orderBy("loc").collect()
    assert bool(expected) == (query in QUERIES[:5])
    frame = by_source(spark, str(site), pushdown="true")
    assert frame.where(query).orderBy("loc").collect() == expected  # the session does not allow it
    with setting(spark, "spark.sql.python.filterPushdown.enabled", "true"):
        frame = by_source(spark, str(site), pushdown="true")
        assert frame.where(query).orderBy("loc").collect() == expected
        assert by_source(spark, str(site)).where(query).orderBy("loc").collect() == expected


def test_pushed_filters_are_applied_in_the_tasks(site: Path) -> None:
    from pyspark.sql.datasource import EqualTo, StringStartsWith
    from pyspark.sql.pandas.types import from_arrow_schema
    from urlset.contrib.spark.options import read_options
    from urlset.contrib.spark.reader import SitemapReader
    from urlset.contrib.spark.tables import table_schema

    options = read_options({"path": str(site), "pushdown": "true"})
    reader = SitemapReader(options, from_arrow_schema(table_schema("entries", ["loc"])))
    filters = [StringStartsWith(("loc",), "https://shop.example/p1199"), EqualTo(("kind",), "urlset")]
    assert list(reader.pushFilters(filters)) == filters
    rows = [batch.num_rows for part in reader.partitions() for batch in reader.read(part)]
    assert sum(rows) == 111 == sum(loc.startswith("https://shop.example/p1199") for loc in locs_by_lxml(site))


def test_a_parquet_table_lists_the_documents(spark: Any, site: Path, tmp_path: Path, reads: Reads) -> None:
    paths = [*sorted(str(path) for path in site.glob("sitemap-*.xml.gz")), str(tmp_path / "missing.xml")]
    sizes = [(path, Path(path).stat().st_size if Path(path).exists() else None) for path in paths]
    table = str(tmp_path / "listed.parquet")
    spark.createDataFrame(sizes, "path string, bytes bigint").coalesce(1).write.parquet(table)
    frame = reads(spark, table, location_column="path", target_bytes=300_000)
    assert sorted(row.loc for row in frame.select("loc").collect()) == sorted(locs_by_lxml(site))
    assert frame.rdd.getNumPartitions() >= 3
    documents = reads(spark, table, location_column="path", table="documents").collect()
    assert sorted(row.document for row in documents) == paths
    with pytest.raises(Exception, match="has no column 'location'; it has path, bytes"):
        reads(spark, table).collect()


def test_a_frame_lists_the_documents(spark: Any, site: Path) -> None:
    from urlset.contrib.spark import read_locations

    listed = spark.createDataFrame([(str(path),) for path in site.glob("*.xml*")] + [(None,)], "path string")
    frame = read_locations(listed.repartition(2), "path", columns=["kind", "loc"])
    counts = {row["kind"]: row["count"] for row in frame.groupBy("kind").count().collect()}
    assert counts == {"urlset": 120_000, "sitemapindex": 3}


def test_an_archive_is_read(spark: Any, tmp_path: Path, reads: Reads) -> None:
    (tmp_path / "crawl.warc.gz").write_bytes(archive(CRAWL))
    rows = reads(spark, str(tmp_path / "*.warc.gz")).select("loc", "kind").collect()
    assert len(rows) == 11
    assert [row.loc for row in rows if row.kind == "robots"] == ["https://shop.example/sitemap.xml"]


def test_a_prefix_of_a_bucket_is_read(spark: Any, s3_server: S3Server, reads: Reads) -> None:
    bucket = s3_server.new_bucket()
    s3_server.put(bucket, "maps/sitemap.xml", index("a.xml", "b.xml.gz"))
    s3_server.put(bucket, "maps/a.xml", pages(0, 10))
    s3_server.put(bucket, "maps/b.xml.gz", gzip.compress(pages(100, 900)))
    if reads is by_source:
        options = {
            f"store.{name}": str(value).lower() if value is True else value for name, value in s3_server.options.items()
        }
    else:
        options = {"store": s3_server.options}
    rows = reads(spark, f"s3a://{bucket}/maps/", min_partitions=3, **options).collect()
    assert [row.loc for row in rows] == [f"https://shop.example/{number}" for number in (*range(10), *range(100, 1000))]


def test_it_joins_and_groups_like_any_frame(spark: Any, site: Path) -> None:
    frame = by_source(spark, str(site))
    per_day = {
        row.day: row["count"] for row in frame.groupBy(frame.lastmod.cast("date").alias("day")).count().collect()
    }
    assert len(per_day) == 20
    assert set(per_day.values()) == {6000}
