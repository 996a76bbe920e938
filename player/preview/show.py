"""The preview command: a board's display that draws one image."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtQuick import QQuickItem

from player.display.qt.typed import single_shot_timer
from player.display.window.render_backend import choose_backend
from player.display.window.screenshot import encode_png, write_whole
from player.display.window.window import DEFAULT_SIZE, Display, DisplayError
from player.domain.documents.manifest import Manifest, PlaylistVersion
from player.domain.events import DetailsAsked, FramePresented, OrderFailed, WidgetDrawn, WidgetUndrawable
from player.domain.machine import WindowMode
from player.domain.playing.playback import play, view_of
from player.domain.view import DisplayOrder, SceneView, View
from player.preview.folder import Preview, read_preview

log = logging.getLogger(__name__)

SETTLED_WITHIN_SECONDS = 15.0
"""The view is drawn after this time even if an image of it is still being decoded."""
LOOK_MILLISECONDS = 15
LEAST_SIDE, MOST_SIDE = 64, 8192
"""Size of the drawn image, in pixels."""
DRAWN, NOT_DRAWN = 0, 1


class Options(Struct, frozen=True, kw_only=True):
    """The options of a preview. `size` None is the scene's own; `at` without an offset is the location's own time;
    `language` (BCP 47) None is as the scenes say."""

    document: Path
    items: Path | None = None
    size: tuple[int, int] | None = None
    at: datetime
    language: str | None = None
    out: Path


def run_preview(options: Options) -> int:
    """Draw; returns the exit code."""
    choose_backend()
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    _application = QGuiApplication(sys.argv[:1])
    # Ending at once is safe: an image is written whole or not at all.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    preview = read_preview(options.document, options.items, at=_instant(options.at, None))
    for fault in preview.faults:
        _say(str(fault))
    at = _instant(options.at, preview.manifest)
    view = _view(preview, options.language, at)
    if view is None:
        return NOT_DRAWN
    try:
        return _draw(view, preview, options, at)
    except DisplayError as error:
        log.critical("the display cannot be opened: %s", error)
        return NOT_DRAWN


def _draw(view: View, preview: Preview, options: Options, at: datetime) -> int:
    is_presented = False

    def handle(event: FramePresented | WidgetUndrawable | WidgetDrawn | OrderFailed | DetailsAsked) -> None:
        nonlocal is_presented
        match event:
            case FramePresented():
                is_presented = True
            case WidgetUndrawable() if event.code != "asset_missing":
                _say(str(preview.places.part_fault(event.subject, event.detail)))
            case OrderFailed():
                _say(f"the scene could not be drawn: {event.detail or 'its image is empty'}")

    display = Display(
        mode=WindowMode.OFFSCREEN,
        size=options.size or _canvas_size(view),
        asset_path=lambda digest: preview.paths.get(digest, Path(os.devnull, digest)),
        emit=handle,
        monotonic=time.monotonic,
        wall=lambda: at,
        on_close=lambda: None,
    )
    display.show(DisplayOrder(serial=1, view=view))
    display.start()
    settle(display, lambda: is_presented)
    try:
        write_whole(options.out, encode_png(display.grab_image()))
    except OSError as error:
        _say(f"{options.out}: {error.strerror}")
        return NOT_DRAWN
    finally:
        display.close()
        display.deleteLater()
    return DRAWN


def _instant(at: datetime, manifest: Manifest | None) -> datetime:
    zone = ZoneInfo(manifest.location.timezone) if manifest is not None else UTC
    return (at if at.tzinfo else at.replace(tzinfo=zone)).astimezone(UTC)


def _view(preview: Preview, language: str | None, at: datetime) -> View | None:
    """The view at this time; None for nothing. A single scene is shown whatever its schedules say."""
    manifest = preview.manifest
    if manifest is None or manifest.version is None or not manifest.version.entries:
        return None
    playback = play(
        _in_language(manifest.version, language),
        location=manifest.location,
        catalogue=manifest.catalogue.as_of(at),
        missing={},
    )
    [entry] = playback.version.entries
    if playback.version.scenes[entry.scene_id].unreadable is not None:
        return None
    return view_of(playback, entry, started_at=playback.version.published_at, counted_from=at)


def _in_language(version: PlaylistVersion, language: str | None) -> PlaylistVersion:
    """The version with every scene in this language alone."""
    if language is None:
        return version
    scenes = {name: replace(scene, languages=(language,), together=False) for name, scene in version.scenes.items()}
    return replace(version, scenes=scenes)


def settle(display: Display, presented: Callable[[], bool]) -> None:
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


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)  # noqa: T201
