"""Finds items by name and category: for rows that have lost their link, and duplicates in the menu."""

import logging
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, exists, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from service.schema.content.pos import FeedRowPart
from service.services.shared.lookup import batches
from service.storage.database import Database
from service.storage.tables.menus import ItemRow, PosConnectionRow, PosLinkRow

MAX_LISTED_TWICE = 100
"""Items that stand in the menu twice that a page names; all are counted."""

_log = logging.getLogger(__name__)
_Other = aliased(ItemRow)
_OtherLink = aliased(PosLinkRow)


class Namesakes:
    """Items of a workspace without a point of sale, by name and category. Read at the first lookup."""

    def __init__(self, session: Session, workspace: str, rows: Sequence[FeedRowPart]) -> None:
        self._session = session
        self._workspace = workspace
        self._rows = rows
        self._found: dict[tuple[str, str], list[ItemRow]] | None = None

    def of(self, entry: FeedRowPart, taken: Collection[str]) -> ItemRow | None:
        """Finds the item with the row's name and category, if it is the only one, as the row is. None for one with
        another SKU, and for one of those `taken`."""
        if entry.name is None or entry.category is None:
            return None
        if self._found is None:
            self._found = self._read()
        match self._found.get((entry.name, entry.category), ()):
            case [item] if item.id not in taken and (item.sku is None or entry.sku is None):
                return item
            case _:
                return None

    def _read(self) -> dict[tuple[str, str], list[ItemRow]]:
        once = Counter((entry.name, entry.category) for entry in self._rows)
        found: dict[tuple[str, str], list[ItemRow]] = {}
        for names in batches(sorted({entry.name for entry in self._rows if entry.name is not None})):
            named = select(ItemRow).where(
                ItemRow.workspace_id == self._workspace, ItemRow.name.in_(names), _is_unlinked(ItemRow.id)
            )
            for item in self._session.scalars(named):
                if once[item.name, item.category] == 1:
                    found.setdefault((item.name, item.category), []).append(item)
        return found


@dataclass(frozen=True, slots=True)
class Twice:
    """An item of a point of sale, and another with its name and category that belongs to none."""

    name: str
    category: str
    item: str
    other: str


class NamesakeService:
    """Finds items of points of sale that are in the menu twice."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    def of(self, connection: str) -> tuple[int, Sequence[Twice]]:
        """Returns the number of duplicates of a connection, and the first `MAX_LISTED_TWICE`."""
        listed = _twice(select(ItemRow.name, ItemRow.category, ItemRow.id, _Other.id))
        ordered = listed.order_by(ItemRow.category, ItemRow.name, ItemRow.id, _Other.id).limit(MAX_LISTED_TWICE)
        counted = _twice(select(func.count()))
        with self._database.read() as session:
            rows = session.execute(ordered.where(PosLinkRow.connection_id == connection)).all()
            number = session.scalar(counted.where(PosLinkRow.connection_id == connection))
        return number or 0, [Twice(*row) for row in rows]

    def log_all(self) -> None:
        """Logs a line for each point of sale with duplicates."""
        counted = _twice(select(PosConnectionRow.id, PosConnectionRow.name, func.count()))
        with self._database.read() as session:
            rows = session.execute(counted.group_by(PosConnectionRow.id, PosConnectionRow.name))
            for identifier, name, number in rows:
                _log.warning(
                    "%d items of the point of sale %s (%s) stand in the menu twice: its page at the desk names them",
                    number,
                    identifier,
                    name,
                )


def _twice(selected: Any) -> Any:
    """Restricts to items of a point of sale that have a namesake without one."""
    named_alike = (
        (_Other.workspace_id == ItemRow.workspace_id)
        & (_Other.category == ItemRow.category)
        & (_Other.name == ItemRow.name)
        & (_Other.id != ItemRow.id)
    )
    return (
        selected.select_from(PosLinkRow)
        .join(PosConnectionRow, PosConnectionRow.id == PosLinkRow.connection_id)
        .join(ItemRow, (ItemRow.id == PosLinkRow.item_id) & (ItemRow.workspace_id == PosConnectionRow.workspace_id))
        .join(_Other, named_alike)
        .where(PosConnectionRow.location_id.is_(None), _is_unlinked(_Other.id))
    )


def _is_unlinked(item: InstrumentedAttribute[str]) -> ColumnElement[bool]:
    return ~exists().where(_OtherLink.item_id == item)
