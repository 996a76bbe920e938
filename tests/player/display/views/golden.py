"""Golden images: how each scene of the design kit looked when it was last approved.

`make golden` draws them anew, into tests/data/golden; look at the changes before committing them. There is a set for
each version of Inter, Debian 12's and Debian 13's: lines of one are a little wider, so that some break elsewhere.
"""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QImage, QRawFont

FOLDER = Path(__file__).parents[3] / "data" / "golden"
RESOLUTIONS = ((1280, 720), (1920, 1080), (3840, 2160))
AT_EACH = frozenset({"allergens", "bilingual", "breakfast", "burgers", "coffee-bar", "list", "pizza", "promo"})
"""Templates that are compared at each of these, others at 1920x1080 alone: it is the player that scales, not they."""
LONG_SIDE = 640
"""Pixels of a golden image: what a guest sees from five metres, and small enough to store."""
JPEG_QUALITY = 88
TILE = 8
"""Pixels compared as one: another version of a font moves edges by less."""
MOST_OFF = 30
"""Levels (of 255) by which a channel of a tile may differ before the tile counts as changed."""
MOST_CHANGED = 0.004
"""The share of tiles that may have changed: a word is more."""


@cache
def _font_version() -> str:
    # The font's revision, a 16.16 number: OpenType specification, table "head".
    head = bytes(QRawFont.fromFont(QFont("Inter")).fontTable("head").data())
    return f"inter-{struct.unpack_from('>I', head, 4)[0] / 65536:.3f}"


def golden_file(template: str, orientation: str, resolution: tuple[int, int]) -> Path:
    """The file of a template's golden image at a resolution (of the panel in landscape)."""
    return FOLDER / _font_version() / f"{template}-{orientation}-{resolution[1]}.jpg"


def reduced(image: QImage) -> QImage:
    """The image at the size of golden ones."""
    return image.scaled(
        LONG_SIDE, LONG_SIDE, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    )


def changed_share(one: QImage, other: QImage) -> float:
    """The share of tiles in which a guest would see a difference; 1 for images of different shapes."""
    if one.size() != other.size():
        return 1.0
    mine, theirs = _tiles(one), _tiles(other)
    changed = sum(
        max(abs(a.red() - b.red()), abs(a.green() - b.green()), abs(a.blue() - b.blue())) > MOST_OFF
        for a, b in zip(mine, theirs, strict=True)
    )
    return changed / len(mine)


def _tiles(image: QImage) -> list[QColor]:
    small = image.scaled(
        image.width() // TILE,
        image.height() // TILE,
        Qt.AspectRatioMode.IgnoreAspectRatio,
        Qt.TransformationMode.SmoothTransformation,
    )
    return [small.pixelColor(x, y) for y in range(small.height()) for x in range(small.width())]
