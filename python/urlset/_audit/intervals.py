"""Between which values a share of a whole is, if it was counted in a part of it."""

from __future__ import annotations


def wilson(hits: int, drawn: int, *, z: float = 1.96) -> tuple[float, float]:
    """Return the interval that has a share with a probability of 95 %, if it was seen in a sample.

    Source: Wilson, Probable inference, the law of succession, and statistical inference (1927).

    Example:
        >>> low, high = wilson(10, 100)
        >>> round(low, 3), round(high, 3)
        (0.055, 0.174)
    """
    if not drawn:
        return 0.0, 1.0
    share, square = hits / drawn, z * z
    middle = (share + square / (2 * drawn)) / (1 + square / drawn)
    half = z * (share * (1 - share) / drawn + square / (4 * drawn * drawn)) ** 0.5 / (1 + square / drawn)
    return max(0.0, middle - half), min(1.0, middle + half)
