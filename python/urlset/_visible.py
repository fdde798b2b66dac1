"""Foreign text made fit for a terminal."""

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


def visible(text: str) -> str:
    """`text` with every control and direction mark drawn as one visible character of width one."""
    return text.translate(_SHOWN)
