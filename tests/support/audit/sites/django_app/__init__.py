"""The application of the site of Django."""
