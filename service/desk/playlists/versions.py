"""Versions of playlists and requests to publish: what each has, by pictures, and restoring or deciding it."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.api.publishing.versions import VersionPath
from service.core.permissions import Permission
from service.desk.lists import Pages
from service.desk.pictures import SIZES, TILE_WIDTH, send_picture
from service.desk.playlists.playlists import APPROVALS, PLAYLISTS, Publishing, changes_in_words
from service.desk.said import Undo
from service.desk.visits import MayEdit, MayPublish, MayRead
from service.desk.words import phrase
from service.schema.publishing.approval import ApprovalReject
from service.services.publishing.pictures import request_picture, version_picture
from service.storage.paging import PageRequest

PAGE_SIZE = 50


def version_routes(*, publishing: Publishing, now: Callable[[], datetime], route: type[APIRoute]) -> APIRouter:
    """One version of a playlist."""
    router = APIRouter(prefix=PLAYLISTS + "/{playlist}/versions/{version}", include_in_schema=False, route_class=route)

    @router.get("")
    def show_version(playlist: str, version: VersionPath, visit: MayRead) -> Response:
        """The version: what it changed, and its boards as they were."""
        found = publishing.history.get(visit.access, playlist, version)
        return visit.page(
            "version",
            version=found,
            playlist=publishing.playlists.get(visit.access.workspace, playlist),
            changes=[] if found.changes is None else changes_in_words(found.changes),
            scenes={one["id"]: one for one in found.scenes},
            now=now(),
        )

    @router.get("/scenes/{scene}/picture")
    async def draw_version(
        playlist: str, version: VersionPath, scene: str, visit: MayRead, size: Annotated[str, Query(max_length=10)] = ""
    ) -> Response:
        """A board as it is in the version, as a thumbnail or in a size."""
        width = SIZES[size] * 16 // 9 if size in SIZES else TILE_WIDTH
        return await send_picture(visit, publishing.previews, version_picture(playlist, version, scene), width=width)

    @router.post("/restore")
    def restore(playlist: str, version: VersionPath, visit: MayEdit) -> Response:
        """Publishes the version again, or asks for approval of that."""
        if not visit.access.may(Permission.PUBLISH):
            asked = publishing.approvals.request(visit.access, playlist, restores=version)
            return visit.done(phrase("A publisher is asked to approve this."), to=f"{APPROVALS}/{asked.id}")
        after = publishing.history.restore(visit.access, playlist, version)
        sentence = phrase("Version {version} is live: it is as version {old} was.", version=after.version, old=version)
        undo = Undo(f"{PLAYLISTS}/{playlist}/versions/{after.version - 1}/restore")
        return visit.done(sentence, to=f"{PLAYLISTS}/{playlist}", undo=undo)

    return router


def approval_routes(*, publishing: Publishing, now: Callable[[], datetime], route: type[APIRoute]) -> APIRouter:
    """Requests to publish, and their decisions."""
    router = APIRouter(prefix=APPROVALS, include_in_schema=False, route_class=route)
    approvals = publishing.approvals

    @router.get("")
    def list_approvals(visit: MayRead, cursor: Annotated[str | None, Query(max_length=200)] = None) -> Response:
        """The requests, oldest first."""
        found = approvals.list(visit.access.workspace, PageRequest(PAGE_SIZE, cursor), status=None)
        shown: dict[str, Any] = {
            "approvals": found.data,
            "playlists": publishing.choices.playlists(visit.access),
            "names": publishing.actors.names(visit.access, [one.requested_by for one in found.data]),
            "pages": Pages(APPROVALS, {}, cursor, found.pagination.cursor),
        }
        return visit.page("approvals", **shown, now=now())

    @router.get("/{approval}")
    def show_approval(approval: str, visit: MayRead) -> Response:
        """The request: each board as it is on the screens, beside what it would be."""
        found = approvals.get(visit.access.workspace, approval)
        return visit.page(
            "approval",
            approval=found,
            playlist=publishing.playlists.get(visit.access.workspace, found.playlist),
            changes=[] if found.changes is None else changes_in_words(found.changes),
            names=publishing.actors.names(visit.access, [found.requested_by, found.decided_by]),
            now=now(),
        )

    @router.get("/{approval}/scenes/{scene}/picture")
    async def draw_request(approval: str, scene: str, visit: MayRead) -> Response:
        """A board as it would be."""
        return await send_picture(visit, publishing.previews, request_picture(approval, scene))

    @router.post("/{approval}/approve")
    def approve(approval: str, visit: MayPublish) -> Response:
        """Publishes what was requested."""
        decided = approvals.approve(visit.access, approval)
        undo = None
        if decided.version is not None and decided.version > 1:
            undo = Undo(f"{PLAYLISTS}/{decided.playlist}/versions/{decided.version - 1}/restore")
        sentence = phrase(
            "Version {version} is live. Screens go to it at the end of their loop.", version=decided.version
        )
        return visit.done(sentence, to=f"{PLAYLISTS}/{decided.playlist}", undo=undo)

    @router.post("/{approval}/reject")
    def reject(approval: str, visit: MayPublish) -> Response:
        """Says no, and why."""
        approvals.reject(visit.access, approval, model_of(ApprovalReject, {"reason": visit.form.get("reason", "")}))
        return visit.done(phrase("The request is rejected."), to=f"{APPROVALS}/{approval}")

    return router
