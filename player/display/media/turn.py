"""Knows how the pixels of a file become upright: reads what cameras note (EXIF) in a PNG or WebP, as Qt does only in a
JPEG. A note that is not as its format says counts as none."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

from msgspec import Struct
from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QImageIOHandler, QTransform

from player.display.media.asset_format import AssetFormat, format_of
from player.plain_file import open_plain

MOST_CHUNKS = 10_000
"""Chunks of a file in which the note is looked for. A PNG of 25 MiB with chunks of the usual 8 KiB has 3,200."""
MOST_EXIF_BYTES = 64 * 1024
MOST_ENTRIES = 500
"""Entries of the first directory of EXIF; cameras write a dozen."""
_ORIENTATION, _SHORT = 0x0112, 3


class Turn(Struct, frozen=True):
    """The file's pixels are mirrored from left to right, and then turned clockwise by `degrees`."""

    degrees: int = 0
    mirrored: bool = False

    @property
    def is_sideways(self) -> bool:
        """Whether the width of the file is the height that is seen."""
        return self.degrees % 180 == 90

    @property
    def transform(self) -> QTransform:
        """The same for Qt, about the origin."""
        return QTransform().rotate(self.degrees).scale(-1 if self.mirrored else 1, 1)

    def of(self, size: QSize) -> QSize:
        """The size of the file for one that is seen, and the other way round."""
        return size.transposed() if self.is_sideways else size

    def in_file(self, part: QRect, seen: QSize) -> QRect:
        """The pixels of the file that become this part of the image, which has the size `seen` when it is upright."""
        size = self.of(seen)
        middle = QTransform().translate(seen.width() / 2, seen.height() / 2)
        upright = QTransform().translate(-size.width() / 2, -size.height() / 2) * self.transform * middle
        return upright.inverted()[0].mapRect(QRectF(part)).toRect()


NO_TURN = Turn()
_BY_NOTE = (
    NO_TURN,
    Turn(mirrored=True),
    Turn(degrees=180),
    Turn(degrees=180, mirrored=True),
    Turn(degrees=270, mirrored=True),
    Turn(degrees=90),
    Turn(degrees=90, mirrored=True),
    Turn(degrees=270),
)
"""By EXIF's orientation, from 1 to 8."""
_Qt = QImageIOHandler.Transformation
_BY_QT = {
    _Qt.TransformationNone: 1,
    _Qt.TransformationMirror: 2,
    _Qt.TransformationRotate180: 3,
    _Qt.TransformationFlip: 4,
    _Qt.TransformationFlipAndRotate90: 5,
    _Qt.TransformationRotate90: 6,
    _Qt.TransformationMirrorAndRotate90: 7,
    _Qt.TransformationRotate270: 8,
}


def turn_of(transformation: QImageIOHandler.Transformation) -> Turn:
    """Names what Qt's reader of the format applies."""
    return _BY_NOTE[_BY_QT[transformation] - 1]


def noted_turn(path: Path) -> Turn:
    """Reads what the file notes and Qt does not apply."""
    try:
        found = format_of(path)
        if found not in _CHUNKS:
            return NO_TURN
        with open_plain(path) as file:
            return _BY_NOTE[_orientation_in(_exif_in(_CHUNKS[found](file), file)) - 1]
    except OSError:
        return NO_TURN


def _exif_in(chunks: Iterator[tuple[bytes, int]], file: FileIO) -> bytes:
    """EXIF's bytes, from its header; none if there are not any."""
    for name, size in chunks:
        if name in (b"eXIf", b"EXIF"):
            return (file.read(min(size, MOST_EXIF_BYTES)) or b"").removeprefix(b"Exif\0\0")
    return b""


def _png_chunks(file: FileIO) -> Iterator[tuple[bytes, int]]:
    """Name and size of each chunk; the file stands where its bytes begin."""
    at = 8
    for _ in range(MOST_CHUNKS):
        file.seek(at)
        head = file.read(8) or b""
        if len(head) < 8:
            return
        size = int.from_bytes(head[:4], "big")
        yield head[4:], size
        at += 12 + size


def _webp_chunks(file: FileIO) -> Iterator[tuple[bytes, int]]:
    """As `_png_chunks`."""
    at = 12
    for _ in range(MOST_CHUNKS):
        file.seek(at)
        head = file.read(8) or b""
        if len(head) < 8:
            return
        size = int.from_bytes(head[4:], "little")
        yield head[:4], size
        at += 8 + size + size % 2


_CHUNKS = {AssetFormat.PNG: _png_chunks, AssetFormat.WEBP: _webp_chunks}


def _orientation_in(exif: bytes) -> int:
    """From 1 to 8; 1 if it does not say."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(exif[:4])
    if order is None:
        return 1
    try:
        (at,) = struct.unpack_from(f"{order}L", exif, 4)
        (entries,) = struct.unpack_from(f"{order}H", exif, at)
        for number in range(min(entries, MOST_ENTRIES)):
            tag, kind, count, value = struct.unpack_from(f"{order}HHLH", exif, at + 2 + 12 * number)
            if (tag, kind, count) == (_ORIENTATION, _SHORT, 1):
                return int(value) if 1 <= value <= len(_BY_NOTE) else 1
    except struct.error:
        pass
    return 1
