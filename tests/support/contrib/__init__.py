"""What the tests of other frameworks share."""
