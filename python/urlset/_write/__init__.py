"""Writing: rows to one document."""
