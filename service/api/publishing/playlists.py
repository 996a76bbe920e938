"""`/v1/playlists`."""

from starlette.responses import Response

from service.api.http.authentication import MayEdit, MayRead
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, resource
from service.api.http.routes import api_routes
from service.api.publishing.approvals import APPROVAL_REQUESTED, accepted
from service.core.permissions import Permission
from service.schema.lists import Listing
from service.schema.publishing.playlist import (
    EntryCreate,
    EntryPatch,
    EntryResponse,
    OrderPatch,
    PlaylistCreate,
    PlaylistPatch,
    PlaylistResponse,
    PlaylistSummary,
)
from service.services.registry import Services

routes = api_routes("/v1/playlists", tag="Playlists")
"""Playlists: scenes in an order. Editing changes the draft; publishing rolls it out as the next version."""


@routes.get(response_model=Listing[PlaylistSummary])
def list_playlists(services: Services, access: MayRead, page: Paged) -> Response:
    """List playlists, oldest first, without their scenes."""
    return JsonReply(services.playlists.list(access.workspace, page))


@routes.post(status_code=201, response_model=PlaylistResponse)
def create_playlist(services: Services, body: PlaylistCreate, access: MayEdit) -> Response:
    """Create an empty playlist."""
    return created(services.playlists.create(access.workspace, body), at="/v1/playlists")


@routes.get("/{playlist}", response_model=PlaylistResponse)
def get_playlist(services: Services, playlist: str, access: MayRead) -> Response:
    """Get one playlist with its ordered scenes."""
    return resource(services.playlists.get(access.workspace, playlist))


@routes.patch("/{playlist}", response_model=PlaylistResponse)
def change_playlist(
    services: Services, playlist: str, body: PlaylistPatch, access: MayEdit, expected: Expected
) -> Response:
    """Rename a playlist."""
    return resource(services.playlists.change(access.workspace, playlist, body, expected))


@routes.delete("/{playlist}")
def delete_playlist(services: Services, playlist: str, access: MayEdit, expected: Expected) -> None:
    """Delete a playlist (409 while a screen plays it)."""
    services.playlists.remove(access, playlist, expected)


@routes.post("/{playlist}/scenes", status_code=201, response_model=EntryResponse)
def append_scene(services: Services, playlist: str, body: EntryCreate, access: MayEdit) -> Response:
    """Append a scene. `id` in the answer names the new entry."""
    return created(services.playlists.append(access.workspace, playlist, body), at=f"/v1/playlists/{playlist}/scenes")


@routes.delete("/{playlist}/scenes/{entry}")
def take_out_scene(services: Services, playlist: str, entry: str, access: MayEdit, expected: Expected) -> None:
    """Remove one entry from a playlist."""
    services.playlists.take_out(access.workspace, playlist, entry, expected)


@routes.patch("/{playlist}/scenes/{entry}", response_model=EntryResponse)
def change_entry(
    services: Services, playlist: str, entry: str, body: EntryPatch, access: MayEdit, expected: Expected
) -> Response:
    """Change how long an entry shows, or its daypart."""
    return resource(services.playlists.change_entry(access.workspace, playlist, entry, body, expected))


@routes.patch("/{playlist}/order", response_model=PlaylistResponse)
def reorder_scenes(
    services: Services, playlist: str, body: OrderPatch, access: MayEdit, expected: Expected
) -> Response:
    """Reorder the scenes: list all of them, by scene id, or by entry id where a scene occurs twice."""
    return resource(services.playlists.reorder(access.workspace, playlist, body.order, expected))


@routes.post("/{playlist}/publish", response_model=PlaylistResponse, responses=APPROVAL_REQUESTED)
def publish_playlist(services: Services, playlist: str, access: MayEdit, expected: Expected) -> Response:
    """Publish the playlist as it is. Players switch to the new version at their next loop boundary.

    A playlist without a scene is not published (409): its screens would have nothing to show.
    With the key of an Editor this requests approval: 202, with an approval for a Publisher, Admin or Owner.
    """
    if access.may(Permission.PUBLISH):
        return resource(services.playlists.publish(access, playlist, expected))
    return accepted(services.approvals.request(access, playlist, expected))
