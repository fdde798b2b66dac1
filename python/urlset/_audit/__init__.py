"""Whether the sitemaps of a site tell the truth about its pages."""
