"""A `menu-player` without the packages or modules of Python in MENU_TEST_LACKING (with commas), and with a PySide6 that
says that it is MENU_TEST_PYSIDE, if that is set."""

from __future__ import annotations

import os
import sys
from typing import Any

LACKING = os.environ.get("MENU_TEST_LACKING", "").split(",")


class Without:
    """Finds what another finder finds, but none of those."""

    def __init__(self, finder: Any) -> None:
        self._finder = finder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._finder, name)

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        lacks = name in LACKING or name.partition(".")[0] in LACKING
        return None if lacks else self._finder.find_spec(name, path, target)


if __name__ == "__main__":
    sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
    if version := os.environ.get("MENU_TEST_PYSIDE"):
        import PySide6

        PySide6.__version__ = version
    from player.cli import main

    sys.exit(main())
