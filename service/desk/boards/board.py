"""One board: its picture on a screen of one's choice, and its fields as a form."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.boards.board_form import acted, editor, patch_of
from service.desk.boards.boards import BOARDS, Boards
from service.desk.boards.fields import name_at
from service.desk.choices import Choices
from service.desk.forms import Form
from service.desk.pictures import SHAPES, SIZES, TRIALS, ChosenView, View, send_picture, send_view
from service.desk.problems import sentence_of, sentence_of_fault
from service.desk.said import Said
from service.desk.schedules import DAYS
from service.desk.visits import MayEdit, MayRead, Visit
from service.desk.words import LANGUAGES, phrase
from service.schema.content.scene import SceneCreate, ScenePatch, SceneResponse
from service.services.access.actors import ActorService
from service.services.publishing.pictures import draft_picture, scene_picture
from service.services.shared.etags import PRECONDITION_FAILED, Condition

_OWN = ("id", "schedules", "createdAt", "changedAt", "changedBy", "pages", "seconds")
"""Fields of a scene that its copy does not take over."""


# Over sixty lines: one router's calls, each of them short.
def board_routes(
    *,
    boards: Boards,
    choices: Choices,
    actors: ActorService,
    now: Callable[[], datetime],
    route: type[APIRoute],
) -> APIRouter:
    """One scene."""
    router = APIRouter(prefix=BOARDS + "/{scene}", include_in_schema=False, route_class=route)
    scenes = boards.scenes

    def page(visit: Visit, found: SceneResponse, view: View, **more: Any) -> Response:
        locations = choices.locations(visit.access)
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
            "now": now(),
            "changer": actors.names(visit.access, [found.changed_by]).get(found.changed_by or ""),
            "faults": {},
            "conflict": False,
            "opened": "",
            "is_draft": typed is not None,
            "trials": TRIALS,
            **editor(found, typed, boards.known(visit.access.workspace)),
            "themes": boards.templates.themes().data,
        }
        return visit.page("board", **{**shown, **more})

    def patch_in(visit: Visit, found: SceneResponse) -> dict[str, Any]:
        known = boards.known(visit.access.workspace)
        return patch_of(found, visit.form, known, _theme_of(boards, visit.form.get("kit", "")))

    @router.get("")
    def show_board(scene: str, visit: MayRead, view: ChosenView) -> Response:
        """The board, and what can be changed of it."""
        return page(visit, scenes.get(visit.access.workspace, scene), view)

    @router.get("/picture")
    async def draw_board(scene: str, visit: MayRead, view: ChosenView) -> Response:
        """The board as players draw it; as large as its tile, unless a shape and a size are chosen."""
        picture = scene_picture(scene)
        if view.size:
            return await send_view(visit, boards.previews, picture, view)
        return await send_picture(visit, boards.previews, picture, location=view.location, language=view.language)

    @router.post("/picture")
    async def draw_draft(scene: str, visit: MayEdit) -> Response:
        """The board as the form would make it; nothing is saved."""

        def change() -> ScenePatch:
            return model_of(ScenePatch, patch_in(visit, scenes.get(visit.access.workspace, scene)))

        picture = draft_picture(scene, await run_in_threadpool(change))
        return await send_view(visit, boards.previews, picture, View.typed(visit.form))

    @router.get("/draft")
    def leave_draft(scene: str, visit: MayEdit) -> Response:
        """The board as it is: what a form sends to this address is kept nowhere."""
        return visit.go(f"{BOARDS}/{scene}")

    @router.post("/draft")
    def act_on_draft(scene: str, visit: MayEdit) -> Response:
        """The form as it was sent, after an act on one of its widgets if it names one; nothing is saved."""
        found, form, opened = scenes.get(visit.access.workspace, scene), visit.form, ""
        if form.get("act"):
            known = boards.known(visit.access.workspace)
            form, opened = acted(found, form, form["act"], known, visit.language)
        return page(visit, found, View.typed(form), typed=form, opened=opened, tag=form.get("tag", ""))

    @router.post("")
    def save_board(scene: str, visit: MayEdit) -> Response:
        """Saves the form, if nobody has changed the board since it was opened."""
        found, form = scenes.get(visit.access.workspace, scene), visit.form
        view = View.typed(form)
        patch = patch_in(visit, found)
        expected = Condition((form.get("tag", ""),))
        try:
            after = scenes.change(
                visit.access.workspace, scene, model_of(ScenePatch, patch), expected, by=visit.access.key
            )
        except ProblemError as problem:
            if problem.code == PRECONDITION_FAILED:
                return page(visit, found, view, typed=form, conflict=True, status=problem.status)
            faults = {
                name_at(fault.pointer, patch.get("widgets", found.widgets)): sentence_of_fault(fault)
                for fault in problem.faults
            }
            said = Said(sentence_of(problem), kind="fault")
            return page(
                visit, found, view, typed=form, faults=faults, said=said, status=problem.status, tag=form.get("tag", "")
            )
        sentence = phrase("{name} is saved. Screens show it when a playlist that has it is published.", name=after.name)
        return visit.done(sentence, to=f"{BOARDS}/{scene}{view.query}")

    @router.post("/copy")
    def copy_board(scene: str, visit: MayEdit) -> Response:
        """Makes a second one of it."""
        found = scenes.get(visit.access.workspace, scene).document()
        name = f"{found['name'][:190]} (2)"
        body = {key: value for key, value in found.items() if key not in _OWN} | {"name": name}
        made = scenes.create(visit.access.workspace, model_of(SceneCreate, body))
        return visit.done(phrase("This is a copy: {name}.", name=made.name), to=f"{BOARDS}/{made.id}")

    @router.post("/remove")
    def remove_board(scene: str, visit: MayEdit) -> Response:
        """Removes it; one that is in a playlist stays."""
        name = scenes.get(visit.access.workspace, scene).name
        scenes.remove(visit.access.workspace, scene)
        return visit.done(phrase("{name} is removed.", name=name), to=BOARDS)

    return router


def _theme_of(boards: Boards, chosen: str) -> Mapping[str, Any] | None:
    """The fields that a theme of the kit sets in a scene."""
    found = next((one for one in boards.templates.themes().data if chosen and one.theme == chosen), None)
    return None if found is None else {"background": dict(found.background), "theme": dict(found.values)}
