"""SKUs of items: each is one item's in its workspace."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.core.errors import Fault
from service.services.shared.lookup import batches
from service.storage.tables.menus import ItemRow


def items_by_sku(session: Session, workspace: str, skus: Iterable[str]) -> dict[str, ItemRow]:
    """Returns the items with these SKUs, by SKU; unknown ones are left out."""
    found: dict[str, ItemRow] = {}
    for some in batches(list(skus)):
        rows = session.scalars(select(ItemRow).where(ItemRow.workspace_id == workspace, ItemRow.sku.in_(some)))
        found.update((row.sku, row) for row in rows if row.sku is not None)
    return found


def sku_faults(session: Session, row: ItemRow, changes: Mapping[str, Any], pointer: str) -> Iterable[Fault]:
    """Returns the fault of a SKU that another item of the workspace has."""
    sku = changes.get("sku")
    if sku is None:
        return
    other = items_by_sku(session, row.workspace_id, [sku]).get(sku)
    if other is not None and other.id != row.id:
        yield Fault("sku_taken", f"The item {other.id} has this SKU.", f"{pointer}/sku")
