"""`/v1/pos/connections`."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.guard import Paged, PosKeeper
from service.api.preconditions import Expected
from service.api.replies import JsonReply, created, nothing, resource
from service.api.routing import public_router
from service.schema.lists import Listing
from service.schema.pos import PosConnectionCreate, PosConnectionPatch, PosConnectionResponse
from service.services.pos.connections import PosService


def pos_routes(*, pos: PosService, route: type[APIRoute]) -> APIRouter:
    """Points of sale whose items, prices and sold-out flags are imported."""
    router = public_router("/v1/pos/connections", tag="Points of sale", route=route)

    @router.get("", response_model=Listing[PosConnectionResponse])
    def list_pos_connections(access: PosKeeper, page: Paged) -> Response:
        """List connections, oldest first."""
        return JsonReply(pos.list(access.workspace, page))

    @router.post("", status_code=201, response_model=PosConnectionResponse)
    def create_pos_connection(body: PosConnectionCreate, access: PosKeeper) -> Response:
        """Connect a feed. With `everyMinutes` it is read at once and then so often, without it only on demand."""
        view = pos.create(access.workspace, body)
        return created(view, at=f"/v1/pos/connections/{view.id}")

    @router.get("/{connection}", response_model=PosConnectionResponse)
    def get_pos_connection(connection: str, access: PosKeeper) -> Response:
        """Get one connection and what came of its last sync."""
        return resource(pos.get(access.workspace, connection))

    @router.patch("/{connection}", response_model=PosConnectionResponse)
    def change_pos_connection(
        connection: str, body: PosConnectionPatch, access: PosKeeper, expected: Expected
    ) -> Response:
        """Change some fields; a schedule begins anew."""
        return resource(pos.change(access.workspace, connection, body, expected))

    @router.delete("/{connection}", status_code=204, response_model=None)
    def delete_pos_connection(connection: str, access: PosKeeper, expected: Expected) -> Response:
        """Remove a connection; the items that it brought stay."""
        pos.remove(access.workspace, connection, expected)
        return nothing()

    @router.post("/{connection}/sync", status_code=202, response_model=PosConnectionResponse)
    def sync_pos_connection(connection: str, access: PosKeeper) -> Response:
        """Read the feed within seconds. `lastSync` of the connection tells what came of it, and so does an event."""
        view = pos.request_sync(access.workspace, connection)
        return JsonReply(view, status_code=202, headers={"Location": f"/v1/pos/connections/{view.id}"})

    return router
