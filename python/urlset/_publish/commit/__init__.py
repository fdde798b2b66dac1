"""The documents of a planned set put into force, and what the caller is told of it."""
