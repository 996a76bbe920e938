"""Loads the Qt binding and undoes its hook into Python's import."""

from __future__ import annotations

import builtins


def load_binding() -> None:
    """Load PySide6 and leave Python's own `__import__` in place.

    Once imported, the binding reads the whole source of every further module and keeps the lines (`linecache`), to find
    `from __feature__ import`, which is not used here. In a player these are 400 modules and 15 MB (ADR 0080). Has no
    effect when the binding is loaded already.
    """
    own = builtins.__import__
    import PySide6.QtCore  # noqa: F401 -- imported for its effect

    builtins.__import__ = own
