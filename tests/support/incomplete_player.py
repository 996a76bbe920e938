"""A `menu-player` without the packages of Python in MENU_TEST_LACKING (with commas), its page at MENU_TEST_PORT."""

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
    from player.standstill import hindrance

    usual = hindrance.DEFAULT_PORT
    hindrance.DEFAULT_PORT = int(os.environ["MENU_TEST_PORT"])
    new = hindrance.Hindrance.__new__
    new.__defaults__ = tuple(hindrance.DEFAULT_PORT if each == usual else each for each in new.__defaults__ or ())
    from player.cli import main

    sys.exit(main())
