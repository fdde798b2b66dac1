"""Numbers in words."""

from collections.abc import Mapping


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 entry`, `2,000 entries`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def tally(counts: Mapping[str, int]) -> str:
    """`3 LOC002, 1 MOD001`: codes from the most frequent on."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{number:,} {code}" for code, number in ordered)
