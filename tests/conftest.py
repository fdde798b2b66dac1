"""How long hypothesis searches: `pytest --hypothesis-profile=long` (with `--hypothesis-seed=N`) for hours.

The default profile draws the same examples every time, so that a failure is one on every machine.
"""

from hypothesis import HealthCheck, settings

slow = [HealthCheck.too_slow]
settings.register_profile("short", deadline=None, derandomize=True, suppress_health_check=slow)
settings.register_profile("long", deadline=None, max_examples=100_000, suppress_health_check=slow)
settings.load_profile("short")
