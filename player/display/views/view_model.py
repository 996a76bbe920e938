"""Owns what every picture on the stage has in common: its phase, from being prepared to having left."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor

from player.display.qt.qml_property import qml_property
from player.display.qt.slot import slot
from player.display.typography.theme import BACKDROP
from player.domain.scene import Transition


class ViewPhase(StrEnum):
    """Where a picture is on its way over the stage."""

    PREPARING = "preparing"
    """Not visible: being built, its images being decoded."""
    ENTERING = "entering"
    """On top of the one before it, coming in."""
    SHOWING = "showing"
    LEAVING = "leaving"
    """Still whole, below the one that comes in."""


class ViewModel(QObject):
    """A picture as QML sees it. `source` is the QML file that draws it, `patient` lets it be built between frames,
    `right_to_left` is how its place reads."""

    phaseChanged = Signal()
    enterRequested = Signal(str, int)
    """Come in: the transition's kind, its milliseconds."""
    progressed = Signal()
    """A step nearer to being ready: built, or one more part decoded or given up."""
    entered = Signal()
    """Covers the stage alone."""

    def __init__(self, source: str, *, patient: bool, right_to_left: bool, parent: QObject) -> None:
        super().__init__(parent)
        self._right_to_left = right_to_left
        self._source = source
        self._patient = patient
        self._phase = ViewPhase.PREPARING
        self._built = False
        self._unsettled: set[str] = set()

    @property
    def at(self) -> ViewPhase:
        """The phase, for Python."""
        return self._phase

    @property
    def is_built(self) -> bool:
        """Whether QML has made all its items: before that it would come in as a hole."""
        return self._built

    @property
    def is_ready(self) -> bool:
        """Whether it is built, and every image in it decoded or given up."""
        return self._built and not self._unsettled

    @property
    def unsettled(self) -> frozenset[str]:
        """The parts that it still waits for."""
        return frozenset(self._unsettled)

    @property
    def transition(self) -> Transition:
        """How it comes in."""
        return Transition()

    @property
    def backdrop_color(self) -> QColor:
        """What lies around it where a margin is kept free."""
        return QColor(BACKDROP)

    def set_phase(self, phase: ViewPhase) -> None:
        """Move on."""
        if phase is not self._phase:
            self._phase = phase
            self.phaseChanged.emit()

    def tick(self, *, wall: datetime, monotonic: float) -> None:
        """A second has passed; `wall` is the true time, `monotonic` seconds."""

    def leave(self) -> None:
        """It is off the stage: let go of what others may need before it is deleted."""

    def expect(self, part: str) -> None:
        """It is not ready until this part has settled."""
        self._unsettled.add(part)

    @slot()
    def built(self) -> None:
        """QML has made the picture's items."""
        self._built = True
        self.progressed.emit()

    @slot()
    def finish(self) -> None:
        """QML has run the transition to its end."""
        if self._phase is ViewPhase.ENTERING:
            self.set_phase(ViewPhase.SHOWING)
            self.entered.emit()

    def settle(self, part: str) -> None:
        """This part is decoded, or given up."""
        if part in self._unsettled:
            self._unsettled.discard(part)
            self.progressed.emit()

    source = qml_property(str, lambda self: self._source)
    patient = qml_property(bool, lambda self: self._patient)
    rightToLeft = qml_property(bool, lambda self: self._right_to_left)
    backdrop = qml_property(QColor, lambda self: self.backdrop_color)
    phase = qml_property(str, lambda self: str(self._phase), notify=phaseChanged)
