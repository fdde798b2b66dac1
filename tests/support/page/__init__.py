"""What the tests of reading HTML share."""
