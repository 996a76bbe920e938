"""Versions of playlists and requests to publish: their contents, by images, and restoring or deciding them."""

from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.api.publishing.versions import VersionPath
from service.core.permissions import Permission
from service.desk.desk import Desk
from service.desk.lists import Cursor, Pages
from service.desk.pictures import SIZES, TILE_WIDTH, send_picture
from service.desk.playlists.playlists import APPROVALS, PLAYLISTS, changes_in_words
from service.desk.routing import desk_routes
from service.desk.said import Undo
from service.desk.visits import MayEdit, MayPublish, MayRead
from service.desk.words import phrase
from service.schema.publishing.approval import ApprovalReject
from service.services.publishing.pictures import request_picture, version_picture
from service.storage.paging import PageRequest

PAGE_SIZE = 50

routes = desk_routes(Desk, PLAYLISTS + "/{playlist}/versions/{version}")


@routes.get()
def show_version(desk: Desk, playlist: str, version: VersionPath, visit: MayRead) -> Response:
    """Returns the version: what it changed, and its boards as they were."""
    found = desk.services.history.get(visit.access, playlist, version)
    return visit.page(
        "version",
        version=found,
        playlist=desk.services.playlists.get(visit.access.workspace, playlist),
        changes=[] if found.changes is None else changes_in_words(found.changes),
        scenes={one["id"]: one for one in found.scenes},
        now=desk.now(),
    )


@routes.get("/scenes/{scene}/picture")
async def draw_version(
    desk: Desk,
    playlist: str,
    version: VersionPath,
    scene: str,
    visit: MayRead,
    size: Annotated[str, Query(max_length=10)] = "",
) -> Response:
    """A board as it is in the version, as a thumbnail or in a size."""
    width = SIZES[size] * 16 // 9 if size in SIZES else TILE_WIDTH
    return await send_picture(visit, desk.services.previews, version_picture(playlist, version, scene), width=width)


@routes.post("/restore")
def restore(desk: Desk, playlist: str, version: VersionPath, visit: MayEdit) -> Response:
    """Publishes the version again, or asks for approval of that."""
    if not visit.access.may(Permission.PUBLISH):
        asked = desk.services.approvals.request(visit.access, playlist, restores=version)
        return visit.done(phrase("A publisher is asked to approve this."), to=f"{APPROVALS}/{asked.id}")
    after = desk.services.history.restore(visit.access, playlist, version)
    sentence = phrase("Version {version} is live: it is as version {old} was.", version=after.version, old=version)
    undo = Undo(f"{PLAYLISTS}/{playlist}/versions/{after.version - 1}/restore")
    return visit.done(sentence, to=f"{PLAYLISTS}/{playlist}", undo=undo)


approvals = desk_routes(Desk, APPROVALS)


@approvals.get()
def list_approvals(desk: Desk, visit: MayRead, cursor: Cursor = None) -> Response:
    """Returns the requests, oldest first."""
    found = desk.services.approvals.list(visit.access.workspace, PageRequest(PAGE_SIZE, cursor), status=None)
    shown: dict[str, Any] = {
        "approvals": found.data,
        "playlists": desk.playlists(visit.access),
        "names": desk.services.actors.names(visit.access, [one.requested_by for one in found.data]),
        "pages": Pages(APPROVALS, {}, cursor, found.pagination.cursor),
    }
    return visit.page("approvals", **shown, now=desk.now())


@approvals.get("/{approval}")
def show_approval(desk: Desk, approval: str, visit: MayRead) -> Response:
    """Returns the request: each board as it is on the screens, beside what it would be."""
    found = desk.services.approvals.get(visit.access.workspace, approval)
    return visit.page(
        "approval",
        approval=found,
        playlist=desk.services.playlists.get(visit.access.workspace, found.playlist),
        changes=[] if found.changes is None else changes_in_words(found.changes),
        names=desk.services.actors.names(visit.access, [found.requested_by, found.decided_by]),
        now=desk.now(),
    )


@approvals.get("/{approval}/scenes/{scene}/picture")
async def draw_request(desk: Desk, approval: str, scene: str, visit: MayRead) -> Response:
    """A board as it would be."""
    return await send_picture(visit, desk.services.previews, request_picture(approval, scene))


@approvals.post("/{approval}/approve")
def approve(desk: Desk, approval: str, visit: MayPublish) -> Response:
    """Publishes what was requested."""
    decided = desk.services.approvals.approve(visit.access, approval)
    undo = None
    if decided.version is not None and decided.version > 1:
        undo = Undo(f"{PLAYLISTS}/{decided.playlist}/versions/{decided.version - 1}/restore")
    sentence = phrase("Version {version} is live. Screens go to it at the end of their loop.", version=decided.version)
    return visit.done(sentence, to=f"{PLAYLISTS}/{decided.playlist}", undo=undo)


@approvals.post("/{approval}/reject")
def reject(desk: Desk, approval: str, visit: MayPublish) -> Response:
    """Says no, and why."""
    desk.services.approvals.reject(
        visit.access, approval, model_of(ApprovalReject, {"reason": visit.form.get("reason", "")})
    )
    return visit.done(phrase("The request is rejected."), to=f"{APPROVALS}/{approval}")
