"""Determines how the pixels of a file become upright: reads cameras' EXIF orientation in a PNG or WebP, as Qt does only
in a JPEG. An invalid orientation is ignored."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct
from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QImageIOHandler, QTransform

from menu.exif import orientation
from player.display.media.asset_format import AssetFormat, format_of
from player.plain_file import open_plain


class Turn(Struct, frozen=True):
    """Mirrors the file's pixels from left to right, and then turns them clockwise by `degrees`."""

    degrees: int = 0
    mirrored: bool = False

    @property
    def is_sideways(self) -> bool:
        """Whether the width of the file is the displayed height."""
        return self.degrees % 180 == 90

    @property
    def transform(self) -> QTransform:
        """Transform for Qt, about the origin."""
        return QTransform().rotate(self.degrees).scale(-1 if self.mirrored else 1, 1)

    def of(self, size: QSize) -> QSize:
        """Returns the size of the file for a displayed size, and vice versa."""
        return size.transposed() if self.is_sideways else size

    def in_file(self, part: QRect, seen: QSize) -> QRect:
        """Returns the file's pixels for this part of the image, which has the size `seen` when it is upright."""
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
_NOT_BY_QT = {AssetFormat.PNG: "png", AssetFormat.WEBP: "webp"}
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
    """Returns the turn that Qt's reader of the format applies."""
    return _BY_NOTE[_BY_QT[transformation] - 1]


def noted_turn(path: Path) -> Turn:
    """Reads the file's orientation where Qt does not apply it."""
    try:
        found = format_of(path)
        if found not in _NOT_BY_QT:
            return NO_TURN
        with open_plain(path) as file:
            return _BY_NOTE[orientation(file, _NOT_BY_QT[found]) - 1]
    except OSError:
        return NO_TURN
