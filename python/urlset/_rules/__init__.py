"""The catalogue of rules, who applies which, and how they are selected."""
