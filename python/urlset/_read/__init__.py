"""Reading: from sources to entries."""
