"""Images with EXIF's orientation, as cameras write it, in each format that boards show."""

from __future__ import annotations

import struct
import zlib

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QColor, QImage, QPainter, QTransform

CORNERS = ("#ff0000", "#00ff00", "#0000ff", "#ffffff")
"""Top left, top right, bottom left and bottom right of the image, as it is seen."""
ORIENTATIONS = range(1, 9)
_TO_FILE = {
    1: QTransform(),
    2: QTransform().scale(-1, 1),
    3: QTransform().rotate(180),
    4: QTransform().scale(1, -1),
    5: QTransform(0, 1, 1, 0, 0, 0),
    6: QTransform().rotate(-90),
    7: QTransform(0, -1, -1, 0, 0, 0),
    8: QTransform().rotate(90),
}
"""From the image that is seen to the pixels of the file, by TIFF 6.0's table of rows and columns."""


def upright(width: int, height: int) -> QImage:
    """A quarter of the image in each colour of CORNERS."""
    image = QImage(width, height, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    for number, color in enumerate(CORNERS):
        across, down = number % 2, number // 2
        painter.fillRect(across * width // 2, down * height // 2, width, height, QColor(color))
    painter.end()
    return image


def written(form: str, image: QImage) -> bytes:
    """The image as a file of this format, without EXIF."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    assert image.save(buffer, form, 100)  # type: ignore[call-overload]
    return bytes(content.data())


def oriented(form: str, orientation: int, width: int = 120, height: int = 160) -> bytes:
    """A file (`png`, `jpg`, `webp`) that is seen as `upright` if it is turned as it says."""
    turned = upright(width, height).transformed(_TO_FILE[orientation])
    return with_exif(written(form, turned), exif(orientation))


def exif(orientation: int) -> bytes:
    """EXIF's first directory with one entry."""
    return b"MM\0*" + struct.pack(">LHHHLHHL", 8, 1, 0x0112, 3, 1, orientation, 0, 0)


def with_exif(image: bytes, note: bytes) -> bytes:
    """The file with these bytes as its EXIF: where cameras have it in JPEG, and after the pixels otherwise."""
    if image.startswith(b"\xff\xd8"):
        note = b"Exif\0\0" + note
        return image[:2] + b"\xff\xe1" + struct.pack(">H", len(note) + 2) + note + image[2:]
    if image.startswith(b"\x89PNG"):
        chunk = b"eXIf" + note
        return image[:-12] + struct.pack(">L", len(note)) + chunk + struct.pack(">L", zlib.crc32(chunk)) + image[-12:]
    return _webp_with_exif(image, note)


def _webp_with_exif(image: bytes, note: bytes) -> bytes:
    chunks = image[12:]
    if not chunks.startswith(b"VP8X"):
        size = QImage.fromData(image).size()
        head = (
            bytes([0, 0, 0, 0]) + (size.width() - 1).to_bytes(3, "little") + (size.height() - 1).to_bytes(3, "little")
        )
        chunks = b"VP8X" + struct.pack("<L", 10) + head + chunks
    chunks = chunks[:8] + bytes([chunks[8] | 0x08]) + chunks[9:]
    chunks += b"EXIF" + struct.pack("<L", len(note)) + note + b"\0" * (len(note) % 2)
    return b"RIFF" + struct.pack("<L", 4 + len(chunks)) + b"WEBP" + chunks
