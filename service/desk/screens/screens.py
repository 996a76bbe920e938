"""List of screens, and pairing a new one."""

from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.core.permissions import Permission
from service.desk.desk import Desk
from service.desk.lists import Cursor, Pages
from service.desk.problems import sentence_of
from service.desk.routing import desk_routes
from service.desk.said import Said
from service.desk.screens.tiles import Tile, tile_of
from service.desk.screens.unpublished import asked_first
from service.desk.visits import MayManageScreens, MayRead, Visit
from service.desk.words import Phrase, phrase
from service.schema.devices.screen import ScreenPair
from service.schema.fields import LABEL_LENGTH
from service.services.access.access import Access
from service.services.devices.screens import ScreenFilter
from service.storage.paging import PageRequest

SCREENS = "/desk/screens"
PAGE_SIZE = 48
"""Tiles of a page: whole rows of two, three, four and six."""

Word = Annotated[str, Query(max_length=LABEL_LENGTH)]


class Tiles(Desk):
    def page(self, access: Access, chosen: ScreenFilter, cursor: str | None) -> tuple[list[Tile], str | None]:
        """Returns the tiles of one page, and the cursor of the next."""
        found = self.services.screens.list(access, PageRequest(PAGE_SIZE, cursor), chosen=chosen, now=self.now())
        pictures = self.services.uploads.received_at(access, [one.id for one in found.data], "screenshot")
        locations = self.locations(access)
        return [tile_of(one, locations, pictures) for one in found.data], found.pagination.cursor

    def one(self, access: Access, screen: str) -> Tile:
        """Raises the 404 problem."""
        found = self.services.screens.get(access, screen, now=self.now())
        pictures = self.services.uploads.received_at(access, [screen], "screenshot")
        location = self.services.locations.get(access, found.location)
        return tile_of(found, {location.id: location}, pictures)


routes = desk_routes(Tiles)


@routes.get(SCREENS)
def list_screens(
    tiles: Tiles,
    visit: MayRead,
    search: Word = "",
    location: Word = "",
    group: Word = "",
    tag: Word = "",
    trouble: Word = "",
    cursor: Cursor = None,
) -> Response:
    """Returns the tiles of the screens that match the filter."""
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
    if not found and visit.access.may(Permission.SCREENS) and not tiles.locations(visit.access):
        # Nothing is there yet: the first run.
        return visit.go("/desk/start")
    places: dict[str, Any] = {"locations": tiles.locations(visit.access), "groups": tiles.groups(visit.access)}
    return visit.page("screens", **shown, **places)


@routes.get(f"{SCREENS}/pair")
def show_pairing(tiles: Tiles, visit: MayManageScreens, code: Word = "", location: Word = "") -> Response:
    """Returns the form for the code that a screen shows."""
    return _pair_page(visit, tiles, {"code": code, "location": location})


@routes.post(f"{SCREENS}/pair")
def pair(tiles: Tiles, visit: MayManageScreens) -> Response:
    """Pairs the screen that shows the code; what is not valid shows the form again."""
    given = {name: visit.form.get(name, "") for name in ("code", "location", "playlist", "name")}
    if asked := asked_first(visit, tiles, given["playlist"], plays=None, back=f"{SCREENS}/pair"):
        return asked
    try:
        body = model_of(ScreenPair, {**given, "name": given["name"] or None})
        screen = tiles.services.pairing.claim(visit.access, body)
    except ProblemError as problem:
        return _pair_page(visit, tiles, given, problem)
    return visit.done(phrase("{name} is paired.", name=screen.name), to=f"{SCREENS}/{screen.id}")


@routes.get(f"{SCREENS}/{{screen}}/tile")
def get_tile(tiles: Tiles, screen: str, visit: MayRead) -> Response:
    """One tile, as it is now."""
    return visit.part("screen_tile", tile=tiles.one(visit.access, screen), now=tiles.now())


def _pair_page(visit: Visit, desk: Desk, given: dict[str, str], problem: ProblemError | None = None) -> Response:
    sentence = None if problem is None else pairing_problem(problem)
    return visit.page(
        "pair",
        status=200 if problem is None else problem.status,
        said=None if sentence is None else Said(sentence, kind="fault"),
        given={"name": "", "playlist": "", **given},
        locations=desk.locations(visit.access),
        playlists=desk.playlists(visit.access),
    )


def pairing_problem(problem: ProblemError) -> Phrase:
    """Describes the problem of a code in a sentence."""
    unknown = phrase("No screen shows this code. A code is good for some minutes: look at the screen again.")
    return unknown if problem.code == "not_found" else sentence_of(problem)
