"""Hours of one board: dayparts and periods, each added, changed and removed with undo."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from service.api.http.bodies import model_of
from service.desk.boards.boards import BOARDS
from service.desk.desk import Desk
from service.desk.routing import desk_routes
from service.desk.said import Undo
from service.desk.schedules import read_schedule, schedule_fields
from service.desk.visits import MayEdit
from service.desk.words import phrase
from service.schema.base import ResponseModel
from service.schema.publishing.schedule import DaypartCreate, WindowCreate

routes = desk_routes(Desk, BOARDS + "/{scene}/hours")


@routes.post()
def add_hours(desk: Desk, scene: str, visit: MayEdit) -> Response:
    """Shows the board in some hours only: in these as well, if it has others."""
    given = read_schedule(visit.form)
    made = desk.services.scenes.attach(visit.access.workspace, scene, _schedule(given))
    undo = Undo(f"{BOARDS}/{scene}/hours/{made.id}/remove")
    return visit.done(phrase("The board has these hours as well."), to=f"{BOARDS}/{scene}#hours", undo=undo)


@routes.post("/{schedule}")
def change_hours(desk: Desk, scene: str, schedule: str, visit: MayEdit) -> Response:
    """Changes hours."""
    workspace = visit.access.workspace
    before = desk.services.scenes.schedule(workspace, schedule)
    body = _schedule(read_schedule(visit.form))
    made = desk.services.scenes.replace(workspace, schedule, body)
    undo = Undo(f"{BOARDS}/{scene}/hours/{made.id}", schedule_fields(_plain(before)))
    return visit.done(phrase("The hours are changed."), to=f"{BOARDS}/{scene}#hours", undo=undo)


@routes.post("/{schedule}/remove")
def remove_hours(desk: Desk, scene: str, schedule: str, visit: MayEdit) -> Response:
    """Takes hours away; a board without hours may show at all times."""
    before = desk.services.scenes.schedule(visit.access.workspace, schedule)
    desk.services.scenes.detach(visit.access.workspace, schedule)
    undo = Undo(f"{BOARDS}/{scene}/hours", schedule_fields(_plain(before)))
    return visit.done(phrase("These hours are gone."), to=f"{BOARDS}/{scene}#hours", undo=undo)


def _plain(view: ResponseModel) -> dict[str, Any]:
    return {name: value for name, value in view.document().items() if value is not None}


def _schedule(given: Mapping[str, Any]) -> DaypartCreate | WindowCreate:
    if given["type"] == "window":
        return model_of(WindowCreate, given)
    return model_of(DaypartCreate, given)
