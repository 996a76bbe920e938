"""The number of generated scenes that the tests draw, and the exactness of their measures."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from tests.support import examples as support

EXAMPLES = support.EXAMPLES
"""More, and different, examples; 0 is the few of every run."""
SLACK = 1.5
"""Canvas units by which glyphs on whole pixels may differ from measured ones."""


def examples(few: int) -> settings:
    """EXAMPLES random ones, or the same few each time."""
    return support.examples(few, suppress_health_check=list(HealthCheck))
