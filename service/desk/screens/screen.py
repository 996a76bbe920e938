"""One screen: its page, its image and its log, and the acts on it."""

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.documents import DocumentForm
from service.desk.forms import seen_in
from service.desk.problems import sentence_of
from service.desk.routing import desk_routes
from service.desk.said import Said, Undo
from service.desk.screens.rollouts import rollout_of, why_back
from service.desk.screens.screens import SCREENS, Tiles
from service.desk.screens.unpublished import asked_first
from service.desk.static_files import static_url
from service.desk.visits import HEADERS, SURE, MayManageScreens, MayRead, Visit
from service.desk.words import Phrase, phrase
from service.schema.devices.command import CommandCreate, CommandResponse
from service.schema.devices.screen import ScreenPatch, ScreenReplace, ScreenResponse, ScreensConfirm
from service.schema.lists import MAX_LIMIT
from service.services.access.access import Access
from service.services.publishing.pictures import scene_picture, version_picture
from service.services.shared.etags import PRECONDITION_FAILED, tag_of
from service.storage.paging import PageRequest

FORM = DocumentForm(ScreenPatch, "name", "location", "playlist", words="tags")
COMMANDS_SHOWN = 8
PICTURE_WIDTH = 640

ASKED: dict[str, Phrase] = {
    "identify": phrase("The screen shows which one it is."),
    "reload": phrase("The screen fetches its menu again."),
    "restart": phrase("The screen restarts."),
    "screenshot": phrase("The screen sends a picture."),
    "sendLogs": phrase("The screen sends its log."),
}
"""The sentence after each command."""

routes = desk_routes(Tiles, SCREENS + "/{screen}")


def _part(tiles: Tiles, visit: Visit, screen: str, said: Said | None = None) -> Response:
    shown = _state(visit.access, screen, tiles)
    return visit.part("screen_state", said=said, **shown)


def _answer(tiles: Tiles, visit: Visit, screen: str, sentence: Phrase, undo: Undo | None = None) -> Response:
    if visit.wants_part:
        return _part(tiles, visit, screen, Said(sentence, undo))
    return visit.done(sentence, to=f"{SCREENS}/{screen}", undo=undo)


@routes.get()
def show_screen(tiles: Tiles, screen: str, visit: MayRead) -> Response:
    """Returns the screen: what it shows, what is wrong, and what can be done."""
    shown = _state(visit.access, screen, tiles)
    choices = tiles
    places: dict[str, Any] = {
        "locations": choices.locations(visit.access),
        "playlists": choices.playlists(visit.access),
    }
    return visit.page("screen", **shown, **places, tag=tag_of(shown["tile"].screen))


@routes.get("/state")
def get_state(tiles: Tiles, screen: str, visit: MayRead) -> Response:
    """Returns the part of the page that changes by itself."""
    return _part(tiles, visit, screen)


@routes.get("/picture")
async def get_picture(tiles: Tiles, screen: str, visit: MayRead) -> Response:
    """Returns the last picture that the screen has sent, or a drawing of what it says it presents."""
    return await _picture(visit.access, screen, tiles)


@routes.get("/log")
def get_log(tiles: Tiles, screen: str, visit: MayRead) -> Response:
    """Returns the last lines of its log that the screen has sent."""
    found = tiles.services.screens.get(visit.access, screen, now=tiles.now())
    log = tiles.services.uploads.get(visit.access, screen, "logs")
    text = log.content.decode("utf-8", "replace")
    return visit.page("screen_log", screen=found, log=text, received_at=log.received_at)


@routes.post()
def change(tiles: Tiles, screen: str, visit: MayManageScreens) -> Response:
    """Changes name, location, playlist and tags; they can be put back."""
    before = tiles.services.screens.get(visit.access, screen, now=tiles.now())
    plays, page = before.plays_meanwhile or before.playlist, f"{SCREENS}/{screen}"
    given = visit.form.get("playlist", "")
    if given != (before.playlist or "") and (asked := asked_first(visit, tiles, given, plays=plays, back=page)):
        return asked
    try:
        after = tiles.services.screens.change(
            visit.access, screen, model_of(ScreenPatch, FORM.read(visit.form, in_part=True)), seen_in(visit.form)
        )
    except ProblemError as problem:
        if problem.code == PRECONDITION_FAILED:
            return visit.late(sentence_of(problem))
        raise
    undo = Undo(page, {**FORM.shown(before), "tag": tag_of(after), SURE: "1"})
    return visit.done(phrase("{name} is changed.", name=after.name), to=page, undo=undo)


@routes.post("/commands")
def command(tiles: Tiles, screen: str, visit: MayManageScreens) -> Response:
    """Gives the screen a command; until it fetches it, the command can be taken back."""
    given = tiles.services.commands.give(
        visit.access, screen, model_of(CommandCreate, {"type": visit.form.get("type", "")})
    )
    undo = Undo(f"{SCREENS}/{screen}/commands/{given.id}/withdraw", target="#state")
    return _answer(tiles, visit, screen, ASKED[given.type], undo)


@routes.post("/commands/{given}/withdraw")
def withdraw(tiles: Tiles, screen: str, given: str, visit: MayManageScreens) -> Response:
    """Takes a command back."""
    tiles.services.commands.withdraw(visit.access, screen, given)
    return _answer(tiles, visit, screen, phrase("The screen does not get it."))


@routes.post("/confirm")
def confirm(tiles: Tiles, screen: str, visit: MayManageScreens) -> Response:
    """Lets a screen that waits have its menu."""
    tiles.services.screens.confirm(visit.access, model_of(ScreensConfirm, {"screens": [screen]}))
    return _answer(tiles, visit, screen, phrase("The screen gets its menu."))


@routes.post("/replace")
def replace(tiles: Tiles, screen: str, visit: MayManageScreens) -> Response:
    """Puts the device that shows the code in the place of the screen's."""
    after = tiles.services.pairing.replace(
        visit.access, screen, model_of(ScreenReplace, {"code": visit.form.get("code", "")})
    )
    sentence = phrase("{name} is the new device. The old one shows a code now.", name=after.name)
    return visit.done(sentence, to=f"{SCREENS}/{screen}")


@routes.post("/remove")
def remove(tiles: Tiles, screen: str, visit: MayManageScreens) -> Response:
    """Removes the screen; its device shows a code, by which it can be paired again."""
    name = tiles.services.screens.get(visit.access, screen, now=tiles.now()).name
    tiles.services.screens.remove(visit.access, screen)
    sentence = phrase("{name} is removed. Its device shows a code to pair it again.", name=name)
    return visit.done(sentence, to=SCREENS)


def _state(access: Access, screen: str, tiles: Tiles) -> dict[str, Any]:
    given: list[CommandResponse] = tiles.services.commands.list(access, screen, PageRequest(MAX_LIMIT)).data
    logs = tiles.services.uploads.received_at(access, [screen], "logs")
    tile = tiles.one(access, screen)
    back = tile.screen.taken_back or {}
    return {
        "tile": tile,
        "rollout": rollout_of(tiles, access, screen),
        "taken_back": back.get("version"),
        "why": why_back(back.get("code"), back.get("why")),
        "commands": given[: -COMMANDS_SHOWN - 1 : -1],
        "has_log": screen in logs,
        "now": tiles.now(),
    }


async def _picture(access: Access, screen: str, tiles: Tiles) -> Response:
    found: ScreenResponse = await run_in_threadpool(tiles.services.screens.get, access, screen, now=tiles.now())
    headers = {**HEADERS, "Cache-Control": "private, max-age=600"}
    try:
        upload = await run_in_threadpool(tiles.services.uploads.get, access, screen, "screenshot")
        return Response(upload.content, media_type=upload.media_type, headers=headers)
    except ProblemError:
        pass
    presented = found.presented or {}
    scene, playlist, version = (presented.get(name) for name in ("sceneId", "playlistId", "version"))
    if scene is not None:
        picture = version_picture(playlist, version, scene) if playlist and version else scene_picture(scene)
        try:
            drawing = await run_in_threadpool(
                tiles.services.previews.plan, access, picture, width=PICTURE_WIDTH, location=found.location
            )
            return Response(await tiles.services.previews.render(drawing), media_type="image/png", headers=headers)
        except ProblemError:
            # It cannot be drawn now: the tile shows that there is no picture.
            pass
    return Response(status_code=307, headers={**HEADERS, "Location": static_url("no-picture.svg")})
