"""First run: from a location over a template and a menu to a paired screen, each step at an address of its own.

The existing data decides which step comes next, so the set-up can be left and resumed at any time.
"""

import csv
import io
import threading
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Query
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.core.json_text import read_json
from service.desk.guesses import guess, zones
from service.desk.menu.menu import Menu
from service.desk.menu.menu_import import (
    NOT_YET,
    given_values,
    imported,
    leaps_in,
    preview_values,
    read_given,
    remembered,
)
from service.desk.problems import sentence_of, sentence_of_import
from service.desk.routing import desk_routes
from service.desk.said import Said
from service.desk.screens.screen import PICTURE_WIDTH
from service.desk.screens.screens import Tiles, pairing_problem
from service.desk.visits import HEADERS, MayEditEverywhere, MayManageScreens, Visit
from service.desk.words import Phrase, phrase
from service.schema.content.pos import PreviewResponse
from service.schema.content.template import SceneFromTemplate
from service.schema.devices.screen import ScreenPair
from service.schema.fields import LABEL_LENGTH
from service.schema.places.location import LocationCreate
from service.schema.publishing.playlist import EntryCreate, PlaylistCreate
from service.services.access.access import Access
from service.services.devices.screens import ScreenFilter
from service.services.operations.sample import SAMPLE_FILE, SAMPLE_FOLDER
from service.services.pos.feed import FeedFailure
from service.services.publishing.pictures import scene_picture
from service.services.registry import Services
from service.storage.paging import PageRequest

START = "/desk/start"
TEMPLATES = ("coffee-bar", "bakery", "breakfast", "pizza", "burgers", "taproom", "drinks")
"""Templates that suit any menu; the pictures of them are made by `tests/desk/template_pictures.py`."""
SECONDS = 30
"""The duration of the only scene."""
STEPS: dict[str, Phrase] = {
    "location": phrase("Where"),
    "template": phrase("Look"),
    "menu": phrase("Menu"),
    "pair": phrase("Screen"),
    "done": phrase("Done"),
}
Word = Annotated[str, Query(max_length=LABEL_LENGTH)]


class Start(Menu):
    """Finds the next step, and creates the board."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self.tiles = Tiles(services)
        self.making = threading.Lock()

    def step(self, access: Access) -> str:
        """Returns the first step that is not done."""
        if not self.locations(access):
            return "location"
        if not self.has_items(access):
            return "template"
        if not any(one.version for one in self.playlists(access).values()):
            return "template"
        return "done" if self.screen(access) else "pair"

    def screen(self, access: Access) -> str | None:
        """Returns the first screen."""
        found = self.services.screens.list(access, PageRequest(1), chosen=ScreenFilter(), now=self.now())
        return found.data[0].id if found.data else None

    def make_board(self, access: Access, template: str) -> None:
        """Creates a scene of the menu by a template, in a playlist that is published, unless there is one. Raises the
        problems of the services."""
        with self.making:
            # A second click came while the first one was carried out.
            if not any(one.version for one in self.playlists(access).values()):
                self._make_board(access, template)

    def _make_board(self, access: Access, template: str) -> None:
        scene = self.services.templates.create(access.workspace, model_of(SceneFromTemplate, {"template": template}))
        playlist = self.services.playlists.create(access.workspace, model_of(PlaylistCreate, {"name": scene.name}))
        entry = model_of(EntryCreate, {"sceneId": scene.id, "durationSeconds": SECONDS})
        self.services.playlists.append(access.workspace, playlist.id, entry)
        self.services.playlists.publish(access, playlist.id)

    def has_items(self, access: Access) -> bool:
        return bool(self.services.items.list(access.workspace, PageRequest(1), now=self.now()).data)


routes = desk_routes(Start, START)


def _page(visit: Visit, step: str, problem: Phrase | None = None, **shown: Any) -> Response:
    said = None if problem is None else Said(problem, kind="fault")
    return visit.page(
        f"start_{step}", status=200 if problem is None else 422, said=said, step=step, steps=STEPS, **shown
    )


@routes.get()
def go_on(start: Start, visit: MayManageScreens) -> Response:
    """Goes to the first step that is not done."""
    return visit.go(f"{START}/{start.step(visit.access)}")


@routes.get("/location")
def show_location(start: Start, visit: MayManageScreens) -> Response:
    """Returns the form of the place, with guesses by the browser's language."""
    guessed = guess(visit.request.headers.get("accept-language", ""))
    given = {"name": "", "timezone": guessed.zone, "currency": guessed.currency, "locale": guessed.locale}
    return _page(visit, "location", given=given, zones=zones())


@routes.post("/location")
def make_location(start: Start, visit: MayEditEverywhere) -> Response:
    """Makes the location."""
    given = {name: visit.form.get(name, "") for name in ("name", "timezone", "currency", "locale")}
    try:
        start.services.locations.create(visit.access, model_of(LocationCreate, given))
    except ProblemError as problem:
        return _page(visit, "location", sentence_of(problem), given=given, zones=zones())
    return visit.go(f"{START}/template")


@routes.get("/template")
def show_templates(start: Start, visit: MayManageScreens) -> Response:
    """Returns the templates with their pictures."""
    known = {one.template: one for one in start.services.templates.list().data}
    return _page(visit, "template", templates=[known[name] for name in TEMPLATES])


@routes.post("/template")
def choose_template(start: Start, visit: MayManageScreens) -> Response:
    """Chooses a template; where there is a menu already, its board is made of it."""
    template = visit.form.get("template", "")
    if start.step(visit.access) == "template" and start.has_items(visit.access):
        start.make_board(visit.access, template)
        return visit.go(f"{START}/pair")
    return visit.go(f"{START}/menu?{urlencode({'template': template})}")


@routes.get("/menu")
def show_menu(start: Start, visit: MayManageScreens, template: Word = "", sample: Word = "") -> Response:
    """Returns the form for the menu, empty or with a sample."""
    if not template:
        return visit.go(f"{START}/template")
    shown = {**given_values(None), "text": sample_menu() if sample else ""}
    return _page(visit, "menu", look=template, **_values(start, visit, None), **shown)


@routes.post("/menu")
def take_menu(start: Start, visit: MayEditEverywhere) -> Response:
    """Shows what was read of the menu, or puts it on a board of the template."""
    template, workspace = visit.form.get("template", ""), visit.access.workspace
    given = read_given(visit, start, guesses=False)
    is_guess = isinstance(given.reading.content, FeedFailure) and given.reading.content.reason == "no_columns"
    if is_guess:
        given = read_given(visit, start, guesses=True)
    preview = start.services.sheets.preview(workspace, given.reading.content)
    shown: dict[str, Any] = {"look": template, **_values(start, visit, preview), **given_values(given)}
    if preview.counts is None:
        return _page(visit, "menu", sentence_of_import(preview.reason or "", preview.detail or ""), **shown)
    if visit.form.get("act") != "apply" or is_guess:
        return _page(visit, "menu", **shown)
    if leaps_in(preview) and not visit.is_sure:
        return _page(visit, "menu", NOT_YET, **shown)
    settings = remembered(visit, start, given)
    said = imported(start.services.sheets.carry_out(visit.access, given.reading.content, settings))
    try:
        start.make_board(visit.access, template)
    except ProblemError as problem:
        return _page(visit, "menu", sentence_of(problem), **shown)
    return visit.done(said, to=f"{START}/pair")


@routes.get("/pair")
def show_pairing(start: Start, visit: MayManageScreens) -> Response:
    """Returns the form for the code, beside the board that the screen will show."""
    return _page(visit, "pair", code="", board=_board(start, visit.access))


@routes.post("/pair")
def pair(start: Start, visit: MayManageScreens) -> Response:
    """Pairs the screen that shows the code, with the first location and the first playlist."""
    access, code = visit.access, visit.form.get("code", "")
    locations, playlists = start.locations(access), start.playlists(access)
    if not locations or not playlists:
        return visit.go(START)
    given = {"code": code, "location": next(iter(locations)), "playlist": next(iter(playlists))}
    try:
        start.services.pairing.claim(access, model_of(ScreenPair, given))
    except ProblemError as problem:
        return _page(visit, "pair", pairing_problem(problem), code=code, board=_board(start, access))
    return visit.go(f"{START}/done")


@routes.get("/picture/{scene}")
async def get_picture(start: Start, scene: str, visit: MayManageScreens) -> Response:
    """Returns the board as players draw it."""
    drawing = await run_in_threadpool(
        start.services.previews.plan, visit.access, scene_picture(scene), width=PICTURE_WIDTH, location=None
    )
    return Response(await start.services.previews.render(drawing), media_type="image/png", headers=HEADERS)


@routes.get("/done")
def show_done(start: Start, visit: MayManageScreens) -> Response:
    """Returns the screen with its picture, as it shows its board."""
    screen = start.screen(visit.access)
    if screen is None:
        return visit.go(START)
    return _page(visit, "done", tile=start.tiles.one(visit.access, screen), now=start.now())


@routes.get("/done/state")
def get_done(start: Start, visit: MayManageScreens) -> Response:
    """Returns the part that follows the screen."""
    tile = start.tiles.one(visit.access, start.screen(visit.access) or "")
    return visit.part("start_screen", tile=tile, now=start.now())


def _values(start: Start, visit: Visit, preview: PreviewResponse | None) -> dict[str, Any]:
    return {"known": TEMPLATES, **preview_values(preview, start.currency(visit.access))}


def _board(start: Start, access: Access) -> str | None:
    playlist = next(iter(start.playlists(access)), None)
    entries = [] if playlist is None else start.services.playlists.get(access.workspace, playlist).scenes
    return entries[0].scene_id if entries else None


def sample_menu() -> str:
    """Returns the menu of the sample café, as a table to paste."""
    sample = read_json((SAMPLE_FOLDER / SAMPLE_FILE).read_bytes())
    output = io.StringIO(newline="")
    writer = csv.writer(output, delimiter="\t", lineterminator="\n")
    writer.writerow(("Category", "Name", "Price", "Description"))
    for item in sample["items"]:
        if "price" in item:
            writer.writerow((item["category"], item["name"], f"{item['price']:.2f}", item.get("description", "")))
    return output.getvalue()
