"""Comparing two sets."""
