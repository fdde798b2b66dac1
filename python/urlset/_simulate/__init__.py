"""What becomes of a crawler's copies under a policy: pages change, sitemaps say so or not, and fetches take place."""
