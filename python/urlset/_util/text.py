"""Text for people: foreign text escaped, numbers with their nouns, and the word that was probably meant."""

import difflib
from collections.abc import Iterable, Mapping

# A document or a row can hold what a terminal obeys: an escape sequence, or a mark that turns the
# reading direction. Neither may reach it. C0 has pictures of its own; the others get U+FFFD, and so do
# the code points that no encoding or no XML has: a file's name can hold halves of characters.
_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)}
_REPLACED = (
    *range(0x80, 0xA0),
    0x061C,
    *range(0x200E, 0x2010),
    *range(0x2028, 0x202F),
    *range(0x2066, 0x206A),
    *range(0xD800, 0xE000),
    *range(0xFFFE, 0x10000),
)
_SHOWN = _PICTURES | {0x7F: "\N{SYMBOL FOR DELETE}"} | dict.fromkeys(_REPLACED, "\N{REPLACEMENT CHARACTER}")


def escape_controls(text: str) -> str:
    """`text` with every control and direction mark drawn as one visible character of width one."""
    return text.translate(_SHOWN)


def plural(number: int, one: str, many: str | None = None) -> str:
    """`1 entry`, `2,000 entries`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def tally(counts: Mapping[str, int]) -> str:
    """`3 LOC002, 1 MOD001`: codes from the most frequent on."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{number:,} {code}" for code, number in ordered)


def did_you_mean(word: object, known: Iterable[str], *, or_all: bool = False) -> str:
    """What to add to a message about a word that nobody knows: the one that was probably meant.

    Where none is near it is nothing, or with `or_all`, for words that are few, all of them.
    """
    lower = {each.lower(): each for each in known}
    close = difflib.get_close_matches(str(word).lower(), lower, n=1)
    if close:
        return f"; did you mean {lower[close[0]]}?"
    return f"; known: {', '.join(lower.values())}" if or_all else ""
