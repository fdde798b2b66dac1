"""What the tests of audits share."""
