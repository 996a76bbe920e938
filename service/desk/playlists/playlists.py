"""Playlists: which are live, which have unpublished changes, and pending approvals."""

from starlette.responses import Response

from service.api.http.bodies import model_of
from service.desk.desk import Desk
from service.desk.lists import Cursor, Pages
from service.desk.routing import desk_routes
from service.desk.visits import MayEdit, MayRead
from service.desk.words import Phrase, phrase, phrases
from service.schema.lists import MAX_LIMIT
from service.schema.publishing.approval import ApprovalStatus
from service.schema.publishing.playlist import PlaylistCreate
from service.schema.publishing.version import SceneName, VersionChanges
from service.storage.paging import PageRequest

PLAYLISTS = "/desk/playlists"
APPROVALS = "/desk/approvals"
PAGE_SIZE = 50

routes = desk_routes(Desk, PLAYLISTS)


@routes.get()
def list_playlists(desk: Desk, visit: MayRead, cursor: Cursor = None) -> Response:
    """Returns the playlists, oldest first."""
    workspace = visit.access.workspace
    found = desk.services.playlists.list(workspace, PageRequest(PAGE_SIZE, cursor))
    pending = desk.services.approvals.list(workspace, PageRequest(MAX_LIMIT), status=ApprovalStatus.PENDING).data
    return visit.page(
        "playlists",
        playlists=found.data,
        pending={one.playlist: one for one in pending},
        pages=Pages(PLAYLISTS, {}, cursor, found.pagination.cursor),
    )


@routes.post()
def create_playlist(desk: Desk, visit: MayEdit) -> Response:
    """Makes an empty playlist."""
    body = model_of(PlaylistCreate, {"name": visit.form.get("name", "")})
    made = desk.services.playlists.create(visit.access.workspace, body)
    return visit.done(phrase("{name} is there. Add boards to it.", name=made.name), to=f"{PLAYLISTS}/{made.id}")


def changes_in_words(changes: VersionChanges) -> list[Phrase]:
    """Describes the differences between two versions, a sentence each."""
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
