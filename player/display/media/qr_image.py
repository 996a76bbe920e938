"""Draws QR codes; without QML, which the safe card does without."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtGui import QImage

PROVIDER = "qr"
QUIET_ZONE = 4
"""Light modules around the code, as ISO/IEC 18004 asks."""
MOST_CHARACTERS = 1_000
"""A longer text has no QR code: its modules would be too small to scan."""
PRINTED = "m"
"""The level of error correction of codes that guests scan, also from a photograph of the board: 15 % may be hidden."""
PLAIN = "l"
"""That of codes in which every module counts for being large: 7 % may be hidden."""
CODES_CACHED = 16
"""Codes cached between measuring and drawing."""


def qr_source(text: str, level: str = PRINTED) -> str:
    """The URL of the code for a text; empty when the text is empty or too long."""
    return f"image://{PROVIDER}/{level}/{text.encode().hex()}" if 0 < len(text) <= MOST_CHARACTERS else ""


def qr_side(text: str) -> int | None:
    """How many modules wide the code for a text is, with its quiet zone; None when no code can hold the text."""
    matrix = _matrix(text)
    return len(matrix) + 2 * QUIET_ZONE if matrix else None


def qr_image(text: str, level: str = PRINTED) -> QImage:
    """One pixel a module, with its quiet zone; null when no code can hold the text."""
    rows = _matrix(text, level)
    if not rows:
        return QImage()
    side = len(rows) + 2 * QUIET_ZONE
    image = QImage(side, side, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    for y, row in enumerate(rows):
        for x, dark in enumerate(row):
            if dark:
                image.setPixel(x + QUIET_ZONE, y + QUIET_ZONE, 0xFF000000)
    return image


@lru_cache(CODES_CACHED)
def _matrix(text: str, level: str = PRINTED) -> tuple[bytes, ...]:
    """The modules, row by row."""
    import segno  # Imported here: a board without codes does not load it.

    # Without a mark of the encoding (ECI) a reader guesses, and takes Arabic for Chinese.
    encoding = None if text.isascii() else "utf-8"
    try:
        code = segno.make_qr(text, error=level, boost_error=False, encoding=encoding, eci=encoding is not None)
        return tuple(bytes(row) for row in code.matrix)
    except ValueError:
        return ()
