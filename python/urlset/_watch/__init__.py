"""What has changed on a site since the last run."""
