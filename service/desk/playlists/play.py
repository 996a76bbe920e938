"""Plays a playlist in the browser: its boards in order with their durations, drawn by the player."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from service.desk.desk import Desk, everything
from service.desk.playlists.playlists import PLAYLISTS
from service.desk.routing import desk_routes
from service.desk.visits import MayRead
from service.services.access.access import Access

LIVE, DRAFT = "live", "draft"
LARGE = "size=720p"


@dataclass(frozen=True, slots=True)
class Step:
    """A board in the sequence."""

    name: str
    seconds: int
    picture: str
    thumbnail: str
    has_hours: bool


routes = desk_routes(Desk, PLAYLISTS + "/{playlist}/play")


@routes.get()
def play_through(
    desk: Desk,
    playlist: str,
    visit: MayRead,
    of: Annotated[str, Query(max_length=10)] = "",
    step: Annotated[int, Query(ge=1, le=10_000)] = 1,
) -> Response:
    """Returns the boards of the draft, or of the version that is live; one of them is on the stage."""
    found = desk.services.playlists.get(visit.access.workspace, playlist)
    is_live = bool(found.version) and of == LIVE
    steps = _live(visit.access, desk, playlist, found.version or 0) if is_live else _draft(visit.access, desk, found)
    at = min(step, len(steps)) - 1
    shown: dict[str, Any] = {
        "playlist": found,
        "steps": steps,
        "at": at,
        "of": LIVE if is_live else DRAFT,
        "total": sum(one.seconds for one in steps),
        "before": sum(one.seconds for one in steps[:at]) if steps else 0,
        "path": f"{PLAYLISTS}/{playlist}/play",
    }
    return visit.page("play", **shown)


def _draft(access: Access, desk: Desk, playlist: Any) -> list[Step]:
    scenes = {one.id: one for one in everything(lambda page: desk.services.scenes.list(access.workspace, page))}
    found = []
    for entry in playlist.scenes:
        scene = scenes.get(entry.scene_id)
        picture = f"/desk/boards/{entry.scene_id}/picture"
        name = entry.scene_id if scene is None else scene.name
        has_hours = entry.schedule is not None or bool(scene and scene.schedules)
        found.append(Step(name, entry.duration_seconds, f"{picture}?{LARGE}", picture, has_hours))
    return found


def _live(access: Access, desk: Desk, playlist: str, version: int) -> list[Step]:
    told = desk.services.history.get(access, playlist, version)
    scenes = {one["id"]: one for one in told.scenes}
    found = []
    for entry in told.entries:
        scene = scenes.get(entry.scene_id, {})
        picture = f"{PLAYLISTS}/{playlist}/versions/{version}/scenes/{entry.scene_id}/picture"
        has_hours = entry.schedule is not None or bool(scene.get("schedules"))
        name = scene.get("name", entry.scene_id)
        found.append(Step(name, entry.duration_seconds, f"{picture}?{LARGE}", picture, has_hours))
    return found
