"""Imports a menu that is pasted or uploaded, by the rules of feeds; and exports one that can be imported unchanged.

The item of a row is the one with its `id`, else the one with its `sku`, else that of its name in its category, else the
only one of its name. Items that the table does not name stay.
"""

import csv
import io
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from functools import partial

from sqlalchemy import select
from sqlalchemy.orm import Session

from menu.documents.manifest_reader import MAX_ITEMS
from service.core.amounts import Notation
from service.core.ids import NewId
from service.core.texts import key_of
from service.schema.content.item import ItemResponse
from service.schema.content.item_import import ImportResult
from service.schema.content.pos import FeedRowPart, PreviewResponse, SyncCounts
from service.services.access.access import Access
from service.services.content.catalogue import catalogue_changed
from service.services.content.item_views import viewer
from service.services.content.items import blank_item
from service.services.imports.sheets import ImportSettings
from service.services.imports.undo import import_view, keep_import
from service.services.places.notations import notation_at
from service.services.pos.feed import MAX_LISTED_ROW_ERRORS, FeedContent, FeedFailure, FeedRowError
from service.services.pos.plans import ImportPlan, PlannedItem
from service.services.pos.results import preview_of, sync_result
from service.services.pos.row_changes import EVERY_FIELD, apply_changes, changes_of
from service.services.shared.csv_lines import is_formula
from service.services.shared.lookup import count, find_many
from service.storage.database import Database, Unit
from service.storage.history import newest_number
from service.storage.tables.menus import ImportRow, ItemRow
from service.storage.tables.workspaces import WorkspaceRow

MAX_REMEMBERED = 300
"""Headings of a workspace whose fields are remembered: those chosen last."""
OWNED = EVERY_FIELD - {"imageUrl"}
_COLUMNS = ("id", "name", "category", "price", "priceKind", "priceUnit", "variants", "modifiers", "sku", "description")
_LAST_COLUMNS = ("tags", "allergens", "sortIndex")


class SheetService:
    """Previews and carries out imports of pasted menus, and exports the menu."""

    def __init__(self, *, database: Database, new_id: NewId) -> None:
        self._database = database
        self._new_id = new_id

    def notation(self, workspace: str, *, language: str = "") -> Notation:
        """Returns the notation of the workspace for a writer of this language."""
        with self._database.read() as session:
            return notation_at(session, workspace, language=language)

    def settings(self, workspace: str) -> ImportSettings:
        """Returns the fields of headings and the legend that the workspace has chosen."""
        with self._database.read() as session:
            stored = session.scalars(select(WorkspaceRow.import_settings).where(WorkspaceRow.id == workspace)).one()
        return ImportSettings(stored.get("columns", {}), stored.get("legend", {}))

    def preview(self, workspace: str, sheet: FeedContent | FeedFailure) -> PreviewResponse:
        now = self._database.now()
        with self._database.read() as session:
            return preview_of(self._plan(session, workspace, sheet), now=now)

    def carry_out(
        self, access: Access, sheet: FeedContent | FeedFailure, settings: ImportSettings | None = None
    ) -> ImportResult:
        """Imports the valid rows, and records the import for an undo; screens follow at once. Stores the settings."""
        with self._database.write() as unit:
            if settings is not None:
                columns = dict(list(settings.columns.items())[-MAX_REMEMBERED:])
                row = unit.session.scalars(select(WorkspaceRow).where(WorkspaceRow.id == access.workspace)).one()
                row.import_settings = {"columns": columns, "legend": dict(settings.legend)}
            plan = self._plan(unit.session, access.workspace, sheet)
            done = None if isinstance(plan, FeedFailure) else self._carry_out(unit, access, plan)
            told = None if done is None else import_view(done)
            return ImportResult(**dict(sync_result(plan, now=unit.now)), import_=told)

    def _carry_out(self, unit: Unit, access: Access, plan: ImportPlan) -> ImportRow | None:
        changed = [one for one in plan.items if one.is_new or one.changes]
        if not changed:
            return None
        since = newest_number(unit.session)
        for one in changed:
            apply_changes(one.item, one.changes, now=unit.now)
        unit.session.add_all(one.item for one in plan.items if one.is_new)
        unit.session.flush()
        until = newest_number(unit.session)
        catalogue_changed(unit, access.workspace, [one.item for one in changed])
        return keep_import(unit, access, plan.counts, since=since, until=until, new_id=self._new_id)

    def export(self, workspace: str, *, delimiter: str = ",") -> str:
        """Exports the menu as CSV that can be imported unchanged; decimals with a comma if columns have a semicolon."""
        now = self._database.now()
        with self._database.read() as session:
            query = select(ItemRow).where(ItemRow.workspace_id == workspace)
            rows = session.scalars(query.order_by(ItemRow.sort_index, ItemRow.number)).all()
            items = list(map(viewer(partial(find_many, session, ItemRow), rows, now=now), rows))
        languages = sorted({language for item in items for language in item.translations})
        output = io.StringIO(newline="")
        writer = csv.writer(output, delimiter=delimiter, lineterminator="\r\n")
        writer.writerow([*_COLUMNS, *_LAST_COLUMNS, *(f"name:{language}" for language in languages)])
        for item in items:
            writer.writerow([_safe(cell) for cell in _cells(item, languages, comma=delimiter != ",")])
        return output.getvalue()

    def _plan(self, session: Session, workspace: str, sheet: FeedContent | FeedFailure) -> ImportPlan | FeedFailure:
        if isinstance(sheet, FeedFailure):
            return sheet
        now = self._database.now()
        found = _Items(session, workspace)
        planned: list[PlannedItem] = []
        errors = list(sheet.errors)
        refused = 0
        for entry in sheet.rows:
            item = found.take(entry)
            if isinstance(item, FeedRowError):
                refused += 1
                number, text = sheet.numbers.get(entry.id, 0), sheet.texts.get(entry.id)
                errors.append(replace(item, row=number, text=text))
                continue
            is_new = item is None
            row = blank_item(workspace, self._new_id("itm"), now) if item is None else item
            changes = changes_of(row, entry, None, owned=OWNED, now=now, new_id=self._new_id)
            planned.append(PlannedItem(entry=entry, item=row, is_new=is_new, link=None, changes=changes))
        new = sum(one.is_new for one in planned)
        if new and count(session, ItemRow, workspace) + new > MAX_ITEMS:
            return FeedFailure("workspace_full", f"With {new} new items there would be more than {MAX_ITEMS}.")
        updated = sum(one.does_change for one in planned)
        return ImportPlan(
            items=planned,
            missing=(),
            outdated=(),
            errors=sorted(errors, key=lambda one: one.row)[:MAX_LISTED_ROW_ERRORS],
            counts=SyncCounts(
                created=new,
                updated=updated,
                unchanged=len(planned) - new - updated,
                sold_out=sum(one.entry.sold_out is True for one in planned),
                failed=sheet.error_count + refused,
            ),
            encoding=None,
        )


class _Items:
    """Items of the workspace, each assigned to one row at most."""

    def __init__(self, session: Session, workspace: str) -> None:
        self._by_id: dict[str, ItemRow] = {}
        self._by_sku: dict[str, ItemRow] = {}
        self._by_name: dict[str, list[ItemRow]] = {}
        self._taken: set[str] = set()
        self._new: set[tuple[str, str]] = set()
        self._new_skus: set[str] = set()
        query = select(ItemRow).where(ItemRow.workspace_id == workspace)
        for row in session.scalars(query.order_by(ItemRow.number)):
            self._by_id[row.id] = row
            self._by_name.setdefault(key_of(row.name), []).append(row)
            if row.sku is not None:
                self._by_sku[row.sku] = row

    def take(self, entry: FeedRowPart) -> ItemRow | FeedRowError | None:
        """Finds the item of the row; None for a new one."""
        item = self._by_id.get(entry.id)
        with_sku = None if entry.sku is None else self._by_sku.get(entry.sku)
        if entry.sku in self._new_skus or (item is not None and with_sku not in (None, item)):
            return FeedRowError(0, None, "sku", "sku_taken", "Another item has this SKU.")
        item = item or with_sku or (None if entry.sku is not None else self._named(entry))
        if item is None:
            key = (key_of(entry.name or ""), entry.sku or key_of(entry.category or ""))
            if key in self._new:
                return FeedRowError(0, None, "name", "duplicate", "This item stands in the table already.")
            self._new.add(key)
            self._new_skus |= {entry.sku} if entry.sku is not None else set()
            return None
        if item.id in self._taken:
            return FeedRowError(0, None, "name", "duplicate", "This item stands in the table already.")
        self._taken.add(item.id)
        return item

    def _named(self, entry: FeedRowPart) -> ItemRow | None:
        named = self._by_name.get(key_of(entry.name or ""), [])
        here = [row for row in named if key_of(row.category) == key_of(entry.category or "")]
        return here[0] if here else named[0] if len(named) == 1 and named[0].id not in self._taken else None


def _cells(item: ItemResponse, languages: Iterable[str], *, comma: bool) -> list[str]:
    """Returns the cells of an item. A value that would not be read back unchanged stays empty: an import leaves that
    field alone."""

    def money(amount: Decimal | None) -> str:
        if amount is None:
            return ""
        # Not with three decimals: those could be thousands.
        places = -int(amount.normalize().as_tuple().exponent)
        text = f"{amount:.{4 if places > 2 else 2}f}"
        return text.replace(".", ",") if comma else text

    def pairs(parts: Iterable[tuple[str, Decimal]]) -> str:
        told = list(parts)
        return (
            "" if any("|" in name for name, _ in told) else " | ".join(f"{name} = {money(one)}" for name, one in told)
        )

    def words(all_words: Iterable[str]) -> str:
        told = list(all_words)
        return "" if any(mark in word for word in told for mark in ",|") else ", ".join(told)

    # During an offer a table has the regular price, as a till does: the offer stays.
    price = item.price if item.regular_price is None else item.regular_price
    return [
        *(item.id, item.name, item.category, money(price)),
        *(("", "") if item.variants else (item.price_kind, item.price_unit or "")),
        pairs((one.name, one.price if one.regular_price is None else one.regular_price) for one in item.variants),
        pairs((one.name, one.price_delta) for one in item.modifiers),
        *(item.sku or "", item.description or ""),
        *(words(item.tags), words(item.allergens), str(item.sort_index)),
        *(item.translations[one].name or "" if one in item.translations else "" for one in languages),
    ]


def _safe(cell: str) -> str:
    is_number = cell[:1] == "-" and cell[1:].replace(",", "").replace(".", "").isdigit()
    # Reading takes one apostrophe away.
    return f"'{cell}" if (is_formula(cell) or cell.startswith("'")) and not is_number else cell
