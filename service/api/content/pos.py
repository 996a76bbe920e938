"""`/v1/pos/connections`."""

from starlette.responses import Response

from service.api.http.authentication import MayEdit, MayManagePos
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, resource
from service.api.http.routes import api_routes
from service.schema.content.pos import (
    FeedRow,
    FeedRowPart,
    PosConnectionCreate,
    PosConnectionPatch,
    PosConnectionResponse,
    PreviewResponse,
    PushedItems,
    PushedParts,
    SyncResponse,
)
from service.schema.lists import Listing
from service.services.pos.rows import read_pushed
from service.services.registry import Services

routes = api_routes("/v1/pos/connections", tag="Points of sale")
"""Points of sale whose items, prices and sold-out flags are imported."""


@routes.get(response_model=Listing[PosConnectionResponse])
def list_pos_connections(services: Services, access: MayManagePos, page: Paged) -> Response:
    """List connections, oldest first."""
    return JsonReply(services.pos.list(access.workspace, page))


@routes.post(status_code=201, response_model=PosConnectionResponse)
def create_pos_connection(services: Services, body: PosConnectionCreate, access: MayManagePos) -> Response:
    """Connect a feed. With `everyMinutes` it is read at once and then at that interval, else only on demand."""
    return created(services.pos.create(access.workspace, body), at="/v1/pos/connections")


@routes.get("/{connection}", response_model=PosConnectionResponse)
def get_pos_connection(services: Services, connection: str, access: MayManagePos) -> Response:
    """Get one connection and the result of its last sync."""
    return resource(services.pos.get(access.workspace, connection))


@routes.patch("/{connection}", response_model=PosConnectionResponse)
def change_pos_connection(
    services: Services, connection: str, body: PosConnectionPatch, access: MayManagePos, expected: Expected
) -> Response:
    """Change some fields; the interval starts again."""
    return resource(services.pos.change(access.workspace, connection, body, expected))


@routes.delete("/{connection}")
def delete_pos_connection(services: Services, connection: str, access: MayManagePos, expected: Expected) -> None:
    """Delete a connection; its imported items stay."""
    services.pos.remove(access.workspace, connection, expected)


@routes.post("/{connection}/sync", status_code=202, response_model=PosConnectionResponse)
def sync_pos_connection(services: Services, connection: str, access: MayManagePos) -> Response:
    """Read the feed within seconds. `lastSync` of the connection holds the result, and so does an event."""
    document = services.pos.request_sync(access.workspace, connection)
    return JsonReply(document, status_code=202, headers={"Location": f"/v1/pos/connections/{document.id}"})


@routes.post("/{connection}/preview", response_model=PreviewResponse)
async def preview_sync(services: Services, connection: str, access: MayManagePos) -> Response:
    """Read the feed now, and tell what a sync would do. Nothing is changed."""
    return JsonReply(await services.sync_previews.preview(access.workspace, connection))


@routes.put("/{connection}/items", response_model=SyncResponse)
def push_items(services: Services, connection: str, body: PushedItems, access: MayEdit) -> Response:
    """Push all items to a connection without a feed, as a JSON feed has them; screens follow at once.

    A bad row is left out and named, the others are imported. Without a good row nothing is, and the answer is 422.
    """
    feed = read_pushed(body, FeedRow, services.pos.notation(access.workspace, connection))
    return JsonReply(services.pos.push(access, connection, feed, whole=True, rows_at=_rows_at(body)))


@routes.patch("/{connection}/items", response_model=SyncResponse)
def push_changes(services: Services, connection: str, body: PushedParts, access: MayEdit) -> Response:
    """Push some fields of items that were pushed before, each named by its `id` at the point of sale."""
    feed = read_pushed(body, FeedRowPart, services.pos.notation(access.workspace, connection))
    return JsonReply(services.pos.push(access, connection, feed, whole=False, rows_at=_rows_at(body)))


def _rows_at(body: object) -> str:
    return "/items" if isinstance(body, dict) else ""
