"""Views on the stage, bottom to top, as QML draws them, and all else that is drawn with them."""

from __future__ import annotations

from contextlib import AbstractContextManager

from PySide6.QtCore import QAbstractListModel, QByteArray, QModelIndex, QObject, QPersistentModelIndex, Signal

from player.display.qt.constants import USER_ROLE
from player.display.qt.typed import qml_property
from player.display.views.view_model import ViewModel
from player.display.window.banners import Banners

VIEW_ROLE = USER_ROLE


class ViewList(QAbstractListModel):
    """Views, with the picture of one that leaves, the banners and the mark over them."""

    markChanged = Signal()
    leavingPictureChanged = Signal()
    escaped = Signal()
    """Escape was pressed."""
    detailsAsked = Signal()
    """F1 was pressed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._models: list[ViewModel] = []
        self._banners = Banners(self)
        self._leaving_picture = ""
        self._mark = 0

    def _insert(self, model: ViewModel) -> None:
        """Add a view, below all others until it enters."""
        self.beginInsertRows(QModelIndex(), 0, 0)
        self._models.insert(0, model)
        self.endInsertRows()

    def _move_to_top(self, model: ViewModel) -> None:
        index, last = self._models.index(model), len(self._models) - 1
        if index < last:
            self.beginMoveRows(QModelIndex(), index, index, QModelIndex(), last + 1)
            self._models.append(self._models.pop(index))
            self.endMoveRows()

    def _remove(self, model: ViewModel) -> None:
        index = self._models.index(model)
        self.beginRemoveRows(QModelIndex(), index, index)
        del self._models[index]
        self.endRemoveRows()
        model.release()
        # QML deletes its items later: the view model must outlive them.
        model.deleteLater()

    def _set_leaving_picture(self, url: str) -> None:
        if url != self._leaving_picture:
            self._leaving_picture = url
            self.leavingPictureChanged.emit()

    def mark_frame(self) -> None:
        """Makes the next frame differ invisibly from the last one, so that it is sent to the screen."""
        self._mark = 3 - self._mark if self._mark else 1
        self.markChanged.emit()

    def without_banners(self) -> AbstractContextManager[None]:
        """Leaves out banners and mark, for a picture of the view alone; no such frame is displayed."""
        return self._banners.hidden()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 -- Qt's default
        return 0 if parent.isValid() else len(self._models)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = VIEW_ROLE) -> object:
        return self._models[index.row()] if role == VIEW_ROLE and index.isValid() else None

    def roleNames(self) -> dict[int, QByteArray]:
        return {VIEW_ROLE: QByteArray(b"view")}

    mark = qml_property(int, lambda self: self._mark, notify=markChanged)
    """1 and 2 by turns; 0 before the first."""
    leavingPicture = qml_property(str, lambda self: self._leaving_picture, notify=leavingPictureChanged)
    """URL of the picture that fades out; empty where the view below is blended itself."""
    banners = qml_property(QObject, lambda self: self._banners)
    """All that lies over the views."""
