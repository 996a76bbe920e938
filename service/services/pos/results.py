"""Describes the result of a sync, and the plan of one that has not run."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import inspect

from service.core.amounts import written_surely
from service.core.clock import instant_text
from service.schema.content.item import ItemResponse
from service.schema.content.pos import (
    BadRowResponse,
    ChangedItem,
    FieldChange,
    MissingItem,
    NewItem,
    PreviewCounts,
    PreviewResponse,
    SyncResponse,
)
from service.services.content.item_views import view_with
from service.services.content.price_leaps import price_leaps
from service.services.places.local_items import copy_of, item_at
from service.services.pos.feed import FeedFailure
from service.services.pos.plans import ImportPlan, PlannedItem
from service.services.pos.row_changes import apply_changes
from service.storage.tables.menus import ItemRow

_PRICES = {"price", "regular_price", "variants", "modifiers"}
"""Columns with prices."""
MAX_PREVIEWED = 100
"""Items that each list of a preview names."""


def sync_result(plan: ImportPlan | FeedFailure, *, now: datetime) -> SyncResponse:
    """Returns the result of a sync that has carried the plan out, or that has failed."""
    failed = plan if isinstance(plan, FeedFailure) else None
    return SyncResponse(
        status="completed" if failed is None else "failed",
        at=instant_text(now),
        encoding=plan.encoding,
        counts=None if isinstance(plan, FeedFailure) else plan.counts,
        reason=None if failed is None else failed.reason,
        detail=None if failed is None else failed.detail,
        bad_rows=_bad_rows(plan),
    )


def preview_of(plan: ImportPlan | FeedFailure, *, now: datetime) -> PreviewResponse:
    if isinstance(plan, FeedFailure):
        return PreviewResponse(
            status="failed",
            encoding=plan.encoding,
            counts=None,
            created=[],
            updated=[],
            missing=[],
            reason=plan.reason,
            detail=plan.detail,
            bad_rows=_bad_rows(plan),
        )
    new = [one for one in plan.items if one.is_new]
    # Prices that leap come before others: who reads the first changes has seen them.
    updated = sorted((one for one in plan.items if one.does_change), key=lambda one: not _leaps(one, now))
    return PreviewResponse(
        status="completed",
        encoding=plan.encoding,
        counts=PreviewCounts(**dict(plan.counts), missing=len(plan.missing)),
        created=[_new_item(one, now) for one in new[:MAX_PREVIEWED]],
        updated=[_changed_item(one, now) for one in updated[:MAX_PREVIEWED]],
        missing=[MissingItem(item=item.id, name=item.name) for item in plan.missing[:MAX_PREVIEWED]],
        reason=None,
        detail=None,
        bad_rows=_bad_rows(plan),
    )


def _bad_rows(plan: ImportPlan | FeedFailure) -> list[BadRowResponse]:
    return [
        BadRowResponse(**asdict(error) | {"readings": list(map(written_surely, error.readings))})
        for error in plan.errors
    ]


def _before(one: PlannedItem, now: datetime) -> ItemResponse:
    """Returns the item before the change, at the connection's location if it has one."""
    return view_with(item_at(one.item, one.local, now=now), {}, now=now)


def _after(one: PlannedItem, now: datetime) -> ItemResponse:
    """Returns the item after the change. Leaves the row unchanged."""
    if one.local:
        local = [copy_of(one.local[0], one.changes), *one.local[1:]]
        return view_with(item_at(one.item, local, now=now), {}, now=now)
    columns = inspect(ItemRow).column_attrs
    copy = ItemRow(**{column.key: getattr(one.item, column.key) for column in columns})
    apply_changes(copy, one.changes, now=now)
    return view_with(copy, {}, now=now)


def _leaps(one: PlannedItem, now: datetime) -> bool:
    """Returns whether a price changes by a factor of 100 or more."""
    if not _PRICES & one.changes.keys():
        return False
    return any(price_leaps(_before(one, now).document(), _after(one, now).document()))


def _new_item(one: PlannedItem, now: datetime) -> NewItem:
    made = _after(one, now)
    returns = one.link is not None and one.link.item_id == made.id
    return NewItem(
        id=one.entry.id,
        item=made.id if returns else None,
        name=made.name,
        category=made.category,
        price=made.price,
        sku=made.sku,
    )


def _changed_item(one: PlannedItem, now: datetime) -> ChangedItem:
    before, after = _before(one, now).document(), _after(one, now).document()
    changes = list(_differences(before, after))
    if one.picture is not None:
        had = None if one.link is None or one.link.picture is None else one.link.picture["has"]
        changes.append(FieldChange(field="imageUrl", from_=had, to=one.picture))
    return ChangedItem(id=one.entry.id, item=one.item.id, name=one.item.name, changes=changes)


def _differences(before: dict[str, object], after: dict[str, object]) -> Iterable[FieldChange]:
    for name, value in before.items():
        if after[name] != value:
            yield FieldChange(field=name, from_=value, to=after[name])
