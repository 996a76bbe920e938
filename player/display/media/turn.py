"""Knows how the pixels of a file become upright: reads what cameras note (EXIF) in a PNG or WebP, as Qt does only in a
JPEG. A note that is not as its format says counts as none."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct
from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QImageIOHandler, QTransform

from menu.exif import orientation
from player.display.media.asset_format import AssetFormat, format_of
from player.plain_file import open_plain


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
    """Names what Qt's reader of the format applies."""
    return _BY_NOTE[_BY_QT[transformation] - 1]


def noted_turn(path: Path) -> Turn:
    """Reads what the file notes and Qt does not apply."""
    try:
        found = format_of(path)
        if found not in _NOT_BY_QT:
            return NO_TURN
        with open_plain(path) as file:
            return _BY_NOTE[orientation(file, _NOT_BY_QT[found]) - 1]
    except OSError:
        return NO_TURN
