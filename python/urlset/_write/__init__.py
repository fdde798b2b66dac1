"""Writing: from rows to one document."""
