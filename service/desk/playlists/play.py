"""Playing a playlist through in the browser: its boards in order with their durations, drawn by the player."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.desk.choices import everything
from service.desk.playlists.playlists import PLAYLISTS, Publishing
from service.desk.visits import MayRead
from service.services.access.access import Access

LIVE, DRAFT = "live", "draft"
LARGE = "size=720p"


@dataclass(frozen=True, slots=True)
class Step:
    """A board in its turn."""

    name: str
    seconds: int
    picture: str
    thumbnail: str
    has_hours: bool


def play_routes(*, publishing: Publishing, route: type[APIRoute]) -> APIRouter:
    """The page."""
    router = APIRouter(prefix=PLAYLISTS + "/{playlist}/play", include_in_schema=False, route_class=route)

    @router.get("")
    def play_through(
        playlist: str,
        visit: MayRead,
        of: Annotated[str, Query(max_length=10)] = "",
        step: Annotated[int, Query(ge=1, le=10_000)] = 1,
    ) -> Response:
        """The boards of the draft, or of the version that is live; one of them is on the stage."""
        found = publishing.playlists.get(visit.access.workspace, playlist)
        is_live = bool(found.version) and of == LIVE
        steps = (
            _live(visit.access, publishing, playlist, found.version or 0)
            if is_live
            else _draft(visit.access, publishing, found)
        )
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

    return router


def _draft(access: Access, publishing: Publishing, playlist: Any) -> list[Step]:
    scenes = {one.id: one for one in everything(lambda page: publishing.scenes.list(access.workspace, page))}
    found = []
    for entry in playlist.scenes:
        scene = scenes.get(entry.scene_id)
        picture = f"/desk/boards/{entry.scene_id}/picture"
        name = entry.scene_id if scene is None else scene.name
        has_hours = entry.schedule is not None or bool(scene and scene.schedules)
        found.append(Step(name, entry.duration_seconds, f"{picture}?{LARGE}", picture, has_hours))
    return found


def _live(access: Access, publishing: Publishing, playlist: str, version: int) -> list[Step]:
    told = publishing.history.get(access, playlist, version)
    scenes = {one["id"]: one for one in told.scenes}
    found = []
    for entry in told.entries:
        scene = scenes.get(entry.scene_id, {})
        picture = f"{PLAYLISTS}/{playlist}/versions/{version}/scenes/{entry.scene_id}/picture"
        has_hours = entry.schedule is not None or bool(scene.get("schedules"))
        name = scene.get("name", entry.scene_id)
        found.append(Step(name, entry.duration_seconds, f"{picture}?{LARGE}", picture, has_hours))
    return found
