"""Loads the Qt binding without what no board uses of it, and undoes its hook into Python's import (docs/adr/0080)."""

from __future__ import annotations

import builtins
import linecache
import sys
from types import ModuleType

UNUSED = "PySide6.QtOpenGL"
"""PySide6.QtQuick imports it for the names of two integer types: 2 MiB."""


def load_binding() -> None:
    """Load PySide6, leave Python's own `__import__` in place, and keep UNUSED from being loaded.

    Once imported, the binding reads the whole source of every further module and keeps the lines (`linecache`), to find
    `from __feature__ import`, which is not used here. In a player these are 400 modules and 15 MB. Has no effect when
    the binding is loaded already.
    """
    own = builtins.__import__
    import PySide6.QtCore  # noqa: F401 -- imported for its effect

    builtins.__import__ = own
    linecache.clearcache()
    sys.modules.setdefault(UNUSED, ModuleType(UNUSED))
