"""The playlists: which are live, which have changes that are not, and what waits for approval."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.desk.choices import Choices
from service.desk.lists import Pages
from service.desk.visits import MayEdit, MayRead
from service.desk.words import Phrase, phrase, phrases
from service.schema.lists import MAX_LIMIT
from service.schema.publishing.approval import ApprovalStatus
from service.schema.publishing.playlist import PlaylistCreate
from service.schema.publishing.version import SceneName, VersionChanges
from service.services.access.actors import ActorService
from service.services.devices.screens import ScreenService
from service.services.publishing.approvals import ApprovalService
from service.services.publishing.history import HistoryService
from service.services.publishing.playlists import PlaylistService
from service.services.publishing.previews import PreviewService
from service.services.scenes.scenes import SceneService
from service.storage.paging import PageRequest

PLAYLISTS = "/desk/playlists"
APPROVALS = "/desk/approvals"
PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class Publishing:
    """The services behind the pages of playlists, versions and approvals."""

    playlists: PlaylistService
    scenes: SceneService
    history: HistoryService
    approvals: ApprovalService
    screens: ScreenService
    previews: PreviewService
    actors: ActorService
    choices: Choices


def playlist_list_routes(*, publishing: Publishing, route: type[APIRoute]) -> APIRouter:
    """The list, and a new playlist."""
    router = APIRouter(prefix=PLAYLISTS, include_in_schema=False, route_class=route)

    @router.get("")
    def list_playlists(visit: MayRead, cursor: Annotated[str | None, Query(max_length=200)] = None) -> Response:
        """The playlists, oldest first."""
        workspace = visit.access.workspace
        found = publishing.playlists.list(workspace, PageRequest(PAGE_SIZE, cursor))
        pending = publishing.approvals.list(workspace, PageRequest(MAX_LIMIT), status=ApprovalStatus.PENDING).data
        return visit.page(
            "playlists",
            playlists=found.data,
            pending={one.playlist: one for one in pending},
            pages=Pages(PLAYLISTS, {}, cursor, found.pagination.cursor),
        )

    @router.post("")
    def create_playlist(visit: MayEdit) -> Response:
        """Makes an empty playlist."""
        body = model_of(PlaylistCreate, {"name": visit.form.get("name", "")})
        made = publishing.playlists.create(visit.access.workspace, body)
        return visit.done(phrase("{name} is there. Add boards to it.", name=made.name), to=f"{PLAYLISTS}/{made.id}")

    return router


def changes_in_words(changes: VersionChanges) -> list[Phrase]:
    """The differences between two versions, a sentence each."""
    said: list[Phrase] = []
    if changes.renamed:
        said.append(phrase("It has another name."))
    if found := changes.scenes_added:
        said.append(phrases("{names} is new.", "{names} are new.", count=len(found), names=_names(found)))
    if found := changes.scenes_removed:
        said.append(phrases("{names} is taken out.", "{names} are taken out.", count=len(found), names=_names(found)))
    if found := changes.scenes_changed:
        said.append(
            phrases("{names} looks different.", "{names} look different.", count=len(found), names=_names(found))
        )
    if found := changes.durations:
        said.append(
            phrases(
                "{names} shows for another time.",
                "{names} show for another time.",
                count=len(found),
                names=_names(found),
            )
        )
    if found := changes.schedules:
        said.append(
            phrases("{names} has other hours.", "{names} have other hours.", count=len(found), names=_names(found))
        )
    if changes.order:
        said.append(phrase("The order is another one."))
    return said or [phrase("Nothing differs.")]


def _names(scenes: list[SceneName]) -> str:
    return ", ".join(one.name for one in scenes)
