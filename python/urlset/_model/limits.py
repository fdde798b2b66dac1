"""The two kinds of bounds: the protocol's limits, which a document may exceed, and the budget, which nothing may."""

from __future__ import annotations

from dataclasses import dataclass

from urlset import _core
from urlset._model.errors import InputError

_DEFAULT = _core.default_budget()
_PROTOCOL = _core.protocol_limits()
#: Articles of one document. Source: Google Search Central, news sitemaps.
NEWS_PER_DOCUMENT = 1_000


def _check(bounds: Budget | Limits) -> None:
    """Raise InputError for a bound that is not a whole number from 1 up."""
    for name in bounds.__slots__:
        value = getattr(bounds, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise InputError(f"{type(bounds).__name__}.{name} must be a whole number from 1 up, got {value!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What reading one document may cost.

    A document that exceeds a bound ends there, with a LimitError and LIM007; the entries before that position count.

    Attributes:
        wire_bytes: Bytes of the document as it is stored.
        decoded_bytes: Bytes that come out of each layer of compression, and of the text in UTF-8.
        ratio: How many times as long as its input the output of a layer may be, beyond its first 16 MiB.
        layers: Layers of compression inside each other.
        piece_bytes: Bytes of one entry, comment or tag.
        text_bytes: Bytes of one text, attribute or line.
        depth: Open elements inside each other.
        attributes: Attributes of one tag.
        prefixes: Namespace declarations in force.
        items_per_entry: Images of one entry, and as many videos and alternates.
        entries: Entries of the document.
        findings: Findings that are kept; all are counted.

    Raises:
        InputError: A bound is not a whole number from 1 up.

    Example:
        >>> import urlset
        >>> urlset.Budget(entries=1_000_000).entries
        1000000
    """

    wire_bytes: int = _DEFAULT.wire_bytes
    decoded_bytes: int = _DEFAULT.decoded_bytes
    ratio: int = _DEFAULT.ratio
    layers: int = _DEFAULT.layers
    piece_bytes: int = _DEFAULT.piece_bytes
    text_bytes: int = _DEFAULT.text_bytes
    depth: int = _DEFAULT.depth
    attributes: int = _DEFAULT.attributes
    prefixes: int = _DEFAULT.prefixes
    items_per_entry: int = _DEFAULT.items_per_entry
    entries: int = _DEFAULT.entries
    findings: int = _DEFAULT.findings

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a document should keep to. One that exceeds them is read all the same, and reported by LIM001 or LIM002.

    Attributes:
        entries: Entries of one document.
        bytes: Bytes of one document before compression.

    Raises:
        InputError: A limit is not a whole number from 1 up.

    Source:
        sitemaps.org protocol.
    """

    entries: int = _PROTOCOL.entries
    bytes: int = _PROTOCOL.bytes

    def __post_init__(self) -> None:
        _check(self)


#: The limits of the protocol: 50,000 entries and 52,428,800 bytes.
PROTOCOL = Limits()
#: What reading a document may cost unless the caller says otherwise.
USUAL = Budget()
