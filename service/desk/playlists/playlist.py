"""One playlist: its entries in order, what is live of it, its screens, and publishing it."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from menu.documents.manifest import MAX_DURATION_SECONDS
from service.api.http.bodies import model_of
from service.core.permissions import Permission
from service.desk.choices import everything
from service.desk.forms import moved
from service.desk.playlists.playlists import APPROVALS, PLAYLISTS, Publishing, changes_in_words
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


# Over sixty lines: one router's calls, each of them short.
def playlist_routes(*, publishing: Publishing, now: Callable[[], datetime], route: type[APIRoute]) -> APIRouter:
    """One playlist."""
    router = APIRouter(prefix=PLAYLISTS + "/{playlist}", include_in_schema=False, route_class=route)
    playlists, screens = publishing.playlists, publishing.screens

    def answer(visit: Visit, playlist: str, sentence: Phrase, undo: Undo | None = None) -> Response:
        if visit.wants_part:
            shown = _state(visit.access, playlist, publishing, now=now())
            return visit.part("playlist_state", said=Said(sentence, undo), **shown)
        return visit.done(sentence, to=f"{PLAYLISTS}/{playlist}", undo=undo)

    def back(playlist: str, act: str, **fields: str) -> Undo:
        return Undo(f"{PLAYLISTS}/{playlist}/{act}", fields, target="#playlist")

    @router.get("")
    def show_playlist(playlist: str, visit: MayRead) -> Response:
        """The playlist."""
        shown = _state(visit.access, playlist, publishing, now=now())
        return visit.page("playlist", **shown, **_aside(visit.access, playlist, publishing, now=now()))

    @router.get("/state")
    def get_state(playlist: str, visit: MayRead) -> Response:
        """The part of the page that changes by itself."""
        return visit.part("playlist_state", **_state(visit.access, playlist, publishing, now=now()))

    @router.post("/name")
    def rename(playlist: str, visit: MayEdit) -> Response:
        """Gives it another name."""
        before = playlists.get(visit.access.workspace, playlist).name
        body = model_of(PlaylistPatch, {"name": visit.form.get("name", "")})
        after = playlists.change(visit.access.workspace, playlist, body)
        undo = Undo(f"{PLAYLISTS}/{playlist}/name", {"name": before})
        return visit.done(phrase("It is called {name}.", name=after.name), to=f"{PLAYLISTS}/{playlist}", undo=undo)

    @router.post("/remove")
    def remove(playlist: str, visit: MayEdit) -> Response:
        """Removes it; one that screens play stays."""
        name = playlists.get(visit.access.workspace, playlist).name
        playlists.remove(visit.access, playlist)
        return visit.done(phrase("{name} is removed.", name=name), to=PLAYLISTS)

    @router.post("/entries")
    def add_entry(playlist: str, visit: MayEdit) -> Response:
        """Appends a board, or with a position puts it back there."""
        workspace, form = visit.access.workspace, visit.form
        given: dict[str, object] = {
            "sceneId": form.get("scene", ""),
            "durationSeconds": _whole(form.get("seconds", "")),
        }
        if form.get("type"):
            given["schedule"] = read_schedule(form)
        made = playlists.append(workspace, playlist, model_of(EntryCreate, given))
        if form.get("at", "").isdecimal():
            order = [one.id for one in playlists.get(workspace, playlist).scenes if one.id != made.id]
            order.insert(int(form["at"]), made.id)
            playlists.reorder(workspace, playlist, order)
        name = publishing.scenes.get(workspace, made.scene_id).name
        undo = back(playlist, f"entries/{made.id}/remove")
        return answer(visit, playlist, phrase("{name} is in the playlist.", name=name), undo)

    @router.post("/entries/{entry}/remove")
    def take_out(playlist: str, entry: str, visit: MayEdit) -> Response:
        """Takes an entry out; its board stays."""
        workspace = visit.access.workspace
        order = playlists.get(workspace, playlist).scenes
        at, before = next(((at, one) for at, one in enumerate(order) if one.id == entry), (0, None))
        playlists.take_out(workspace, playlist, entry)
        undo = None if before is None else back(playlist, "entries", at=str(at), **_fields(before))
        return answer(visit, playlist, phrase("It is out of the playlist."), undo)

    @router.post("/entries/{entry}/seconds")
    def set_seconds(playlist: str, entry: str, visit: MayEdit) -> Response:
        """Sets how long an entry shows."""
        workspace = visit.access.workspace
        before = _entry(playlists.get(workspace, playlist), entry)
        body = model_of(EntryPatch, {"durationSeconds": _whole(visit.form.get("seconds", ""))})
        after = playlists.change_entry(workspace, playlist, entry, body)
        undo = None
        if before is not None:
            undo = back(playlist, f"entries/{entry}/seconds", seconds=str(before.duration_seconds))
        return answer(visit, playlist, phrase("It shows for {seconds} seconds.", seconds=after.duration_seconds), undo)

    @router.post("/entries/{entry}/hours")
    def set_hours(playlist: str, entry: str, visit: MayEdit) -> Response:
        """Shows an entry in a part of the day alone; without one at all hours of its board."""
        workspace = visit.access.workspace
        before = _entry(playlists.get(workspace, playlist), entry)
        given = read_schedule(visit.form) if visit.form.get("type") else None
        playlists.change_entry(workspace, playlist, entry, model_of(EntryPatch, {"schedule": given}))
        old = {} if before is None or before.schedule is None else schedule_fields(before.schedule)
        sentence = phrase("It shows at all hours of its board.") if given is None else phrase("Its hours are changed.")
        return answer(visit, playlist, sentence, back(playlist, f"entries/{entry}/hours", **old))

    @router.post("/order")
    def reorder(playlist: str, visit: MayEdit) -> Response:
        """Puts the entries in an order, or moves one of them by a place."""
        workspace, form = visit.access.workspace, visit.form
        found = playlists.get(workspace, playlist)
        before = [one.id for one in found.scenes]
        order = [one for one in form.get("order", "").split(",") if one] or moved(before, form)
        playlists.reorder(workspace, playlist, order, Condition((tag_of(found),)))
        return answer(visit, playlist, phrase("The order is changed."), back(playlist, "order", order=",".join(before)))

    @router.post("/publish")
    def publish(playlist: str, visit: MayEdit) -> Response:
        """Publishes what the person has seen, or asks for approval of it."""
        seen = Condition((visit.form.get("tag", ""),))
        if not visit.access.may(Permission.PUBLISH):
            asked = publishing.approvals.request(visit.access, playlist, seen)
            return visit.done(phrase("A publisher is asked to approve this."), to=f"{APPROVALS}/{asked.id}")
        after = playlists.publish(visit.access, playlist, seen)
        sentence = phrase(
            "Version {version} is live. Screens go to it at the end of their loop.", version=after.version
        )
        undo = None
        if after.version > 1:
            undo = Undo(f"{PLAYLISTS}/{playlist}/versions/{after.version - 1}/restore")
        return visit.done(sentence, to=f"{PLAYLISTS}/{playlist}", undo=undo)

    @router.post("/screens")
    def assign(playlist: str, visit: MayManageScreens) -> Response:
        """Gives a screen this playlist, or with `playlist` another one."""
        screen = visit.form.get("screen", "")
        found = screens.get(visit.access, screen, now=now())
        before, plays = found.playlist, found.plays_meanwhile or found.playlist
        given = visit.form.get("playlist", playlist) or None
        page = f"{PLAYLISTS}/{playlist}"
        asked = given and asked_first(visit, publishing.choices, given, plays=plays, back=page)
        if asked:
            return asked
        after = screens.change(visit.access, screen, model_of(ScreenPatch, {"playlist": given}))
        undo = Undo(f"{page}/screens", {"screen": screen, "playlist": before or "", SURE: "1"})
        sentence = phrase("{name} has another playlist.", name=after.name)
        if given == playlist:
            sentence = phrase("{name} plays this.", name=after.name)
        if after.plays_meanwhile:
            sentence = phrase("{name} plays this as soon as it is published.", name=after.name)
        return visit.done(sentence, to=page, undo=undo)

    return router


def _state(access: Access, playlist: str, publishing: Publishing, *, now: datetime) -> dict[str, Any]:
    found = publishing.playlists.get(access.workspace, playlist)
    scenes = _scenes(access, publishing)
    pending = publishing.approvals.list(access.workspace, PageRequest(MAX_LIMIT), status=ApprovalStatus.PENDING).data
    return {
        "playlist": found,
        "scenes": scenes,
        "total": sum(one.duration_seconds for one in found.scenes),
        "tag": tag_of(found),
        "pending": next((one for one in pending if one.playlist == playlist), None),
        "days": DAYS,
        "bounds": (MIN_DURATION_SECONDS, MAX_DURATION_SECONDS),
        "now": now,
    }


def _aside(access: Access, playlist: str, publishing: Publishing, *, now: datetime) -> dict[str, Any]:
    screens = {one.id: one for one in everything(lambda page: publishing.screens.list(access, page, now=now))}
    versions = list(everything(lambda page: publishing.history.list(access, playlist, page)))[::-1][:VERSIONS_SHOWN]
    return {
        "playing": [one for one in screens.values() if one.playlist == playlist],
        "others": {id_: one for id_, one in screens.items() if one.playlist != playlist},
        "versions": [(one, [] if one.changes is None else changes_in_words(one.changes)) for one in versions],
        "chosen": ScreenFilter(playlist=playlist),
    }


def _scenes(access: Access, publishing: Publishing) -> dict[str, SceneResponse]:
    return {one.id: one for one in everything(lambda page: publishing.scenes.list(access.workspace, page))}


def _entry(playlist: PlaylistResponse, entry: str) -> EntryResponse | None:
    return next((one for one in playlist.scenes if one.id == entry), None)


def _fields(entry: EntryResponse) -> dict[str, str]:
    hours = {} if entry.schedule is None else schedule_fields(entry.schedule)
    return {"scene": entry.scene_id, "seconds": str(entry.duration_seconds), **hours}


def _whole(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text
