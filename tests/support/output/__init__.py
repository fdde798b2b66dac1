"""What the tests of formats of findings share."""
