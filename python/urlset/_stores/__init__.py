"""Where a set is stored: a folder or an object store."""
