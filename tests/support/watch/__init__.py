"""What the tests of watching share."""
