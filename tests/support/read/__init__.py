"""What the tests of reading share."""
