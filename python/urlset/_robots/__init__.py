"""A robots.txt as a table, checked against the pages that sitemaps list."""
