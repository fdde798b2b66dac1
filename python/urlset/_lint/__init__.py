"""Linting: what the rules find in documents and sets, and the fixes."""
