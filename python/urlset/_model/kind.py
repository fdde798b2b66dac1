"""What a document can be."""

from typing import Literal

#: A sitemap, a sitemap index, a text list, a feed of either format, or a robots.txt.
Kind = Literal["urlset", "sitemapindex", "text", "rss", "atom", "robots"]
