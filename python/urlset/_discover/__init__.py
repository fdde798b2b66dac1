"""Finding the sitemaps of a site."""
