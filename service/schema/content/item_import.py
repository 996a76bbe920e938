"""Imports of items: their results, and those of undoing them."""

from typing import Literal

from service.schema.base import ResponseModel
from service.schema.content.pos import SyncResponse
from service.schema.fields import InstantText


class KeptItem(ResponseModel):
    """An item that stays as it is: it has been changed or removed since, or another item has its former SKU."""

    item: str
    name: str
    code: Literal["changed", "removed", "sku_taken"]


class ImportUndone(ResponseModel):
    """The result of an undo: new items that it removed, changed ones that have their former values again, and items
    that it left alone. `keptItems` names the first 50 of the `kept` ones."""

    at: InstantText
    by: str
    removed: int
    restored: int
    kept: int
    kept_items: list[KeptItem]


class ImportResponse(ResponseModel):
    """An import that made or changed items. It can be undone until `undoUntil`, once."""

    id: str
    created_by: str
    created_at: InstantText
    created: int
    updated: int
    undo_until: InstantText
    undone: ImportUndone | None


class ImportResult(SyncResponse):
    """The result of an import; `import` is null where it has changed nothing."""

    import_: ImportResponse | None
