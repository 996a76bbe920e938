"""`/v1/content/items`."""

from typing import Annotated, Literal

from fastapi import Query
from starlette.responses import Response

from service.api.http.authentication import MayEditEverywhere, MayRead
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected, Lenient
from service.api.http.replies import JsonReply, created, resource
from service.api.http.routes import api_routes
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
from service.services.imports.sheets import read_sheet
from service.services.registry import Services

_CSV = {"responses": {"200": {"description": "The menu.", "content": {"text/csv": {"schema": {"type": "string"}}}}}}

routes = api_routes("/v1/content/items", tag="Content items")
"""The items of the menu. A change shows on the boards within moments, without a publish."""


@routes.get(response_model=Listing[ItemResponse])
async def list_items(
    services: Services,
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
    search: Annotated[Label | None, Query(description="Only items with this in their name, category or SKU.")] = None,
) -> Response:
    """List items, oldest first."""
    sold_out = None if eighty_sixed is None else eighty_sixed == "true"
    chosen = ItemFilter(
        category=category, sku=sku, eighty_sixed=sold_out, without_name_in=without_name_in, search=search
    )
    return await services.reads.run(
        lambda: JsonReply(services.items.list(access.workspace, page, chosen=chosen, now=services.clock.now()))
    )


@routes.post(status_code=201, response_model=ItemResponse)
def create_item(services: Services, body: ItemCreate, access: MayEditEverywhere) -> Response:
    """Create an item."""
    return created(services.items.create(access.workspace, body), at="/v1/content/items")


@routes.post("/bulk", response_model=Listing[ItemResponse] | BulkResults)
def change_items(
    services: Services, body: BulkEntries, access: MayEditEverywhere, lenient: Lenient, expected: Expected
) -> Response:
    """Change up to 1000 items, all or none: one bad entry changes nothing, and the problem names every bad one.

    `If-Match` lists the `ETag` of each item; one with another is a bad entry, and the answer 412.
    With `Prefer: handling=lenient` the good entries are applied, and the answer gives the result of each.
    """
    if lenient:
        applied = {"Preference-Applied": "handling=lenient"}
        return JsonReply(services.items.change_some(access.workspace, body, expected), headers=applied)
    return JsonReply(services.items.change_many(access.workspace, body, expected))


@routes.post("/order", response_model=Listing[ItemResponse])
def order_items(services: Services, body: ItemOrder, access: MayEditEverywhere) -> Response:
    """Put the items of a category in an order, which names each of them once; at most 1000.

    Their `sortIndex` changes, and that of others where there is no room between them. Among the items of other
    categories they stay where they are.
    """
    return JsonReply(services.item_order.change(access.workspace, body))


@routes.post("/import", response_model=ImportResult)
def import_items(services: Services, body: ItemsImport, access: MayEditEverywhere) -> Response:
    """Import a menu from text: by id, SKU, or name and category it makes and changes items, and deletes none.

    A bad row is left out and named, by its line. Without a good row nothing is imported, and `status` is failed.
    `import` names it, to undo it by `POST /v1/content/imports/{import}/undo` within a day.
    """
    notation = services.sheets.notation(access.workspace)
    sheet = read_sheet(
        body.text, category=body.category, notation=notation, settings=services.sheets.settings(access.workspace)
    )
    return JsonReply(services.sheets.carry_out(access, sheet.content))


@routes.post("/import/preview", response_model=PreviewResponse)
def preview_import(services: Services, body: ItemsImport, access: MayEditEverywhere) -> Response:
    """Tell what an import would do. Nothing is changed."""
    notation = services.sheets.notation(access.workspace)
    sheet = read_sheet(
        body.text, category=body.category, notation=notation, settings=services.sheets.settings(access.workspace)
    )
    return JsonReply(services.sheets.preview(access.workspace, sheet.content))


@routes.get("/export", response_class=Response, openapi_extra=_CSV)
async def export_items(services: Services, access: MayRead) -> Response:
    """Get the menu as CSV, which an import takes back unchanged."""
    return Response(await services.exports.run(services.sheets.export, access.workspace), media_type="text/csv")


@routes.get("/{item}", response_model=ItemResponse)
async def get_item(services: Services, item: str, access: MayRead) -> Response:
    """Get one item."""
    return await services.reads.run(
        lambda: resource(services.items.get(access.workspace, item, now=services.clock.now()))
    )


@routes.get("/{item}/boards", response_model=ItemReach)
def get_reach(services: Services, item: str, access: MayRead) -> Response:
    """Count the screens that have the item, and those that have shown its newest change: 86s and prices as well."""
    return resource(services.reach.of_item(access, item, now=services.clock.now()))


@routes.patch("/{item}", response_model=ChangedItemResponse)
def change_item(
    services: Services, item: str, body: ItemPatch, access: MayEditEverywhere, expected: Expected
) -> Response:
    """Change some fields. `eightySixed: true` takes the item off the boards; `eightySixedUntil` brings it back.

    `leftBoards` in the answer are the boards that the item has left.
    """
    before, after = services.items.change(access.workspace, item, body, expected)
    return resource(after, told={**after.document(), "leftBoards": services.boards.left(access, before, after)})


@routes.patch("/{item}/variants/{variant}", response_model=ItemResponse)
def change_variant(
    services: Services, item: str, variant: str, body: VariantPatch, access: MayEditEverywhere, expected: Expected
) -> Response:
    """Change some fields of one variant. `eightySixed: true` takes this variant alone off the boards."""
    return resource(services.items.change_variant(access.workspace, item, variant, body, expected))


@routes.delete("/{item}")
def delete_item(services: Services, item: str, access: MayEditEverywhere, expected: Expected) -> None:
    """Remove an item."""
    services.items.remove(access.workspace, item, expected)
