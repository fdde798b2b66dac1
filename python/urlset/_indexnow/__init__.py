"""Submitting changes to search engines with IndexNow."""
