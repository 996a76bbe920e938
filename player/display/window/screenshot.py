"""Screenshots as PNG or JPEG: encoded on another thread, written whole or not at all."""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QObject, QRect
from PySide6.QtGui import QImage, QTransform

from player.display.qt.typed import single_shot_timer
from player.display.qt.worker import Worker
from player.plain_file import NO_FILE

LEAST_INTERVAL_SECONDS = 0.5
"""Between two snapshots that are written."""
PNG_QUALITY = 80
"""On Qt's scale: higher is faster and larger; the image is the same."""

_log = logging.getLogger(__name__)


def encode_png(image: QImage) -> bytes:
    return _encode(image, "PNG", PNG_QUALITY)


def encode_jpeg(image: QImage) -> bytes:
    """Encodes the image as JPEG, a tenth of its PNG where it is a photograph."""
    return _encode(image, "JPEG", 75)


def _encode(image: QImage, form: str, quality: int) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    # The binding takes the format as str; its stub says bytes.
    image.save(buffer, form, quality)  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def _scaled(image: QImage, pixels: int) -> QImage:
    """Limits the longer side to so many pixels."""
    from PySide6.QtCore import Qt  # Slow to load (ADR 0080).

    if max(image.width(), image.height()) <= pixels:
        return image
    return image.scaled(pixels, pixels, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation)


class Screenshot:
    """Picture of the display at one moment, on a panel whose picture is rotated clockwise by so many degrees. Encodes
    itself upright, from any thread."""

    def __init__(self, image: QImage, rotation: int) -> None:
        self._image = image
        self._rotation = rotation

    def png(self) -> bytes:
        """Encodes every pixel."""
        return encode_png(upright(self._image, self._rotation))

    def jpeg(self, pixels: int) -> bytes:
        """Encodes at most so many pixels on the longer side."""
        return encode_jpeg(upright(_scaled(self._image, pixels), self._rotation))


def upright(image: QImage, rotation: int) -> QImage:
    """Rotates a picture as people see it on a panel that is rotated clockwise by so many degrees. From any thread."""
    return image.transformed(QTransform().rotate(-rotation)) if rotation else image


def fit_png(picture: bytes, most: int) -> bytes | None:
    """Encodes a picture as PNG of at most so many bytes, with fewer pixels if need be; None if that cannot be done.
    From any thread. 1920 by 1080 pixels never take more than 6 MiB."""
    # Without an alpha channel, which would take a quarter of a PNG.
    image = QImage.fromData(picture).convertToFormat(QImage.Format.Format_RGB32)
    for pixels in (2560, 1920, 1280):
        if image.isNull():
            return None
        image = _scaled(image, pixels)
        if 0 < len(encoded := _encode(image, "PNG", PNG_QUALITY)) <= most:
            return encoded
    return None


def is_flat(image: QImage, part: QRect | None = None) -> bool:
    """Whether the image, or a part of it, has one colour only, except for the first lines of the image, in which the
    stage marks frames."""
    part = part or image.rect()
    bits, stride, size = image.constBits(), image.bytesPerLine(), image.depth() // 8
    first = max(part.top(), 4) * stride + part.left() * size
    line = bytes(bits[first : first + size]) * part.width()
    return all(bits[at : at + len(line)] == line for at in range(first, (part.bottom() + 1) * stride, stride))


def write_whole(path: Path, data: bytes) -> None:
    """Replaces `path` by renaming: a reader finds the old content or the new. Raises OSError, also where something else
    than a file is there, such as a device."""
    import tempfile  # Slow to load, and most boards write no snapshot.

    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, NO_FILE, str(path))
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


class SnapshotWriter(QObject):
    """Keeps the file at `path` up to date with the display: at most two writes a second, and always the last state."""

    def __init__(self, path: Path, *, grab: Callable[[], QImage], parent: QObject) -> None:
        super().__init__(parent)
        self._path = path
        self._grab = grab
        self._worker = Worker()
        self._requested = False
        # Not within a frame: grabbing draws one.
        self._soon = single_shot_timer(0, self._write_next, self)
        self._pause = single_shot_timer(LEAST_INTERVAL_SECONDS, self._write_next, self)

    def request(self) -> None:
        """Called when the display has changed."""
        self._requested = True
        self._soon.start()

    def close(self) -> None:
        """Writes a requested snapshot now, on this thread: the program is about to end."""
        self._soon.stop()
        self._pause.stop()
        self._worker.close()
        if self._requested:
            self._requested = False
            self._write(self._grab())

    def _write_next(self) -> None:
        if self._requested and not self._pause.isActive():
            self._pause.start()
            if not self._worker.is_busy:
                self._requested = False
                image = self._grab()
                self._worker.start(lambda: self._write(image))

    def _write(self, image: QImage) -> None:
        try:
            write_whole(self._path, encode_png(image))
        except OSError as error:
            _log.warning("the snapshot %s was not written: %s", self._path, error.strerror)
