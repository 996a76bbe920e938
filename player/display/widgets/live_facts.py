"""Facts of a widget for QML that change while its scene shows."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from player.display.qt.qml_property import qml_property


class LiveFacts(QObject):
    """The facts of one widget, as its module describes it; empty while it shows nothing."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._facts: dict[str, object] = {}

    def show(self, facts: dict[str, object]) -> None:
        """Show these from now on."""
        if facts != self._facts:
            self._facts = facts
            self.changed.emit()

    facts = qml_property("QVariantMap", lambda self: self._facts, notify=changed)
