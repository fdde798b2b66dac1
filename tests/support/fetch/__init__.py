"""What the tests of fetching share."""
