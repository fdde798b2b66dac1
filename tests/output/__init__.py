"""Tests of the formats in which findings are shown."""
