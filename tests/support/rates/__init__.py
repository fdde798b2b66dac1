"""What the tests of rates share."""
