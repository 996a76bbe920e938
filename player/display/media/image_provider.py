"""Gives QML images that Python has drawn, by a name: `image://PROVIDER/NAME`."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from PySide6.QtQuick import QQuickImageProvider


class ImageProvider(QQuickImageProvider):
    """The images that `draw` returns for their names."""

    def __init__(self, draw: Callable[[str], QImage]) -> None:
        super().__init__(QQuickImageProvider.ImageType.Image)
        self._draw = draw

    def requestImage(self, id: str, size: QSize, requestedSize: QSize) -> QImage:  # noqa: A002, N803 -- Qt's names
        """The image of this name."""
        del size, requestedSize
        return self._draw(id)
