"""The values that go in and come out, and the errors."""
