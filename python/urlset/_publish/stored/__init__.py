"""The current set: its manifest, its integrity, its recovery, and the transaction that replaces it."""
