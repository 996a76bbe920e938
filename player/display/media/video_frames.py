"""Owns a video's frames where no GPU draws: taken at a bounded rate, scaled away from its thread.

Qt's VideoOutput draws nothing in the software scene graph, so a frame becomes an image of the size that is seen.
"""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QElapsedTimer, QObject, QRect, QRectF, QSize, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QPainter
from PySide6.QtMultimedia import QVideoFrame, QVideoSink
from PySide6.QtQuick import QQuickItem, QQuickPaintedItem

from player.display.media.decoders import MOST_DECODERS
from player.display.qt.slot import slot
from player.display.qt.worker import Worker
from player.domain.scene import Fit

MOST_FRAMES_A_SECOND = 30
MOST_RASTER_PIXELS = 1920 * 1080
"""A larger widget gets its frames with fewer pixels; they are stretched."""
LOOK_MILLISECONDS = 8
"""Between two looks whether there is a newer frame."""


@cache
def _converters() -> Worker:
    """Threads that stay: Qt looks for a GPU anew, and logs that there is none, in every thread that converts."""
    return Worker(threads=MOST_DECODERS)


class RasterFrames(QObject):
    """The latest frame of its sink as an image that fills `pixels`. Frames that come too fast are passed over, so a
    slow machine shows fewer of them and never falls behind."""

    drawn = Signal()
    _converted = Signal(QImage)

    def __init__(self, *, fit: Fit, pixels: tuple[float, float], parent: QObject) -> None:
        super().__init__(parent)
        self._sink = QVideoSink(self)
        self._fit = fit
        self._size = raster_size(*pixels)
        self._image = QImage()
        self._started_at = -1
        self._converting = False
        self._since = QElapsedTimer()
        self._look = QTimer(self)
        self._look.setInterval(LOOK_MILLISECONDS)
        self._look.setTimerType(Qt.TimerType.PreciseTimer)
        self._look.timeout.connect(self._take)
        self._converted.connect(self._keep)

    @property
    def sink(self) -> QVideoSink:
        """Where the decoder puts its frames; deleted with this."""
        return self._sink

    @property
    def image(self) -> QImage:
        """The frame to draw; null before the first."""
        return self._image

    @property
    def size(self) -> QSize:
        """The pixels of the whole box."""
        return self._size

    def set_running(self, running: bool) -> None:  # noqa: FBT001 -- one word that the call's name explains
        """Go on to the next frames, or stay at this one."""
        if not running:
            self._look.stop()
        elif not self._look.isActive():
            self._look.start()

    def stop(self) -> None:
        """No more frames. The last one is let go of here, for what still refers to this may live longer."""
        self._look.stop()
        _converters().wait()
        self._sink.setVideoFrame(QVideoFrame())
        self._image = QImage()

    @slot()
    def _take(self) -> None:
        # A little early counts as in time: 30 frames a second are not to become 25 because a look came 1 ms too soon.
        least = 1000 // MOST_FRAMES_A_SECOND - LOOK_MILLISECONDS // 2
        if self._converting or (self._since.isValid() and self._since.elapsed() < least):
            return
        frame = self._sink.videoFrame()
        if not frame.isValid() or frame.startTime() == self._started_at:
            return
        self._started_at = frame.startTime()
        self._converting = True
        self._since.restart()
        _converters().start(lambda: self._convert(frame))

    def _convert(self, frame: QVideoFrame) -> None:
        try:
            image = fitted(frame.toImage(), self._fit, self._size)
        except MemoryError:
            image = QImage()
        self._converted.emit(image)

    @slot(QImage)
    def _keep(self, image: QImage) -> None:
        self._converting = False
        if not image.isNull():
            self._image = image
            self.drawn.emit()


class RasterVideo(QQuickPaintedItem):
    """Draws the latest of `frames` in the middle of `canvas`, until the frames are deleted.

    Made in Python, not by QML: for an item that QML makes, the binding keeps a reference for ever, and the item keeps
    its last frame.
    """

    def __init__(self, frames: RasterFrames, *, canvas: QQuickItem, size: QSizeF) -> None:
        super().__init__(canvas)
        self.setParent(frames)
        self.setSize(size)
        self.setTextureSize(frames.size)
        self._frames = frames
        frames.drawn.connect(self._repaint)

    def paint(self, painter: QPainter) -> None:
        """Qt wants the picture."""
        image, whole, box = self._frames.image, self._frames.size, self.boundingRect()
        if image.isNull():
            return
        target = QRectF(
            0, 0, box.width() * image.width() / whole.width(), box.height() * image.height() / whole.height()
        )
        target.moveCenter(box.center())
        painter.drawImage(target, image)

    @slot()
    def _repaint(self) -> None:
        self.update()


def raster_size(width: float, height: float) -> QSize:
    """The pixels of a box, or as many as are allowed."""
    share = min(1.0, (MOST_RASTER_PIXELS / max(1.0, width * height)) ** 0.5)
    return QSize(max(1, round(width * share)), max(1, round(height * share)))


def fitted(image: QImage, fit: Fit, box: QSize) -> QImage:
    """The image as it fills the box; cut where it sticks out."""
    mode = Qt.AspectRatioMode.IgnoreAspectRatio
    match fit:
        case Fit.COVER:
            seen = box.scaled(image.size(), Qt.AspectRatioMode.KeepAspectRatio)
            cut = QRect(0, 0, max(1, seen.width()), max(1, seen.height()))
            cut.moveCenter(image.rect().center())
            if cut != image.rect():
                image = image.copy(cut)
        case Fit.CONTAIN:
            mode = Qt.AspectRatioMode.KeepAspectRatio
        case Fit.STRETCH:
            pass
    if image.size() == box:
        return image
    return image.scaled(box, mode, Qt.TransformationMode.SmoothTransformation)
