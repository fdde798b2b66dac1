"""Committing a planned set, and the report that the caller gets."""
