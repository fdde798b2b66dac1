"""The set in force: its manifest, its integrity, its recovery, and the transaction that replaces it."""
