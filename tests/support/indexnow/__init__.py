"""What the tests of IndexNow share."""
