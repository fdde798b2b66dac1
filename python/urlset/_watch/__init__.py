"""What has changed on a site since the last look."""
