"""Owns one video widget: its decoder, from the first frame to the last, and what stands in while there is no frame.

Imported by the first scene that has a video: Qt Multimedia takes 20 MB that no other board should pay for.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QSizeF, QUrl, Signal
from PySide6.QtGui import QColor
from PySide6.QtMultimedia import QAudioOutput, QMediaPlayer, QVideoSink
from PySide6.QtQuick import QQuickItem, QQuickWindow

from player.display.media.asset_format import VIDEOS, format_of
from player.display.media.crash_guard import (
    CRASHES_COUNT_FOR,
    HARMLESS_AFTER_SECONDS,
    MOST_CRASHES,
    Clearance,
    CrashGuard,
    GuardedDecoder,
)
from player.display.media.decoders import Decoders
from player.display.media.video_frames import RasterFrames, RasterVideo
from player.display.qt.qml_property import qml_property
from player.display.qt.slot import slot
from player.display.widgets.geometry import geometry
from player.domain.scene import VideoWidget

STALL_SECONDS = 10.0
"""A video that has not gone on for this long, or shown no first frame, is taken off the glass."""
AGAIN_SECONDS = 60.0
"""After a stall, or while it is barred; what cannot be decoded is not tried again before its scene comes round."""
BARRED = (
    "{0} is not played for {1:.0f} hours: the player has died {2} times while it was decoding it. Encode the film anew"
    " as docs/video.md says and use that; the command reload lets the screen try this one again"
)
AV_LOG_FATAL = 8

Report = Callable[[str, str], None]
"""Takes the code and a sentence on why there is no video."""


class VideoViewModel(QObject):
    """A video widget as QML sees it: `drawn` says whether to show `surface`, which draws the frames, or the poster.

    `report` says once why there is no video; `settled` is called when the first frame is there or given up. It decodes
    once the `decoders` have a free one and the `crash_guard` clears it: the first frame before it is on the glass, the
    others on it.
    """

    drawnChanged = Signal()

    def __init__(
        self,
        widget: VideoWidget,
        *,
        path: Path,
        z: int,
        poster: dict[str, object] | None,
        placeholder_color: QColor,
        pixels_a_unit: float,
        decoders: Decoders,
        crash_guard: CrashGuard,
        monotonic: Callable[[], float],
        report: Report,
        settled: Callable[[], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._widget = widget
        self._path = path
        self._facts = {**geometry(widget, z), "fit": str(widget.fit), "poster": poster, "calm": placeholder_color}
        self._pixels = (widget.box.width * pixels_a_unit, widget.box.height * pixels_a_unit)
        self._decoders = decoders
        self._crash_guard = crash_guard
        self._monotonic = monotonic
        self._report = report
        self._settled = settled
        self._software = QQuickWindow.sceneGraphBackend() == "software"
        self._glass_sink: QVideoSink | None = None
        self._canvas: QQuickItem | None = None
        self._guarded: GuardedDecoder | None = None
        self._player: QMediaPlayer | None = None
        self._raster: RasterFrames | None = None
        self._on_glass = False
        self._drawn = False
        self._moved = False
        self._moved_at: float | None = None
        self._again_at: float | None = None

    def start(self) -> None:
        """Decode the first frame as soon as a decoder is free; QML has made its items."""
        try:
            known = format_of(self._path)
        except OSError:
            self._give_up("asset_missing", f"{self._path.name} is not on this device")
            return
        if known in VIDEOS:
            self._decoders.ask(self._begin)
        else:
            self._give_up("asset_undecodable", f"{self._path.name} is no video that this device can read")

    def set_on_glass(self, on_glass: bool) -> None:  # noqa: FBT001 -- one word that the call's name explains
        """Play, or wait at the first frame."""
        self._on_glass = on_glass
        self._go_on()

    def tick(self, monotonic: float) -> None:
        """Look whether it goes on; `monotonic` in seconds."""
        if self._again_at is not None and monotonic >= self._again_at:
            self._again_at = None
            self._decoders.ask(self._begin)
        goes_on = self._drawn and (self._moved or not self._on_glass)
        self._moved = False
        if self._player is None or goes_on or self._moved_at is None:
            self._moved_at = monotonic
        elif monotonic - self._moved_at >= STALL_SECONDS:
            self._give_up("video_stalled", f"{self._path.name} has not gone on for {STALL_SECONDS:.0f} s")
            self._again_at = monotonic + AGAIN_SECONDS
        if self._player is not None and self._guarded is not None:
            self._guarded.tick(monotonic)

    def leave(self) -> None:
        """Let go of the decoder: the scene has left."""
        self._again_at = None
        self._end()
        # It leads back to the scene that owns this, and Python frees no such ring through Qt's objects.
        self._settled = _nobody_waits

    @property
    def part(self) -> str:
        """Which part of the scene it is."""
        return self._widget.id

    @slot(QObject)
    def glass(self, sink: QVideoSink) -> None:
        """QML has made what draws the frames on a GPU."""
        self._glass_sink = sink

    @slot(QQuickItem)
    def canvas(self, item: QQuickItem) -> None:
        """QML has made what the frames are drawn in without a GPU."""
        self._canvas = item

    def _begin(self) -> None:
        self._guarded = GuardedDecoder(self._crash_guard, self._widget.asset, answer=self._answered)
        self._guarded.request()

    def _answered(self, clearance: Clearance) -> None:
        match clearance:
            case Clearance.GRANTED:
                self._decode()
            case Clearance.WAIT:
                self._end()
                self._settled()
                self._again_at = self._monotonic() + HARMLESS_AFTER_SECONDS
            case Clearance.BARRED:
                hours = CRASHES_COUNT_FOR.total_seconds() / 3600
                self._give_up("video_crashes", BARRED.format(self._path.name, hours, MOST_CRASHES))
                self._again_at = self._monotonic() + AGAIN_SECONDS

    def _decode(self) -> None:
        sink = self._glass_sink
        if self._software or sink is None:
            self._raster = raster = RasterFrames(fit=self._widget.fit, pixels=self._pixels, parent=self)
            raster.drawn.connect(self._frame_drawn)
            if self._canvas is not None:
                RasterVideo(raster, canvas=self._canvas, size=QSizeF(self._widget.box.width, self._widget.box.height))
            sink = raster.sink
        else:
            sink.videoFrameChanged.connect(self._frame_came)
        self._player = player = QMediaPlayer(self)
        _quiet_ffmpeg()
        player.setVideoSink(sink)
        if not self._widget.muted:
            player.setAudioOutput(QAudioOutput(player))
        player.setLoops(QMediaPlayer.Loops.Infinite.value)
        player.errorOccurred.connect(self._failed)
        player.mediaStatusChanged.connect(self._status_changed)
        player.positionChanged.connect(self._position_changed)
        self._moved_at = None
        player.setSource(QUrl.fromLocalFile(str(self._path)))
        self._go_on()

    def _go_on(self) -> None:
        if self._player is None:
            return
        if self._on_glass:
            self._player.play()
        else:
            self._player.pause()
        if self._raster is not None:
            self._raster.set_running(self._on_glass or not self._drawn)

    def _end(self, *, failed: bool = False) -> None:
        self._decoders.leave(self._begin)
        player, self._player = self._player, None
        raster, self._raster = self._raster, None
        if player is not None:
            player.disconnect(self)
            player.setVideoSink(None)  # type: ignore[arg-type]
            player.setSource(QUrl())
            player.deleteLater()
        if raster is not None:
            raster.stop()
            raster.deleteLater()
        elif self._glass_sink is not None:
            self._glass_sink.disconnect(self)
        self._set_drawn(drawn=False)
        guarded, self._guarded = self._guarded, None
        if guarded is not None:
            if player is not None and (self._on_glass or failed):
                guarded.mark_harmless()
            guarded.close()

    def _give_up(self, code: str, detail: str) -> None:
        self._end(failed=True)
        self._report(code, detail)
        self._settled()

    @slot()
    def _frame_came(self) -> None:
        if self._glass_sink is not None and self._glass_sink.videoFrame().isValid():
            self._glass_sink.disconnect(self)
            self._frame_drawn()

    @slot()
    def _frame_drawn(self) -> None:
        if self._player is not None and not self._drawn:
            self._set_drawn(drawn=True)
            self._go_on()
            self._settled()

    def _set_drawn(self, *, drawn: bool) -> None:
        if drawn is not self._drawn:
            self._drawn = drawn
            self.drawnChanged.emit()

    @slot(int)
    def _position_changed(self, position: int) -> None:
        self._moved = True
        if self._guarded is not None:
            self._guarded.move_to(position)

    @slot(QMediaPlayer.Error, str)
    def _failed(self, _: QMediaPlayer.Error, said: str) -> None:
        self._undecodable(said)

    @slot(QMediaPlayer.MediaStatus)
    def _status_changed(self, status: QMediaPlayer.MediaStatus) -> None:
        player = self._player
        if player is None:
            return
        if status is QMediaPlayer.MediaStatus.InvalidMedia:
            self._undecodable("")
        elif status is QMediaPlayer.MediaStatus.LoadedMedia and not player.hasVideo():
            self._undecodable("it has no picture")

    def _undecodable(self, said: str) -> None:
        if self._player is not None:
            self._give_up("asset_undecodable", f"{self._path.name} could not be decoded: {said or 'no reason given'}")

    facts = qml_property("QVariantMap", lambda self: self._facts)
    surface = qml_property(str, lambda self: "VideoInSoftware.qml" if self._software else "VideoOnGpu.qml")
    drawn = qml_property(bool, lambda self: self._drawn, notify=drawnChanged)


def _nobody_waits() -> None:
    pass


def _quiet_ffmpeg() -> None:
    """FFmpeg describes each file and each bad frame on stderr, which a journal would keep; Qt has no switch for it."""
    for line in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines():
        library = line.rpartition(" ")[2]
        if "/libavutil" in library:
            ctypes.CDLL(library).av_log_set_level(AV_LOG_FATAL)
            return
