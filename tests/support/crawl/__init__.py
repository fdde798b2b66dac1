"""What the tests of crawling share."""
