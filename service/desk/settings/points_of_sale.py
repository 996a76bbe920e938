"""Points of sale: connections with their last sync and its invalid rows, sync now, and a preview of a sync."""

from collections.abc import Mapping
from typing import Annotated, Any, get_args
from urllib.parse import urlencode

from fastapi import Query
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.desk import Desk
from service.desk.documents import DocumentForm
from service.desk.forms import seen_in
from service.desk.lists import Cursor, Pages
from service.desk.menu.menu import DEFAULT_CURRENCY
from service.desk.menu.menu_import import leaps_in
from service.desk.routing import desk_routes
from service.desk.said import Undo
from service.desk.settings.pages import POINTS_OF_SALE, settings_page
from service.desk.visits import MayManagePos, Visit
from service.desk.words import phrase
from service.schema.content.pos import FeedEncoding, PosConnectionCreate, PosConnectionPatch, PosConnectionResponse
from service.schema.lists import MAX_LIMIT
from service.storage.paging import PageRequest

FORM = DocumentForm(PosConnectionCreate, "name", "feed", "format", "encoding", "location", "everyMinutes", "enabled")
FORMATS = ("csv", "json")
NEVER = "never"
Since = Annotated[str, Query(max_length=40)]
"""The instant of the last sync when another was asked for."""

routes = desk_routes(Desk, POINTS_OF_SALE)


def _form(
    desk: Desk,
    visit: Visit,
    connection: PosConnectionResponse | None,
    fields: Mapping[str, str],
    problem: ProblemError | None = None,
    since: str = "",
) -> Response:
    twice_count, twice = (0, ()) if connection is None else desk.services.namesakes.of(connection.id)
    offered: dict[str, Any] = {
        "twice": twice,
        "twice_count": twice_count,
        "formats": FORMATS,
        "encodings": get_args(FeedEncoding),
        "locations": desk.locations(visit.access),
        "now": desk.services.sessions.now(),
    }
    return settings_page(
        visit,
        "settings_pos",
        problem=problem,
        connection=connection,
        form=FORM,
        of=connection,
        given=fields,
        since=since if connection is not None and _is_awaited(connection, since) else "",
        **offered,
    )


@routes.get()
def list_connections(desk: Desk, visit: MayManagePos, cursor: Cursor = None) -> Response:
    """Returns the connections, oldest first."""
    found = desk.services.pos.list(visit.access.workspace, PageRequest(MAX_LIMIT, cursor))
    return settings_page(
        visit,
        "settings_pos_list",
        found=found.data,
        pages=Pages(POINTS_OF_SALE, {}, cursor, found.pagination.cursor),
        now=desk.services.sessions.now(),
    )


@routes.get("/new")
def show_new(desk: Desk, visit: MayManagePos) -> Response:
    """Returns the form of a new connection."""
    return _form(desk, visit, None, {"format": "csv", "enabled": "on"})


@routes.post("/new")
def create(desk: Desk, visit: MayManagePos) -> Response:
    """Makes a connection; what is not valid shows the form again."""
    try:
        made = desk.services.pos.create(visit.access.workspace, model_of(PosConnectionCreate, FORM.read(visit.form)))
    except ProblemError as problem:
        return _form(desk, visit, None, visit.form, problem)
    return visit.done(
        phrase("{name} is connected.", name=made.name),
        to=_awaiting(made) if made.next_sync_at else f"{POINTS_OF_SALE}/{made.id}",
    )


@routes.get("/{connection}")
def show_connection(desk: Desk, connection: str, visit: MayManagePos, since: Since = "") -> Response:
    """A connection: its last sync and its form."""
    found = desk.services.pos.get(visit.access.workspace, connection)
    return _form(desk, visit, found, FORM.shown(found), since=since)


@routes.get("/{connection}/state")
def get_state(desk: Desk, connection: str, visit: MayManagePos, since: Since = "") -> Response:
    """Returns the last sync, as it is now."""
    found = desk.services.pos.get(visit.access.workspace, connection)
    awaited = since if _is_awaited(found, since) else ""
    return visit.part("pos_state", connection=found, since=awaited, now=desk.services.sessions.now())


@routes.post("/{connection}")
def change(desk: Desk, connection: str, visit: MayManagePos) -> Response:
    """Changes a connection; what is not valid shows the form again."""
    before = desk.services.pos.get(visit.access.workspace, connection)
    try:
        body, seen = model_of(PosConnectionPatch, FORM.read(visit.form)), seen_in(visit.form)
        after = desk.services.pos.change(visit.access.workspace, connection, body, seen)
    except ProblemError as problem:
        return _form(desk, visit, before, visit.form, problem)
    at = f"{POINTS_OF_SALE}/{connection}"
    return visit.done(phrase("{name} is changed.", name=after.name), to=at, undo=Undo(at, FORM.shown(before)))


@routes.post("/{connection}/sync")
def sync(desk: Desk, connection: str, visit: MayManagePos) -> Response:
    """Reads the feed within seconds."""
    found = desk.services.pos.request_sync(visit.access.workspace, connection)
    return visit.done(phrase("The feed is read now."), to=_awaiting(found))


@routes.post("/{connection}/preview")
async def preview(desk: Desk, connection: str, visit: MayManagePos) -> Response:
    """Shows the changes that a sync would make now, and makes none."""
    found = await run_in_threadpool(desk.services.pos.get, visit.access.workspace, connection)
    seen = await desk.services.sync_previews.preview(visit.access.workspace, connection)
    there = desk.locations(visit.access)
    place = there.get(found.location or "") or next(iter(there.values()), None)
    currency = DEFAULT_CURRENCY if place is None else place.currency
    shown: dict[str, Any] = {"connection": found, "preview": seen, "leaps": leaps_in(seen), "currency": currency}
    return settings_page(visit, "settings_pos_preview", **shown)


@routes.post("/{connection}/remove")
def remove(desk: Desk, connection: str, visit: MayManagePos) -> Response:
    """Removes a connection; its items stay."""
    name = desk.services.pos.get(visit.access.workspace, connection).name
    desk.services.pos.remove(visit.access.workspace, connection)
    return visit.done(phrase("{name} is removed. Its items stay.", name=name), to=POINTS_OF_SALE)


def _last(connection: PosConnectionResponse) -> str:
    return NEVER if connection.last_sync is None else connection.last_sync.at


def _is_awaited(connection: PosConnectionResponse, since: str) -> bool:
    """Returns whether the sync that the user has requested is still pending: the last one is that from before the
    request."""
    return connection.enabled and bool(since) and _last(connection) == since


def _awaiting(connection: PosConnectionResponse) -> str:
    """Returns the address of the page that shows the next sync once it is done."""
    return f"{POINTS_OF_SALE}/{connection.id}?{urlencode({'since': _last(connection)})}"
