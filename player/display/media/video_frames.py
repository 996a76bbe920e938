"""Draws a video's frames where there is no GPU: at a bounded rate, converted and scaled on other threads.

Qt's VideoOutput draws nothing in the software scene graph, so each frame becomes an image of the size that is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from PySide6.QtCore import QElapsedTimer, QObject, QSize, QTimer, Signal
from PySide6.QtGui import QImage
from PySide6.QtMultimedia import QVideoFrame, QVideoSink

from menu.documents.scene import Fit
from player.display.media.frame_scaler import FrameScaler
from player.display.media.image_provider import hold
from player.display.media.resources import MOST_DECODERS
from player.display.qt.typed import slot
from player.display.qt.worker import Worker

MOST_FRAMES_PER_SECOND = 30
MOST_SOFTWARE_PIXELS = 1920 * 1080
"""Frames of a larger widget have fewer pixels and are stretched."""
NO_PICTURE: dict[str, object] = {"url": "", "width": 0.0, "height": 0.0, "imageWidth": 0.0}
POLL_MILLISECONDS = 8
"""Between two checks for a newer frame. Below 20 ms Qt's timers are precise of themselves."""


@cache
def _converters() -> Worker:
    """Returns threads that stay, because Qt looks for a GPU, and logs that there is none, in every new thread that
    converts."""
    return Worker(threads=MOST_DECODERS)


class SoftwareFrames(QObject):
    """Provides the latest frame of its sink as an image that fills `pixels`. Frames that come too fast are skipped, so
    a slow machine shows fewer of them and never falls behind."""

    drawn = Signal()
    _converted = Signal(int)

    def __init__(
        self, *, fit: Fit, pixels: tuple[float, float], parent: QObject, make_room: Callable[[], bool] | None = None
    ) -> None:
        """`make_room` frees memory for the first picture, and returns whether it could."""
        super().__init__(parent)
        self._make_room = make_room
        # Until the window has drawn, and so freed what it no longer shows.
        self._polls_to_wait = 3 if make_room is not None else 0
        self._sink = QVideoSink(self)
        self._size = software_size(*pixels)
        self._scaler = FrameScaler(fit=fit, box=self._size)
        self._image = QImage()
        self._shown = QSize()
        self._picture = NO_PICTURE
        self._stopped = False
        self._frame_start = -1
        self._conversions = 0
        self._converting = False
        self._undrawn = False
        self._since_last = QElapsedTimer()
        self._poll = QTimer(self)
        self._poll.setInterval(POLL_MILLISECONDS)
        self._poll.timeout.connect(self._take)
        self._converted.connect(self._show)

    @property
    def sink(self) -> QVideoSink:
        """Decoder's output; deleted with this object."""
        return self._sink

    @property
    def picture(self) -> dict[str, object]:
        """Latest frame for QML: its URL ("" before the first), the part of the box that it fills, and the width of its
        image, whose right edge may lie beyond that."""
        return self._picture

    def finish(self) -> None:
        """Waits, before the window draws, for a conversion, which writes to the picture, and shows its result."""
        if self._converting:
            _converters().wait()
            self._show(self._conversions)

    def take_next(self) -> None:
        """Allows writing to the picture, which is on the display now."""
        self._undrawn = False

    def set_running(self, running: bool) -> None:  # noqa: FBT001 -- one word that the call's name explains
        """Show further frames, or stay at this one."""
        if not running:
            self._poll.stop()
        elif not self._poll.isActive() and not self._stopped:
            self._poll.start()

    def stop(self) -> None:
        """Stop for good, and free the last frame here: references to this object may live longer."""
        self._stopped = True
        self._poll.stop()
        _converters().wait()
        self._sink.setVideoFrame(QVideoFrame())
        self._image = QImage()
        self._picture = NO_PICTURE
        self._scaler.close()

    @slot()
    def _take(self) -> None:
        # A little early counts as in time, or 30 frames a second would become 25 when a poll comes 1 ms too soon.
        least = 1000 // MOST_FRAMES_PER_SECOND - POLL_MILLISECONDS // 2
        if self._converting or self._undrawn or (self._since_last.isValid() and self._since_last.elapsed() < least):
            return
        frame = self._sink.videoFrame()
        if not frame.isValid() or frame.startTime() == self._frame_start:
            return
        if not self._has_room():
            return
        self._frame_start = frame.startTime()
        self._converting = True
        self._conversions = number = self._conversions + 1
        self._since_last.restart()
        _converters().start(lambda: self._convert(frame, number))

    def _has_room(self) -> bool:
        """Whether the memory for the first picture is free, and the window has drawn without its previous use."""
        if self._polls_to_wait > 0 and self._make_room is not None and self._make_room():
            self._polls_to_wait -= 1
        return self._polls_to_wait == 0

    def _convert(self, frame: QVideoFrame, number: int) -> None:
        try:
            image, shown = self._scaler.scale(frame)
        except MemoryError:
            image, shown = QImage(), QSize()
        self._image, self._shown = image, shown
        self._converted.emit(number)

    @slot(int)
    def _show(self, number: int) -> None:
        # Its signal may be on its way while the film is closed, or while the window waits for it and shows it itself.
        if self._stopped or not self._converting or number != self._conversions:
            return
        self._converting = False
        image, self._image = self._image, QImage()
        if not image.isNull():
            self._undrawn = True
            self._picture = _picture(image, self._shown, self._size)
            self.drawn.emit()


def _picture(image: QImage, shown: QSize, box: QSize) -> dict[str, object]:
    return {
        "url": hold(image),
        "width": shown.width() / box.width(),
        "height": shown.height() / box.height(),
        "imageWidth": image.width() / box.width(),
    }


def software_size(width: float, height: float) -> QSize:
    """Returns the pixels of a box, reduced to the most allowed."""
    share = min(1.0, (MOST_SOFTWARE_PIXELS / max(1.0, width * height)) ** 0.5)
    return QSize(max(1, round(width * share)), max(1, round(height * share)))
