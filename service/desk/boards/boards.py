"""The boards: scenes with their pictures, and new ones from the templates of the kit."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError, not_found
from service.desk.boards.fields import Known
from service.desk.choices import everything
from service.desk.forms import Form
from service.desk.lists import Pages
from service.desk.pictures import Word, send_picture
from service.desk.problems import sentence_of
from service.desk.said import Said
from service.desk.visits import MayEdit, MayRead
from service.desk.words import Phrase, as_it_is, phrase
from service.schema.content.asset import AssetResponse
from service.schema.content.template import SceneFromTemplate, TemplateResponse, TemplateWidgetResponse
from service.services.assets.assets import AssetService
from service.services.content.categories import CategoryService
from service.services.content.items import ItemService
from service.services.publishing.pictures import template_picture
from service.services.publishing.previews import PreviewService
from service.services.scenes.pages import LISTS
from service.services.scenes.scenes import SceneService
from service.services.scenes.templates import TemplateService
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
        """Whether it shows items, by category."""
        return self.widget.type in LISTS

    @property
    def name(self) -> str:
        """The name of its field."""
        return f"fill.{self.widget.id}"


@dataclass(frozen=True, slots=True)
class Boards:
    """Creates scenes, by the services of the API."""

    scenes: SceneService
    templates: TemplateService
    categories: CategoryService
    previews: PreviewService
    items: ItemService
    assets: AssetService

    def known(self, workspace: str) -> Known:
        """The names that fields of widgets offer."""
        items = self.items.names(workspace)
        times = Counter(name.casefold() for name in items.values())
        names = {one: name if times[name.casefold()] == 1 else f"{name} ({one})" for one, name in items.items()}
        pictures: dict[str, dict[str, Phrase]] = {"image": {}, "video": {}}
        for one in everything(lambda page: self.assets.list(workspace, page)):
            pictures[one.media_type.partition("/")[0]][one.id] = asset_name(one)
        return Known(
            self.categories.names(workspace),
            names,
            {name.casefold(): one for one, name in names.items()},
            pictures["image"],
            pictures["video"],
        )

    def template(self, template: str) -> TemplateResponse:
        """One template. Raises the 404 problem."""
        found = next((one for one in self.templates.list().data if one.template == template), None)
        if found is None:
            raise not_found("template", template)
        return found


def asset_name(asset: AssetResponse) -> Phrase:
    """A picture or film by what is to be seen on it, or the beginning of its hash."""
    if asset.alt:
        return as_it_is(asset.alt)
    short = asset.id.partition(":")[2][:6] or asset.id[:6]
    if asset.media_type.startswith("video/"):
        return phrase("Film {name}", name=short)
    return phrase("Picture {name}", name=short)


# Over sixty lines: one router's calls, each of them short.
def board_list_routes(*, boards: Boards, route: type[APIRoute]) -> APIRouter:
    """The scenes, and the way to a new one."""
    router = APIRouter(prefix=BOARDS, include_in_schema=False, route_class=route)

    @router.get("")
    def list_boards(visit: MayRead, cursor: Annotated[str | None, Query(max_length=200)] = None) -> Response:
        """The boards, oldest first."""
        found = boards.scenes.list(visit.access.workspace, PageRequest(PAGE_SIZE, cursor))
        return visit.page("boards", scenes=found.data, pages=Pages(BOARDS, {}, cursor, found.pagination.cursor))

    @router.get("/new")
    def list_templates(visit: MayEdit) -> Response:
        """The templates of the kit, drawn with the items that there are."""
        return visit.page("board_templates", templates=boards.templates.list().data)

    @router.get("/new/{template}")
    def show_template(template: str, visit: MayEdit, theme: Word = "", orientation: Word = "") -> Response:
        """One template: its picture in a theme, and what it asks for."""
        shown = _shown(boards, template, theme, orientation, boards.categories.names(visit.access.workspace))
        return visit.page("board_new", typed={}, **shown)

    @router.get("/new/{template}/picture")
    async def draw_template(
        template: str, visit: MayEdit, theme: Word = "", orientation: Word = "", width: int = 480
    ) -> Response:
        """The template as it would be."""
        body = model_of(SceneFromTemplate, _given(template, theme, orientation))
        return await send_picture(visit, boards.previews, template_picture(boards.templates, body), width=width)

    @router.post("/new/{template}")
    def create_board(template: str, visit: MayEdit) -> Response:
        """Makes the scene."""
        form, categories = visit.form, boards.categories.names(visit.access.workspace)
        theme, orientation = form.get("theme", ""), form.get("orientation", "")
        shown = _shown(boards, template, theme, orientation, categories)
        given = _given(template, theme, orientation)
        given["fill"] = dict(_fill(form, shown["places"], categories))
        if form.get("name"):
            given["name"] = form["name"]
        try:
            made = boards.templates.create(visit.access.workspace, model_of(SceneFromTemplate, given))
        except ProblemError as problem:
            said = Said(sentence_of(problem), kind="fault")
            return visit.page("board_new", status=problem.status, said=said, typed=form, **shown)
        return visit.done(phrase("{name} is there. It is on no screen yet.", name=made.name), to=f"{BOARDS}/{made.id}")

    return router


def _given(template: str, theme: str, orientation: str) -> dict[str, Any]:
    chosen = {"template": template, "theme": theme, "orientation": orientation}
    return {name: value for name, value in chosen.items() if value}


def _shown(boards: Boards, template: str, theme: str, orientation: str, categories: Sequence[str]) -> dict[str, Any]:
    found = boards.template(template)
    places = [Place(widget) for widget in found.places if widget.type in (*_TEXTS, *LISTS)]
    return {
        "made_of": found,
        "themes": boards.templates.themes().data,
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
