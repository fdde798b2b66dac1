"""What the tests of linting share."""
