"""Overrides: one scene or playlist now, at some screens, until a time."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError, invalid
from service.desk.desk import Desk, everything
from service.desk.forms import Form
from service.desk.lists import Cursor, Pages
from service.desk.routing import desk_routes
from service.desk.visits import MayPublish, MayRead, Visit
from service.desk.words import phrase
from service.schema.places.location import LocationResponse
from service.schema.publishing.override import MAX_OVERRIDE_DAYS, OverrideCreate
from service.storage.paging import PageRequest

OVERRIDES = "/desk/overrides"
PAGE_SIZE = 50
SOON = timedelta(hours=2)
"""From now to the end that the form offers."""

routes = desk_routes(Desk, OVERRIDES)


def _page(desk: Desk, visit: Visit, cursor: str | None, **more: Any) -> Response:
    access, choices = visit.access, desk
    found = desk.services.overrides.list(access, PageRequest(PAGE_SIZE, cursor))
    scenes = everything(lambda request: desk.services.scenes.list(access.workspace, request))
    screens = everything(lambda request: desk.services.screens.list(access, request, now=desk.now()))
    locations = choices.locations(access)
    shown: dict[str, Any] = {
        "overrides": found.data[::-1],
        "pages": Pages(OVERRIDES, {}, cursor, found.pagination.cursor),
        "scenes": {one.id: one for one in scenes},
        "screens": {one.id: one for one in screens},
        "playlists": choices.playlists(access),
        "locations": locations,
        "groups": choices.groups(access),
        "names": desk.services.actors.names(access, [one.created_by for one in found.data]),
        "zone": _zone(locations, ""),
        "most_days": MAX_OVERRIDE_DAYS,
        "typed": {},
    }
    shown["soon"] = (desk.now().astimezone(ZoneInfo(shown["zone"])) + SOON).strftime("%Y-%m-%dT%H:%M")
    return visit.page("overrides", **{**shown, **more})


@routes.get()
def list_overrides(desk: Desk, visit: MayRead, cursor: Cursor = None, show: str = "") -> Response:
    """Returns the overrides that hold, wait or have ended; the form has what the link names."""
    return _page(desk, visit, cursor, typed={"show": show[:100]})


@routes.post()
def create_override(desk: Desk, visit: MayPublish) -> Response:
    """Shows it now."""
    try:
        body = model_of(OverrideCreate, _given(visit.form, desk.locations(visit.access)))
        made = desk.services.overrides.create(visit.access, body)
    except ProblemError as problem:
        return _page(desk, visit, None, typed=visit.form, fault=problem)
    return visit.done(phrase("{name} goes to the screens now.", name=made.name), to=OVERRIDES)


@routes.post("/{override}/withdraw")
def withdraw(desk: Desk, override: str, visit: MayPublish) -> Response:
    """Ends it: the screens show what they would show without it."""
    name = desk.services.overrides.get(visit.access, override).name
    desk.services.overrides.withdraw(visit.access, override)
    return visit.done(phrase("{name} is withdrawn. The screens go back at once.", name=name), to=OVERRIDES)


def _zone(locations: Mapping[str, LocationResponse], chosen: str) -> str:
    """Returns the zone of a location; without one that of the first."""
    there = locations.get(chosen) or next(iter(locations.values()), None)
    return "UTC" if there is None else there.timezone


def _given(form: Form, locations: Mapping[str, LocationResponse]) -> dict[str, Any]:
    kind, _, name = form.get("show", "").partition(":")
    where, _, place = form.get("where", "").partition(":")
    target: dict[str, object] = {"everything": True}
    if where in ("location", "group"):
        target = {where: place}
    elif where == "screen":
        target = {"screens": [place]}
    zone = ZoneInfo(_zone(locations, place))
    try:
        until = datetime.fromisoformat(form.get("until", ""))
    except ValueError:
        raise invalid([Fault("not_a_local_time", "This must be a local date and time.", "/until")]) from None
    return {
        kind if kind in ("scene", "playlist") else "scene": name,
        "target": target,
        "until": instant_text(until.replace(tzinfo=zone)),
        "reason": form.get("reason", ""),
    }
