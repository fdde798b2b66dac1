"""Rows on their way in: read, rendered, grouped, and held until shards are assigned."""
