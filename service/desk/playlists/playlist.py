"""One playlist: its entries in order, its live version, its screens, and publishing it."""

from typing import Any

from starlette.responses import Response

from menu.documents.manifest import MAX_DURATION_SECONDS
from service.api.http.bodies import model_of
from service.core.permissions import Permission
from service.desk.desk import Desk, everything
from service.desk.forms import moved, whole_in
from service.desk.playlists.playlists import APPROVALS, PLAYLISTS, changes_in_words
from service.desk.routing import desk_routes
from service.desk.said import Said, Undo
from service.desk.schedules import DAYS, read_schedule, schedule_fields
from service.desk.screens.unpublished import asked_first
from service.desk.visits import SURE, MayEdit, MayManageScreens, MayRead, Visit
from service.desk.words import Phrase, phrase
from service.schema.content.scene import SceneResponse
from service.schema.devices.screen import ScreenPatch
from service.schema.lists import MAX_LIMIT
from service.schema.publishing.approval import ApprovalStatus
from service.schema.publishing.playlist import (
    MIN_DURATION_SECONDS,
    EntryCreate,
    EntryPatch,
    EntryResponse,
    PlaylistPatch,
    PlaylistResponse,
)
from service.services.access.access import Access
from service.services.devices.screens import ScreenFilter
from service.services.shared.etags import Condition, tag_of
from service.storage.paging import PageRequest

VERSIONS_SHOWN = 8

routes = desk_routes(Desk, PLAYLISTS + "/{playlist}")


def _answer(desk: Desk, visit: Visit, playlist: str, sentence: Phrase, undo: Undo | None = None) -> Response:
    if visit.wants_part:
        shown = _state(visit.access, playlist, desk)
        return visit.part("playlist_state", said=Said(sentence, undo), **shown)
    return visit.done(sentence, to=f"{PLAYLISTS}/{playlist}", undo=undo)


def _back(playlist: str, act: str, **fields: str) -> Undo:
    return Undo(f"{PLAYLISTS}/{playlist}/{act}", fields, target="#playlist")


@routes.get()
def show_playlist(desk: Desk, playlist: str, visit: MayRead) -> Response:
    """Returns the playlist."""
    shown = _state(visit.access, playlist, desk)
    return visit.page("playlist", **shown, **_aside(visit.access, playlist, desk))


@routes.get("/state")
def get_state(desk: Desk, playlist: str, visit: MayRead) -> Response:
    """Returns the part of the page that changes by itself."""
    return visit.part("playlist_state", **_state(visit.access, playlist, desk))


@routes.post("/name")
def rename(desk: Desk, playlist: str, visit: MayEdit) -> Response:
    """Gives it another name."""
    before = desk.services.playlists.get(visit.access.workspace, playlist).name
    body = model_of(PlaylistPatch, {"name": visit.form.get("name", "")})
    after = desk.services.playlists.change(visit.access.workspace, playlist, body)
    undo = Undo(f"{PLAYLISTS}/{playlist}/name", {"name": before})
    return visit.done(phrase("It is called {name}.", name=after.name), to=f"{PLAYLISTS}/{playlist}", undo=undo)


@routes.post("/remove")
def remove(desk: Desk, playlist: str, visit: MayEdit) -> Response:
    """Removes it; one that screens play stays."""
    name = desk.services.playlists.get(visit.access.workspace, playlist).name
    desk.services.playlists.remove(visit.access, playlist)
    return visit.done(phrase("{name} is removed.", name=name), to=PLAYLISTS)


@routes.post("/entries")
def add_entry(desk: Desk, playlist: str, visit: MayEdit) -> Response:
    """Appends a board, or with a position puts it back there."""
    workspace, form = visit.access.workspace, visit.form
    given: dict[str, object] = {
        "sceneId": form.get("scene", ""),
        "durationSeconds": whole_in(form.get("seconds", "")),
    }
    if form.get("type"):
        given["schedule"] = read_schedule(form)
    made = desk.services.playlists.append(workspace, playlist, model_of(EntryCreate, given))
    if form.get("at", "").isdecimal():
        order = [one.id for one in desk.services.playlists.get(workspace, playlist).scenes if one.id != made.id]
        order.insert(int(form["at"]), made.id)
        desk.services.playlists.reorder(workspace, playlist, order)
    name = desk.services.scenes.get(workspace, made.scene_id).name
    undo = _back(playlist, f"entries/{made.id}/remove")
    return _answer(desk, visit, playlist, phrase("{name} is in the playlist.", name=name), undo)


@routes.post("/entries/{entry}/remove")
def take_out(desk: Desk, playlist: str, entry: str, visit: MayEdit) -> Response:
    """Takes an entry out; its board stays."""
    workspace = visit.access.workspace
    order = desk.services.playlists.get(workspace, playlist).scenes
    at, before = next(((at, one) for at, one in enumerate(order) if one.id == entry), (0, None))
    desk.services.playlists.take_out(workspace, playlist, entry)
    undo = None if before is None else _back(playlist, "entries", at=str(at), **_fields(before))
    return _answer(desk, visit, playlist, phrase("It is out of the playlist."), undo)


@routes.post("/entries/{entry}/seconds")
def set_seconds(desk: Desk, playlist: str, entry: str, visit: MayEdit) -> Response:
    """Sets how long an entry shows."""
    workspace = visit.access.workspace
    before = _entry(desk.services.playlists.get(workspace, playlist), entry)
    body = model_of(EntryPatch, {"durationSeconds": whole_in(visit.form.get("seconds", ""))})
    after = desk.services.playlists.change_entry(workspace, playlist, entry, body)
    undo = None
    if before is not None:
        undo = _back(playlist, f"entries/{entry}/seconds", seconds=str(before.duration_seconds))
    return _answer(
        desk, visit, playlist, phrase("It shows for {seconds} seconds.", seconds=after.duration_seconds), undo
    )


@routes.post("/entries/{entry}/hours")
def set_hours(desk: Desk, playlist: str, entry: str, visit: MayEdit) -> Response:
    """Shows an entry in a part of the day alone; without one at all hours of its board."""
    workspace = visit.access.workspace
    before = _entry(desk.services.playlists.get(workspace, playlist), entry)
    given = read_schedule(visit.form) if visit.form.get("type") else None
    desk.services.playlists.change_entry(workspace, playlist, entry, model_of(EntryPatch, {"schedule": given}))
    old = {} if before is None or before.schedule is None else schedule_fields(before.schedule)
    sentence = phrase("It shows at all hours of its board.") if given is None else phrase("Its hours are changed.")
    return _answer(desk, visit, playlist, sentence, _back(playlist, f"entries/{entry}/hours", **old))


@routes.post("/order")
def reorder(desk: Desk, playlist: str, visit: MayEdit) -> Response:
    """Puts the entries in an order, or moves one of them by a place."""
    workspace, form = visit.access.workspace, visit.form
    found = desk.services.playlists.get(workspace, playlist)
    before = [one.id for one in found.scenes]
    order = [one for one in form.get("order", "").split(",") if one] or moved(before, form)
    desk.services.playlists.reorder(workspace, playlist, order, Condition((tag_of(found),)))
    return _answer(
        desk, visit, playlist, phrase("The order is changed."), _back(playlist, "order", order=",".join(before))
    )


@routes.post("/publish")
def publish(desk: Desk, playlist: str, visit: MayEdit) -> Response:
    """Publishes what the person has seen, or asks for approval of it."""
    seen = Condition((visit.form.get("tag", ""),))
    if not visit.access.may(Permission.PUBLISH):
        asked = desk.services.approvals.request(visit.access, playlist, seen)
        return visit.done(phrase("A publisher is asked to approve this."), to=f"{APPROVALS}/{asked.id}")
    after = desk.services.playlists.publish(visit.access, playlist, seen)
    sentence = phrase("Version {version} is live. Screens go to it at the end of their loop.", version=after.version)
    undo = None
    if after.version > 1:
        undo = Undo(f"{PLAYLISTS}/{playlist}/versions/{after.version - 1}/restore")
    return visit.done(sentence, to=f"{PLAYLISTS}/{playlist}", undo=undo)


@routes.post("/screens")
def assign(desk: Desk, playlist: str, visit: MayManageScreens) -> Response:
    """Gives a screen this playlist, or with `playlist` another one."""
    screen = visit.form.get("screen", "")
    found = desk.services.screens.get(visit.access, screen, now=desk.now())
    before, plays = found.playlist, found.plays_meanwhile or found.playlist
    given = visit.form.get("playlist", playlist) or None
    page = f"{PLAYLISTS}/{playlist}"
    asked = given and asked_first(visit, desk, given, plays=plays, back=page)
    if asked:
        return asked
    after = desk.services.screens.change(visit.access, screen, model_of(ScreenPatch, {"playlist": given}))
    undo = Undo(f"{page}/screens", {"screen": screen, "playlist": before or "", SURE: "1"})
    sentence = phrase("{name} has another playlist.", name=after.name)
    if given == playlist:
        sentence = phrase("{name} plays this.", name=after.name)
    if after.plays_meanwhile:
        sentence = phrase("{name} plays this as soon as it is published.", name=after.name)
    return visit.done(sentence, to=page, undo=undo)


def _state(access: Access, playlist: str, desk: Desk) -> dict[str, Any]:
    found = desk.services.playlists.get(access.workspace, playlist)
    scenes = _scenes(access, desk)
    pending = desk.services.approvals.list(access.workspace, PageRequest(MAX_LIMIT), status=ApprovalStatus.PENDING).data
    return {
        "playlist": found,
        "scenes": scenes,
        "total": sum(one.duration_seconds for one in found.scenes),
        "tag": tag_of(found),
        "pending": next((one for one in pending if one.playlist == playlist), None),
        "days": DAYS,
        "bounds": (MIN_DURATION_SECONDS, MAX_DURATION_SECONDS),
        "now": desk.now(),
    }


def _aside(access: Access, playlist: str, desk: Desk) -> dict[str, Any]:
    screens = {one.id: one for one in everything(lambda page: desk.services.screens.list(access, page, now=desk.now()))}
    versions = list(everything(lambda page: desk.services.history.list(access, playlist, page)))[::-1][:VERSIONS_SHOWN]
    return {
        "playing": [one for one in screens.values() if one.playlist == playlist],
        "others": {id_: one for id_, one in screens.items() if one.playlist != playlist},
        "versions": [(one, [] if one.changes is None else changes_in_words(one.changes)) for one in versions],
        "chosen": ScreenFilter(playlist=playlist),
    }


def _scenes(access: Access, desk: Desk) -> dict[str, SceneResponse]:
    return {one.id: one for one in everything(lambda page: desk.services.scenes.list(access.workspace, page))}


def _entry(playlist: PlaylistResponse, entry: str) -> EntryResponse | None:
    return next((one for one in playlist.scenes if one.id == entry), None)


def _fields(entry: EntryResponse) -> dict[str, str]:
    hours = {} if entry.schedule is None else schedule_fields(entry.schedule)
    return {"scene": entry.scene_id, "seconds": str(entry.duration_seconds), **hours}
