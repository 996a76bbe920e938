"""A `menu-player` without the packages of Python in MENU_TEST_LACKING (with commas)."""

from __future__ import annotations

import os
import sys
from typing import Any

LACKING = os.environ["MENU_TEST_LACKING"].split(",")


class Without:
    """Finds what another finder finds, but none of those."""

    def __init__(self, finder: Any) -> None:
        self._finder = finder

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        return None if name.partition(".")[0] in LACKING else self._finder.find_spec(name, path, target)


if __name__ == "__main__":
    sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
    from player.cli import main

    sys.exit(main())
