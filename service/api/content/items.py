"""`/v1/content/items`."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.authentication import MayEditEverywhere, MayRead
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected, Lenient
from service.api.http.replies import JsonReply, created, no_content, resource
from service.api.http.routing import public_router
from service.schema.content.item import (
    BulkEntries,
    BulkResults,
    ChangedItemResponse,
    ItemCreate,
    ItemOrder,
    ItemPatch,
    ItemReach,
    ItemResponse,
    VariantPatch,
)
from service.schema.content.item_import import ImportResult
from service.schema.content.pos import ItemsImport, PreviewResponse
from service.schema.fields import Label, Language
from service.schema.lists import Listing
from service.services.content.item_filters import ItemFilter
from service.services.content.item_order import ItemOrderService
from service.services.content.items import ItemService
from service.services.devices.reach import ReachService
from service.services.pos.sheet_imports import SheetService
from service.services.pos.sheets import read_sheet
from service.services.publishing.boards import BoardService
from service.services.shared.threads import Threads

_CSV = {"responses": {"200": {"description": "The menu.", "content": {"text/csv": {"schema": {"type": "string"}}}}}}


# Over sixty lines: one router's calls, each of them short.
def item_routes(
    *,
    items: ItemService,
    order: ItemOrderService,
    boards: BoardService,
    reach: ReachService,
    sheets: SheetService,
    reads: Threads,
    exports: Threads,
    now: Callable[[], datetime],
    route: type[APIRoute],
) -> APIRouter:
    """The items of the menu. A change shows on the boards within moments, without a publish."""
    router = public_router("/v1/content/items", tag="Content items", route=route)

    @router.get("", response_model=Listing[ItemResponse])
    async def list_items(
        access: MayRead,
        page: Paged,
        category: Annotated[Label | None, Query(description="Only items of this category.")] = None,
        sku: Annotated[Label | None, Query(description="Only the item with this SKU.")] = None,
        eighty_sixed: Annotated[
            Literal["true", "false"] | None,
            Query(alias="eightySixed", description="Only items that are, or are not, sold out."),
        ] = None,
        without_name_in: Annotated[
            Language | None, Query(alias="withoutNameIn", description="Only items without a name in this language.")
        ] = None,
        search: Annotated[
            Label | None, Query(description="Only items with this in their name, category or SKU.")
        ] = None,
    ) -> Response:
        """List items, oldest first."""
        sold_out = None if eighty_sixed is None else eighty_sixed == "true"
        chosen = ItemFilter(
            category=category, sku=sku, eighty_sixed=sold_out, without_name_in=without_name_in, search=search
        )
        return await reads.run(lambda: JsonReply(items.list(access.workspace, page, chosen=chosen, now=now())))

    @router.post("", status_code=201, response_model=ItemResponse)
    def create_item(body: ItemCreate, access: MayEditEverywhere) -> Response:
        """Create an item."""
        document = items.create(access.workspace, body)
        return created(document, at=f"/v1/content/items/{document.id}")

    @router.post("/bulk", response_model=Listing[ItemResponse] | BulkResults)
    def change_items(body: BulkEntries, access: MayEditEverywhere, lenient: Lenient, expected: Expected) -> Response:
        """Change up to 1000 items, all or none: one bad entry changes nothing, and the problem names every bad one.

        `If-Match` lists the `ETag` of each item; one with another is a bad entry, and the answer 412.
        With `Prefer: handling=lenient` the good entries are applied, and the answer gives the result of each.
        """
        if lenient:
            applied = {"Preference-Applied": "handling=lenient"}
            return JsonReply(items.change_some(access.workspace, body, expected), headers=applied)
        return JsonReply(items.change_many(access.workspace, body, expected))

    @router.post("/order", response_model=Listing[ItemResponse])
    def order_items(body: ItemOrder, access: MayEditEverywhere) -> Response:
        """Put the items of a category in an order, which names each of them once; at most 1000.

        Their `sortIndex` changes, and that of others where there is no room between them. Among the items of other
        categories they stay where they are.
        """
        return JsonReply(order.change(access.workspace, body))

    @router.post("/import", response_model=ImportResult)
    def import_items(body: ItemsImport, access: MayEditEverywhere) -> Response:
        """Import a menu from text: by id, SKU, or name and category it makes and changes items, and deletes none.

        A bad row is left out and named, by its line. Without a good row nothing is imported, and `status` is failed.
        `import` names it, to undo it by `POST /v1/content/imports/{import}/undo` within a day.
        """
        notation = sheets.notation(access.workspace)
        sheet = read_sheet(
            body.text, category=body.category, notation=notation, settings=sheets.settings(access.workspace)
        )
        return JsonReply(sheets.carry_out(access, sheet.content))

    @router.post("/import/preview", response_model=PreviewResponse)
    def preview_import(body: ItemsImport, access: MayEditEverywhere) -> Response:
        """Tell what an import would do. Nothing is changed."""
        notation = sheets.notation(access.workspace)
        sheet = read_sheet(
            body.text, category=body.category, notation=notation, settings=sheets.settings(access.workspace)
        )
        return JsonReply(sheets.preview(access.workspace, sheet.content))

    @router.get("/export", response_class=Response, openapi_extra=_CSV)
    async def export_items(access: MayRead) -> Response:
        """Get the menu as CSV, which an import takes back unchanged."""
        return Response(await exports.run(sheets.export, access.workspace), media_type="text/csv")

    @router.get("/{item}", response_model=ItemResponse)
    async def get_item(item: str, access: MayRead) -> Response:
        """Get one item."""
        return await reads.run(lambda: resource(items.get(access.workspace, item, now=now())))

    @router.get("/{item}/boards", response_model=ItemReach)
    def get_reach(item: str, access: MayRead) -> Response:
        """Count the screens that have the item, and those that have shown its newest change: 86s and prices as well."""
        return resource(reach.of_item(access, item, now=now()))

    @router.patch("/{item}", response_model=ChangedItemResponse)
    def change_item(item: str, body: ItemPatch, access: MayEditEverywhere, expected: Expected) -> Response:
        """Change some fields. `eightySixed: true` takes the item off the boards; `eightySixedUntil` brings it back.

        `leftBoards` in the answer are the boards that the item has left.
        """
        before, after = items.change(access.workspace, item, body, expected)
        return resource(after, told={**after.document(), "leftBoards": boards.left(access, before, after)})

    @router.patch("/{item}/variants/{variant}", response_model=ItemResponse)
    def change_variant(
        item: str, variant: str, body: VariantPatch, access: MayEditEverywhere, expected: Expected
    ) -> Response:
        """Change some fields of one variant. `eightySixed: true` takes this variant alone off the boards."""
        return resource(items.change_variant(access.workspace, item, variant, body, expected))

    @router.delete("/{item}", status_code=204, response_model=None)
    def delete_item(item: str, access: MayEditEverywhere, expected: Expected) -> Response:
        """Remove an item."""
        items.remove(access.workspace, item, expected)
        return no_content()

    return router
