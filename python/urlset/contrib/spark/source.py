"""The data source of Spark 4: `spark.read.format("sitemap")` and `df.write.format("sitemap")`."""

from __future__ import annotations

from pyspark.sql.datasource import DataSource
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from urlset.contrib.spark.options import read_options
from urlset.contrib.spark.reader import SitemapReader
from urlset.contrib.spark.stream import SitemapStreamReader
from urlset.contrib.spark.tables import table_schema
from urlset.contrib.spark.writer import SitemapWriter


class SitemapSource(DataSource):
    """Sitemaps as a source of rows. Spark finds it by its name; `docs/spark.md` lists its options.

    Example:
        >>> frame = spark.read.format("sitemap").load("s3://bucket/sitemaps/")  # doctest: +SKIP
        >>> frame.where("lastmod >= '2026-11-01'").select("loc").show()  # doctest: +SKIP
    """

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "sitemap"

    def schema(self) -> StructType:
        """Return the columns of the table that is read."""
        return from_arrow_schema(table_schema(read_options(self.options).table))

    def reader(self, schema: StructType) -> SitemapReader:
        """Return what reads it."""
        return SitemapReader(read_options(self.options), schema)

    def streamReader(self, schema: StructType) -> SitemapStreamReader:  # noqa: N802  (Spark's name)
        """Return what reads new and changed documents."""
        return SitemapStreamReader(read_options(self.options), schema)

    def writer(self, schema: StructType, overwrite: bool) -> SitemapWriter:
        """Return what writes a set."""
        return SitemapWriter(self.options, schema, overwrite)
