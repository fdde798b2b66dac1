"""What every room may use: text, SQL, temporary folders."""
