"""Undoes imports: removes new items, and restores the former values of changed ones from the history.

An item that has been changed since stays as it is, and is reported. A change of sold-out state or of order does not
count: an undo leaves those columns alone, unless the import has set them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from service.core.clock import instant_text
from service.core.errors import ProblemError
from service.core.ids import NewId
from service.schema.content.item_import import ImportResponse, ImportUndone, KeptItem
from service.schema.content.pos import SyncCounts
from service.schema.lists import Listing
from service.services.access.access import Access
from service.services.content.catalogue import catalogue_changed
from service.services.content.eighty_six import EIGHTY_SIX
from service.services.content.skus import items_by_sku
from service.services.shared.listing import listing
from service.services.shared.lookup import batches, find_many, get, page_of
from service.storage.database import Database, Unit
from service.storage.history import changes_after
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.menus import ImportRow, ItemRow, LocalItemRow
from service.storage.tables.planned import PlannedValueRow

UNDO_FOR = timedelta(days=1)
"""An import can be undone for so long: later, boards and tills count on it."""
KEPT = timedelta(days=7)
MAX_KEPT_ITEMS = 50
"""Items that the result of an undo names; all of them are counted."""
_NOT_EDITED = frozenset((*EIGHTY_SIX, "sort_index", "changed_at"))
"""Columns that change without anybody editing the item: with the hour, and with the order of others."""

_Columns = Mapping[str, Any] | None
"""Former values of a row; None where there was none."""


class ImportService:
    def __init__(self, *, database: Database, cursors: Cursors) -> None:
        self._database = database
        self._cursors = cursors

    def list(self, access: Access, request: PageRequest) -> Listing[ImportResponse]:
        """Returns one page of the imports of the last days."""
        rows = select(ImportRow).where(ImportRow.workspace_id == access.workspace)
        scope = f"imports:{access.workspace}:{request.newest_first}"
        with self._database.read() as session:
            return listing(page_of(session, self._cursors, rows, ImportRow.number, scope, request), import_view)

    def get(self, access: Access, identifier: str) -> ImportResponse:
        """Raises the 404 problem."""
        with self._database.read() as session:
            return import_view(get(session, ImportRow, access.workspace, identifier, kind="import"))

    def can_undo(self, one: ImportResponse) -> bool:
        return one.undone is None and one.undo_until > instant_text(self._database.now())

    def undo(self, access: Access, identifier: str) -> ImportResponse:
        """Undoes a whole import; screens follow at once. Raises the 404 problem, and 409 if it was undone already or
        too long ago."""
        with self._database.write() as unit:
            row = get(unit.session, ImportRow, access.workspace, identifier, kind="import")
            if row.undone is not None:
                raise ProblemError(409, "undone_already", "The import was undone already", "It is undone once.")
            if unit.now >= row.created_at + UNDO_FOR:
                raise ProblemError(409, "too_late_to_undo", "It is too late to undo the import", "It can be for a day.")
            undo = _Undo(unit, row)
            undo.run()
            row.undone = undo.result(by=access.key).document()
            return import_view(row)

    def prune(self) -> None:
        """Deletes records of imports that are too old; leaves the items alone."""
        with self._database.write() as unit:
            unit.session.execute(delete(ImportRow).where(ImportRow.created_at <= unit.now - KEPT))


def keep_import(unit: Unit, access: Access, counts: SyncCounts, *, since: int, until: int, new_id: NewId) -> ImportRow:
    """Stores an import, which has the numbers of the history after `since` up to `until`."""
    row = ImportRow(
        id=new_id("imp"),
        workspace_id=access.workspace,
        created_by=access.key,
        created_at=unit.now,
        created=counts.created,
        updated=counts.updated,
        history_after=since,
        history_until=until,
        undone=None,
    )
    unit.session.add(row)
    return row


def import_view(row: ImportRow) -> ImportResponse:
    return ImportResponse(
        id=row.id,
        created_by=row.created_by,
        created_at=instant_text(row.created_at),
        created=row.created,
        updated=row.updated,
        undo_until=instant_text(row.created_at + UNDO_FOR),
        undone=None if row.undone is None else ImportUndone.model_validate(row.undone),
    )


@dataclass(slots=True)
class _Undo:
    unit: Unit
    row: ImportRow
    removed: list[ItemRow] = field(default_factory=list)
    restored: list[ItemRow] = field(default_factory=list)
    kept: list[KeptItem] = field(default_factory=list)

    def run(self) -> None:
        """Removes new items and restores changed ones, unless they have been changed since."""
        session, workspace = self.unit.session, self.row.workspace_id
        before = _before(session, self.row)
        items = find_many(session, ItemRow, workspace, before)
        later = _since(session, self.row, list(before))
        touched = _with_values(session, [name for name, columns in before.items() if columns is None])
        wanted: dict[str, Mapping[str, Any]] = {}
        for name, columns in before.items():
            item, changes = items.get(name), later.get(name, ())
            if item is None:
                if columns is not None:
                    self._keep(name, _name_in(changes), "removed")
            elif _conflict(columns, changes) or name in touched:
                self._keep(name, item.name, "changed")
            elif columns is None:
                session.delete(item)
                self.removed.append(item)
            else:
                wanted[name] = columns
        # Before the others are written: their former SKUs may be those of removed items.
        session.flush()
        taken = items_by_sku(session, workspace, {one["sku"] for one in wanted.values() if one.get("sku")})
        for name, columns in wanted.items():
            self._restore(items[name], columns, taken)
        if self.removed or self.restored:
            catalogue_changed(self.unit, workspace, [*self.removed, *self.restored])

    def result(self, *, by: str) -> ImportUndone:
        return ImportUndone(
            at=instant_text(self.unit.now),
            by=by,
            removed=len(self.removed),
            restored=len(self.restored),
            kept=len(self.kept),
            kept_items=self.kept[:MAX_KEPT_ITEMS],
        )

    def _restore(self, item: ItemRow, columns: Mapping[str, Any], taken: Mapping[str, ItemRow]) -> None:
        if taken.get(columns.get("sku") or "", item) is not item:
            self._keep(item.id, item.name, "sku_taken")
            return
        for name, value in columns.items():
            setattr(item, name, value)
        item.changed_at = self.unit.now
        self.restored.append(item)

    def _keep(self, item: str, name: str, code: Any) -> None:
        self.kept.append(KeptItem(item=item, name=name, code=code))


def _before(session: Session, row: ImportRow) -> dict[str, _Columns]:
    """Returns the items of the import as they were before it."""
    found: dict[str, _Columns] = {}
    own = changes_after(session, ItemRow, row.workspace_id, after=row.history_after, until=row.history_until)
    for name, columns in own:
        found.setdefault(name, columns)
    return found


def _since(session: Session, row: ImportRow, names: Sequence[str]) -> dict[str, list[_Columns]]:
    """Returns the changes of these items since the import, oldest first."""
    found: dict[str, list[_Columns]] = {}
    for some in batches(names):
        later = changes_after(session, ItemRow, row.workspace_id, after=row.history_until, keys=some)
        for name, columns in later:
            found.setdefault(name, []).append(columns)
    return found


def _with_values(session: Session, new: Sequence[str]) -> set[str]:
    """Returns the new items with values that were set or planned since."""
    found: set[str] = set()
    for some in batches(new):
        for column in (LocalItemRow.item_id, PlannedValueRow.item_id):
            found.update(session.scalars(select(column).where(column.in_(some))))
    return found


def _conflict(before: _Columns, changes: Iterable[_Columns]) -> bool:
    """Returns whether an item has been changed since, in more than its sold-out state and its order."""
    own = frozenset(before or ()) - {"changed_at"}
    return any(columns is None or columns.keys() - (_NOT_EDITED - own) for columns in changes)


def _name_in(changes: Sequence[_Columns]) -> str:
    """Returns the last name of an item that has been removed."""
    return next((str(one["name"]) for one in reversed(changes) if one and "name" in one), "")
