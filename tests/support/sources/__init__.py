"""What the tests of sources of rows share."""
