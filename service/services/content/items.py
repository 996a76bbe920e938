"""Manages items: their prices, modifiers, variants, parts and 86 status."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from decimal import Decimal
from functools import partial
from types import MappingProxyType
from typing import Any, assert_never

from sqlalchemy import select

from menu.documents.manifest import WITHOUT_AMOUNT
from menu.documents.manifest_reader import MAX_ITEMS
from service.core.errors import Fault, ProblemError, invalid, not_found
from service.core.ids import NewId
from service.core.prices import price_units
from service.schema.base import unchecked
from service.schema.content.item import (
    HAS_NO_AMOUNT,
    BulkEntry,
    BulkResult,
    BulkResults,
    InvalidEntry,
    ItemCreate,
    ItemPatch,
    ItemResponse,
    Variant,
    VariantPatch,
)
from service.schema.lists import Listing, whole
from service.schema.problem import ProblemFault
from service.services.assets.assets import digest_in, image_faults
from service.services.content.catalogue import catalogue_changed
from service.services.content.combos import check_parts, stored_parts
from service.services.content.eighty_six import change_86, settle
from service.services.content.item_filters import EVERY_ITEM, ItemFilter, conditions
from service.services.content.item_texts import set_translations, stored_translations, without_base
from service.services.content.item_views import EXACT, item_view, viewer
from service.services.content.offers import (
    brought_up_to,
    check_offer,
    offer_of,
)
from service.services.content.single_values import flat
from service.services.content.skus import sku_faults
from service.services.content.superseded import supersede
from service.services.content.variants import (
    changed_variant,
    set_variants,
    updated_variants,
)
from service.services.shared.etags import ALWAYS, CHANGED, PRECONDITION_FAILED, Condition, changed_meanwhile
from service.services.shared.listing import listing
from service.services.shared.lookup import count, find_many, find_many_plain, get, get_plain, read_page, unknown
from service.storage.database import Database, Unit
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.menus import ItemRow

_result = unchecked(BulkResult)
_results = unchecked(BulkResults)


class ItemService:
    """Lists, creates, changes and removes items."""

    def __init__(self, *, database: Database, cursors: Cursors, new_id: NewId) -> None:
        self._database = database
        self._cursors = cursors
        self._new_id = new_id

    def list(
        self, workspace: str, request: PageRequest, *, chosen: ItemFilter = EVERY_ITEM, now: datetime
    ) -> Listing[ItemResponse]:
        with self._database.read_plain() as rows:
            page = read_page(
                rows,
                self._cursors,
                ItemRow,
                workspace,
                request,
                *conditions(chosen, now=now),
                filters={} if chosen == EVERY_ITEM else asdict(chosen),
            )
            return listing(page, viewer(partial(find_many_plain, rows, ItemRow), page.rows, now=now))

    def names(self, workspace: str) -> dict[str, str]:
        """Returns the names of all items, by id, in the order in which they were made."""
        named = select(ItemRow.id, ItemRow.name).where(ItemRow.workspace_id == workspace).order_by(ItemRow.number)
        with self._database.read() as session:
            return {identifier: name for identifier, name in session.execute(named)}  # noqa: C416  (typed rows)

    def get(self, workspace: str, item: str, *, now: datetime) -> ItemResponse:
        """Raises the 404 problem."""
        with self._database.read_plain() as rows:
            row = get_plain(rows, ItemRow, workspace, item, kind="item")
            return viewer(partial(find_many_plain, rows, ItemRow), [row], now=now)(row)

    def create(self, workspace: str, body: ItemCreate) -> ItemResponse:
        """Returns a new item. Raises the 422 problem, and 409 when the workspace is full."""
        with self._database.write() as unit:
            return item_view(unit.session, self.add(unit, workspace, body), now=unit.now)

    def add(self, unit: Unit, workspace: str, body: ItemCreate) -> ItemRow:
        """Returns a new item, in the caller's transaction."""
        if count(unit.session, ItemRow, workspace) >= MAX_ITEMS:
            raise ProblemError(
                409, "too_many_items", "The workspace is full", f"A workspace holds at most {MAX_ITEMS} items."
            )
        row = blank_item(workspace, self._new_id("itm"), unit.now)
        faults = _apply(unit, row, body.everything(), new_id=self._new_id, pointer="")
        if faults:
            raise invalid(faults)
        unit.session.add(row)
        unit.session.flush()
        catalogue_changed(unit, workspace, [row])
        return row

    def change(
        self,
        workspace: str,
        item: str,
        body: ItemPatch,
        expected: Condition = ALWAYS,
        *,
        renamed: Mapping[str, str] = MappingProxyType({}),
    ) -> tuple[ItemResponse, ItemResponse]:
        """Changes some fields; screens follow at once. Variants get their new names, by id, first. Returns the item
        before and after. Raises the 404, 412 and 422 problems."""
        with self._database.write() as unit:
            row = get(unit.session, ItemRow, workspace, item, kind="item")
            before = item_view(unit.session, row, now=unit.now)
            expected.check(before)
            if renamed:
                set_variants(row, [{**part, "name": renamed.get(part["id"], part["name"])} for part in row.variants])
            faults = _apply(unit, row, body.given(), new_id=self._new_id, pointer="")
            if faults:
                raise invalid(faults)
            supersede(unit, workspace, {row.id: body.document()})
            catalogue_changed(unit, workspace, [row])
            return before, item_view(unit.session, row, now=unit.now)

    def change_variant(
        self, workspace: str, item: str, variant: str, body: VariantPatch, expected: Condition = ALWAYS
    ) -> ItemResponse:
        """Changes some fields of one variant; screens follow at once. Raises the 404, 412 and 422 problems."""
        with self._database.write() as unit:
            row = get(unit.session, ItemRow, workspace, item, kind="item")
            expected.check(item_view(unit.session, row, now=unit.now))
            changes = body.given()
            if all(part["id"] != variant for part in row.variants):
                raise not_found("variant", variant)
            if any(part["id"] != variant and part["name"] == changes.get("name") for part in row.variants):
                raise invalid([Fault("duplicate", "Another variant of this item has the same name.", "/name")])
            parts = [brought_up_to(part, unit.now) for part in row.variants]
            changed = [changed_variant(part, changes) if part["id"] == variant else part for part in parts]
            [offer] = [offer_of(part) for part in changed if part["id"] == variant]
            if faults := list(check_offer(offer, changes, now=unit.now, pointer="")):
                raise invalid(faults)
            set_variants(row, changed)
            row.changed_at = unit.now
            supersede(unit, workspace, {row.id: flat({"variants": [{"id": variant, **body.document()}]})})
            catalogue_changed(unit, workspace, [row])
            return item_view(unit.session, row, now=unit.now)

    def change_many(
        self, workspace: str, entries: Sequence[BulkEntry | InvalidEntry], expected: Condition = ALWAYS
    ) -> Listing[ItemResponse]:
        """Changes all of the items or, if any entry has a fault, none. Raises the 412 problem with the entries whose
        items have none of the tags, and the 422 problem with every fault."""
        with self._database.write() as unit:
            outcomes = _apply_each(unit, workspace, entries, expected, new_id=self._new_id)
            faults = [fault for _, found in outcomes for fault in found]
            if changed := [fault for fault in faults if fault.code == PRECONDITION_FAILED]:
                raise changed_meanwhile(changed)
            if faults:
                raise invalid(faults)
            rows = [row for row, _ in outcomes if row is not None]
            catalogue_changed(unit, workspace, rows)
            return whole(list(map(viewer(partial(find_many, unit.session, ItemRow), rows, now=unit.now), rows)))

    def change_some(
        self, workspace: str, entries: Sequence[BulkEntry | InvalidEntry], expected: Condition = ALWAYS
    ) -> BulkResults:
        """Changes the items whose entries are valid; returns a result for each entry."""
        with self._database.write() as unit:
            outcomes = _apply_each(unit, workspace, entries, expected, new_id=self._new_id)
            rows = [row for row, _ in outcomes if row is not None]
            view = viewer(partial(find_many, unit.session, ItemRow), rows, now=unit.now)
            results = [
                _result(
                    index=index,
                    id=entry.id,
                    status="changed" if row is not None else "refused",
                    item=None if row is None else view(row),
                    errors=[ProblemFault(pointer=one.pointer, code=one.code, detail=one.detail) for one in faults],
                )
                for index, (entry, (row, faults)) in enumerate(zip(entries, outcomes, strict=True))
            ]
            if rows:
                catalogue_changed(unit, workspace, rows)
            return _results(changed=len(rows), refused=len(results) - len(rows), results=results)

    def remove(self, workspace: str, item: str, expected: Condition = ALWAYS) -> None:
        """Removes an item, also from the screens, at once. Raises the 404 and 412 problems."""
        with self._database.write() as unit:
            row = get(unit.session, ItemRow, workspace, item, kind="item")
            expected.check(item_view(unit.session, row, now=unit.now))
            unit.session.delete(row)
            catalogue_changed(unit, workspace, [row])

    def restock_rule(self, workspace: str, item: str) -> str | None:
        """Returns the rule by which the 86 of an item ends at each location: `HH:MM` or `openingTomorrow`; None without
        one."""
        with self._database.read() as session:
            return get(session, ItemRow, workspace, item, kind="item").eighty_sixed_rule


def blank_item(workspace: str, identifier: str, now: datetime) -> ItemRow:
    """An item that says nothing yet, in no session."""
    return ItemRow(
        id=identifier,
        workspace_id=workspace,
        name="",
        category="",
        price=Decimal(0),
        price_kind=EXACT,
        modifiers=[],
        variants=[],
        tags=[],
        allergens=[],
        translations={},
        named_in="",
        eighty_sixed=False,
        featured=False,
        sort_index=0,
        created_at=now,
        changed_at=now,
        **{column.key: None for column in ItemRow.__table__.columns if column.nullable},
    )


def _apply_each(
    unit: Unit, workspace: str, entries: Sequence[BulkEntry | InvalidEntry], expected: Condition, *, new_id: NewId
) -> list[tuple[ItemRow | None, list[Fault]]]:
    """Returns the changed row of each entry, or None and the faults; the row of a faulty entry is unchanged."""
    named = (entry.id for entry in entries if isinstance(entry, BulkEntry))
    rows = find_many(unit.session, ItemRow, workspace, named)
    seen: set[str] = set()
    outcomes: list[tuple[ItemRow | None, list[Fault]]] = []
    for index, entry in enumerate(entries):
        match entry:
            case InvalidEntry(faults=flaws):
                faults = [replace(flaw, pointer=f"/{index}{flaw.pointer}") for flaw in flaws]
            case BulkEntry(id=name) if name not in rows:
                faults = [unknown("item", name, f"/{index}/id")]
            case BulkEntry(id=name) if name in seen:
                faults = [Fault("duplicate", "This item stands in the call already.", f"/{index}/id")]
            case BulkEntry(id=name) if expected.tags is not None and not expected.holds(
                item_view(unit.session, rows[name], now=unit.now)
            ):
                faults = [Fault(PRECONDITION_FAILED, CHANGED, f"/{index}")]
            case BulkEntry(id=name):
                seen.add(name)
                faults = _apply(unit, rows[name], entry.given(), new_id=new_id, pointer=f"/{index}")
                if faults:
                    unit.session.refresh(rows[name])
            case _:
                assert_never(entry)
        outcomes.append((None if faults or isinstance(entry, InvalidEntry) else rows[entry.id], faults))
    good = [entry for entry, (row, _) in zip(entries, outcomes, strict=True) if row is not None]
    supersede(unit, workspace, {one.id: one.document() for one in good if isinstance(one, BulkEntry)})
    return outcomes


def _apply(unit: Unit, row: ItemRow, changes: Mapping[str, Any], *, new_id: NewId, pointer: str) -> list[Fault]:
    """Applies the changes to the row; returns the faults that only the database shows."""
    faults = list(image_faults(unit.session, row.workspace_id, changes.get("image"), pointer))
    faults += sku_faults(unit.session, row, changes, pointer)
    # Before any change: what looks up rows writes those that have changed.
    faults += check_parts(unit.session, row, changes.get("parts", ()), pointer)
    restock_at = changes.get("restock_at", row.restock_at)
    faults += change_86(row, changes, restock_at=restock_at, now=unit.now, pointer=pointer)
    settle(unit.session, row.workspace_id, row)
    faults += _check_price(row, changes, pointer=pointer)
    for name, value in changes.items():
        match name:
            case "id" | "eighty_sixed" | "eighty_sixed_until":
                pass
            case "price":
                # None only where one was required.
                row.price = Decimal(0) if value is None else value
            case "image":
                row.image = None if value is None else digest_in(value)
            case "image_focus":
                row.image_focus = None if value is None else value.document()
            case "modifiers":
                row.modifiers = [{"name": part.name, "units": price_units(part.price_delta)} for part in value]
            case "variants":
                kept = [brought_up_to(part, unit.now) for part in row.variants]
                set_variants(row, updated_variants(kept, value, new_id))
                faults += _check_variants(row, value, now=unit.now, pointer=pointer)
            case "parts":
                row.parts = stored_parts(value)
            case "translations":
                set_translations(row, stored_translations(value))
            case _:
                setattr(row, name, value)
    row.changed_at = unit.now
    if row.price_kind in WITHOUT_AMOUNT:
        row.price, row.regular_price = Decimal(0), None
    if row.regular_price is None and ("regular_price" in changes or row.price_kind in WITHOUT_AMOUNT):
        row.offer_starts_at = changes.get("offer_starts_at")
        row.offer_ends_at = changes.get("offer_ends_at")
    faults += check_offer(row, changes, now=unit.now, pointer=pointer)
    faults += without_base(row, given="translations" in changes, pointer=pointer)
    if row.energy_to is not None and (row.energy is None or row.energy_to <= row.energy):
        faults.append(Fault("not_above", "A range goes from `energy` to a larger number.", f"{pointer}/energyTo"))
    return faults


def _check_variants(row: ItemRow, given: Sequence[Variant], *, now: datetime, pointer: str) -> Iterable[Fault]:
    for at, (part, variant) in enumerate(zip(row.variants, given, strict=True)):
        yield from check_offer(offer_of(part), variant.given(), now=now, pointer=f"{pointer}/variants/{at}")


def _check_price(row: ItemRow, changes: Mapping[str, Any], *, pointer: str) -> Iterable[Fault]:
    """Finds a contradiction in a price: there is an amount unless its kind has none."""
    price, kind = changes.get("price"), changes.get("price_kind", row.price_kind)
    unit, variants = changes.get("price_unit", row.price_unit), changes.get("variants", row.variants)
    if kind in WITHOUT_AMOUNT:
        for name, value in (("price", price), ("regularPrice", changes.get("regular_price"))):
            if value is not None:
                yield Fault("market_price", HAS_NO_AMOUNT, f"{pointer}/{name}")
    elif price is None and ("price" in changes or row.price_kind in WITHOUT_AMOUNT):
        yield Fault(
            "required", "An item has a price, unless its `priceKind` is `market` or `none`.", f"{pointer}/price"
        )
    if not variants:
        return
    if kind in WITHOUT_AMOUNT:
        detail = "Each variant has a price of its own, so the `priceKind` of the item is none without an amount."
        yield Fault("has_variants", detail, f"{pointer}/{'variants' if changes.get('variants') else 'priceKind'}")
    if unit is not None:
        detail = "What the prices of variants are for is said by their names."
        yield Fault("has_variants", detail, f"{pointer}/{'priceUnit' if changes.get('price_unit') else 'variants'}")
