"""The real display for a panel of the soak: drawn offscreen by Qt, and read from the items of its scene graph.

Qt's loop runs inside of asyncio's, until the frame that carries an order has been swapped: virtual time stands still
meanwhile.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from player.domain.machine import WindowMode
from player.page.picture import Shot

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_QUICK_BACKEND", "software")

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QGuiApplication
from PySide6.QtQuick import QQuickItem

from player.display.layout.text.bidi import FIRST_STRONG_ISOLATE, POP_ISOLATE, RIGHT_TO_LEFT_MARK
from player.display.window.window import Display
from player.domain import events as ev
from player.domain.view import DisplayOrder, SceneView
from player.storage.store import StateStore
from tests.soak.model import Seen
from tests.soak.world import Wristwatch, plain, read_view
from tests.support.patience import PATIENCE_SECONDS

DIRECTION_MARKS = dict.fromkeys(map(ord, (RIGHT_TO_LEFT_MARK, FIRST_STRONG_ISOLATE, POP_ISOLATE)))
SIZE = (960, 540)


class DrawnDisplay:
    """Shows each order in a window, and says what can be read there once its frame is on the glass."""

    def __init__(
        self, clock: Wristwatch, store: StateStore, emit: Callable[[ev.Event], None], look: Callable[[Seen], None]
    ) -> None:
        self._clock = clock
        self._emit = emit
        self._look = look
        self._serials: set[int] = set()
        self._order: DisplayOrder | None = None
        self._closed = False
        self._started = False
        self._display = Display(
            mode=WindowMode.OFFSCREEN,
            size=SIZE,
            asset_path=store.assets.path,
            emit=self._heard,
            monotonic=clock.monotonic,
            wall=clock.wall,
            on_close=lambda: None,
        )

    def post(self, order: DisplayOrder) -> None:
        self._order = order
        asyncio.get_running_loop().call_soon(self._show, order)

    def grab(self, deliver: Callable[[Shot], None]) -> None:
        deliver(self._display.screenshot())

    def look(self) -> ev.DisplayChecked:
        # Qt's loop has stood still since the last order: what it asked for meanwhile comes now.
        _pump(lambda: self._closed or self._display.look(0.0).frame_asked_at is None)
        return self._display.look(self._clock.monotonic())

    def forgive_crashes(self) -> None:
        self._display.forgive_crashes()

    def close(self) -> None:
        self._closed = True
        self._display.close()
        self._display.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def _heard(self, event: Any) -> None:
        if isinstance(event, ev.FramePresented):
            self._serials.add(event.serial)
        else:
            asyncio.get_running_loop().call_soon(self._emit, event)

    def _show(self, order: DisplayOrder) -> None:
        if self._closed or order is not self._order:
            return
        known = order.serial in self._serials
        self._display.show(order)
        if not self._started:
            self._started = True
            self._display.start()
        _pump(lambda: order.serial in self._serials and not any(item.property("moving") for item in self._hosts()))
        if not known:
            self._look(self._read(order))
            self._emit(ev.FramePresented(serial=order.serial, at=self._clock.monotonic()))
        self._serials &= {order.serial}

    def _hosts(self) -> list[QQuickItem]:
        return [item for item in _under(self._display.view.rootObject()) if item.objectName() == "host"]

    def _read(self, order: DisplayOrder) -> Seen:
        """The view that was ordered, if that is what can be read; otherwise what can."""
        ordered = read_view(order.view)
        root = self._display.view.rootObject()
        shown = [item for item in _under(root) if item.isVisible()]
        if not isinstance(order.view, SceneView):
            name = "houseName" if ordered.card == "house card" else "pairingAddress"
            return ordered if any(item.objectName() in (name, "address", "codeLetter") for item in shown) else Seen()
        rows = Counter(
            (_text(_named(row, "name")), _text(_named(row, "price"))) for row in shown if row.objectName() == "row"
        )
        rows += Counter(
            (_text(_named(item, "itemName")), _text(_named(item, "price")))
            for item in shown
            if item.objectName() == "item" and _text(_named(item, "itemName"))
        )
        headings = Counter(_text(item) for item in shown if item.objectName() == "headingText")
        expected = Counter(row for menu in ordered.menus.values() for _, listed in menu for row in listed)
        expected += Counter(ordered.posters.values())
        expected_headings = Counter(
            heading.upper() for menu in ordered.menus.values() for heading, _ in menu if heading
        )
        if rows == expected and headings == expected_headings:
            return ordered
        return Seen(card=f"on the glass: {dict(rows)} under {dict(headings)}, ordered: {ordered}")


def drawn(
    clock: Wristwatch, store: StateStore, emit: Callable[[ev.Event], None], look: Callable[[Seen], None]
) -> DrawnDisplay:
    return DrawnDisplay(clock, store, emit, look)


def application() -> QGuiApplication:
    """Qt's application, which a drawn display needs for as long as it lives."""
    return QGuiApplication.instance() or QGuiApplication(["soak"])  # type: ignore[return-value]


def _pump(until: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not until():
        QCoreApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        assert time.monotonic() < deadline, "the frame of an order did not come"
        time.sleep(0.001)


def _under(item: QQuickItem) -> Iterator[QQuickItem]:
    for child in item.childItems():
        yield child
        yield from _under(child)


def _named(item: QQuickItem, name: str) -> QQuickItem | None:
    return next((found for found in _under(item) if found.objectName() == name), None)


def _text(item: QQuickItem | None) -> str:
    """On one line."""
    return "" if item is None else plain(" ".join(str(item.property("text")).translate(DIRECTION_MARKS).split("\n")))
