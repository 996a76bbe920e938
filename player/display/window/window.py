"""Window: shows the stage on a screen, ticks while something is due, and reports the frames that were swapped."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QLoggingCategory, QObject, QSize, QTimer, QUrl, Signal
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtQml import QQmlComponent
from PySide6.QtQuick import QQuickView

from player.display.layout.page_turns import ResumePages
from player.display.media import qr_image, tag_icons
from player.display.media.crash_guard import CrashGuard, CrashLog, CrashRecords
from player.display.media.first_images import FIRST, first_image
from player.display.media.font_files import FontFiles
from player.display.media.image_plan import limit_decoding
from player.display.media.image_provider import HELD, ImageProvider, take
from player.display.media.resources import Decoders, Resources
from player.display.qt.constants import FRAMELESS_WINDOW, PRECISE_TIMER
from player.display.qt.scene_graph import is_software
from player.display.qt.typed import single_shot_timer
from player.display.views.view_model import ViewModel
from player.display.window.frame_watch import FrameWatch
from player.display.window.panel import Panel
from player.display.window.screens import seen_screen
from player.display.window.stage import Stage
from player.display.window.tidying import Tidying
from player.domain.events import (
    DetailsAsked,
    DisplayChecked,
    FramePresented,
    OrderFailed,
    WidgetDrawn,
    WidgetUndrawable,
)
from player.domain.machine import Glass, WindowMode
from player.domain.recovery.liveness import PROBE_SECONDS, FaultCode
from player.domain.view import DisplayOrder, View

if TYPE_CHECKING:
    from PySide6.QtGui import QScreen

    from player.display.typography.letters import Letters
    from player.display.window.screenshot import Screenshot, SnapshotWriter

QML = Path(__file__).parents[1] / "qml"
STAGE_FILE = QML / "Stage.qml"
DEFAULT_SIZE = (1920, 1080)
"""Offscreen, unless asked for another size."""
MOST_FLAT_FRAMES = 2
"""Seconds in a row in which a view that never is of one colour may be."""
LETTERBOX = "#101418"
DEFAULT_PANEL = Panel()

_log = logging.getLogger(__name__)


class DisplayError(Exception):
    """Raised when the display's own QML does not load: a broken installation."""


class Display(QObject):
    """Runs the display. Everything here is for the Qt thread; other threads use the bridge.

    `emit` receives what was presented and what could not be drawn. `show` may be called before `start`: the first frame
    then holds that view. With `crash_records`, videos while decoding which the player has died are barred.
    """

    ready = Signal()
    """The first view is on the glass: what competes with it for the processor may start."""

    def __init__(
        self,
        *,
        mode: WindowMode,
        size: tuple[int, int] | None,
        asset_path: Callable[[str], Path],
        emit: Callable[[FramePresented | WidgetUndrawable | WidgetDrawn | OrderFailed | DetailsAsked], None],
        monotonic: Callable[[], float],
        wall: Callable[[], datetime],
        on_close: Callable[[], None],
        snapshot: Path | None = None,
        panel: Panel = DEFAULT_PANEL,
        crash_records: CrashRecords | None = None,
        slowness: float = 1.0,
    ) -> None:
        super().__init__()
        limit_decoding()
        # Qt logs each family that lacks a script; the chain provides the next.
        QLoggingCategory.setFilterRules("qt.text.font.db.info=false")
        self._mode = mode
        self._emit = emit
        self._monotonic = monotonic
        self._wall = wall
        self._on_close = on_close
        self._clock_offset = timedelta()
        self._closing = False
        self.view = QQuickView()
        """The window itself."""
        self._preloaded = self._prepare_view(size)
        self._crash_guard = CrashGuard(crash_records, now=wall, parent=self)
        resources = Resources(
            asset_path=asset_path,
            emit=emit,
            now=self._now,
            monotonic=monotonic,
            decoders=Decoders(slowness=slowness),
            crash_guard=self._crash_guard,
            fonts=FontFiles(asset_path=asset_path, crash_guard=self._crash_guard, parent=self),
            resume_pages=ResumePages(),
        )
        self.stage = Stage(
            resources,
            size=self._pixels,
            panel=panel,
            grab=self.view.grabWindow if is_software() else None,
            parent=self,
        )
        self._letters: Letters | None = None
        self._unread: View | None = None
        self._serial, self._has_screen, self._frames_seen = 0, True, True
        self._seen_top: ViewModel | None = None
        self._flat_frames = 0
        self._frame_asked_at: float | None = None
        self._late_frames = 0
        self._glass: Glass | None = None
        self._tidying = Tidying(collect_qml=self.view.engine().collectGarbage)
        self._frames = FrameWatch(self.view, parent=self)
        self._snapshot = None if snapshot is None else self._writer_of(snapshot)
        self._connect()

    def _writer_of(self, snapshot: Path) -> SnapshotWriter:
        from player.display.window.screenshot import SnapshotWriter

        return SnapshotWriter(snapshot, grab=self.view.grabWindow, parent=self)

    def _prepare_view(self, size: tuple[int, int] | None) -> list[QQmlComponent]:
        self.view.setTitle("Menu Player")
        self.view.setColor(QColor(LETTERBOX))
        self.view.setResizeMode(QQuickView.ResizeMode.SizeRootObjectToView)
        self.view.resize(self._first_size(size))
        engine, in_background = self.view.engine(), QQmlComponent.CompilationMode.Asynchronous
        engine.addImageProvider(qr_image.PROVIDER, ImageProvider(qr_image.qr_named))
        engine.addImageProvider(tag_icons.PROVIDER, ImageProvider(tag_icons.tag_icon_named))
        engine.addImageProvider(FIRST, ImageProvider(first_image))
        engine.addImageProvider(HELD, ImageProvider(take))
        # Qt compiles these while this thread builds the first view.
        return [
            QQmlComponent(engine, _url(file), in_background)
            for file in (STAGE_FILE, QML / "views" / "Scene.qml", QML / "widgets" / "ListWidget.qml")
        ]

    def _connect(self) -> None:
        self._probe_timer = QTimer(self)
        self._probe_timer.setInterval(round(PROBE_SECONDS * 1000))
        self._probe_timer.timeout.connect(self._probe)
        # Dragging a window makes many steps: 0.3 s after the last.
        self._refit_timer = single_shot_timer(0.3, self.stage.refit, self)
        self._tick_timer = single_shot_timer(0, self._tick, self)
        self._tick_timer.setProperty("timerType", PRECISE_TIMER)
        self.stage.rowsInserted.connect(self._tick_soon)
        self.stage.escaped.connect(self._escaped)
        self.stage.detailsAsked.connect(partial(self._emit, DetailsAsked()))
        self.stage.refused.connect(self._refused)
        self.stage.firstViewShown.connect(self.ready)
        self.stage.changed.connect(self._frames.expect)
        self._frames.presented.connect(self._presented)
        # Connected, Qt reports a lost or missing graphics device instead of ending the process.
        self.view.sceneGraphError.connect(self._graphics_failed)
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.screenAdded.connect(self._follow_screens)
            application.primaryScreenChanged.connect(self._follow_screens)
        for changed in (self.view.widthChanged, self.view.heightChanged, self.view.screenChanged):
            changed.connect(self._size_changed)
        if self._snapshot is not None:
            self.view.frameSwapped.connect(self._snapshot.request)

    def show(self, order: DisplayOrder) -> None:
        """Shows the view of this order. Raises nothing: if it fails, the previous view stays, and the fault is
        emitted."""
        stepped = order.clock_offset != self._clock_offset
        self._clock_offset = order.clock_offset
        self._serial = order.serial
        try:
            self.stage.show(order)
        except Exception as error:
            _log.exception("order %d could not be shown", order.serial)
            self._fail(FaultCode.ORDER_REFUSED, f"{type(error).__name__}: {error}")
            return
        self._unread = order.view
        if stepped:
            self.stage.tick()
        self._tick_soon()

    def start(self) -> None:
        """Open the window. Raises DisplayError when the display's own files do not load."""
        self.view.setInitialProperties({"stage": self.stage})
        self.view.setSource(_url(STAGE_FILE))
        self._preloaded.clear()
        if self.view.status() is not QQuickView.Status.Ready:
            raise DisplayError("; ".join(error.toString() for error in self.view.errors()))
        if self._mode is WindowMode.FULLSCREEN:
            self.view.setProperty("flags", FRAMELESS_WINDOW)
            self.view.showFullScreen()
        else:
            self.view.show()
        self.view.visibleChanged.connect(self._visible_changed)
        self._probe_timer.start()
        self._tick()

    def close(self) -> None:
        """Close the window; the last snapshot is written first."""
        self._closing = True
        self._probe_timer.stop()
        self._forget_probe()
        self._tick_timer.stop()
        self._refit_timer.stop()
        if self._snapshot is not None:
            self._snapshot.close()
        self.stage.close()
        self.view.close()
        # QML goes first: the objects that it is bound to must outlive it.
        self.view.setSource(QUrl())

    def look(self, turned_at: float) -> DisplayChecked:
        """Returns the signs of life, where the loop last ran at `turned_at`; from any thread."""
        return DisplayChecked(
            turned_at=turned_at,
            has_screen=self._has_screen,
            frames_seen=self._frames_seen,
            frame_asked_at=self._frame_asked_at,
            building=self.stage.builder.building,
            frames_late=self._late_frames >= 3,  # In a row, PROBE_SECONDS apart: no passing trouble.
            glass=self._glass,
        )

    def forgive_crashes(self) -> None:
        """Allows every video again, also one while decoding which the player has died."""
        self._crash_guard.note(CrashLog.forgive)

    @property
    def is_at_rest(self) -> bool:
        """Whether a screenshot is of one whole view."""
        return self.stage.is_at_rest

    def screenshot(self) -> Screenshot:
        from player.display.window.screenshot import Screenshot

        return Screenshot(self.grab_image(), self.stage.builder.mounting.rotation)

    def grab_image(self) -> QImage:
        return self.view.grabWindow()

    def _now(self) -> datetime:
        return self._wall() + self._clock_offset

    def _tick(self) -> None:
        self._follow_screens()
        self.stage.tick()
        self._check_frame()
        self._tidying.consider(self.stage.changes, at_rest=self.stage.is_at_rest)
        if self.stage.wants_ticks or self._is_frame_unchecked():
            self._tick_soon()

    def _tick_soon(self) -> None:
        """Ticks a little after the next full second, so that a clock never shows the second before."""
        if not self._closing and not self._tick_timer.isActive():
            self._tick_timer.start(1000 - self._now().microsecond // 1000 + 2)

    def _is_frame_unchecked(self) -> bool:
        top = self.stage.top
        return top is not None and top.is_never_flat and not top.is_checked and self._frames_seen

    def _first_size(self, size: tuple[int, int] | None) -> QSize:
        screen = QGuiApplication.primaryScreen()
        match self._mode:
            case WindowMode.FULLSCREEN if seen_screen() is not None and screen is not None:
                return screen.size()
            case WindowMode.WINDOWED if size is None and screen is not None:
                from PySide6.QtCore import Qt

                return QSize(*DEFAULT_SIZE).scaled(screen.availableSize() * 0.8, Qt.AspectRatioMode.KeepAspectRatio)
            case _:
                return QSize(*(size or DEFAULT_SIZE))

    def _pixels(self) -> tuple[int, int]:
        ratio = self.view.devicePixelRatio()
        return round(self.view.width() * ratio), round(self.view.height() * ratio)

    def _size_changed(self) -> None:
        self._refit_timer.start()

    def _presented(self, serial: int) -> None:
        top = self.stage.top
        if top is not None and top.has_failed:
            return
        self._emit(FramePresented(serial=serial, at=self._monotonic()))
        self.stage.frame_presented()
        if top is not self._seen_top:
            self._seen_top, self._flat_frames = top, 0

    def _probe(self) -> None:
        """Requests a frame, to see whether frames are taken: a still picture needs none for hours. Also checks whether
        the displayed texts have fonts, which is not urgent."""
        if self._unread is not None:
            # With the classes of Qt that it uses it takes 3 ms to load, which the first frame does not wait for.
            from player.display.typography.letters import Letters

            self._letters = self._letters or Letters(self._emit)
            self._letters.look(self._unread)
            self._unread = None
        self._follow_screens()
        if not self._frames_seen:
            self._forget_probe()
        elif self._frame_asked_at is None:
            # Connected only for this frame, so that Python does not run in an animation's.
            self.view.frameSwapped.connect(self._probe_seen)
            self._frame_asked_at = self._monotonic()
            self.stage.mark_frame()
        self.view.update()

    def _probe_seen(self) -> None:
        if not self.view.isExposed():
            return  # A picture that the player has taken itself: see FrameWatch.
        if self._frame_asked_at is not None:
            # A frame comes within a tenth of 0.5 s on the slowest device that the board is made for.
            late = self._monotonic() - self._frame_asked_at >= 0.5
            self._late_frames = self._late_frames + 1 if late else 0
        self._forget_probe()

    def _forget_probe(self) -> None:
        if self._frame_asked_at is not None:
            self._frame_asked_at = None
            self.view.frameSwapped.disconnect(self._probe_seen)

    def _check_frame(self) -> None:
        """Checks once for each view that was built whether its frame is blank."""
        top = self.stage.top
        if top is None or top is not self._seen_top or not self.stage.is_at_rest or not self._is_frame_unchecked():
            return
        from player.display.window.screenshot import is_flat

        with self.stage.without_banners():
            image = self.grab_image()
        # Not what is beside it, which has a colour of its own.
        if not is_flat(image, self.stage.builder.part_of(top, image.rect())):
            top.is_checked = True
            return
        self._flat_frames += 1
        if self._flat_frames >= MOST_FLAT_FRAMES:
            top.is_checked = True
            self._fail(FaultCode.FRAME_BLANK, "")

    def _refused(self, serial: int) -> None:
        self._emit(OrderFailed(serial=serial, code=FaultCode.ORDER_REFUSED, detail="a part of the player is damaged"))

    def _fail(self, code: FaultCode, detail: str) -> None:
        self._emit(OrderFailed(serial=self._serial, code=code, detail=detail))

    def _graphics_failed(self, _error: object, message: str) -> None:
        self._fail(FaultCode.GRAPHICS_FAILED, message)

    def _follow_screens(self) -> None:
        """Tracks whether there is a screen, and fills it when it comes or changes its mode."""
        if self._mode is not WindowMode.FULLSCREEN:
            # A person may put a window out of sight.
            self._frames_seen = self._mode is WindowMode.OFFSCREEN or self.view.isExposed()
            if self._mode is WindowMode.OFFSCREEN:
                self._glass = self._glass_in(self.view.size(), is_screen=False)
            return
        screen = seen_screen()
        self._glass = self._glass_of(screen)
        if (screen is not None) is not self._has_screen:
            _log.warning("the screen is back" if screen else "no screen is connected, or it is switched off")
        self._has_screen = self._frames_seen = screen is not None
        if screen is None or self._closing or QGuiApplication.platformName() != "xcb":
            return
        # No window manager does it for the board.
        if self.view.screen() is not screen:
            self.view.setScreen(screen)
        if self.view.geometry() != screen.geometry():
            self.view.setGeometry(screen.geometry())

    def _glass_of(self, screen: QScreen | None) -> Glass | None:
        if screen is None or QGuiApplication.platformName() == "offscreen":
            return None
        return self._glass_in(screen.size() * screen.devicePixelRatio(), is_screen=True)

    def _glass_in(self, pixels: QSize, *, is_screen: bool) -> Glass:
        width, height = replace(self.stage.builder.mounting, overscan=0.0).room(pixels.width(), pixels.height())
        return Glass(width=pixels.width(), height=pixels.height(), upright=height > width, is_screen=is_screen)

    def _escaped(self) -> None:
        if self._mode is WindowMode.WINDOWED:
            self._on_close()

    def _visible_changed(self, visible: bool) -> None:  # noqa: FBT001 -- Qt's signal
        if not visible and not self._closing and (self._mode is not WindowMode.FULLSCREEN or seen_screen()):
            self._on_close()


def _url(file: Path) -> QUrl:
    return QUrl.fromLocalFile(str(file))
