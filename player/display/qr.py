"""Owns the QR code: from text to crisp pixels, for QML's `image://qr/…`."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from PySide6.QtQuick import QQuickImageProvider

PROVIDER = "qr"
QUIET_ZONE = 4
"""Light modules around the code, as ISO/IEC 18004 asks."""
MOST_CHARACTERS = 500
"""A longer address has no QR code: its modules would be too small to scan."""


class QrProvider(QQuickImageProvider):
    """Draws one pixel a module; QML enlarges it by a whole number, without smoothing."""

    def __init__(self) -> None:
        super().__init__(QQuickImageProvider.ImageType.Image)

    def requestImage(self, id: str, size: QSize, requestedSize: QSize) -> QImage:  # noqa: A002, N803 -- Qt's names
        """The code for a text in hexadecimal UTF-8."""
        del size, requestedSize
        return qr_image(bytes.fromhex(id).decode())


def qr_source(text: str) -> str:
    """The URL of the code for a text; empty when there is nothing, or too much, to say."""
    return f"image://{PROVIDER}/{text.encode().hex()}" if 0 < len(text) <= MOST_CHARACTERS else ""


def qr_image(text: str) -> QImage:
    """One pixel a module, error correction M (15 % may be hidden), with its quiet zone."""
    import segno  # imported where it is needed: a paired screen never pays for it

    rows = [bytes(row) for row in segno.make_qr(text, error="m", boost_error=False).matrix]
    side = len(rows) + 2 * QUIET_ZONE
    image = QImage(side, side, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    for y, row in enumerate(rows):
        for x, dark in enumerate(row):
            if dark:
                image.setPixel(x + QUIET_ZONE, y + QUIET_ZONE, 0xFF000000)
    return image
