"""The number of examples that the tests try: a few generated cases, the same in every run, or many new ones (`make
test-long`)."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import Phase, settings

EXAMPLES = int(os.environ.get("MENU_EXAMPLES", "0"))
"""0: the few of each test."""
KILLS = int(os.environ.get("MENU_TEST_KILLS", "1"))
"""Kills of a running service, by each test that kills it again and again."""


def examples(few: int, **more: Any) -> settings:
    """Settings that draw EXAMPLES cases, or the same few in every run. No clock judges them; a case that fails is made
    smaller, which takes minutes, only where somebody looks for such cases."""
    return settings(
        max_examples=EXAMPLES or few,
        derandomize=not EXAMPLES,
        database=None,
        deadline=None,
        phases=tuple(Phase) if EXAMPLES else (Phase.explicit, Phase.generate),
        **more,
    )
