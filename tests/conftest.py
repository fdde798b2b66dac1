"""What all tests share: how many examples hypothesis draws, and a browser.

Hypothesis takes `--hypothesis-profile=NAME`:

- `short` (the default, `make test`): a few examples of each property.
- `thorough` (`make test-long`): 50, or half as many as a property asks for.
- `hours`: a search that ends when somebody stops it. Give it a `--hypothesis-seed=N`.

The first two draw the same examples every time, so a failure is the same on every machine.
"""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from support.chromium import Chromium

slow = [HealthCheck.too_slow]
settings.register_profile("short", deadline=None, max_examples=20, derandomize=True, suppress_health_check=slow)
settings.register_profile("thorough", deadline=None, max_examples=50, derandomize=True, suppress_health_check=slow)
settings.register_profile("hours", deadline=None, max_examples=100_000, suppress_health_check=slow)
settings.load_profile("short")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    """A real browser."""
    with Chromium.start() as chromium:
        yield chromium
