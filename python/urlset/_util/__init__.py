"""What every room may use: arguments, files, DuckDB, temporary folders and text."""
