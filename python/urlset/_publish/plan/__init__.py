"""Which shard each row goes to, which documents change, and whether a guard stops the publish."""
