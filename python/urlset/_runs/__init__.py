"""What was found out about a site, kept over runs in one file."""
