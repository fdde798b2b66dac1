"""What the stages hand each other: the options, the shards, the records of a set."""
