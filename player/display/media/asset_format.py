"""Detects the format of an asset by its first bytes; only the formats listed here are drawn, even if Qt reads
others."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from player.plain_file import read_plain

HEAD_BYTES = 32


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
_PNG = b"\x89PNG\r\n\x1a\n"
_STILLS = frozenset({b"avif", b"avis", b"heic", b"heix", b"mif1", b"msf1"})
"""Brands of ISO base media that are still images."""


def format_of(path: Path) -> AssetFormat | None:
    """Detects the format; None for any other. Raises OSError, also for anything but a plain file; never blocks on it.

    A media library would open a playlist that names hosts, or a drawing that names files, as readily as an image: so it
    gets files of these formats only.
    """
    head = read_plain(path, HEAD_BYTES)
    if head.startswith(_PNG):
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


def has_alpha(path: Path) -> bool:
    """Whether the header of an image says that parts of it may be transparent."""
    try:
        head = read_plain(path, HEAD_BYTES).ljust(HEAD_BYTES, b"\0")
    except OSError:
        return False
    if head.startswith(_PNG):
        return bool(head[25] & 0x04)
    # WebP, extended and lossless.
    return bool({b"VP8X": head[20], b"VP8L": head[24]}.get(head[12:16], 0) & 0x10)


def fault_of(path: Path, error: OSError) -> tuple[str, str]:
    """Returns the code and a description of the fault when `format_of` raises."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "asset_missing", f"{path.name} is not on this device"
    return "asset_unreadable", f"{path.name} cannot be read: {error.strerror}"
