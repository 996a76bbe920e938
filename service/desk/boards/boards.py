"""Boards: scenes with their images, and new ones from the templates of the kit."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError, not_found
from service.desk.boards.form_fields import Known
from service.desk.desk import Desk, everything
from service.desk.forms import Form
from service.desk.lists import Cursor, Pages
from service.desk.pictures import Word, send_picture
from service.desk.routing import desk_routes
from service.desk.visits import MayEdit, MayRead
from service.desk.words import Phrase, as_it_is, phrase
from service.schema.content.asset import AssetResponse, FontFacts
from service.schema.content.template import SceneFromTemplate, TemplateResponse, TemplateWidgetResponse
from service.services.publishing.pictures import template_picture
from service.services.scenes.pages import LISTS
from service.storage.paging import PageRequest

BOARDS = "/desk/boards"
PAGE_SIZE = 24
_TEXTS = ("text", "ticker")


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a template that a form fills: a text, or a list of items."""

    widget: TemplateWidgetResponse

    @property
    def is_list(self) -> bool:
        """Whether the place shows items, by category."""
        return self.widget.type in LISTS

    @property
    def name(self) -> str:
        return f"fill.{self.widget.id}"


class Boards(Desk):
    """Reads what the pages of boards offer."""

    def known(self, workspace: str) -> Known:
        """Returns the names that fields of widgets offer."""
        items = self.services.items.names(workspace)
        times = Counter(name.casefold() for name in items.values())
        names = {one: name if times[name.casefold()] == 1 else f"{name} ({one})" for one, name in items.items()}
        pictures: dict[str, dict[str, Phrase]] = {"image": {}, "video": {}}
        fonts = dict[str, str]()
        for one in everything(lambda page: self.services.assets.list(workspace, page)):
            if one.font is None:
                pictures[one.media_type.partition("/")[0]][one.id] = asset_name(one)
            else:
                name = font_name(one.font)
                fonts[one.id] = name if name not in fonts.values() else f"{name} ({one.id[-6:]})"
        return Known(
            self.services.categories.names(workspace),
            names,
            {name.casefold(): one for one, name in names.items()},
            pictures["image"],
            pictures["video"],
            fonts,
        )

    def template(self, template: str) -> TemplateResponse:
        """Raises the 404 problem."""
        found = next((one for one in self.services.templates.list().data if one.template == template), None)
        if found is None:
            raise not_found("template", template)
        return found


def font_name(font: FontFacts) -> str:
    """Names a font by its family and its weights, as no installed family is called: `Brand Sans 700`."""
    return f"{font.family} {'–'.join(map(str, dict.fromkeys(font.weights)))}"


def asset_name(asset: AssetResponse) -> Phrase:
    """Names an image or video by its alternative text, or the beginning of its hash; a font by its family."""
    if asset.font is not None:
        return as_it_is(font_name(asset.font))
    if asset.alt:
        return as_it_is(asset.alt)
    short = asset.id.partition(":")[2][:6] or asset.id[:6]
    if asset.media_type.startswith("video/"):
        return phrase("Film {name}", name=short)
    return phrase("Picture {name}", name=short)


routes = desk_routes(Boards, BOARDS)


@routes.get()
def list_boards(boards: Boards, visit: MayRead, cursor: Cursor = None) -> Response:
    """Returns the boards, oldest first."""
    found = boards.services.scenes.list(visit.access.workspace, PageRequest(PAGE_SIZE, cursor))
    return visit.page("boards", scenes=found.data, pages=Pages(BOARDS, {}, cursor, found.pagination.cursor))


@routes.get("/new")
def list_templates(boards: Boards, visit: MayEdit) -> Response:
    """Returns the templates of the kit, drawn with the items that there are."""
    return visit.page("board_templates", templates=boards.services.templates.list().data)


@routes.get("/new/{template}")
def show_template(boards: Boards, template: str, visit: MayEdit, theme: Word = "", orientation: Word = "") -> Response:
    """One template: its picture in a theme, and what it asks for."""
    shown = _shown(boards, template, theme, orientation, boards.services.categories.names(visit.access.workspace))
    return visit.page("board_new", typed={}, **shown)


@routes.get("/new/{template}/picture")
async def draw_template(
    boards: Boards, template: str, visit: MayEdit, theme: Word = "", orientation: Word = "", width: int = 480
) -> Response:
    """Returns the template as it would be."""
    body = model_of(SceneFromTemplate, _given(template, theme, orientation))
    picture = template_picture(boards.services.templates, body, visit.access.workspace)
    return await send_picture(visit, boards.services.previews, picture, width=width)


@routes.post("/new/{template}")
def create_board(boards: Boards, template: str, visit: MayEdit) -> Response:
    """Makes the scene."""
    form, categories = visit.form, boards.services.categories.names(visit.access.workspace)
    theme, orientation = form.get("theme", ""), form.get("orientation", "")
    shown = _shown(boards, template, theme, orientation, categories)
    given = _given(template, theme, orientation)
    given["fill"] = dict(_fill(form, shown["places"], categories))
    if form.get("name"):
        given["name"] = form["name"]
    try:
        made = boards.services.templates.create(visit.access.workspace, model_of(SceneFromTemplate, given))
    except ProblemError as problem:
        return visit.page("board_new", fault=problem, typed=form, **shown)
    return visit.done(phrase("{name} is there. It is on no screen yet.", name=made.name), to=f"{BOARDS}/{made.id}")


def _given(template: str, theme: str, orientation: str) -> dict[str, Any]:
    chosen = {"template": template, "theme": theme, "orientation": orientation}
    return {name: value for name, value in chosen.items() if value}


def _shown(boards: Boards, template: str, theme: str, orientation: str, categories: Sequence[str]) -> dict[str, Any]:
    found = boards.template(template)
    places = [Place(widget) for widget in found.places if widget.type in (*_TEXTS, *LISTS)]
    return {
        "made_of": found,
        "themes": boards.services.templates.themes().data,
        "theme": theme,
        "orientation": orientation or found.orientations[0],
        "places": places,
        "categories": categories,
    }


def _fill(form: Form, places: Sequence[Place], categories: Sequence[str]) -> Iterator[tuple[str, Mapping[str, object]]]:
    for place in places:
        chosen = [category for category in categories if f"{place.name}.{category}" in form]
        if place.is_list and chosen:
            yield place.widget.id, {"categories": chosen}
        text = form.get(place.name, "").replace("\r\n", "\n")
        if not place.is_list and text not in ("", place.widget.text):
            yield place.widget.id, {"text": text}
