"""How Spark finds `format("sitemap")`: it imports what is called `pyspark_*` and registers its `DefaultSource`."""

from urlset.contrib.spark.source import SitemapSource as DefaultSource

__all__ = ["DefaultSource"]
