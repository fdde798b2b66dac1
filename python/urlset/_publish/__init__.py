"""Publishing: rows to a whole set."""
