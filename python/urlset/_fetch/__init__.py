"""Documents over HTTP: which addresses may be reached, and how a server is asked. Nothing here reads a sitemap."""
