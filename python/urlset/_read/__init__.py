"""Reading: sources to entries."""
