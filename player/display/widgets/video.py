"""View model of a video widget: its decoder, and the poster while there is no frame.

Imported by the first scene with a video: Qt Multimedia takes 20 MB, which other boards do not need.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtMultimedia import QAudioOutput, QMediaMetaData, QMediaPlayer, QVideoFrame, QVideoFrameFormat, QVideoSink

from menu.documents.scene import VideoWidget
from menu.text.phrase import phrase
from player.display.media.asset_format import VIDEOS, fault_of, format_of
from player.display.media.crash_guard import HARMLESS_AFTER_SECONDS, MOST_CRASHES, Clearance, GuardedDecoder
from player.display.media.frame_scaler import bound_ffmpeg
from player.display.media.video_frames import NO_PICTURE, SoftwareFrames
from player.display.qt.scene_graph import is_software
from player.display.qt.typed import qml_property, slot
from player.display.typography.theme import placeholder_color
from player.display.widgets.widget import Shares, WidgetContext, WidgetViewModel, geometry
from player.domain.recovery.failures import COUNT_FOR
from player.domain.view import SceneView

STALL_SECONDS = 10.0
"""A video that has not advanced for this long, or shown no first frame, is taken off the glass."""
RETRY_SECONDS = 60.0
"""Between attempts after a stall or while barred; an undecodable video is tried again when its scene comes round."""
BARRED_DETAIL = (
    "{0} is not played for {1:.0f} hours: the player has died {2} times while it was decoding it. Encode the film anew"
    " as docs/video.md says and use that; the command reload lets the screen try this one again"
)

_HDR = {
    QVideoFrameFormat.ColorTransfer.ColorTransfer_ST2084: "PQ",
    QVideoFrameFormat.ColorTransfer.ColorTransfer_STD_B67: "HLG",
}
"""Curves of light that Qt does not bring to those of a screen."""
_CODECS = {"H264": "H.264", "H265": "HEVC (H.265)"}
"""Names of codecs, where Qt calls them something else."""


class VideoViewModel(WidgetViewModel):
    """A film: `drawn` says whether to show `surface`, which draws the frames, or the poster.

    It is settled when the first frame is there or given up. It decodes once there is a free decoder and the crash guard
    clears it: the first frame before it is displayed, the others while it is.
    """

    drawnChanged = Signal()
    pictureChanged = Signal()
    posterChanged = Signal()
    gaveUp = Signal()

    file_name = "VideoWidget.qml"
    is_drawn_for_pixels = True
    wants_ticks = True
    is_patient = True
    holds_film = True

    def __init__(self, widget: VideoWidget, context: WidgetContext) -> None:
        super().__init__(widget, context)
        box, poster, resources = widget.box, f"{widget.id}/poster", context.resources
        self._widget = widget
        self._poster = (
            self._assets.plan(poster, widget.poster, box.width, box.height, fit=widget.fit) if widget.poster else None
        )
        self._parts = (widget.id,) if self._poster is None else (poster, widget.id)
        self._assets.note(widget.id, widget.asset)
        self._path = resources.asset_path(widget.asset)
        self._facts = {
            **geometry(widget),
            "fit": str(widget.fit),
            "sound": not widget.muted,
            "placeholder": placeholder_color(context.theme),
        }
        self._poster_settled = False
        self._poster_freed = False
        self._pixels = (box.width * context.pixels_per_unit, box.height * context.pixels_per_unit)
        self._resources = resources
        self._patience = STALL_SECONDS * resources.decoders.slowness
        self._settle: Callable[[], None] = partial(context.settle, widget.id)
        self._in_software = is_software()
        self._gpu_sink: QVideoSink | None = None
        self._sound: QAudioOutput | None = None
        self._guarded: GuardedDecoder | None = None
        self._player: QMediaPlayer | None = None
        self._software_frames: SoftwareFrames | None = None
        self._on_glass = self._playing = False
        self._drawn = False
        self._begins = 0
        self._advanced = False
        self._advanced_at: float | None = None
        self._retry_at: float | None = None
        self._view: SceneView | None = None
        self._seek_at = 0.0

    def update(self, view: SceneView, shares: Shares) -> None:
        """Stays in step with the other panels of this view's board; a film of a slideshow begins with its slide."""
        del shares
        self._view = view

    @property
    def parts(self) -> Sequence[str]:
        """Its own part, and its poster."""
        return self._parts

    def built(self) -> None:
        """Decodes the first frame as soon as a decoder is free; QML has created its items."""
        try:
            known = format_of(self._path)
        except OSError as error:
            self._give_up(*fault_of(self._path, error))
            return
        if known in VIDEOS:
            self._resources.decoders.request(self._request_clearance)
        else:
            self._give_up("asset_undecodable", f"{self._path.name} is no video that this device can read")

    def enter_phase(self, *, seen: bool, on_glass: bool, plays: bool) -> None:
        """Plays, or waits at the first frame."""
        del seen
        self._on_glass, self._playing = on_glass, plays
        self._play_or_pause()
        if self._poster_freed and not self._drawn:
            self.posterChanged.emit()

    def tick(self) -> None:
        """Check that it advances."""
        monotonic = self._resources.monotonic()
        if self._retry_at is not None and monotonic >= self._retry_at:
            self._retry_at = None
            self.built()
        is_advancing = self._drawn and (self._advanced or not self._playing)
        if not self._advanced and self._drawn:
            # Between the rounds of a film whose picture comes late.
            self._skip_to_picture()
        self._advanced = False
        if self._player is None or is_advancing or self._advanced_at is None:
            self._advanced_at = monotonic
        elif monotonic - self._advanced_at >= self._patience:
            self._give_up("video_stalled", self._why_stalled())
            self._retry_at = monotonic + RETRY_SECONDS
        if self._player is not None and self._guarded is not None:
            self._guarded.tick(monotonic)
        moved = self._view.moved_for(self._resources.now()) if self._view is not None else None
        if moved is not None and self._player is not None and self._playing and monotonic >= self._seek_at:
            # 5 s between two such steps: each costs a moment of decoding.
            self._seek_at = monotonic + (5.0 if _catch_up(self._player, moved) else 0.0)

    def release(self) -> None:
        self._retry_at = None
        self._close_decoder()
        # It refers back to the scene that owns this, and Python cannot free such a cycle through Qt's objects.
        self._settle = _ignore

    def freeze_films(self) -> None:
        """Closes the decoder, so that others can use it, and leaves the last frame on the display."""
        sink = self._gpu_sink if self._software_frames is None else None
        frame = sink.videoFrame() if sink is not None else None
        self._close_decoder(leave_frame=True)
        if sink is not None and frame is not None:
            sink.setVideoFrame(frame)

    @slot(QObject)
    def useSink(self, sink: QVideoSink) -> None:
        """Uses the sink that QML has created, which draws the frames on a GPU and is deleted with its item."""
        self._gpu_sink = sink
        sink.destroyed.connect(self._forget_sink)

    @slot()
    def _forget_sink(self) -> None:
        self._gpu_sink = None

    @slot()
    def notePoster(self) -> None:
        """Called by QML when it has decoded the poster, or failed to."""
        self._poster_settled = True
        self.posterChanged.emit()

    @slot()
    def finishPicture(self) -> None:
        """Called before the window draws: the picture must not change meanwhile."""
        if self._software_frames is not None:
            self._software_frames.finish()

    @slot()
    def pictureShown(self) -> None:
        """Called when a frame of the window has been drawn since the picture changed."""
        if self._software_frames is not None:
            self._software_frames.take_next()

    @slot(QObject)
    def useSound(self, output: QAudioOutput) -> None:
        """Called by QML when it has created the output of a film that is not muted."""
        self._sound = output

    def _request_clearance(self) -> None:
        self._guarded = GuardedDecoder(self._resources.crash_guard, self._widget.asset, answer=self._answered)
        self._guarded.request()

    def _answered(self, clearance: Clearance) -> None:
        if clearance:
            self._decode()
            return
        if clearance is None:
            self._close_decoder()
            self._settle()
            self._retry_at = self._resources.monotonic() + HARMLESS_AFTER_SECONDS
            return
        hours = COUNT_FOR.total_seconds() / 3600
        self._give_up("video_crashes", BARRED_DETAIL.format(self._path.name, hours, MOST_CRASHES))
        self._retry_at = self._resources.monotonic() + RETRY_SECONDS

    def _decode(self) -> None:
        sink = self._gpu_sink
        if self._in_software or sink is None:
            self._software_frames = frames = SoftwareFrames(
                fit=self._widget.fit, pixels=self._pixels, parent=self, make_room=self._make_room
            )
            frames.drawn.connect(self.pictureChanged)
            frames.drawn.connect(self._frame_drawn)
            sink = frames.sink
        else:
            sink.videoFrameChanged.connect(self._first_frame_came)
        self._player = player = QMediaPlayer(self)
        bound_ffmpeg()
        player.setVideoSink(sink)
        if self._sound is not None:
            player.setAudioOutput(self._sound)
        player.setLoops(QMediaPlayer.Loops.Infinite.value)
        player.errorOccurred.connect(self._failed)
        player.mediaStatusChanged.connect(self._status_changed)
        player.positionChanged.connect(self._position_changed)
        self._advanced_at = None
        player.setSource(QUrl.fromLocalFile(str(self._path)))
        self._play_or_pause()

    def _play_or_pause(self) -> None:
        if self._player is None:
            return
        # Paused, a film gives its first picture at once, however late that is in it.
        if self._playing and self._drawn:
            if self._player.position() < self._begins:
                self._skip_to_picture()
            self._player.play()
        else:
            self._player.pause()
        if self._software_frames is not None:
            self._software_frames.set_running(self._playing or not self._drawn)

    def _skip_to_picture(self) -> None:
        """Skips to the first picture of a film that begins with none."""
        if self._player is not None and self._playing and self._begins:
            self._player.setPosition(self._begins)

    def _note_first(self, frame: QVideoFrame) -> None:
        begins = frame.startTime() // 1000
        # A film whose first picture comes later is played from that picture on.
        self._begins = begins if begins > 500 else 0
        curve = _HDR.get(frame.surfaceFormat().colorTransfer())
        if curve is not None:
            film = f"“{self._widget.id}”"
            self._assets.report(
                self.part, "video_hdr", phrase("the film {film} is HDR ({curve})", film=film, curve=curve)
            )

    def _close_decoder(self, *, failed: bool = False, leave_frame: bool = False) -> None:
        self._resources.decoders.release(self._request_clearance)
        player, self._player = self._player, None
        frames, self._software_frames = self._software_frames, None
        if player is not None:
            player.disconnect(self)
            player.setVideoSink(None)  # type: ignore[arg-type]
            player.setAudioOutput(None)  # type: ignore[arg-type]
            player.setSource(QUrl())
            player.deleteLater()
        if frames is not None:
            frames.stop()
            frames.deleteLater()
        elif self._gpu_sink is not None:
            self._gpu_sink.disconnect(self)
        self._poster_freed = False
        if not leave_frame:
            self._set_drawn(drawn=False)
            self.posterChanged.emit()
            self.pictureChanged.emit()
        guarded, self._guarded = self._guarded, None
        if guarded is not None:
            if player is not None and (self._playing or failed):
                guarded.mark_harmless()
            guarded.close()

    def _why_stalled(self) -> str:
        """Describes the stall with the film's name, and its codec where the file states it."""
        film, key = f"“{self._widget.id}”", QMediaMetaData.Key
        facts = self._player.metaData() if self._player is not None else QMediaMetaData()
        codec = facts.stringValue(key.VideoCodec)
        if self._drawn or not codec:
            return phrase("the film {film} has not gone on for {count} s", film=film, count=round(self._patience))
        return phrase(
            "the film {film} is coded as {codec}, {size}: none of it could be decoded here",
            film=film,
            codec=_CODECS.get(codec, codec),
            size=facts.stringValue(key.Resolution).replace("x", "×"),
        )

    def _give_up(self, code: str, detail: str) -> None:
        self._close_decoder(failed=True)
        self._assets.report(self.part, code, detail)
        self._settle()
        self.gaveUp.emit()

    def _make_room(self) -> bool:
        """Frees the poster before the first frame takes as much memory; not while guests see it."""
        if self._on_glass or self._poster is None:
            return True
        if self._poster_settled and not self._poster_freed:
            self._poster_freed = True
            self.posterChanged.emit()
        return self._poster_freed

    def _shown_poster(self) -> dict[str, object] | None:
        """Keeps the poster until it has settled: until then it is unknown whether it can be drawn."""
        is_covered = self._drawn or (self._poster_freed and not self._on_glass)
        return None if self._in_software and is_covered and self._poster_settled else self._poster

    @slot()
    def _first_frame_came(self) -> None:
        if self._gpu_sink is not None and self._gpu_sink.videoFrame().isValid():
            self._gpu_sink.disconnect(self)
            self._frame_drawn()

    @slot()
    def _frame_drawn(self) -> None:
        if self._player is not None and not self._drawn:
            sink = self._player.videoSink()
            self._note_first(sink.videoFrame())
            self._set_drawn(drawn=True)
            self._play_or_pause()
            self._settle()

    def _set_drawn(self, *, drawn: bool) -> None:
        if drawn is not self._drawn:
            self._drawn = drawn
            self.drawnChanged.emit()
            self.posterChanged.emit()

    @slot(int)
    def _position_changed(self, position: int) -> None:
        self._advanced = True
        if self._guarded is not None:
            self._guarded.move_to(position)

    @slot(QMediaPlayer.Error, str)
    def _failed(self, _: QMediaPlayer.Error, reason: str) -> None:
        self._give_up_undecodable(reason)

    @slot(QMediaPlayer.MediaStatus)
    def _status_changed(self, status: QMediaPlayer.MediaStatus) -> None:
        player = self._player
        if player is None:
            return
        if status is QMediaPlayer.MediaStatus.InvalidMedia:
            self._give_up_undecodable("")
        elif status is QMediaPlayer.MediaStatus.LoadedMedia and not player.hasVideo():
            self._give_up_undecodable("it has no picture")

    def _give_up_undecodable(self, reason: str) -> None:
        if self._player is not None:
            self._give_up("asset_undecodable", f"{self._path.name} could not be decoded: {reason or 'no reason given'}")

    surface = qml_property(str, lambda self: "VideoInSoftware.qml" if self._in_software else "VideoOnGpu.qml")
    picture = qml_property(
        "QVariantMap",
        lambda self: self._software_frames.picture if self._software_frames is not None else NO_PICTURE,
        notify=pictureChanged,
    )
    poster = qml_property("QVariant", lambda self: self._shown_poster(), notify=posterChanged)
    """Its plan. Without a GPU, none while the film shows: a full-screen one has 8 MB, which the film needs."""
    drawn = qml_property(bool, lambda self: self._drawn, notify=drawnChanged)


def _catch_up(player: QMediaPlayer, moved: float) -> bool:
    """Moves a film to its position on the other panels of a board, `moved` seconds after its beginning; returns whether
    it was elsewhere."""
    if (length := player.duration()) <= 0:
        return False
    due = int(moved * 1000) % length
    off = abs(player.position() - due)
    # A film that is off by more milliseconds goes to where it is on the other panels.
    is_off = min(off, length - off) > 250
    if is_off:
        player.setPosition(due)
    return is_off


def _ignore() -> None:
    pass
