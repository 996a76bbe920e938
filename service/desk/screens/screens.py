"""The list of screens, and pairing a new one."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.core.permissions import Permission
from service.desk.choices import Choices
from service.desk.lists import Pages
from service.desk.problems import sentence_of
from service.desk.said import Said
from service.desk.screens.tiles import Tile, tile_of
from service.desk.screens.unpublished import asked_first
from service.desk.visits import MayManageScreens, MayRead, Visit
from service.desk.words import Phrase, phrase
from service.schema.devices.screen import ScreenPair
from service.schema.fields import LABEL_LENGTH
from service.services.access.access import Access
from service.services.devices.pairing import PairingService
from service.services.devices.screen_uploads import ScreenUploads
from service.services.devices.screens import ScreenFilter, ScreenService
from service.storage.paging import PageRequest

SCREENS = "/desk/screens"
PAGE_SIZE = 48
"""Tiles of a page: whole rows of two, three, four and six."""

Word = Annotated[str, Query(max_length=LABEL_LENGTH)]


@dataclass(frozen=True, slots=True)
class Tiles:
    """Makes tiles of screens."""

    screens: ScreenService
    uploads: ScreenUploads
    choices: Choices
    now: Callable[[], datetime]

    def page(self, access: Access, chosen: ScreenFilter, cursor: str | None) -> tuple[list[Tile], str | None]:
        """The tiles of one page, and the cursor of the next."""
        found = self.screens.list(access, PageRequest(PAGE_SIZE, cursor), chosen=chosen, now=self.now())
        pictures = self.uploads.received_at(access, [one.id for one in found.data], "screenshot")
        locations = self.choices.locations(access)
        return [tile_of(one, locations, pictures) for one in found.data], found.pagination.cursor

    def one(self, access: Access, screen: str) -> Tile:
        """The tile of one screen. Raises the 404 problem."""
        found = self.screens.get(access, screen, now=self.now())
        pictures = self.uploads.received_at(access, [screen], "screenshot")
        location = self.choices.locations_service.get(access, found.location)
        return tile_of(found, {location.id: location}, pictures)


def screen_list_routes(*, tiles: Tiles, pairing: PairingService, route: type[APIRoute]) -> APIRouter:
    """All screens, and the form for a code."""
    router = APIRouter(include_in_schema=False, route_class=route)
    choices = tiles.choices

    @router.get(SCREENS)
    def list_screens(
        visit: MayRead,
        search: Word = "",
        location: Word = "",
        group: Word = "",
        tag: Word = "",
        trouble: Word = "",
        cursor: Annotated[str | None, Query(max_length=200)] = None,
    ) -> Response:
        """The tiles of the screens that match the filter."""
        given = {"search": search, "location": location, "group": group, "tag": tag, "trouble": trouble}
        chosen = ScreenFilter(
            search=search or None,
            location=location or None,
            group=group or None,
            tag=tag or None,
            trouble=bool(trouble) or None,
        )
        found, following = tiles.page(visit.access, chosen, cursor)
        pages = Pages(SCREENS, given, cursor, following)
        shown: dict[str, Any] = {"tiles": found, "pages": pages, "now": tiles.now()}
        if visit.wants_part:
            return visit.part("screen_tiles", **shown)
        if not found and visit.access.may(Permission.SCREENS) and not choices.locations(visit.access):
            # Nothing is there yet: the first run.
            return visit.go("/desk/start")
        places: dict[str, Any] = {"locations": choices.locations(visit.access), "groups": choices.groups(visit.access)}
        return visit.page("screens", **shown, **places)

    @router.get(f"{SCREENS}/pair")
    def show_pairing(visit: MayManageScreens, code: Word = "", location: Word = "") -> Response:
        """The form for the code that a screen shows."""
        return _pair_page(visit, choices, {"code": code, "location": location})

    @router.post(f"{SCREENS}/pair")
    def pair(visit: MayManageScreens) -> Response:
        """Pairs the screen that shows the code; what is not valid shows the form again."""
        given = {name: visit.form.get(name, "") for name in ("code", "location", "playlist", "name")}
        if asked := asked_first(visit, choices, given["playlist"], plays=None, back=f"{SCREENS}/pair"):
            return asked
        try:
            body = model_of(ScreenPair, {**given, "name": given["name"] or None})
            screen = pairing.claim(visit.access, body)
        except ProblemError as problem:
            return _pair_page(visit, choices, given, problem)
        return visit.done(phrase("{name} is paired.", name=screen.name), to=f"{SCREENS}/{screen.id}")

    @router.get(f"{SCREENS}/{{screen}}/tile")
    def get_tile(screen: str, visit: MayRead) -> Response:
        """One tile, as it is now."""
        return visit.part("screen_tile", tile=tiles.one(visit.access, screen), now=tiles.now())

    return router


def _pair_page(visit: Visit, choices: Choices, given: dict[str, str], problem: ProblemError | None = None) -> Response:
    sentence = None if problem is None else pairing_problem(problem)
    return visit.page(
        "pair",
        status=200 if problem is None else problem.status,
        said=None if sentence is None else Said(sentence, kind="fault"),
        given={"name": "", "playlist": "", **given},
        locations=choices.locations(visit.access),
        playlists=choices.playlists(visit.access),
    )


def pairing_problem(problem: ProblemError) -> Phrase:
    """The problem of a code in a sentence."""
    unknown = phrase("No screen shows this code. A code is good for some minutes: look at the screen again.")
    return unknown if problem.code == "not_found" else sentence_of(problem)
