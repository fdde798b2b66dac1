"""What is kept in memory: never more than there is room for, and what was asked for last."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from urlset._serve.bodies import Recent

ROOM = 100


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 120), st.booleans()), max_size=60))
def test_contents_never_exceed_the_room(steps: list[tuple[str, int, bool]]) -> None:
    recent = Recent(ROOM)
    model: dict[str, int] = {}
    for name, size, is_put in steps:
        if is_put and name not in model and size <= ROOM:
            model[name] = size
            while sum(model.values()) > ROOM:
                del model[next(iter(model))]
        elif not is_put and name in model:
            model[name] = model.pop(name)  # the last one now
        if is_put:
            recent.put((name, False), bytes(size))
        else:
            recent.get((name, False))
    # A copy is compared, because asking changes the order.
    held = {name: recent.get((name, False)) for name in "abcdefgh"}
    assert {name: len(data) for name, data in held.items() if data is not None} == model
    assert sum(model.values()) <= ROOM
