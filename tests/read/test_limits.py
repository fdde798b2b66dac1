"""What one document may cost: each bound has its own error, and no input costs more than its bytes allow."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.documents import CORE
from support.reading import cut
from urlset import Budget, InputError, LimitError, Limits

LOC = "https://e.com/"
HEAD = f'<urlset xmlns="{CORE}"><url><loc>{LOC}</loc></url>'


def document(inner: str = "") -> bytes:
    """One entry, and then `inner`."""
    return f"{HEAD}{inner}</urlset>".encode()


SPACES = document(" <!---->" * 4_000_000)
#: Each bound of a `Budget` with a value, a document within it, a document that exceeds it, and the message.
BOUNDS: dict[str, tuple[int, bytes, bytes, str]] = {
    "wire_bytes": (300, document(), document(" " * 300), "the document is longer than 300 bytes"),
    "decoded_bytes": (
        300, gzip.compress(document()), gzip.compress(document(" " * 300)), "the gzip data holds more than 300 bytes",
    ),
    "ratio": (
        100, gzip.compress(SPACES[:9_000_000] + b"</urlset>"), gzip.compress(SPACES),
        "the gzip data unpacks to more than 100 times its size",
    ),
    "layers": (
        1, gzip.compress(document()), gzip.compress(gzip.compress(document())), "has more than 1 layer of compression",
    ),
    "piece_bytes": (
        200, document("<!--fine-->"), document(f"<!--{'x' * 300}-->"),
        "one piece of the document is longer than 200 bytes",
    ),
    "text_bytes": (
        200, document(), document(f"<url><loc>{LOC}{'x' * 200}</loc></url>"),
        "a text of 214 bytes; the configured limit is 200",
    ),
    "depth": (
        4, document("<url><a><a/></a></url>"), document(f"<url>{'<a>' * 9}{'</a>' * 9}</url>"),
        "more than 4 elements open inside each other",
    ),
    "attributes": (
        2, document("<url a='' b=''/>"), document("<url a='' b='' c=''/>"), "more than 2 attributes on one tag",
    ),
    "prefixes": (
        2, document("<url xmlns:a='a'/>"), document("<url xmlns:a='a' xmlns:b='b'/>"),
        "more than 2 declarations of namespaces in force",
    ),
    "items_per_entry": (
        2,
        document("<url xmlns:i='http://www.google.com/schemas/sitemap-image/1.1'><i:image/><i:image/></url>"),
        document("<url xmlns:i='http://www.google.com/schemas/sitemap-image/1.1'><i:image/><i:image/><i:image/></url>"),
        "more than 2 images in one entry",
    ),
    "entries": (1, document(), document(f"<url><loc>{LOC}</loc></url>"), "more than 1 entries in one document"),
}  # fmt: skip


def test_every_bound_has_a_case() -> None:
    # The findings that are kept bound nothing but themselves.
    assert BOUNDS.keys() | {"findings"} == {field.name for field in fields(Budget)}


@pytest.mark.parametrize(
    "limits",
    [
        pytest.param(urlset.PROTOCOL, id="the protocol's limits"),
        pytest.param(None, id="no limits", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("name", BOUNDS)
def test_each_bound_ends_reading_with_its_own_error(name: str, limits: Limits | None) -> None:
    bound, fine, beyond, message = BOUNDS[name]
    options: Any = {"budget": Budget(**{name: bound}), "limits": limits}
    assert urlset.parse(fine, **options).completeness == "complete"
    with pytest.raises(LimitError, match=message):
        urlset.parse(beyond, **options, strict=True)
    collected = urlset.parse(beyond, **options)
    assert (collected.completeness, collected.counts["LIM007"]) == ("truncated", 1)
    [found] = [diagnostic for diagnostic in collected.diagnostics if diagnostic.code == "LIM007"]
    assert message in found.message
    # All before the place counts; of layers that are too many nothing is before it.
    assert [entry.loc for entry in collected] == [LOC] * (name != "layers")
    # For lint it is a finding like others, at the same position, whatever else was selected.
    for select in (None, ["LOC002"]):
        [told] = urlset.lint(
            beyond, budget=options["budget"], rules=urlset.Rules(select=select, ignore=["LOC014"])
        ).filter(["LIM007"])
        assert (told.line, told.column, told.message) == (found.line, found.column, found.message)
        assert (told.code, told.severity) == ("LIM007", "error")
    assert "LIM007" not in urlset.lint(fine, budget=options["budget"]).counts
    if len(beyond) < 1_000:
        [again] = urlset.scan(cut(beyond, range(len(beyond))), **options).collect().documents
        assert (list(again), again.diagnostics) == (list(collected), collected.diagnostics)


def test_only_the_first_findings_are_kept_and_all_are_counted() -> None:
    found = urlset.parse(document("<url/>" * 50), budget=Budget(findings=7))
    assert (len(found.diagnostics), found.counts, len(found)) == (7, {"LOC001": 50}, 51)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "1", None])
@pytest.mark.parametrize("bounds", [Budget, Limits])
def test_a_bound_is_a_whole_number(bounds: Any, wrong: Any) -> None:
    name = fields(bounds)[0].name
    with pytest.raises(InputError, match=rf"{bounds.__name__}\.{name} must be "):
        bounds(**{name: wrong})


def test_the_limits_of_the_protocol_are_reported_and_can_be_turned_off() -> None:
    data = document(f"<url><loc>{LOC}</loc></url>" * 3)
    assert urlset.parse(data, limits=Limits(entries=3)).counts == {"LIM001": 1}
    assert urlset.parse(data, limits=Limits(bytes=100)).counts == {"LIM002": 1}
    many = document(f"<url><loc>{LOC}</loc></url>" * 50_000)
    assert urlset.parse(many).counts == {"LIM001": 1}
    assert urlset.parse(many, limits=None).counts == {}


# --- what grows without end ---------------------------------------------------------------------------------

#: Inputs by what they have too much of: the pieces of the document, how many rows, how it is called, and whose bound.
#: How much work they make is counted in the core's own tests; here they come in the sizes that attackers use.
LONG: dict[str, tuple[str, str, int, str, str, int, str]] = {
    #                      begins with     goes on with                how often   ends with            completeness
    "broken tags": (HEAD, f"<url><loc>{LOC}</loc", 40_000, "</url>", "</urlset>", 40_001, "recovered"),
    "a text": (HEAD + "<url><loc>", "x" * 1_000, 100_000, "", "</loc></url></urlset>", 1, "truncated"),
    "attributes": (HEAD + "<url ", "a='' ", 1_000_000, "", "/></urlset>", 1, "truncated"),
    "nested tags": (HEAD + "<url>", "<a>", 100_000, "", "</urlset>", 1, "truncated"),
    "prefixes": (HEAD + "<url ", "xmlns:a='b' ", 1_000_000, "", "/></urlset>", 1, "truncated"),
    "a comment": (HEAD + "<!--", "x" * 1_000, 100_000, "", "--></urlset>", 1, "truncated"),
    "a line": ("http://e.com/\n", "x" * 1_000, 100_000, "", "\n", 1, "truncated"),
    "ampersands": (HEAD, "<url><loc>http://e.com/&&&&</loc></url>", 100_000, "", "</urlset>", 100_001, "recovered"),
    "noise": ("", "x" * 1_000, 100_000, "", "", 0, "refused"),
}


def pieces(name: str) -> Iterator[bytes]:
    """One of the long inputs, a piece at a time."""
    start, part, count, close, end, *_ = LONG[name]
    yield start.encode()
    yield from repeat((part + close).encode(), count)
    yield end.encode()


def read_long(name: str) -> tuple[int, str]:
    """How many rows one of them has, and how much of it was read."""
    scan = urlset.scan(pieces(name), columns=["line"])
    rows = 0
    try:
        for batch in scan.batches():
            rows += len(batch)
    except urlset.NotASitemapError:
        pass
    return rows, scan.completeness


MEMORY = """
import sys
sys.path.insert(0, {folder!r})
from read import test_limits

def resident(name):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(name))

start = resident("VmRSS")
rows, completeness = test_limits.read_long({name!r})
print(rows, completeness, resident("VmHWM") - start)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize("name", LONG)
def test_huge_documents_are_read_in_bounded_memory(name: str) -> None:
    script = MEMORY.format(folder=str(Path(__file__).parents[1]), name=name)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    rows, completeness, memory = done.stdout.split()
    assert (int(rows), completeness) == LONG[name][5:]
    # A piece of 8 MiB, the copy that is made when it grows, and its recovery.
    assert int(memory) < 50_000_000, memory


def test_a_bomb_is_stopped_long_before_it_is_unpacked() -> None:
    packed = gzip.compress(document(" <!---->" * (8 << 20)))
    assert len(packed) * 500 < 64 << 20
    for bomb in (packed, gzip.compress(packed)):
        [failure] = urlset.read(bomb).failures
        assert isinstance(failure, LimitError)
        assert "unpacks to more than 256 times its size" in str(failure)
