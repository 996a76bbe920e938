"""A list model for QML that is updated by key: an entry that stays keeps its delegate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QAbstractListModel, QByteArray, QModelIndex, QObject, QPersistentModelIndex

from player.display.qt.constants import USER_ROLE

Index = QModelIndex | QPersistentModelIndex
Entry = Mapping[str, object]
ENTRY_ROLE = USER_ROLE


class KeyedModel(QAbstractListModel):
    """Entries as JavaScript objects in the one role `entry`. Their order in the model has no meaning: each entry holds
    its position, so that a delegate that moves is not created anew."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._keys: list[str] = []
        self._entries: list[Entry] = []

    def apply(self, entries: Sequence[tuple[str, Entry]]) -> None:
        """Make the list hold exactly these entries; removes, changes and adds only what differs. Keys are unique."""
        wanted = dict(entries)
        for at in range(len(self._keys) - 1, -1, -1):
            if self._keys[at] not in wanted:
                self.beginRemoveRows(QModelIndex(), at, at)
                del self._keys[at], self._entries[at]
                self.endRemoveRows()
        for at, key in enumerate(self._keys):
            if self._entries[at] != wanted[key]:
                self._entries[at] = wanted[key]
                changed = self.index(at)
                self.dataChanged.emit(changed, changed, [ENTRY_ROLE])
        known = set(self._keys)
        added = [(key, entry) for key, entry in wanted.items() if key not in known]
        if added:
            first = len(self._keys)
            self.beginInsertRows(QModelIndex(), first, first + len(added) - 1)
            self._keys += [key for key, _ in added]
            self._entries += [entry for _, entry in added]
            self.endInsertRows()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 -- Qt's own default
        return 0 if parent.isValid() else len(self._keys)

    def data(self, index: Index, role: int = ENTRY_ROLE) -> object:
        return dict(self._entries[index.row()]) if role == ENTRY_ROLE and index.isValid() else None

    def roleNames(self) -> dict[int, QByteArray]:
        return {ENTRY_ROLE: QByteArray(b"entry")}
