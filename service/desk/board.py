"""One board: its picture on a screen of one's choice, its fields as a form, and its hours."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.bodies import model_of
from service.core.errors import Fault, ProblemError
from service.desk.boards import BOARDS, Boards
from service.desk.choices import Choices
from service.desk.fields import (
    WIDGETS,
    Field,
    gradient_fields,
    name_at,
    place_fields,
    read_gradient,
    read_theme,
    read_widget,
    theme_fields,
    widget_fields,
)
from service.desk.forms import Form
from service.desk.pictures import SHAPES, SIZES, TILE_WIDTH, View, Word, send_picture
from service.desk.problems import sentence_of, sentence_of_fault
from service.desk.said import Said, Undo
from service.desk.schedules import DAYS, read_schedule, schedule_fields
from service.desk.visits import MayEdit, MayRead, Visit
from service.desk.words import LANGUAGES, Phrase, phrase
from service.schema.base import ResponseModel
from service.schema.scene import MAX_TRANSITION_MILLISECONDS, SceneCreate, ScenePatch, SceneResponse
from service.schema.schedule import DaypartCreate, WindowCreate
from service.services.access.actors import ActorService
from service.services.publishing.pictures import scene_picture
from service.services.shared.etags import PRECONDITION_FAILED, Condition, tag_of

_OWN = ("id", "schedules", "createdAt", "changedAt", "changedBy", "pages", "seconds")
"""Fields of a scene that its copy does not take over."""
_TRANSITIONS: Mapping[str, Phrase] = {
    "cut": phrase("At once"),
    "fade": phrase("Fade"),
    "slide": phrase("Slide"),
    "wipe": phrase("Wipe"),
}
_GROUND = "#101418"


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
        categories = boards.categories.names(visit.access.workspace)
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
            **_editor(found, typed, categories),
            "themes": boards.templates.themes().data,
        }
        return visit.page("board", **{**shown, **more})

    @router.get("")
    def show_board(
        scene: str, visit: MayRead, location: Word = "", language: Word = "", shape: Word = "", size: Word = ""
    ) -> Response:
        """The board, and what can be changed of it."""
        return page(visit, scenes.get(visit.access.workspace, scene), View(location, language, shape, size))

    @router.get("/picture")
    async def draw_board(
        scene: str,
        visit: MayRead,
        location: Word = "",
        language: Word = "",
        shape: Word = "",
        size: Word = "",
    ) -> Response:
        """The board as players draw it; as large as its tile, unless a shape and a size are chosen."""
        picture = scene_picture(scene)
        if not size:
            return await send_picture(
                visit, boards.previews, picture, width=TILE_WIDTH, location=location, language=language
            )
        short = SIZES.get(size, SIZES["720p"])
        sides = (short * 16 // 9, short) if shape != "portrait" else (short, short * 16 // 9)
        return await send_picture(
            visit, boards.previews, picture, width=sides[0], height=sides[1], location=location, language=language
        )

    @router.post("")
    def save_board(scene: str, visit: MayEdit) -> Response:
        """Saves the form, if nobody has changed the board since it was opened."""
        found, form = scenes.get(visit.access.workspace, scene), visit.form
        categories = boards.categories.names(visit.access.workspace)
        view = View(*(form.get(f"view.{name}", "") for name in ("location", "language", "shape", "size")))
        patch = _patch(found, form, categories, _theme_of(boards, form.get("kit", "")))
        expected = Condition((form.get("tag", ""),))
        try:
            after = scenes.change(
                visit.access.workspace, scene, model_of(ScenePatch, patch), expected, by=visit.access.key
            )
        except ProblemError as problem:
            if problem.code == PRECONDITION_FAILED:
                return page(visit, found, view, typed=form, conflict=True, status=problem.status)
            faults = {name_at(fault.pointer, found.widgets): _said_of(fault) for fault in problem.faults}
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

    @router.post("/hours")
    def add_hours(scene: str, visit: MayEdit) -> Response:
        """Shows the board in some hours only: in these as well, if it has others."""
        given = read_schedule(visit.form)
        made = scenes.attach(visit.access.workspace, scene, _schedule(given))
        undo = Undo(f"{BOARDS}/{scene}/hours/{made.id}/remove")
        return visit.done(phrase("The board has these hours as well."), to=f"{BOARDS}/{scene}#hours", undo=undo)

    @router.post("/hours/{schedule}")
    def change_hours(scene: str, schedule: str, visit: MayEdit) -> Response:
        """Changes hours."""
        workspace = visit.access.workspace
        before = scenes.schedule(workspace, schedule)
        body = _schedule(read_schedule(visit.form))
        # A daypart stays one: what takes its place comes first, so that the board never shows at all hours.
        made = scenes.attach(workspace, scene, body)
        scenes.detach(workspace, schedule)
        undo = Undo(f"{BOARDS}/{scene}/hours/{made.id}", schedule_fields(_plain(before)))
        return visit.done(phrase("The hours are changed."), to=f"{BOARDS}/{scene}#hours", undo=undo)

    @router.post("/hours/{schedule}/remove")
    def remove_hours(scene: str, schedule: str, visit: MayEdit) -> Response:
        """Takes hours away; a board without hours may show at all times."""
        before = scenes.schedule(visit.access.workspace, schedule)
        scenes.detach(visit.access.workspace, schedule)
        undo = Undo(f"{BOARDS}/{scene}/hours", schedule_fields(_plain(before)))
        return visit.done(phrase("These hours are gone."), to=f"{BOARDS}/{scene}#hours", undo=undo)

    return router


def _plain(view: ResponseModel) -> dict[str, Any]:
    return {name: value for name, value in view.document().items() if value is not None}


def _schedule(given: Mapping[str, Any]) -> DaypartCreate | WindowCreate:
    if given["type"] == "window":
        return model_of(WindowCreate, given)
    return model_of(DaypartCreate, given)


def _said_of(fault: Fault) -> Phrase:
    return sentence_of_fault(fault)


def _theme_of(boards: Boards, chosen: str) -> Mapping[str, Any] | None:
    """The fields that a theme of the kit sets in a scene."""
    found = next((one for one in boards.templates.themes().data if chosen and one.theme == chosen), None)
    return None if found is None else {"background": dict(found.background), "theme": dict(found.values)}


def _editor(scene: SceneResponse, typed: Form | None, categories: list[str]) -> dict[str, Any]:
    """The form of the scene, with what is stored or what was typed."""
    widgets = [
        (widget, _title(widget), widget_fields(widget, typed, categories), place_fields(widget, typed))
        for widget in scene.widgets
        if widget["type"] in WIDGETS
    ]
    background = scene.background
    kind = next(one for one in ("color", "gradient", "asset") if background.get(one) is not None)
    gradient: Mapping[str, Any] = background.get("gradient") or {"from": _GROUND, "to": "#2A3331"}
    plain = {"name": scene.name, "background": kind, "color": background.get("color") or _GROUND}
    plain |= {"scrim": background.get("scrim") or "", "transition": scene.transition["type"]}
    plain |= {"milliseconds": str(scene.transition.get("milliseconds", 500)), "kit": ""}
    return {
        "given": plain if typed is None else {name: typed.get(name, "") for name in plain},
        "gradient": gradient_fields(gradient, typed),
        "theme": theme_fields(scene.theme, typed),
        "widgets": widgets,
        "transitions": _TRANSITIONS,
        "longest_transition": MAX_TRANSITION_MILLISECONDS,
        "tag": tag_of(scene),
        "differs": set() if typed is None else _differing(scene, typed, categories),
    }


def _differing(scene: SceneResponse, typed: Form, categories: list[str]) -> dict[str, str]:
    """The fields that differ from what was typed, with their values of now."""
    stored = _editor(scene, None, categories)
    fields: list[Field] = [*stored["theme"]]
    for _, _, shown, places in stored["widgets"]:
        fields += [*shown, *places]
    now = {one.name: one.value for one in fields if one.kind not in ("categories", "check")} | stored["given"]
    return {name: value for name, value in now.items() if name != "kit" and typed.get(name, "") != value}


def _title(widget: Mapping[str, Any]) -> str:
    text = str(widget.get("text") or widget.get("title") or ", ".join(widget.get("categories") or ()) or widget["id"])
    return text if len(text) <= 40 else text[:39] + "…"


def _patch(scene: SceneResponse, form: Form, categories: list[str], kit: Mapping[str, Any] | None) -> dict[str, Any]:
    """The top-level fields that the form changes."""
    background: dict[str, Any] = {key: value for key, value in scene.background.items() if key in ("asset", "fit")}
    if form.get("background") == "gradient":
        background = {"gradient": read_gradient(form, scene.background.get("gradient") or {})}
    elif form.get("background") == "color":
        background = {"color": form.get("color", "")}
    if form.get("scrim"):
        background["scrim"] = form["scrim"]
    milliseconds = form.get("milliseconds", "")
    after = {
        "name": form.get("name", ""),
        "background": background,
        "theme": read_theme(form, scene.theme),
        "transition": {
            "type": form.get("transition", ""),
            "milliseconds": int(milliseconds) if milliseconds.isdecimal() else milliseconds,
        },
        "widgets": [read_widget(form, one, categories) if one["type"] in WIDGETS else one for one in scene.widgets],
        **(kit or {}),
    }
    before = scene.document()
    return {name: value for name, value in after.items() if value != before[name]}
