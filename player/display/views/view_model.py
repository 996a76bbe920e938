"""Base of all view models on the stage, and the phases of a view, from preparation to removal."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor

from menu.documents.scene import Transition
from player.display.qt.typed import qml_property, slot
from player.display.typography.theme import BACKDROP


class ViewPhase(StrEnum):
    """Phase of a view on the stage."""

    PREPARING = "preparing"
    """Not visible: being built and decoded, or cached."""
    ENTERING = "entering"
    """On top of the view before it, during the transition."""
    SHOWING = "showing"
    LEAVING = "leaving"
    """Below the view that enters, still whole."""


class ViewModel(QObject):
    """A view as QML sees it. `source` is the QML file that draws it; `asynchronous` builds its items between frames;
    `right_to_left` is the reading direction of its location."""

    phaseChanged = Signal()
    asynchronousChanged = Signal()
    enterRequested = Signal(str, int)
    """Run the transition: its kind, its milliseconds."""
    progressed = Signal()
    """It was built, or another part has settled."""
    entered = Signal()
    """Its transition has ended: it covers the stage alone."""
    failed = Signal()
    """QML could not create its items."""
    outdated = Signal()
    """A new one would draw what this one cannot."""

    def __init__(self, source: str, *, asynchronous: bool, right_to_left: bool, parent: QObject) -> None:
        super().__init__(parent)
        self._right_to_left = right_to_left
        self._source = source
        self._asynchronous = asynchronous
        self.current_phase = ViewPhase.PREPARING
        """The phase, for Python; `phase` is QML's."""
        self.is_built = False
        """Whether QML has created all its items: before that it would show nothing."""
        self.has_failed = False
        """Whether QML could not create its items."""
        self.is_never_flat = True
        """Whether it holds something that shows on any background, so that a frame of one colour lacks it."""
        self.is_checked = False
        """Whether a frame of it was found to hold something."""
        self.unsettled: set[str] = set()
        """The parts that have not settled."""
        self.transition = Transition()
        """The transition by which it enters."""
        self.backdrop_color = QColor(BACKDROP)
        """The colour of the margin around it."""

    @property
    def is_ready(self) -> bool:
        """Whether it is built and all its parts have settled."""
        return self.is_built and not self.unsettled

    @property
    def wants_ticks(self) -> bool:
        """Whether the next second may change the view or cause a report."""
        return False

    def set_phase(self, phase: ViewPhase) -> None:
        if phase is not self.current_phase:
            self.current_phase = phase
            self.phaseChanged.emit()

    def tick(self) -> None:
        """Called each second."""

    def release(self) -> None:
        """Releases shared resources after it has left the stage, before it is deleted."""

    def expect(self, part: str) -> None:
        """Waits for this part to settle."""
        self.unsettled.add(part)

    def build_now(self) -> None:
        """Makes QML create the rest of its items at once, despite any motion on the display."""
        if self._asynchronous:
            self._asynchronous = False
            self.asynchronousChanged.emit()

    @slot()
    def built(self) -> None:
        """Called when QML has created the view's items."""
        self.is_built = True
        self.progressed.emit()

    @slot()
    def fail(self) -> None:
        """Called when QML cannot create the view's items: the program is damaged, or the view is too much for it."""
        self.has_failed = True
        self.failed.emit()

    @slot()
    def finish(self) -> None:
        """Called when QML has finished the transition."""
        if self.current_phase is ViewPhase.ENTERING:
            self.set_phase(ViewPhase.SHOWING)
            self.entered.emit()

    def settle(self, part: str) -> None:
        """Records that this part has loaded or failed."""
        if part in self.unsettled:
            self.unsettled.discard(part)
            self.progressed.emit()

    source = qml_property(str, lambda self: self._source)
    asynchronous = qml_property(bool, lambda self: self._asynchronous, notify=asynchronousChanged)
    rightToLeft = qml_property(bool, lambda self: self._right_to_left)
    backdrop = qml_property(QColor, lambda self: self.backdrop_color)
    phase = qml_property(str, lambda self: str(self.current_phase), notify=phaseChanged)
