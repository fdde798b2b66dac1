"""Findings as text: one module a format, each with a `render`."""
