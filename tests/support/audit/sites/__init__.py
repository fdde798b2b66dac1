"""Sites that real generators build, of content of our own in three languages."""
