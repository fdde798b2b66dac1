"""The documents of a set: their names, their text, and their proof by reading them back."""
