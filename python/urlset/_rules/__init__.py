"""The catalogue of rules, the profiles, and how rules are selected."""
