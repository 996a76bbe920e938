"""Provides QML with images by name, `image://PROVIDER/NAME`: drawn on request, or held in memory and not copied."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from PySide6.QtQuick import QQuickImageProvider

HELD = "held"
MOST_HELD = 8
"""Images that QML has not taken yet; the oldest goes first. It takes one at once where its item is there."""

_held: dict[str, QImage] = {}
_numbers = count()


def take(number: str) -> QImage:
    """Returns an image, once; a null one if it was taken before. The item that shows it then shares its pixels: no
    other code may write to them."""
    return _held.pop(number, QImage())


def hold(image: QImage) -> str:
    """Holds the image for QML; returns its URL, or "" for a null image. On the Qt thread."""
    if image.isNull():
        return ""
    number = str(next(_numbers))
    _held[number] = image
    while len(_held) > MOST_HELD:
        del _held[next(iter(_held))]
    return f"image://{HELD}/{number}"


class ImageProvider(QQuickImageProvider):
    """Provides the images that `draw` returns for their names."""

    def __init__(self, draw: Callable[[str], QImage]) -> None:
        super().__init__(QQuickImageProvider.ImageType.Image)
        self._draw = draw

    def requestImage(self, id: str, size: QSize, requestedSize: QSize) -> QImage:  # noqa: A002, N803 -- Qt's names
        del size, requestedSize
        return self._draw(id)
