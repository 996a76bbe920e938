"""`/v1/playlists`."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.authentication import MayEdit, MayRead
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, no_content, resource
from service.api.http.routing import public_router
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
from service.services.publishing.approvals import ApprovalService
from service.services.publishing.playlists import PlaylistService


# Over sixty lines: one router's calls, each of them short.
def playlist_routes(*, playlists: PlaylistService, approvals: ApprovalService, route: type[APIRoute]) -> APIRouter:
    """Playlists: scenes in an order. Editing changes the draft; publishing rolls it out as the next version."""
    router = public_router("/v1/playlists", tag="Playlists", route=route)

    @router.get("", response_model=Listing[PlaylistSummary])
    def list_playlists(access: MayRead, page: Paged) -> Response:
        """List playlists, oldest first, without their scenes."""
        return JsonReply(playlists.list(access.workspace, page))

    @router.post("", status_code=201, response_model=PlaylistResponse)
    def create_playlist(body: PlaylistCreate, access: MayEdit) -> Response:
        """Create an empty playlist."""
        document = playlists.create(access.workspace, body)
        return created(document, at=f"/v1/playlists/{document.id}")

    @router.get("/{playlist}", response_model=PlaylistResponse)
    def get_playlist(playlist: str, access: MayRead) -> Response:
        """Get one playlist with its ordered scenes."""
        return resource(playlists.get(access.workspace, playlist))

    @router.patch("/{playlist}", response_model=PlaylistResponse)
    def change_playlist(playlist: str, body: PlaylistPatch, access: MayEdit, expected: Expected) -> Response:
        """Rename a playlist."""
        return resource(playlists.change(access.workspace, playlist, body, expected))

    @router.delete("/{playlist}", status_code=204, response_model=None)
    def delete_playlist(playlist: str, access: MayEdit, expected: Expected) -> Response:
        """Delete a playlist (409 while a screen plays it)."""
        playlists.remove(access, playlist, expected)
        return no_content()

    @router.post("/{playlist}/scenes", status_code=201, response_model=EntryResponse)
    def append_scene(playlist: str, body: EntryCreate, access: MayEdit) -> Response:
        """Append a scene. `id` in the answer names the new entry."""
        document = playlists.append(access.workspace, playlist, body)
        return created(document, at=f"/v1/playlists/{playlist}/scenes/{document.id}")

    @router.delete("/{playlist}/scenes/{entry}", status_code=204, response_model=None)
    def take_out_scene(playlist: str, entry: str, access: MayEdit, expected: Expected) -> Response:
        """Remove one entry from a playlist."""
        playlists.take_out(access.workspace, playlist, entry, expected)
        return no_content()

    @router.patch("/{playlist}/scenes/{entry}", response_model=EntryResponse)
    def change_entry(playlist: str, entry: str, body: EntryPatch, access: MayEdit, expected: Expected) -> Response:
        """Change how long an entry shows, or its daypart."""
        return resource(playlists.change_entry(access.workspace, playlist, entry, body, expected))

    @router.patch("/{playlist}/order", response_model=PlaylistResponse)
    def reorder_scenes(playlist: str, body: OrderPatch, access: MayEdit, expected: Expected) -> Response:
        """Reorder the scenes: list all of them, by scene id, or by entry id where a scene occurs twice."""
        return resource(playlists.reorder(access.workspace, playlist, body.order, expected))

    @router.post("/{playlist}/publish", response_model=PlaylistResponse, responses=APPROVAL_REQUESTED)
    def publish_playlist(playlist: str, access: MayEdit, expected: Expected) -> Response:
        """Publish the playlist as it is. Players switch to the new version at their next loop boundary.

        A playlist without a scene is not published (409): its screens would have nothing to show.
        With the key of an Editor this requests approval: 202, with an approval for a Publisher, Admin or Owner.
        """
        if access.may(Permission.PUBLISH):
            return resource(playlists.publish(access, playlist, expected))
        return accepted(approvals.request(access, playlist, expected))

    return router
