"""How often a property is tried that is cheaper, dearer or more important than others."""

from hypothesis import settings

#: The number of examples that `times` counts in.
USUAL = 100


def times(examples: int) -> settings:
    """Return the settings for so many examples where others have 100, and for the same share of them in any run."""
    return settings(max_examples=max(2, examples * settings().max_examples // USUAL))
