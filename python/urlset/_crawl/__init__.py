"""A site from its links: every page that they lead to, once."""
