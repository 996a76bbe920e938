"""The preview command: a board's display that draws one image or a window, and again at every change if asked."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtQuick import QQuickItem

from player.display.qt.single_shot import single_shot_timer
from player.display.window.panel import Panel
from player.display.window.render_backend import choose_backend
from player.display.window.screenshot import encode_png, write_whole
from player.display.window.window import DEFAULT_SIZE, WINDOWED_SHARE, Display, DisplayError, DisplayMode
from player.domain.documents.manifest import PlaylistVersion
from player.domain.events import DetailsAsked, FramePresented, OrderFailed, WidgetDrawn, WidgetUndrawable
from player.domain.playing.playback import Playback, output_at, play, view_of
from player.domain.view import DisplayOrder, SceneView, View
from player.preview.folder import Preview, read_preview

log = logging.getLogger(__name__)

SETTLED_WITHIN_SECONDS = 15.0
"""The view is drawn after this time even if an image of it is still being decoded."""
LOOK_MILLISECONDS = 15
LOOK_AGAIN_SECONDS = 0.3
"""Between two checks of the files and the time."""
LEAST_SIDE, MOST_SIDE = 64, 8192
"""Size of the drawn image, in pixels."""
DRAWN, NOT_DRAWN = 0, 1


class Options(Struct, frozen=True, kw_only=True):
    """The options of a preview. `size` None is the scene's own; `at` None is now, without an offset the location's own
    time; `language` (BCP 47) None is as the scenes say; `out` None is a window."""

    document: Path
    items: Path | None = None
    size: tuple[int, int] | None = None
    at: datetime | None = None
    language: str | None = None
    out: Path | None = None
    watch: bool = False
    panel: Panel = Panel()


def run_preview(options: Options) -> int:
    """Draw, once or until it is ended, as the options say; returns the exit code."""
    choose_backend()
    if options.out is not None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    application = QGuiApplication(sys.argv[:1])
    application.setApplicationName("menu-player preview")
    # Ending at once is safe: an image is written whole or not at all.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        return _window(options, application) if options.out is None else _view(options)
    except DisplayError as error:
        log.critical("the display cannot be opened: %s", error)
        return NOT_DRAWN


def _view(options: Options) -> int:
    """Draw into a file; with `watch`, again at every change."""
    code, preview = _draw(options)
    while options.watch:
        time.sleep(LOOK_AGAIN_SECONDS)
        if preview.is_stale:
            code, preview = _draw(options)
    return code


def _draw(options: Options) -> tuple[int, Preview]:
    assert options.out is not None  # noqa: S101 -- the caller checks it
    shown = _Shown(options)
    if shown.view is None:
        return NOT_DRAWN, shown.preview
    display = shown.display(DisplayMode.OFFSCREEN, size=options.size or _canvas_size(shown.view))
    display.start()
    _settle(display, lambda: shown.presented)
    try:
        write_whole(options.out, encode_png(display.grab_image()))
    except OSError as error:
        _say(f"{options.out}: {error.strerror}")
        return NOT_DRAWN, shown.preview
    finally:
        display.close()
        display.deleteLater()
    return DRAWN, shown.preview


def _window(options: Options, application: QGuiApplication) -> int:
    """Show a window until it is closed; a playlist plays in it."""
    shown = _Shown(options)
    if shown.view is None and not options.watch:
        return NOT_DRAWN
    display = shown.display(DisplayMode.WINDOWED, size=options.size or _window_size(shown.view), quit_=application.quit)
    display.start()
    turn = QTimer()
    turn.setInterval(round(LOOK_AGAIN_SECONDS * 1000))
    turn.timeout.connect(shown.refresh)
    turn.start()
    code = application.exec()
    display.close()
    return code


class _Shown:
    """The preview as it was last read, and the display that shows it."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._began = time.monotonic()
        self._at = options.at or datetime.now(UTC)
        self._playback: Playback | None = None
        self._display: Display | None = None
        self._serial = 0
        self.presented = False
        self.preview = self._read()
        self.view = self._view()

    def display(self, mode: DisplayMode, *, size: tuple[int, int], quit_: Callable[[], None] = lambda: None) -> Display:
        """The display, with the view ordered."""
        self._display = Display(
            mode=mode,
            size=size,
            asset_path=lambda digest: self.preview.paths.get(digest, Path(os.devnull, digest)),
            emit=self._handle,
            monotonic=time.monotonic,
            wall=self._now,
            on_close=quit_,
            panel=self._options.panel,
        )
        self._show()
        return self._display

    def refresh(self) -> None:
        """Read changed files again, and show what is due now. If nothing can be read, the view stays."""
        if self._options.watch and self.preview.is_stale:
            self.preview = self._read()
        view = self._view()
        if view is not None and view != self.view:
            self.view = view
            self._show()

    def _show(self) -> None:
        if self._display is not None and self.view is not None:
            self._serial += 1
            self._display.show(DisplayOrder(serial=self._serial, view=self.view))

    def _now(self) -> datetime:
        """The time of the preview: fixed in a file, running in a window."""
        passed = 0.0 if self._options.out is not None else time.monotonic() - self._began
        return self._start() + timedelta(seconds=passed)

    def _start(self) -> datetime:
        at = self._at
        if at.tzinfo is None:
            at = at.replace(tzinfo=ZoneInfo(self._playback.location.timezone) if self._playback else UTC)
        return at.astimezone(UTC)

    def _read(self) -> Preview:
        options = self._options
        at = self._at if self._at.tzinfo else self._at.replace(tzinfo=UTC)
        preview = read_preview(options.document, options.items, at=at)
        for fault in preview.faults:
            _say(str(fault))
        manifest = preview.manifest
        self._playback = None
        if manifest is not None and manifest.version is not None and manifest.version.entries:
            self._playback = play(
                _in_language(manifest.version, options.language),
                location=manifest.location,
                catalogue=manifest.catalogue.as_of(at, anew=True),
                missing={},
            )
        return preview

    def _view(self) -> View | None:
        """The view for now; None for nothing. A single scene is shown whatever its schedules say."""
        playback = self._playback
        if playback is None:
            return None
        if not self.preview.single:
            return output_at(playback, self._now(), schedules_trusted=True).view
        [entry] = playback.version.entries
        readable = playback.version.scenes[entry.scene_id].unreadable is None
        if not readable:
            return None
        return view_of(playback, entry, started_at=playback.version.published_at, counted_from=self._start())

    def _handle(self, event: FramePresented | WidgetUndrawable | WidgetDrawn | OrderFailed | DetailsAsked) -> None:
        match event:
            case FramePresented():
                self.presented = True
            case WidgetUndrawable() if event.code != "asset_missing":
                _say(str(self.preview.places.part_fault(event.subject, event.detail)))
            case OrderFailed():
                _say(f"the scene could not be drawn: {event.detail or 'its image is empty'}")


def _in_language(version: PlaylistVersion, language: str | None) -> PlaylistVersion:
    """The version with every scene in this language alone."""
    if language is None:
        return version
    scenes = {name: replace(scene, languages=(language,), together=False) for name, scene in version.scenes.items()}
    return replace(version, scenes=scenes)


def _settle(display: Display, presented: Callable[[], bool]) -> None:
    """Run Qt's loop until the view is on the glass, whole and at rest."""
    loop, look = QEventLoop(), QTimer()

    def at_rest() -> None:
        if presented() and display.stage.is_at_rest and not _loading(display.view.rootObject()):
            loop.quit()

    def give_up() -> None:
        log.warning("an image takes longer than %g s: the view is drawn without it", SETTLED_WITHIN_SECONDS)
        loop.quit()

    look.setInterval(LOOK_MILLISECONDS)
    look.timeout.connect(at_rest)
    look.start()
    patience = single_shot_timer(SETTLED_WITHIN_SECONDS, give_up)
    patience.start()
    loop.exec()


def _loading(item: QQuickItem) -> bool:
    """Whether an image in this item is still being decoded."""
    return any(child.property("loading") is True or _loading(child) for child in item.childItems())


def _canvas_size(view: View) -> tuple[int, int]:
    """The scene's own size in pixels."""
    if not isinstance(view, SceneView):
        return DEFAULT_SIZE
    scene = view.scene
    width, height = (min(MOST_SIDE, max(LEAST_SIDE, round(side))) for side in (scene.width, scene.height))
    return width, height


def _window_size(view: View | None) -> tuple[int, int]:
    """The scene's size, reduced to fit the desktop."""
    width, height = _canvas_size(view) if view is not None else DEFAULT_SIZE
    screen = QGuiApplication.primaryScreen().availableSize() * WINDOWED_SHARE
    share = min(screen.width() / width, screen.height() / height, 1.0)
    return round(width * share), round(height * share)


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)  # noqa: T201
