"""Set-up for the tests of the glass: a real window drawn offscreen, with clocks that the test moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtGui import QGuiApplication, QImage, QTransform
from PySide6.QtQml import QJSValue
from PySide6.QtQuick import QQuickItem
from pytestqt.qtbot import QtBot

from player.display.layout.text.bidi import FIRST_STRONG_ISOLATE, POP_ISOLATE, RIGHT_TO_LEFT_MARK
from player.display.media.crash_guard import CrashRecords
from player.display.views.view_model import ViewModel, ViewPhase
from player.display.window.panel import Panel
from player.display.window.window import DEFAULT_PANEL, Display
from player.domain.events import DetailsAsked, FramePresented, WidgetDrawn, WidgetUndrawable
from player.domain.machine import WindowMode
from player.domain.view import SceneView, View
from tests.player.display.scenes import NOON, order
from tests.support.patience import PATIENCE_SECONDS

DIRECTION_MARKS = dict.fromkeys(map(ord, (RIGHT_TO_LEFT_MARK, FIRST_STRONG_ISOLATE, POP_ISOLATE)))


@dataclass
class Glass:
    """A display under test: orders in, items and pixels out."""

    qtbot: QtBot
    size: tuple[int, int] = (960, 540)
    files: dict[str, Path] = field(default_factory=dict)
    mode: WindowMode = WindowMode.OFFSCREEN
    snapshot: Path | None = None
    panel: Panel = DEFAULT_PANEL
    crash_records: CrashRecords | None = None
    slowness: float = 1.0
    events: list[FramePresented | WidgetUndrawable | WidgetDrawn | DetailsAsked] = field(default_factory=list)
    wall: datetime = NOON
    monotonic: float = 1000.0
    closed: int = 0
    serial: int = 0
    started: bool = False
    page_turns: int = 0
    """Milliseconds in which pages of menus cross-fade; at once, a test sees one page at a time."""

    def __post_init__(self) -> None:
        self.display = Display(
            mode=self.mode,
            size=self.size,
            asset_path=lambda digest: self.files.get(digest, Path("/nowhere") / digest),
            emit=self.events.append,
            monotonic=lambda: self.monotonic,
            wall=lambda: self.wall,
            on_close=self._count_close,
            snapshot=self.snapshot,
            panel=self.panel,
            crash_records=self.crash_records,
            slowness=self.slowness,
        )

    def _count_close(self) -> None:
        self.closed += 1

    def order(self, view: View, upcoming: SceneView | None = None, **more: object) -> int:
        """Order a view without waiting for it; returns the order's serial."""
        self.serial += 1
        self.display.show(order(self.serial, view, upcoming, **more))
        if not self.started:
            self.started = True
            self.display.start()
        return self.serial

    def show(self, view: View, upcoming: SceneView | None = None, **more: object) -> None:
        """Order a view and wait until its frame has been swapped."""
        serial = self.order(view, upcoming, **more)
        self.until(lambda: serial in self.presented)

    @property
    def moving(self) -> bool:
        """Whether a view enters."""
        return any(host.property("moving") for host in self.find("host"))

    def settle(self) -> None:
        """Wait until the ordered view covers the glass: a scene may be built anew behind the one that shows."""
        self.until(lambda: self.display.is_at_rest and not self.moving)
        QCoreApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def until(self, holds: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(holds, timeout=1000 * PATIENCE_SECONDS)

    def pass_seconds(self, seconds: float) -> None:
        """Advance both clocks, and tick the stage."""
        for menu in (*self.find_all("menu"), *self.find_all("grid")):
            menu.setProperty("turn", self.page_turns)
        self.wall += timedelta(seconds=seconds)
        self.monotonic += seconds
        self.display.stage.tick()

    @property
    def presented(self) -> list[int]:
        return [event.serial for event in self.events if isinstance(event, FramePresented)]

    @property
    def undrawable(self) -> list[WidgetUndrawable]:
        return [event for event in self.events if isinstance(event, WidgetUndrawable)]

    @property
    def drawn(self) -> list[WidgetDrawn]:
        return [event for event in self.events if isinstance(event, WidgetDrawn)]

    @property
    def hidden(self) -> list[ViewModel]:
        """The views on the stage that are not on the glass: built, prepared or cached; the newest is the last."""
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        views = (child for child in self.display.stage.children() if isinstance(child, ViewModel))
        return [view for view in views if view.current_phase is ViewPhase.PREPARING]

    @property
    def root(self) -> QQuickItem:
        return self.display.view.rootObject()

    def find(self, name: str, under: QQuickItem | None = None) -> list[QQuickItem]:
        """Visible items of this name, in drawing order."""
        return [item for item in descendants(under or self.root, visible=True) if item.objectName() == name]

    def find_all(self, name: str) -> list[QQuickItem]:
        """Items of this name, visible or not."""
        return [item for item in descendants(self.root) if item.objectName() == name]

    def texts(self, name: str, under: QQuickItem | None = None) -> list[str]:
        """Texts as they are read, without control characters for direction."""
        return [text_of(item).translate(DIRECTION_MARKS) for item in self.find(name, under)]

    def grab(self) -> QImage:
        """The window's pixels."""
        return self.display.grab_image()

    def seen(self) -> QImage:
        """The pixels as a guest sees them, on a panel that may be rotated."""
        rotation = self.display.stage.property("rotation")
        return self.grab().transformed(QTransform().rotate(-rotation))


def text_of(item: QQuickItem) -> str:
    """The text of an item, in lines."""
    return str(item.property("text"))


def text_top(item: QQuickItem) -> float:
    """The top of a run's first line, whatever faces its letters have."""
    return float(item.y() + item.baselineOffset() - 0.75 * item.property("lineHeight"))


def object_of(item: QObject, name: str) -> dict[str, Any]:
    """A JavaScript object in a property of QML: PySide6 6.8 hands out a QJSValue, later ones a dict."""
    held = item.property(name)
    found: dict[str, Any] = held.toVariant() if isinstance(held, QJSValue) else held
    return found


def text_width(item: QQuickItem) -> float:
    """Width of an item's text; of several lines, of the widest, and of figures in cells, of all."""
    lines = [(line, line.property("contentWidth")) for line in (item, *item.childItems())]
    return max((width + (line is not item) * line.x() for line, width in lines if width is not None), default=0.0)


def descendants(item: QQuickItem, *, visible: bool = False) -> Iterator[QQuickItem]:
    """All items in it, or those that are visible, in drawing order."""
    waiting = item.childItems()[::-1]
    while waiting:
        child = waiting.pop()
        if not visible or child.isVisible():
            yield child
            waiting += child.childItems()[::-1]


@pytest.fixture
def make_glass(qtbot: QtBot, qapp: QGuiApplication) -> Iterator[Callable[..., Glass]]:
    """Makes displays, and closes them at the end."""
    made: list[Glass] = []

    def make(**more: object) -> Glass:
        made.append(Glass(qtbot, **more))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for glass in made:
        glass.display.close()
        # Python would delete the window, with its frame, when it next looks for cycles.
        glass.display.view.deleteLater()
        glass.display.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def glass(make_glass: Callable[..., Glass]) -> Glass:
    """A display of 960 x 540 pixels."""
    return make_glass()
