"""Draws QR codes for QML's `image://qr/…`."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from PySide6.QtQuick import QQuickImageProvider

from player.display.media.qr_image import qr_image


class QrProvider(QQuickImageProvider):
    """Draws one pixel a module; QML scales it by a whole number, without smoothing."""

    def __init__(self) -> None:
        super().__init__(QQuickImageProvider.ImageType.Image)

    def requestImage(self, id: str, size: QSize, requestedSize: QSize) -> QImage:  # noqa: A002, N803 -- Qt's names
        """The code for a level of error correction and a text in hexadecimal UTF-8."""
        del size, requestedSize
        level, _, text = id.partition("/")
        return qr_image(bytes.fromhex(text).decode(), level)
