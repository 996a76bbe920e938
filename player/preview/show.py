"""Preview command: a board's display that draws one image."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtQuick import QQuickItem

from menu.documents.manifest import Manifest, PlaylistVersion
from menu.documents.scene import ItemWidget, ListWidget
from player.display.qt.typed import single_shot_timer
from player.display.window.render_backend import choose_backend
from player.display.window.screenshot import encode_jpeg, encode_png, write_whole
from player.display.window.window import Display, DisplayError
from player.domain.events import DetailsAsked, FramePresented, OrderFailed, WidgetDrawn, WidgetUndrawable
from player.domain.machine import WindowMode
from player.domain.playing.listings import SortedItems, scene_is_empty
from player.domain.playing.playback import play, view_of
from player.domain.view import DisplayOrder, SceneView
from player.preview.folder import Preview, read_preview

log = logging.getLogger(__name__)

SETTLED_WITHIN_SECONDS = 15.0
"""The view is drawn after this time even if an image of it is still being decoded."""
LEAST_SIDE, MOST_SIDE = 64, 8192
"""Size of the drawn image, in pixels."""
MOST_SHARED = 2400
"""Size of each of several boards in one image, so that this has no more than `MOST_SIDE`."""
DRAWN, NOT_DRAWN, EMPTY = 0, 1, 3
"""Exit codes; 3 with the image of a scene that a board passes over, as none of its items can be had."""


class Options(Struct, frozen=True, kw_only=True):
    """Options of a preview. `size` None is the scene's own; `at` without an offset is the location's own time;
    `language` (BCP 47) None is as the scenes define."""

    document: Path
    items: Path | None = None
    size: tuple[int, int] | None = None
    at: datetime
    language: str | None = None
    all_columns: bool = False
    """Whether to draw a menu with each number of columns that it may have."""
    out: Path


def run_preview(options: Options) -> int:
    """Draws; returns the exit code."""
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
    empty = _tell_missing_items(view, preview, options, at)
    try:
        if options.all_columns:
            image = _all_columns(view, preview, options, at)
        else:
            image = _draw(view, preview, options, at, _say)
        if image is None:
            _say(f"{options.document}: has no menu or grid, whose columns could be chosen")
            return NOT_DRAWN
        encode = encode_png if options.out.suffix.lower() == ".png" else encode_jpeg
        write_whole(options.out, encode(image))
    except DisplayError as error:
        log.critical("the display cannot be opened: %s", error)
        return NOT_DRAWN
    except OSError as error:
        _say(f"{options.out}: {error.strerror}")
        return NOT_DRAWN
    return EMPTY if empty else DRAWN


def _tell_missing_items(view: SceneView, preview: Preview, options: Options, at: datetime) -> bool:
    """Reports missing items; returns whether a board skips the scene for that."""
    widgets = view.scene.widgets
    if options.items is None and any(isinstance(widget, ListWidget | ItemWidget) for widget in widgets):
        _say(f"{options.document}: lists items, and none are given: name their file with --items")
    for widget in widgets:
        if isinstance(widget, ItemWidget) and widget.id not in view.items:
            missing = f"no item “{widget.item_id}” that can be had"
            _say(str(preview.places.part_fault(f"/{widget.id}/itemId", missing)))
    manifest = preview.manifest
    empty = manifest is not None and scene_is_empty(view.scene, SortedItems(manifest.catalogue.as_of(at)))
    if empty:
        _say(f"{options.document}: no item of it can be had: a board passes over it")
    return empty


def _all_columns(view: SceneView, preview: Preview, options: Options, at: datetime) -> QImage | None:
    """Draws the board with each choice of columns, at half the scene's size; None without a menu or grid."""
    from player.preview.columns import choices, name_of, sheet, with_columns  # Loads Qt's namespace (ADR 0080).

    width, height = options.size or (max(LEAST_SIDE, side // 2) for side in _canvas_size(view))
    options = replace(options, size=(min(width, MOST_SHARED), min(height, MOST_SHARED)))
    boards, faults = list[tuple[str, QImage]](), dict[str, list[str]]()
    for columns in choices(view.scene):
        name, scene = name_of(columns), with_columns(view.scene, columns)
        faults[name] = []
        boards.append((name, _draw(replace(view, scene=scene), preview, options, at, faults[name].append)))
    common = set[str].intersection(*map(set, faults.values())) if faults else set[str]()
    for fault in dict.fromkeys(fault for each in faults.values() for fault in each):
        names = [""] if fault in common else [f"{name}: " for name, each in faults.items() if fault in each]
        for name in names:
            _say(name + fault)
    return sheet(boards) if boards else None


def _draw(view: SceneView, preview: Preview, options: Options, at: datetime, tell: Callable[[str], None]) -> QImage:
    """Draws the board; `tell` gets its faults."""
    is_presented = False

    def handle(event: FramePresented | WidgetUndrawable | WidgetDrawn | OrderFailed | DetailsAsked) -> None:
        nonlocal is_presented
        match event:
            case FramePresented():
                is_presented = True
            case WidgetUndrawable(code="menu_continues"):
                # The time that its pages need is that of a playlist, which a preview does not know.
                tell(str(preview.places.part_fault(event.subject, "has more pages than the first, which is drawn")))
            case WidgetUndrawable() if event.code != "asset_missing":
                tell(str(preview.places.part_fault(event.subject, event.detail)))
            case OrderFailed():
                tell(f"the scene could not be drawn: {event.detail or 'its image is empty'}")

    display = Display(
        mode=WindowMode.OFFSCREEN,
        size=options.size or _canvas_size(view),
        asset_path=lambda digest: preview.paths.get(digest, Path(os.devnull, digest)),
        emit=handle,
        monotonic=lambda: 0.0,  # Pages do not turn, however slow the machine.
        wall=lambda: at,
        on_close=lambda: None,
    )
    display.show(DisplayOrder(serial=1, view=view))
    display.start()
    settle(display, lambda: is_presented)
    try:
        return display.grab_image()
    finally:
        display.close()
        display.deleteLater()


def _instant(at: datetime, manifest: Manifest | None) -> datetime:
    zone = ZoneInfo(manifest.location.timezone) if manifest is not None else UTC
    return (at if at.tzinfo else at.replace(tzinfo=zone)).astimezone(UTC)


def _view(preview: Preview, language: str | None, at: datetime) -> SceneView | None:
    """Returns the view at this time; None for nothing. A single scene is shown whatever its schedules."""
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
    """Returns the version with every scene in this language alone."""
    if language is None:
        return version
    scenes = {name: replace(scene, languages=(language,), together=False) for name, scene in version.scenes.items()}
    return replace(version, scenes=scenes)


def settle(display: Display, presented: Callable[[], bool]) -> None:
    """Runs Qt's loop until the view is on the display, whole and at rest."""
    loop, look = QEventLoop(), QTimer()

    def at_rest() -> None:
        if presented() and display.stage.is_at_rest and not _loading(display.view.rootObject()):
            loop.quit()

    def give_up() -> None:
        log.warning("an image takes longer than %g s: the view is drawn without it", SETTLED_WITHIN_SECONDS)
        loop.quit()

    look.setInterval(15)
    look.timeout.connect(at_rest)
    look.start()
    patience = single_shot_timer(SETTLED_WITHIN_SECONDS, give_up)
    patience.start()
    loop.exec()


def _loading(item: QQuickItem) -> bool:
    """True if an image in this item is still being decoded."""
    return any(child.property("loading") is True or _loading(child) for child in item.childItems())


def _canvas_size(view: SceneView) -> tuple[int, int]:
    """Returns the scene's own size in pixels."""
    scene = view.scene
    width, height = (min(MOST_SIDE, max(LEAST_SIDE, round(side))) for side in (scene.width, scene.height))
    return width, height


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)  # noqa: T201
