"""Text for people: escaped input, numbers with their nouns, and the word that was probably meant."""

import difflib
from collections.abc import Iterable, Mapping, Sized

# A document or a row can contain what a terminal obeys: an escape sequence, or a mark that changes the
# reading direction. Neither may reach it. C0 controls have pictures; the others become U+FFFD, and so do code
# points that have no encoding or are not allowed in XML: the name of a file can contain halves of characters.
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
    """Return `text` with every control character and direction mark as one visible character of width one."""
    return text.translate(_SHOWN)


def plural(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: `1 entry`, `2,000 entries`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def tally(counts: Mapping[str, int]) -> str:
    """Return counts by code, the most frequent first: `3 LOC002, 1 MOD001`."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{number:,} {code}" for code, number in ordered)


def did_you_mean(word: object, known: Iterable[str], *, or_all: bool = False) -> str:
    """Return what to add to a message about an unknown word: the word that was probably meant.

    If no known word is similar, it is nothing, or, with `or_all`, all known words.
    """
    lower = {each.lower(): each for each in known}
    close = difflib.get_close_matches(str(word).lower(), lower, n=1)
    if close:
        return f"; did you mean {lower[close[0]]}?"
    return f"; known: {', '.join(lower.values())}" if or_all else ""


def and_failed(failures: Sized) -> str:
    """Return what a summary that says how much was read adds if not everything was."""
    return f"; {plural(len(failures), 'failure')}" if failures else ""
