"""Draws QR codes; without QML, which the safe card does not use."""

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
"""Error correction of codes whose modules have to be large: 7 % may be hidden."""
LIGHT, DARK = b"\xff\xff\xff\xff", b"\x00\x00\x00\xff"
"""A module, as a pixel of 32 bits."""


def qr_source(text: str, level: str = PRINTED) -> str:
    """Returns the URL of the code for a text; empty when the text is empty or too long."""
    return f"image://{PROVIDER}/{level}/{text.encode().hex()}" if 0 < len(text) <= MOST_CHARACTERS else ""


def qr_named(name: str) -> QImage:
    """Draws the code of `image://qr/<level of error correction>/<text in hexadecimal UTF-8>`."""
    level, _, text = name.partition("/")
    return qr_image(bytes.fromhex(text).decode(), level)


def qr_side(text: str) -> int | None:
    """Width in modules of the code for a text, with its quiet zone; None when no code can hold the text."""
    matrix = _matrix(text)
    return len(matrix) + 2 * QUIET_ZONE if matrix else None


def qr_image(text: str, level: str = PRINTED) -> QImage:
    """Draws one pixel a module, with the quiet zone; null when no code can hold the text."""
    rows = _matrix(text, level)
    if not rows:
        return QImage()
    side = len(rows) + 2 * QUIET_ZONE
    beside, beyond = LIGHT * QUIET_ZONE, LIGHT * side * QUIET_ZONE
    lines = (beside + b"".join(DARK if dark else LIGHT for dark in row) + beside for row in rows)
    pixels = beyond + b"".join(lines) + beyond
    # The image refers to the bytes: copied.
    return QImage(pixels, side, side, len(LIGHT) * side, QImage.Format.Format_RGB32).copy()


@lru_cache(16)  # Between measuring and drawing.
def _matrix(text: str, level: str = PRINTED) -> tuple[bytes, ...]:
    """Returns the modules, row by row."""
    import segno  # 4 MiB, with what it imports: only for boards with a code.

    # Without a mark of the encoding (ECI) a reader guesses, and takes Arabic for Chinese.
    encoding = None if text.isascii() else "utf-8"
    try:
        code = segno.make_qr(text, error=level, boost_error=False, encoding=encoding, eci=encoding is not None)
        return tuple(bytes(row) for row in code.matrix)
    except ValueError:
        return ()
