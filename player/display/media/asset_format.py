"""Detects the format of an asset by its first bytes; only the formats listed here are drawn, whatever else Qt reads."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

HEAD_BYTES = 16


class AssetFormat(StrEnum):
    """A format that the player draws; the value is Qt's name for it where Qt has one."""

    PNG = "png"
    JPEG = "jpeg"
    WEBP = "webp"
    MP4 = "mp4"
    """ISO base media: MP4 and QuickTime."""
    MATROSKA = "matroska"
    """Matroska and WebM."""


IMAGES = frozenset({AssetFormat.PNG, AssetFormat.JPEG, AssetFormat.WEBP})
VIDEOS = frozenset({AssetFormat.MP4, AssetFormat.MATROSKA})
_STILLS = frozenset({b"avif", b"avis", b"heic", b"heix", b"mif1", b"msf1"})
"""Brands of ISO base media that are still images."""


def format_of(path: Path) -> AssetFormat | None:
    """The format; None for any other. Raises OSError.

    A media library would open a playlist that names hosts, or a drawing that names files, as readily as an image: so it
    gets files of these formats only.
    """
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return AssetFormat.PNG
    if head.startswith(b"\xff\xd8\xff"):
        return AssetFormat.JPEG
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return AssetFormat.WEBP
    if head[4:8] == b"ftyp" and head[8:12] not in _STILLS:
        return AssetFormat.MP4
    if head.startswith(b"\x1aE\xdf\xa3"):
        return AssetFormat.MATROSKA
    return None
