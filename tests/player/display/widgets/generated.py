"""How many generated scenes the tests draw, and how exactly they are measured."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

EXAMPLES = int(os.environ.get("MENU_EXAMPLES", "0"))
"""More, and different, examples; 0 is the few of every run."""
SLACK = 1.5
"""Canvas units by which glyphs on whole pixels may differ from measured ones."""


def examples(few: int) -> settings:
    """EXAMPLES random ones, or the same few each time."""
    return settings(
        max_examples=EXAMPLES or few,
        derandomize=not EXAMPLES,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
