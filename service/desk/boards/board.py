"""One board: its image on a chosen screen, and its fields as a form."""

from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.boards.board_form import acted, editor, patch_of
from service.desk.boards.boards import BOARDS, Boards
from service.desk.boards.form_fields import name_at
from service.desk.forms import Form
from service.desk.pictures import SHAPES, SIZES, TRIALS, ChosenView, View, send_picture, send_view
from service.desk.problems import sentence_of_fault
from service.desk.routing import desk_routes
from service.desk.schedules import DAYS
from service.desk.visits import MayEdit, MayRead, Visit
from service.desk.words import LANGUAGES, phrase
from service.schema.content.scene import SceneCreate, ScenePatch, SceneResponse
from service.services.publishing.pictures import draft_picture, scene_picture
from service.services.shared.etags import PRECONDITION_FAILED, Condition

_OWN = ("id", "schedules", "createdAt", "changedAt", "changedBy", "pages", "seconds", "warnings")
"""Fields of a scene that its copy does not take over."""

routes = desk_routes(Boards, BOARDS + "/{scene}")


def _page(boards: Boards, visit: Visit, found: SceneResponse, view: View, **more: Any) -> Response:
    locations = boards.locations(visit.access)
    typed: Form | None = more.pop("typed", None)
    there = locations.get(view.location) or next(iter(locations.values()), None)
    spoken = [] if there is None else [there.locale.partition("-")[0]]
    shown: dict[str, Any] = {
        "scene": found,
        "view": view,
        "width_height": view.pixels(found),
        "locations": locations,
        "languages": list(dict.fromkeys((*found.languages, *spoken, *LANGUAGES))),
        "shapes": SHAPES,
        "sizes": list(SIZES),
        "days": DAYS,
        "now": boards.now(),
        "changer": boards.services.actors.names(visit.access, [found.changed_by]).get(found.changed_by or ""),
        "faults": {},
        "conflict": False,
        "opened": "",
        "is_draft": typed is not None,
        "trials": TRIALS,
        **editor(found, typed, boards.known(visit.access.workspace)),
        "themes": boards.services.templates.themes().data,
    }
    return visit.page("board", **{**shown, **more})


def _patch_in(boards: Boards, visit: Visit, found: SceneResponse) -> dict[str, Any]:
    known = boards.known(visit.access.workspace)
    return patch_of(found, visit.form, known, _theme_of(boards, visit.form.get("kit", "")))


@routes.get()
def show_board(boards: Boards, scene: str, visit: MayRead, view: ChosenView) -> Response:
    """Returns the board, and what can be changed of it."""
    return _page(boards, visit, boards.services.scenes.get(visit.access.workspace, scene), view)


@routes.get("/picture")
async def draw_board(boards: Boards, scene: str, visit: MayRead, view: ChosenView) -> Response:
    """Returns the board as players draw it; as large as its tile, unless a shape and a size are chosen."""
    picture = scene_picture(scene)
    if view.size:
        return await send_view(visit, boards.services.previews, picture, view)
    return await send_picture(visit, boards.services.previews, picture, location=view.location, language=view.language)


@routes.post("/picture")
async def draw_draft(boards: Boards, scene: str, visit: MayEdit) -> Response:
    """Returns the board as the form would make it; nothing is saved."""

    def change() -> ScenePatch:
        return model_of(ScenePatch, _patch_in(boards, visit, boards.services.scenes.get(visit.access.workspace, scene)))

    picture = draft_picture(scene, await run_in_threadpool(change))
    return await send_view(visit, boards.services.previews, picture, View.typed(visit.form))


@routes.get("/draft")
def leave_draft(boards: Boards, scene: str, visit: MayEdit) -> Response:
    """Returns the board as it is: what a form sends to this address is kept nowhere."""
    return visit.go(f"{BOARDS}/{scene}")


@routes.post("/draft")
def act_on_draft(boards: Boards, scene: str, visit: MayEdit) -> Response:
    """Returns the form as it was sent, after an act on one of its widgets if it names one; nothing is saved."""
    found, form, opened = boards.services.scenes.get(visit.access.workspace, scene), visit.form, ""
    if form.get("act"):
        known = boards.known(visit.access.workspace)
        form, opened = acted(found, form, form["act"], known, visit.language)
    return _page(boards, visit, found, View.typed(form), typed=form, opened=opened, tag=form.get("tag", ""))


@routes.post()
def save_board(boards: Boards, scene: str, visit: MayEdit) -> Response:
    """Saves the form, if nobody has changed the board since it was opened."""
    found, form = boards.services.scenes.get(visit.access.workspace, scene), visit.form
    view = View.typed(form)
    patch = _patch_in(boards, visit, found)
    expected = Condition((form.get("tag", ""),))
    try:
        after = boards.services.scenes.change(
            visit.access.workspace, scene, model_of(ScenePatch, patch), expected, by=visit.access.key
        )
    except ProblemError as problem:
        if problem.code == PRECONDITION_FAILED:
            return _page(boards, visit, found, view, typed=form, conflict=True, status=problem.status)
        faults = {
            name_at(fault.pointer, patch.get("widgets", found.widgets)): sentence_of_fault(fault)
            for fault in problem.faults
        }
        tag = form.get("tag", "")
        return _page(boards, visit, found, view, typed=form, faults=faults, fault=problem, tag=tag)
    sentence = phrase("{name} is saved. Screens show it when a playlist that has it is published.", name=after.name)
    return visit.done(sentence, to=f"{BOARDS}/{scene}{view.query}")


@routes.post("/copy")
def copy_board(boards: Boards, scene: str, visit: MayEdit) -> Response:
    """Makes a second one of it."""
    found = boards.services.scenes.get(visit.access.workspace, scene).document()
    name = f"{found['name'][:190]} (2)"
    body = {key: value for key, value in found.items() if key not in _OWN} | {"name": name}
    made = boards.services.scenes.create(visit.access.workspace, model_of(SceneCreate, body))
    return visit.done(phrase("This is a copy: {name}.", name=made.name), to=f"{BOARDS}/{made.id}")


@routes.post("/remove")
def remove_board(boards: Boards, scene: str, visit: MayEdit) -> Response:
    """Removes it; one that is in a playlist stays."""
    name = boards.services.scenes.get(visit.access.workspace, scene).name
    boards.services.scenes.remove(visit.access.workspace, scene)
    return visit.done(phrase("{name} is removed.", name=name), to=BOARDS)


def _theme_of(boards: Boards, chosen: str) -> Mapping[str, Any] | None:
    """Returns the fields that a theme of the kit sets in a scene."""
    found = next((one for one in boards.services.templates.themes().data if chosen and one.theme == chosen), None)
    return None if found is None else {"background": dict(found.background), "theme": dict(found.values)}
