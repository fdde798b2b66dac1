"""The two kinds of bounds: the protocol's numbers, which a document may break, and ours, which nothing may."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from urlset import _core
from urlset._model.errors import InputError

_DEFAULT = _core.default_budget()
_PROTOCOL_ENTRIES, _PROTOCOL_BYTES = _core.protocol_limits()


def _check(bounds: Budget | Limits) -> None:
    """Raises InputError for what is no number of things."""
    for field in fields(bounds):
        value = getattr(bounds, field.name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise InputError(f"{type(bounds).__name__}.{field.name} is {value!r}; it is a whole number from 1 on")


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What reading one document may cost us. Meeting a bound ends that document with a LimitError and LIM007; the
    entries before the place count.

    `wire_bytes` bounds the bytes as they come, `decoded_bytes` what comes out of each layer of compression and the text
    in the end, `ratio` how many times as long as its input a layer's output may be past 16 MiB, `layers` how many are
    inside each other. `piece_bytes` bounds one entry, comment or tag, `text_bytes` one text, attribute or line, `depth`
    the elements open inside each other, `attributes` those of one tag, `prefixes` the namespace declarations in force,
    `items_per_entry` its images, and as many videos and alternates, `entries` those of the document. Of `findings` only
    the first are kept; the others are counted.

    Raises InputError for a bound that is no whole number from 1 on.
    """

    wire_bytes: int = _DEFAULT["wire_bytes"]
    decoded_bytes: int = _DEFAULT["decoded_bytes"]
    ratio: int = _DEFAULT["ratio"]
    layers: int = _DEFAULT["layers"]
    piece_bytes: int = _DEFAULT["piece_bytes"]
    text_bytes: int = _DEFAULT["text_bytes"]
    depth: int = _DEFAULT["depth"]
    attributes: int = _DEFAULT["attributes"]
    prefixes: int = _DEFAULT["prefixes"]
    items_per_entry: int = _DEFAULT["items_per_entry"]
    entries: int = _DEFAULT["entries"]
    findings: int = _DEFAULT["findings"]

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a document should keep to. One that does not is read all the same, and told of by LIM001 or LIM002.

    `entries` of one document, and `bytes` of it before compression. Source: sitemaps.org protocol.
    """

    entries: int = _PROTOCOL_ENTRIES
    bytes: int = _PROTOCOL_BYTES

    def __post_init__(self) -> None:
        _check(self)


#: The protocol's own: 50,000 entries and 52,428,800 bytes.
PROTOCOL = Limits()


def bounds_for_core(budget: Budget, limits: Limits | None) -> tuple[dict[str, int], tuple[int, int] | None]:
    """Both as the core takes them."""
    return asdict(budget), None if limits is None else (limits.entries, limits.bytes)
