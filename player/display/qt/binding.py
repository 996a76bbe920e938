"""Owns the first import of the binding, and takes back what the binding does to every import after it."""

from __future__ import annotations

import builtins


def load_binding() -> None:
    """Load PySide6 and leave Python's own `__import__` in place.

    From its first import on the binding reads the whole source of each module that is imported, and keeps the lines
    (`linecache`): it looks for users of `from __feature__ import`, of which there are none here. In a player these are
    400 modules and 15 MB (ADR 0080). Where the binding is loaded already nothing changes.
    """
    own = builtins.__import__
    import PySide6.QtCore  # noqa: F401 -- it is this import's effect that counts

    builtins.__import__ = own
