"""What the tests of the transport share."""
