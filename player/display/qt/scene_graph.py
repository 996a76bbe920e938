"""Detects which scene graph draws; valid once it is chosen, before the first window."""

from __future__ import annotations

from PySide6.QtQuick import QQuickWindow


def is_software() -> bool:
    """Whether Qt's raster scene graph draws, in one step on the Qt thread, without a GPU."""
    return QQuickWindow.sceneGraphBackend() == "software"
