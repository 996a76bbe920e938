"""Reads images of the first view, each on a thread of its own, while Python lays out texts (docs/adr/0080)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from threading import Thread

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QImage

from player.display.media.image_plan import ImagePlan, ImageRefused, reader_of

FIRST = "first"

_images: list[FirstImage] = []


@cache
def read_first(path: Path, plan: ImagePlan) -> str:
    """Begin to read the image; returns its URL for QML, the same when a slideshow plans it again."""
    _images.append(FirstImage(path, plan))
    return f"image://{FIRST}/{len(_images) - 1}"


def first_image(number: str) -> QImage:
    """Returns the image of this number; it is read again if QML asks again."""
    return _images[int(number)].take()


def forget_first_images() -> None:
    """Frees the images that QML has not requested; it still may."""
    for image in _images:
        image.forget()


class FirstImage(Thread):
    """Part of an image that its plan keeps, with the pixels that QML would read from the file."""

    def __init__(self, path: Path, plan: ImagePlan) -> None:
        super().__init__(name="first image")
        self._path, self._plan = path, plan
        self._image: QImage | None = None
        self.start()

    def run(self) -> None:
        self._image = self._read()

    def take(self) -> QImage:
        """Returns the image, no longer held here."""
        self.join()
        image, self._image = self._image, None
        return self._read() if image is None else image

    def forget(self) -> None:
        self._image = None

    def _read(self) -> QImage:
        reader, plan = reader_of(self._path), self._plan
        if isinstance(reader, ImageRefused):
            return QImage()
        size = reader.size()
        # As QML's `sourceSize`: no larger than the file, and in its proportions.
        scale = min(plan.pixel_width / size.width(), plan.pixel_height / size.height())
        if scale < 1:
            reader.setScaledSize(QSize(int(size.width() * scale + 0.5), int(size.height() * scale + 0.5)))
        reader.setScaledClipRect(QRect(*plan.kept))
        return reader.read()
