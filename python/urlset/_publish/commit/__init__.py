"""The documents of a planned set put into force, and the report that the caller gets."""
