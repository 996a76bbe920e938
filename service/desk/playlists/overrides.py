"""Boards in place of others: one scene or playlist now, at some screens, until a time."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError, invalid
from service.desk.choices import everything
from service.desk.forms import Form
from service.desk.lists import Pages
from service.desk.playlists.playlists import Publishing
from service.desk.problems import sentence_of
from service.desk.said import Said
from service.desk.visits import MayPublish, MayRead, Visit
from service.desk.words import phrase
from service.schema.places.location import LocationResponse
from service.schema.publishing.override import MAX_OVERRIDE_DAYS, OverrideCreate
from service.services.publishing.overrides import OverrideService
from service.storage.paging import PageRequest

OVERRIDES = "/desk/overrides"
PAGE_SIZE = 50
SOON = timedelta(hours=2)
"""From now to the end that the form offers."""


def override_routes(
    *, overrides: OverrideService, publishing: Publishing, now: Callable[[], datetime], route: type[APIRoute]
) -> APIRouter:
    """The list, a new one, and withdrawing one."""
    router = APIRouter(prefix=OVERRIDES, include_in_schema=False, route_class=route)

    def page(visit: Visit, cursor: str | None, **more: Any) -> Response:
        access, choices = visit.access, publishing.choices
        found = overrides.list(access, PageRequest(PAGE_SIZE, cursor))
        scenes = everything(lambda request: publishing.scenes.list(access.workspace, request))
        screens = everything(lambda request: publishing.screens.list(access, request, now=now()))
        locations = choices.locations(access)
        shown: dict[str, Any] = {
            "overrides": found.data[::-1],
            "pages": Pages(OVERRIDES, {}, cursor, found.pagination.cursor),
            "scenes": {one.id: one for one in scenes},
            "screens": {one.id: one for one in screens},
            "playlists": choices.playlists(access),
            "locations": locations,
            "groups": choices.groups(access),
            "names": publishing.actors.names(access, [one.created_by for one in found.data]),
            "zone": _zone(locations, ""),
            "most_days": MAX_OVERRIDE_DAYS,
            "typed": {},
        }
        shown["soon"] = (now().astimezone(ZoneInfo(shown["zone"])) + SOON).strftime("%Y-%m-%dT%H:%M")
        return visit.page("overrides", **{**shown, **more})

    @router.get("")
    def list_overrides(
        visit: MayRead, cursor: Annotated[str | None, Query(max_length=200)] = None, show: str = ""
    ) -> Response:
        """The overrides that hold, wait or have ended; the form has what the link names."""
        return page(visit, cursor, typed={"show": show[:100]})

    @router.post("")
    def create_override(visit: MayPublish) -> Response:
        """Shows it now."""
        try:
            body = model_of(OverrideCreate, _given(visit.form, publishing.choices.locations(visit.access)))
            made = overrides.create(visit.access, body)
        except ProblemError as problem:
            said = Said(sentence_of(problem), kind="fault")
            return page(visit, None, typed=visit.form, said=said, status=problem.status)
        return visit.done(phrase("{name} goes to the screens now.", name=made.name), to=OVERRIDES)

    @router.post("/{override}/withdraw")
    def withdraw(override: str, visit: MayPublish) -> Response:
        """Ends it: the screens show what they would show without it."""
        name = overrides.get(visit.access, override).name
        overrides.withdraw(visit.access, override)
        return visit.done(phrase("{name} is withdrawn. The screens go back at once.", name=name), to=OVERRIDES)

    return router


def _zone(locations: Mapping[str, LocationResponse], chosen: str) -> str:
    """The zone of a location; without one that of the first."""
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
