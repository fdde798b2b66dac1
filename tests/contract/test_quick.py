"""`make quick` runs the contracts and one test of each room, by the list in `tests/quick.txt`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_every_room_has_one_smoke_test() -> None:
    listed = [line.split("::")[0].split("/") for line in (TESTS / "quick.txt").read_text("utf-8").split()]
    rooms = {path.parent.relative_to(TESTS).parts[0] for path in TESTS.glob("*/test_*.py")} - {"contract"}
    assert Counter(parts[1] for parts in listed if parts[1] != "contract") == dict.fromkeys(rooms, 1)
