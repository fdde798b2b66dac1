"""Rows of any table to a file."""
