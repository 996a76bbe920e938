"""`/v1/playlists`."""

from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.approvals import accepted
from service.api.guard import Editor, Paged, Reader
from service.api.preconditions import Expected
from service.api.replies import JsonReply, created, nothing, resource
from service.api.routing import public_router
from service.core.permissions import Permission
from service.schema.approval import ApprovalResponse
from service.schema.lists import Listing
from service.schema.playlist import (
    EntryCreate,
    EntryResponse,
    OrderPatch,
    PlaylistCreate,
    PlaylistPatch,
    PlaylistResponse,
    PlaylistSummary,
)
from service.services.publishing.approvals import ApprovalService
from service.services.publishing.playlists import PlaylistService

_ASKED: dict[int | str, dict[str, Any]] = {
    202: {"model": ApprovalResponse, "description": "Asked for, and waiting for approval."}
}


def playlist_routes(*, playlists: PlaylistService, approvals: ApprovalService, route: type[APIRoute]) -> APIRouter:
    """Scenes in an order. Editing changes the draft; publishing rolls it out as the next version."""
    router = public_router("/v1/playlists", tag="Playlists", route=route)

    @router.get("", response_model=Listing[PlaylistSummary])
    def list_playlists(access: Reader, page: Paged) -> Response:
        """List playlists, oldest first, without their scenes."""
        return JsonReply(playlists.list(access.workspace, page))

    @router.post("", status_code=201, response_model=PlaylistResponse)
    def create_playlist(body: PlaylistCreate, access: Editor) -> Response:
        """Create an empty playlist."""
        view = playlists.create(access.workspace, body)
        return created(view, at=f"/v1/playlists/{view.id}")

    @router.get("/{playlist}", response_model=PlaylistResponse)
    def get_playlist(playlist: str, access: Reader) -> Response:
        """Get one playlist with its ordered scenes."""
        return resource(playlists.get(access.workspace, playlist))

    @router.patch("/{playlist}", response_model=PlaylistResponse)
    def change_playlist(playlist: str, body: PlaylistPatch, access: Editor, expected: Expected) -> Response:
        """Rename a playlist."""
        return resource(playlists.change(access.workspace, playlist, body, expected))

    @router.delete("/{playlist}", status_code=204, response_model=None)
    def delete_playlist(playlist: str, access: Editor, expected: Expected) -> Response:
        """Remove a playlist (409 while a screen plays it)."""
        playlists.remove(access, playlist, expected)
        return nothing()

    @router.post("/{playlist}/scenes", status_code=201, response_model=EntryResponse)
    def append_scene(playlist: str, body: EntryCreate, access: Editor) -> Response:
        """Append a scene. The answer's `id` names this place in the playlist."""
        view = playlists.append(access.workspace, playlist, body)
        return created(view, at=f"/v1/playlists/{playlist}/scenes/{view.id}")

    @router.delete("/{playlist}/scenes/{entry}", status_code=204, response_model=None)
    def take_out_scene(playlist: str, entry: str, access: Editor, expected: Expected) -> Response:
        """Take one entry out of a playlist."""
        playlists.take_out(access.workspace, playlist, entry, expected)
        return nothing()

    @router.patch("/{playlist}/order", response_model=PlaylistResponse)
    def reorder_scenes(playlist: str, body: OrderPatch, access: Editor, expected: Expected) -> Response:
        """Reorder the scenes: every one of them, by scene id, or by entry id where a scene stands there twice."""
        return resource(playlists.reorder(access.workspace, playlist, body.order, expected))

    @router.post("/{playlist}/publish", response_model=PlaylistResponse, responses=_ASKED)
    def publish_playlist(playlist: str, access: Editor) -> Response:
        """Publish the playlist as it stands. Players take the new version up at their next loop boundary.

        The key of an Editor asks for it: the answer is 202 with the approval that somebody who may publish decides.
        """
        if access.may(Permission.PUBLISH):
            return resource(playlists.publish(access, playlist))
        return accepted(approvals.request(access, playlist))

    return router
