"""Hands images that are in memory to QML, for `image://held/…`, without another copy of their pixels."""

from __future__ import annotations

from itertools import count

from PySide6.QtGui import QImage

PROVIDER = "held"
MOST_HELD = 8
"""Images that QML has not taken yet; the oldest goes first. It takes one at once where its item is there."""

_held: dict[str, QImage] = {}
_numbers = count()


def take(number: str) -> QImage:
    """An image, once; a null one if it was taken before. The item that shows it then shares its pixels: nobody else may
    write to them."""
    return _held.pop(number, QImage())


def hold(image: QImage) -> str:
    """Hold the image for QML; returns its URL, or "" for a null image. On the Qt thread."""
    if image.isNull():
        return ""
    number = str(next(_numbers))
    _held[number] = image
    while len(_held) > MOST_HELD:
        del _held[next(iter(_held))]
    return f"image://{PROVIDER}/{number}"
